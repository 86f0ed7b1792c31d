// SPDX-License-Identifier: Apache-2.0
#include "inspect/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace stridewise::inspect {
namespace {

constexpr std::size_t longest_period = 128;

using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

Runs runs_of(const std::vector<bool>& in) {
  Runs runs;
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (!in[k]) continue;
    if (!runs.empty() && runs.back().second + 1 == k) {
      runs.back().second = k;
    } else {
      runs.emplace_back(k, k);
    }
  }
  return runs;
}

// The least period under half of the size; 0: none.
std::size_t period_of(const std::vector<bool>& in) {
  for (std::size_t m = 2; m <= longest_period && 2 * m <= in.size(); ++m) {
    bool repeats = true;
    for (std::size_t k = m; k < in.size() && repeats; ++k) {
      repeats = in[k] == in[k - m];
    }
    if (repeats) return m;
  }
  return 0;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    text += k == 0 ? "" : k + 1 == words.size() ? " and " : ", ";
    text += words[k];
  }
  return text;
}

std::string residue(std::size_t period, std::size_t rest) {
  return rest == 0 ? fmt::format("{}k", period)
                   : fmt::format("{}k+{}", period, rest);
}

std::string print_periodic(const std::string& name, const std::vector<bool>& in,
                           std::size_t period) {
  if (period == 2) return name + (in[1] ? " odd" : " even");
  std::vector<std::string> words;
  for (const auto& [first, last] : runs_of(
           {in.begin(), in.begin() + static_cast<std::ptrdiff_t>(period)})) {
    if (last - first > 2) {
      words.push_back(residue(period, first) + ".." + residue(period, last));
      continue;
    }
    for (std::size_t k = first; k <= last; ++k) {
      words.push_back(residue(period, k));
    }
  }
  return words.size() > 4 ? "" : name + "=" + join(words);
}

}  // namespace

std::string print_set(const std::string& name, const std::vector<bool>& in) {
  const auto count = std::ranges::count(in, true);
  if (count == 0 || count == std::ssize(in)) return "";
  const Runs runs = runs_of(in);
  const auto run = [](const auto& r) {
    return r.first == r.second ? std::to_string(r.first)
                               : fmt::format("{}..{}", r.first, r.second);
  };
  if (runs.size() == 1) return name + "=" + run(runs[0]);
  if (const std::size_t period = period_of(in); period != 0) {
    const std::string text = print_periodic(name, in, period);
    if (!text.empty()) return text;
  }
  if (runs.size() > 6) {
    return fmt::format("{} of the {} values of {} between {} and {}", count,
                       in.size(), name, runs.front().first, runs.back().second);
  }
  std::vector<std::string> words;
  for (const auto& r : runs) words.push_back(run(r));
  return name + "=" + join(words);
}

std::string print_rearrangement(const std::string& name,
                                const std::vector<std::int64_t>& to) {
  const auto size = static_cast<std::int64_t>(to.size());
  std::vector<std::int64_t> moved;
  for (std::int64_t k = 0; k < size; ++k) {
    const std::int64_t from = to[static_cast<std::size_t>(k)];
    if (from >= 0 && from != k) moved.push_back(k);
  }
  if (moved.empty()) return "";
  const auto holds = [&](std::int64_t k) {
    return to[static_cast<std::size_t>(k)];
  };
  // One shift for all that moved, which is all but the end.
  const std::int64_t shift = moved[0] - holds(moved[0]);
  const bool shifted = std::ranges::all_of(
      moved, [&](std::int64_t k) { return k - holds(k) == shift; });
  if (shifted && (shift > 0 ? moved.back() == size - 1 : moved.front() == 0)) {
    const std::int64_t by = shift < 0 ? -shift : shift;
    return fmt::format("{} is {} {}: {}={} holds {}={}", name,
                       by == 1 ? "one" : std::to_string(by),
                       shift > 0 ? "late" : "early", name, moved[0], name,
                       holds(moved[0]));
  }
  const bool reversed = std::ranges::all_of(
      moved, [&](std::int64_t k) { return holds(k) == size - 1 - k; });
  if (reversed && moved.size() > 2 && std::ssize(moved) >= size - 1) {
    return name + " is in reverse order";
  }
  const bool pairs = std::ranges::all_of(
      moved, [&](std::int64_t k) { return holds(holds(k)) == k; });
  if (!pairs) {
    for (std::int64_t by = 1; by < size; ++by) {
      const bool rotated = std::ranges::all_of(
          moved, [&](std::int64_t k) { return holds(k) == (k + by) % size; });
      if (rotated && std::ssize(moved) >= size - 1) {
        return fmt::format("{} is rotated: {}=0 holds {}={}", name, name, name,
                           by);
      }
    }
    return fmt::format("{} is rearranged: {}={} holds {}={}", name, name,
                       moved[0], name, holds(moved[0]));
  }
  // Pairs that repeat: 4k+1 and 4k+2.
  for (std::int64_t m = 2; 2 * m <= size && m <= 128; ++m) {
    bool repeats = true;
    for (std::int64_t k = m; k < size && repeats; ++k) {
      repeats = holds(k) < 0 || holds(k - m) < 0 ||
                holds(k) - k == holds(k - m) - (k - m);
    }
    if (!repeats) continue;
    std::vector<std::string> words;
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t other = holds(k);
      if (other > k && other < m) {
        words.push_back(
            residue(static_cast<std::size_t>(m), static_cast<std::size_t>(k)) +
            " and " +
            residue(static_cast<std::size_t>(m),
                    static_cast<std::size_t>(other)));
      }
    }
    if (words.empty() || words.size() > 3) break;
    return fmt::format("{}={} are swapped", name, fmt::join(words, ", "));
  }
  if (moved.size() == 2) {
    return fmt::format("{}={} and {}={} are swapped", name, moved[0], name,
                       moved[1]);
  }
  return fmt::format("{} is rearranged in pairs: {}={} holds {}={}", name, name,
                     moved[0], name, holds(moved[0]));
}

}  // namespace stridewise::inspect
