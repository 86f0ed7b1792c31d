// SPDX-License-Identifier: Apache-2.0
#include "inspect/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/checked.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::size_t longest_period = 128;
// Counts of one dim or axis; what has more indices is counted by ranges.
constexpr std::int64_t most_counted = 1 << 16;

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

// "n=4k+1 holds 4k, 4k+2 holds 4k+1": the same within every block.
std::string print_within_blocks(const std::string& name,
                                const std::vector<std::int64_t>& to) {
  const auto size = static_cast<std::int64_t>(to.size());
  for (std::int64_t m = 2; 2 * m <= size && m <= 16; ++m) {
    // What is at k of a block, relative to it; -1: unknown.
    std::vector<std::int64_t> block(static_cast<std::size_t>(m), -1);
    bool repeats = true;
    for (std::int64_t k = 0; k < size && repeats; ++k) {
      const std::int64_t from = to[static_cast<std::size_t>(k)];
      if (from < 0) continue;
      std::int64_t& known = block[static_cast<std::size_t>(k % m)];
      const std::int64_t here = from - k / m * m;
      repeats = here >= 0 && here < m && (known < 0 || known == here);
      known = here;
    }
    if (!repeats) continue;
    std::vector<std::string> words;
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t from = block[static_cast<std::size_t>(k)];
      if (from < 0 || from == k) continue;
      words.push_back(
          residue(static_cast<std::size_t>(m), static_cast<std::size_t>(k)) +
          " holds " +
          residue(static_cast<std::size_t>(m), static_cast<std::size_t>(from)));
    }
    if (words.size() > 4) return "";
    return fmt::format("{}={}", name, fmt::join(words, ", "));
  }
  return "";
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

DiffCounts counts_of(const std::string& name, std::int64_t extent) {
  DiffCounts counts{.name = name, .extent = extent};
  while (ceil_div(extent, counts.step) > most_counted) counts.step *= 2;
  return counts;
}

namespace {

void widen(DiffCounts& counts, std::int64_t first, std::int64_t last) {
  if (counts.counts.empty()) {
    counts.counts.resize(
        static_cast<std::size_t>(ceil_div(counts.extent, counts.step)));
    counts.first = first;
    counts.last = last;
  }
  counts.first = std::min(counts.first, first);
  counts.last = std::max(counts.last, last);
}

int shift_of(const DiffCounts& counts) {
  return std::countr_zero(static_cast<std::uint64_t>(counts.step));
}

}  // namespace

void add(DiffCounts& counts, std::int64_t index, std::int64_t count) {
  widen(counts, index, index);
  counts.counts[static_cast<std::size_t>(index >> shift_of(counts))] += count;
}

void add_run(DiffCounts& counts, std::int64_t first,
             std::span<const std::int64_t> each) {
  const auto some = [](std::int64_t count) { return count > 0; };
  const auto least = std::ranges::find_if(each, some);
  if (least == each.end()) return;
  const auto most = std::find_if(each.rbegin(), each.rend(), some);
  widen(counts, first + (least - each.begin()),
        first + (each.rend() - most) - 1);
  if (counts.step == 1) {
    std::int64_t* const into =
        counts.counts.data() + static_cast<std::size_t>(first);
    for (std::size_t k = 0; k < each.size(); ++k) into[k] += each[k];
    return;
  }
  const int shift = shift_of(counts);
  for (std::size_t k = 0; k < each.size(); ++k) {
    const std::int64_t index = first + static_cast<std::int64_t>(k);
    counts.counts[static_cast<std::size_t>(index >> shift)] += each[k];
  }
}

CountedSet print_counts(const DiffCounts& counts) {
  std::vector<bool> in;
  for (const std::int64_t count : counts.counts) in.push_back(count > 0);
  const auto some = std::ranges::count(in, true);
  if (some == 0) return {};
  if (counts.step == 1) return {print_set(counts.name, in), some};
  // Of ranges only the ends are known.
  const std::int64_t size = counts.last - counts.first + 1;
  if (size == counts.extent) return {"", size};
  const bool together = runs_of(in).size() == 1;
  const char* const form = size == 1  ? "{}={}"
                           : together ? "{}={}..{}"
                                      : "{} between {} and {}";
  return {
      fmt::format(fmt::runtime(form), counts.name, counts.first, counts.last),
      size};
}

std::string print_all_counts(const std::vector<DiffCounts>& all) {
  std::vector<std::string> sets;
  for (const DiffCounts& counts : all) {
    std::string text = print_counts(counts).text;
    if (!text.empty()) sets.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(sets, ", "));
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
    if (std::string text = print_within_blocks(name, to); !text.empty()) {
      return text;
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
