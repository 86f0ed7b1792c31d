// SPDX-License-Identifier: Apache-2.0
#include "infer/tabled.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "infer/digits.hpp"
#include "infer/natural.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

constexpr std::int64_t most_entries = 1024;
// Of a table: so many times the entries may be what they choose from.
constexpr std::int64_t most_holes = 64;

// Digits of one dim, and where those that are all 0 lie, in elements.
struct TabledPart {
  std::vector<Term> terms;
  std::int64_t base = 0;
  std::size_t table = 0;  // which of the terms has one; none: their number
};

// Plain digits; one that runs backwards begins at its last value.
std::optional<TabledPart> by_digits(const std::string& dim, const Steps& steps,
                                    bool may_fall) {
  std::optional<Chain> chain = fit_chain_from_zero(steps);
  if (!chain && may_fall) chain = fit_chain_from_zero(steps, true);
  if (!chain) return std::nullopt;
  // Of few indices, anything is several digits that run backwards.
  const bool falling = std::ranges::any_of(
      chain->parts, [](const Chain::Part& part) { return part.stride < 0; });
  if (falling && chain->parts.size() > 1) return std::nullopt;
  TabledPart part;
  for (const Chain::Part& digit : chain->parts) {
    Term term{.digit = {.dim = dim, .div = digit.div, .mod = digit.mod},
              .stride = {Step::Kind::exact, std::abs(digit.stride)}};
    if (digit.stride < 0) {
      term.digit.reversed = true;
      const std::int64_t values =
          digit.mod != 0 ? digit.mod : (std::ssize(steps) - 1) / digit.div + 1;
      part.base += (values - 1) * digit.stride;
    }
    part.terms.push_back(std::move(term));
  }
  if (part.terms.empty()) part.terms.push_back({.digit = {.dim = dim}});
  part.table = part.terms.size();
  return part;
}

// One digit that a table permutes: its entry k lies at steps[k].
std::optional<TabledPart> by_table(Digit digit, const Steps& steps) {
  if (std::ssize(steps) < 2 || std::ssize(steps) > most_entries)
    return std::nullopt;
  const std::int64_t least = *std::ranges::min_element(steps);
  std::int64_t stride = 0;
  for (const std::int64_t step : steps) {
    stride = std::gcd(stride, step - least);
  }
  if (stride == 0) return std::nullopt;
  for (const std::int64_t step : steps) {
    digit.table.entries.push_back((step - least) / stride);
  }
  Steps sorted = digit.table.entries;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end() ||
      sorted.back() >= most_holes * std::ssize(steps)) {
    return std::nullopt;
  }
  // The last one first: no table is needed.
  if (std::ranges::is_sorted(digit.table.entries, std::ranges::greater{}) &&
      sorted.back() == std::ssize(steps) - 1) {
    digit.table = {};
    digit.reversed = true;
  }
  return TabledPart{.terms = {{.digit = std::move(digit),
                               .stride = {Step::Kind::exact, stride}}},
                    .base = least};
}

// Both digits of x/k and x%k, one by a table, of which the other is plain.
std::optional<TabledPart> joined(std::optional<TabledPart> plain,
                                 std::optional<TabledPart> table,
                                 std::int64_t k, bool table_is_slow) {
  if (!plain || !table) return std::nullopt;
  for (Term& term : plain->terms) {
    if (table_is_slow) {
      if (term.digit.mod == 0) term.digit.mod = k / term.digit.div;
    } else {
      term.digit.div *= k;
    }
  }
  plain->base += table->base;
  plain->table = plain->terms.size();
  plain->terms.push_back(std::move(table->terms.front()));
  return plain;
}

// Blocks of k indices: the places of the blocks and those within one; nullopt where the
// dim is not their sum.
std::optional<std::pair<Steps, Steps>> split(const Steps& steps,
                                             std::int64_t k) {
  const auto rest = [&](std::int64_t x) {
    return steps[static_cast<std::size_t>(x)] -
           steps[static_cast<std::size_t>(x % k)];
  };
  for (std::int64_t x = k; x < std::ssize(steps); ++x) {
    if (rest(x) != rest(x / k * k)) return std::nullopt;
  }
  Steps blocks;
  for (std::int64_t x = 0; x < std::ssize(steps); x += k)
    blocks.push_back(rest(x));
  return std::pair(blocks, Steps(steps.begin(), steps.begin() + k));
}

std::int64_t entries_of(const TabledPart& part) {
  return part.table < part.terms.size()
             ? std::ssize(part.terms[part.table].digit.table.entries)
             : 0;
}

std::optional<TabledPart> part_of(const std::string& dim, const Steps& steps) {
  if (auto part = by_digits(dim, steps, true)) return part;
  // The smallest table of all.
  std::optional<TabledPart> best;
  const auto add = [&](std::optional<TabledPart> part) {
    if (part && (!best || entries_of(*part) < entries_of(*best))) {
      best = std::move(part);
    }
  };
  for (std::int64_t k = 2; k <= std::ssize(steps) / 2; ++k) {
    const auto sum = split(steps, k);
    if (!sum) continue;
    const auto& [blocks, within] = *sum;
    add(joined(by_digits(dim, blocks, false),
               by_table({.dim = dim, .mod = k}, within), k, false));
    add(joined(by_digits(dim, within, false),
               by_table({.dim = dim, .div = k}, blocks), k, true));
  }
  add(by_table({.dim = dim}, steps));
  return best;
}

}  // namespace

std::optional<Layout> build_with_tables(const Offsets& offsets,
                                        const Shape& shape,
                                        std::int64_t width) {
  if (offsets.origin % width != 0) return std::nullopt;
  std::int64_t base = offsets.origin / width;
  std::vector<TabledPart> parts;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Steps steps = offsets.steps[d];
    for (std::int64_t& step : steps) {
      if (step == unknown || step % width != 0) return std::nullopt;
      step /= width;
    }
    std::optional<TabledPart> part = part_of(shape[d].name, steps);
    if (!part) return std::nullopt;
    base += part->base;
    parts.push_back(*std::move(part));
  }
  std::vector<Term> terms;
  std::int64_t entries = 0;
  for (TabledPart& part : parts) {
    entries += entries_of(part);
    // What lies before the first entry that is used are entries, too.
    if (entries_of(part) > 0 && base > 0) {
      Term& term = part.terms[part.table];
      const std::int64_t more = base / term.stride.value;
      const bool fits = more <= most_holes * entries_of(part);
      if (base % term.stride.value == 0 && fits) {
        for (std::int64_t& entry : term.digit.table.entries) entry += more;
        base = 0;
      }
    }
    std::ranges::move(part.terms, std::back_inserter(terms));
  }
  // A table of all elements says nothing.
  const Result<std::int64_t> elements = element_count(shape);
  if (base < 0 || !elements || 4 * entries > *elements) return std::nullopt;
  return bind_digits(std::move(terms), {}, base, shape, width);
}

}  // namespace stridewise::inference
