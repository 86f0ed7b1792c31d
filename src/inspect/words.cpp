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

// The least period of which each number comes `times` times; 0: none.
std::size_t period_of(const std::vector<bool>& in, std::size_t times) {
  for (std::size_t m = 2; m <= longest_period && times * m <= in.size(); ++m) {
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

std::string print_periodic(const std::string& name, const std::vector<bool>& in,
                           std::size_t period) {
  if (period == 2) return name + (in[1] ? " odd" : " even");
  const auto word = [&](std::size_t rest) {
    return residue(static_cast<std::int64_t>(period),
                   static_cast<std::int64_t>(rest));
  };
  std::vector<std::string> words;
  for (const auto& [first, last] : runs_of(
           {in.begin(), in.begin() + static_cast<std::ptrdiff_t>(period)})) {
    if (last - first > 2) {
      words.push_back(word(first) + ".." + word(last));
      continue;
    }
    for (std::size_t k = first; k <= last; ++k) {
      words.push_back(word(k));
    }
  }
  return words.size() > 4 ? "" : name + "=" + join(words);
}

}  // namespace

std::string residue(std::int64_t period, std::int64_t rest) {
  return rest == 0 ? fmt::format("{}k", period)
                   : fmt::format("{}k+{}", period, rest);
}

std::string print_set(const std::string& name, const std::vector<bool>& in) {
  const auto count = std::ranges::count(in, true);
  if (count == 0 || count == std::ssize(in)) return "";
  const Runs runs = runs_of(in);
  const auto run = [](const auto& r) {
    return r.first == r.second ? std::to_string(r.first)
                               : fmt::format("{}..{}", r.first, r.second);
  };
  if (runs.size() == 1) return name + "=" + run(runs[0]);
  // Twice is no pattern, but shorter than many numbers.
  const std::size_t times = runs.size() > 6 ? 2 : 3;
  if (const std::size_t period = period_of(in, times); period != 0) {
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

void add_all(DiffCounts& counts, const DiffCounts& other) {
  if (other.counts.empty()) return;
  widen(counts, other.first, other.last);
  for (std::size_t k = 0; k < other.counts.size(); ++k) {
    counts.counts[k] += other.counts[k];
  }
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

IndexBox index_box(const std::vector<DiffCounts>& all) {
  IndexBox box{print_all_counts(all)};
  // No overflow: it is a part of a tensor.
  for (const DiffCounts& counts : all) box.size *= print_counts(counts).size;
  return box;
}

bool irregular(const std::vector<DiffCounts>& all) {
  return std::ranges::any_of(all, [](const DiffCounts& counts) {
    const std::string text = print_counts(counts).text;
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  });
}

std::string print_where(const std::vector<DiffCounts>& all, std::int64_t count,
                        std::int64_t elements) {
  if (count == elements) return "all elements";
  const auto long_dims = std::ranges::count_if(
      all, [](const DiffCounts& dim) { return dim.extent > 1; });
  if (long_dims < 2 && irregular(all)) return "";
  const IndexBox box = index_box(all);
  if (box.text.empty()) return "";
  if (count == box.size) return "all of " + box.text;
  return fmt::format("only {} ({} of its {} elements)", box.text, count,
                     box.size);
}

}  // namespace stridewise::inspect
