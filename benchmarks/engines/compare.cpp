// Compares two engines in one process: the same conversions on the same memory, in turns.
//
//   bench.engines PROBLEMS... [--least BYTES] [--most BYTES] [--pairs N] [--rounds N]
//                 [--cold] [--above RATIO] [--only TEXT]
//
// PROBLEMS are files of `stridewise bench`. Where both engines write other bytes, the exit
// code is 1. A ratio is the new engine's time by the old one's. A dimension of extent N in a
// problem stays as it is: choose the size by the file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "engine.hpp"

namespace stridewise {
const Engine& this_engine();
}
namespace stridewise_before {
const Engine& this_engine();
}

namespace {

struct Options {
  std::vector<std::string> files;
  std::int64_t least = 0, most = std::int64_t{1} << 40;
  std::size_t pairs = 0;  // 0: all
  int rounds = 7;
  bool cold = false;
  double above = 1.1;
  std::string only;
};

struct Problem {
  std::string name, src, dst, shape;
  std::int64_t element_bytes;
};

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(
      text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

std::int64_t width_of(const std::string& dtype) {
  const std::map<std::string, std::int64_t> widths = {
      {"f64", 8}, {"s64", 8}, {"u64", 8}, {"f32", 4},  {"s32", 4}, {"u32", 4},
      {"f16", 2}, {"s16", 2}, {"u16", 2}, {"bf16", 2}, {"s8", 1},  {"u8", 1}};
  const auto width = widths.find(dtype);
  return width == widths.end() ? 0 : width->second;
}

// Lines that are no plain moves of whole bytes are left out.
std::vector<Problem> read(const std::string& file) {
  std::vector<Problem> problems;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find('#'));
    std::vector<std::string> fields;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = line.find(';', at);
      fields.push_back(trimmed(std::string_view(line).substr(at, end - at)));
      at = end == std::string::npos ? end : end + 1;
    }
    if (fields.size() != 4) continue;
    const std::size_t arrow = fields[2].find("->");
    const std::int64_t width = width_of(fields[1]);
    if (arrow == std::string::npos || width == 0) continue;
    if (fields[3].find('|') != std::string::npos) continue;
    problems.push_back(
        {fields[0].empty() ? fields[1] + " " + fields[2] : fields[0],
         trimmed(fields[2].substr(0, arrow)),
         trimmed(fields[2].substr(arrow + 2)), fields[3], width});
  }
  return problems;
}

struct Free {
  void operator()(std::byte* data) const { std::free(data); }
};
using Memory = std::unique_ptr<std::byte, Free>;

Memory pages(std::int64_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t size =
      (static_cast<std::size_t>(bytes) + page) / page * page;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(page, size));
  std::memset(data, 1, size);
  return Memory(data);
}

void flush([[maybe_unused]] const std::byte* data,
           [[maybe_unused]] std::int64_t bytes) {
#if defined(__x86_64__)
  for (std::int64_t at = 0; at < bytes; at += 64) _mm_clflush(data + at);
  _mm_mfence();
#endif
}

double seconds_of(const Engine& engine, const void* plan, const std::byte* src,
                  std::byte* dst, int repeats) {
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < repeats; ++k) engine.run(plan, src, dst);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
             .count() /
         repeats;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Outcome {
  std::string name;
  std::int64_t bytes;
  double before, after, copy;  // seconds
  [[nodiscard]] double ratio() const { return after / before; }
};

// Plans of both engines, dropped at the end.
struct Plans {
  explicit Plans(const Conversion& conversion)
      : before(stridewise_before::this_engine().make(conversion)),
        after(stridewise::this_engine().make(conversion)) {}
  ~Plans() {
    if (before != nullptr) stridewise_before::this_engine().drop(before);
    if (after != nullptr) stridewise::this_engine().drop(after);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;
  void* before;
  void* after;
};

enum class Verdict { skipped, wrong, measured };

Verdict compare(const Problem& problem, const Options& options,
                Outcome& outcome) {
  const Engine& old = stridewise_before::this_engine();
  const Engine& now = stridewise::this_engine();
  const Plans plans({problem.src.c_str(), problem.dst.c_str(),
                     problem.shape.c_str(), problem.element_bytes});
  if (plans.before == nullptr || plans.after == nullptr)
    return Verdict::skipped;
  const std::int64_t bytes = now.moved_bytes(plans.after);
  if (bytes < options.least || bytes > options.most) return Verdict::skipped;
  const std::int64_t src_bytes = now.src_bytes(plans.after);
  const std::int64_t dst_bytes = now.dst_bytes(plans.after);
  const Memory src = pages(src_bytes);
  const Memory dst = pages(dst_bytes);
  const Memory expected = pages(dst_bytes);
  std::mt19937_64 random(1);
  for (std::int64_t at = 0; at + 8 <= src_bytes; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(src.get() + at, &word, 8);
  }
  old.run(plans.before, src.get(), expected.get());
  now.run(plans.after, src.get(), dst.get());
  if (std::memcmp(expected.get(), dst.get(),
                  static_cast<std::size_t>(dst_bytes)) != 0) {
    return Verdict::wrong;
  }
  const double once = seconds_of(old, plans.before, src.get(), dst.get(), 1);
  const int repeats =
      options.cold ? 1 : std::max(1, static_cast<int>(100e-6 / (once + 1e-9)));
  std::vector<double> before, after, copy;
  for (int round = 0; round < options.rounds; ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      const bool is_old = (turn + round) % 2 == 0;
      const Engine& engine = is_old ? old : now;
      const void* const plan = is_old ? plans.before : plans.after;
      if (options.cold) {
        flush(src.get(), src_bytes);
        flush(dst.get(), dst_bytes);
      } else if (once < 5e-3) {
        engine.run(plan, src.get(), dst.get());
      }
      (is_old ? before : after)
          .push_back(seconds_of(engine, plan, src.get(), dst.get(), repeats));
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto n =
        static_cast<std::size_t>(std::min({bytes, src_bytes, dst_bytes}));
    for (int k = 0; k < repeats; ++k) {
      std::memcpy(expected.get(), src.get(), n);
      asm volatile("" ::: "memory");
    }
    copy.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count() /
        repeats);
  }
  outcome = {problem.name + " (" + problem.src + " -> " + problem.dst + ", " +
                 std::to_string(problem.element_bytes) + " bytes) " +
                 problem.shape,
             bytes, median(before), median(after), median(copy)};
  return Verdict::measured;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const auto value = [&] {
      if (k + 1 == argc) {
        std::fprintf(stderr, "bench.engines: %s wants a value\n", argv[k]);
        std::exit(2);
      }
      return argv[++k];
    };
    if (word == "--least") {
      options.least = std::atoll(value());
    } else if (word == "--most") {
      options.most = std::atoll(value());
    } else if (word == "--pairs") {
      options.pairs = static_cast<std::size_t>(std::atoll(value()));
    } else if (word == "--rounds") {
      options.rounds = std::atoi(value());
    } else if (word == "--above") {
      options.above = std::atof(value());
    } else if (word == "--only") {
      options.only = value();
    } else if (word == "--cold") {
      options.cold = true;
    } else {
      options.files.emplace_back(word);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::vector<Problem> problems;
  for (const std::string& file : options.files) {
    for (Problem& problem : read(file)) {
      const bool wanted =
          problem.name.find(options.only) != std::string::npos ||
          problem.shape.find(options.only) != std::string::npos;
      if (wanted) problems.push_back(std::move(problem));
    }
  }
  if (options.pairs > 0) {
    std::shuffle(problems.begin(), problems.end(), std::mt19937_64(7));
  }
  std::vector<Outcome> outcomes;
  int wrong = 0;
  for (const Problem& problem : problems) {
    Outcome outcome;
    const Verdict verdict = compare(problem, options, outcome);
    if (verdict == Verdict::wrong) {
      std::printf("WRONG %s %s\n", problem.name.c_str(), problem.shape.c_str());
      ++wrong;
    }
    if (verdict != Verdict::measured) continue;
    outcomes.push_back(std::move(outcome));
    if (options.pairs > 0 && outcomes.size() == options.pairs) break;
  }
  double ratios = 0, of_copy_before = 0, of_copy_after = 0;
  std::size_t above = 0;
  std::ranges::sort(outcomes, {}, &Outcome::ratio);
  for (const Outcome& outcome : outcomes) {
    ratios += std::log(outcome.ratio());
    of_copy_before += std::log(outcome.copy / outcome.before);
    of_copy_after += std::log(outcome.copy / outcome.after);
    if (outcome.ratio() > options.above) ++above;
    if (outcome.ratio() > options.above || options.above <= 0) {
      std::printf("%6.3f  before %5.2f  after %5.2f of memcpy  %9lld  %s\n",
                  outcome.ratio(), outcome.copy / outcome.before,
                  outcome.copy / outcome.after,
                  static_cast<long long>(outcome.bytes), outcome.name.c_str());
    }
  }
  const auto count = static_cast<double>(outcomes.size());
  std::printf(
      "%zu pairs: %.3f of the time; of memcpy %.3f before, %.3f after; "
      "%zu above %.2f; %d wrong\n",
      outcomes.size(), std::exp(ratios / count),
      std::exp(of_copy_before / count), std::exp(of_copy_after / count), above,
      options.above, wrong);
  return wrong == 0 ? 0 : 1;
}
