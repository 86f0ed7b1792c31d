// SPDX-License-Identifier: Apache-2.0
#include "bench/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "bench/machine.hpp"
#include "bench/measure.hpp"
#include "bench/verify.hpp"
#include "buffer.hpp"

namespace stridewise::cli {
namespace {

// A problem with the plan of the first profile, and what others take in its time.
class Tuned {
 public:
  explicit Tuned(const BoundProblem& problem, const std::string& profile)
      : problem_(problem), first_(plan(profile)) {
    ratios_[first_.to_string()] = 1;
  }

  // The time of the profile's plan by that of the first one; measured where it is new.
  double ratio(const std::string& profile, std::int64_t& measured) {
    const Plan made = plan(profile);
    const auto [known, is_new] = ratios_.try_emplace(made.to_string(), 0.0);
    if (!is_new) return known->second;
    ++measured;
    constexpr int rounds = 7;
    const Buffer src(problem_.src.size_bytes()), dst(problem_.dst.size_bytes());
    fill_src(problem_, src.bytes());
    const auto run = [&](const Plan& which) {
      return timed([&] { which.run(src.data(), dst.data()); });
    };
    const std::array work = {run(first_), run(made)};
    const std::vector<double> seconds = measure(work, rounds);
    return known->second = seconds[1] / seconds[0];
  }

 private:
  [[nodiscard]] Plan plan(const std::string& profile) const {
    return value_of(
        Plan::make(problem_.src, problem_.dst,
                   {.values = problem_.values, .machine = profile}));
  }

  const BoundProblem& problem_;
  Plan first_;
  std::map<std::string, double> ratios_;  // by what plans say
};

// The lines of a profile, "name = value".
struct Setting {
  std::string name, value;
};

std::vector<Setting> settings_of(const std::string& profile) {
  std::vector<Setting> settings;
  std::istringstream lines(profile);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    settings.push_back({line.substr(0, equals), line.substr(equals + 3)});
  }
  return settings;
}

std::string text_of(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    text += setting.name + " = " + setting.value + '\n';
  }
  return text;
}

// Other values that a number may be better with; none for what is no number, and for what
// loops over one conversion do not tell: whether who reads dst finds it in a cache, and how
// well threads share the work.
std::vector<std::string> others(const Setting& setting) {
  constexpr std::array<std::string_view, 8> kept = {
      "name",       "isa",         "without",           "near_bytes",
      "task_bytes", "relay_bytes", "min_relayed_bytes", "min_streamed_bytes"};
  if (std::ranges::find(kept, setting.name) != kept.end()) return {};
  if (setting.value == "true") return {"false"};
  if (setting.value == "false") return {"true"};
  const double number = std::stod(setting.value);
  constexpr std::array<std::string_view, 8> counts = {
      "bytes", "strips", "ways", "run", "runs", "sources", "tiles", "lines"};
  const std::size_t last = setting.name.rfind('_') + 1;
  const bool whole_number =
      std::ranges::find(counts, setting.name.substr(last)) != counts.end();
  if (!whole_number) {
    std::vector<std::string> all;
    for (const double factor : {0.6, 0.8, 1.25, 1.6}) {
      all.push_back(fmt::format("{:.3g}", number * factor));
    }
    return all;
  }
  const auto whole = static_cast<std::int64_t>(number);
  return {fmt::to_string(std::max<std::int64_t>(whole / 2, 1)),
          fmt::to_string(whole * 2)};
}

class Tuner {
 public:
  Tuner(const std::vector<BoundProblem>& problems, const std::string& machine,
        double most_seconds,
        const std::function<void(const TuneProgress&)>& progress)
      : best_(settings_of(value_of(machine_profile(machine)))),
        until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(most_seconds))),
        progress_(progress) {
    for (const BoundProblem& problem : problems) {
      all_.emplace_back(problem, text_of(best_));
    }
  }

  std::string tune() {
    for (bool gained = true; gained && !late();) {
      gained = false;
      for (std::size_t k = 0; k < best_.size() && !late(); ++k) {
        gained |= improve(k);
      }
    }
    for (Setting& setting : best_) {
      if (setting.name == "name") setting.value = "tuned";
    }
    const Machine machine = this_machine();
    return fmt::format(
               "# measured: {}, {}, {:.3f} times as fast: bench --tune\n",
               machine.cpu, machine.date, std::exp(-best_score_)) +
           text_of(best_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Whether another value of setting k is better; it is kept then.
  bool improve(std::size_t k) {
    // Less is noise.
    constexpr double least_gain = 0.002;
    bool gained = false;
    for (const std::string& value : others(best_[k])) {
      if (late()) break;
      std::vector<Setting> tried = best_;
      tried[k].value = value;
      const std::string profile = text_of(tried);
      if (!machine_profile(profile)) continue;  // out of its range
      const double score = score_of(profile);
      ++state_.tried;
      if (score < best_score_ - least_gain) {
        best_score_ = score;
        best_ = std::move(tried);
        gained = true;
      }
      state_.gain = std::exp(-best_score_);
      progress_(state_);
    }
    return gained;
  }

  // The mean logarithm of times by those of the first profile.
  double score_of(const std::string& profile) {
    double sum = 0;
    for (Tuned& problem : all_) {
      sum += std::log(problem.ratio(profile, state_.measured));
    }
    return sum / static_cast<double>(all_.size());
  }

  [[nodiscard]] bool late() const { return Clock::now() >= until_; }

  std::vector<Setting> best_;
  double best_score_ = 0;
  std::vector<Tuned> all_;
  Clock::time_point until_;
  const std::function<void(const TuneProgress&)>& progress_;
  TuneProgress state_ = {0, 0, 1};
};

}  // namespace

std::string tune(const std::vector<BoundProblem>& problems,
                 const std::string& machine, double most_seconds,
                 const std::function<void(const TuneProgress&)>& progress) {
  return Tuner(problems, machine, most_seconds, progress).tune();
}

}  // namespace stridewise::cli
