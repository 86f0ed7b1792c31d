// The banks of a plain layout: how full they are, and which of them an access meets.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "advise/facts.hpp"
#include "base/checked.hpp"
#include "reorder/planner/pieces.hpp"

namespace stridewise::advising {
namespace {

constexpr std::int64_t most_steps = 1 << 20;

// The nearest and furthest places of the indices of a dim.
struct Reach {
  std::int64_t least = largest;
  std::int64_t most = 0;
};

std::optional<Reach> reach_of(std::span<const DigitStep> digits,
                              std::int64_t extent) {
  const auto pieces = refine(digits, digits, 0, extent);
  if (!pieces) return std::nullopt;
  Reach reach;
  for (const Piece& piece : *pieces) {
    std::int64_t end = piece.dst_offset;
    for (const PlanLoop& loop : piece.loops) {
      end += (loop.count - 1) * loop.dst_stride;
    }
    reach.least = std::min(reach.least, piece.dst_offset);
    reach.most = std::max(reach.most, end);
  }
  return reach;
}

// What lies in each bank, by the indices of the dims that choose the bank.
class Filling {
 public:
  explicit Filling(std::int64_t banks)
      : elements_(static_cast<std::size_t>(banks), 0),
        ends_(elements_.size(), -1) {}

  // Src of a piece is the bank, dst the place within it. False: too many steps.
  bool add(const Piece& piece) {
    std::int64_t each = 1;
    std::int64_t end = piece.dst_offset;
    std::int64_t turns = 1;
    std::vector<PlanLoop> over_banks;
    for (const PlanLoop& loop : piece.loops) {
      if (loop.src_stride == 0) {
        each *= loop.count;
        end += (loop.count - 1) * loop.dst_stride;
      } else {
        over_banks.push_back(loop);
        turns = saturated(mul(turns, loop.count));
      }
    }
    steps_ = saturated(stridewise::add(steps_, turns));
    if (steps_ > most_steps) return false;
    least_ = std::min(least_, piece.dst_offset);
    walk(over_banks, 0, piece.src_offset, end, each);
    return true;
  }

  // `others`: elements for each choice of these indices; `span`: the places from the
  // nearest to the furthest of them.
  [[nodiscard]] BankFacts facts(std::int64_t others, std::int64_t span) const {
    BankFacts facts{.banks = std::ssize(elements_)};
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      if (elements_[k] == 0) continue;
      ++facts.used;
      facts.fullest_elements =
          std::max(facts.fullest_elements, elements_[k] * others);
      facts.fullest_bytes =
          std::max(facts.fullest_bytes, ends_[k] - least_ + span);
    }
    return facts;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of loops
  void walk(std::span<const PlanLoop> loops, std::size_t level,
            std::int64_t bank, std::int64_t end, std::int64_t each) {
    if (level == loops.size()) {
      const auto k = static_cast<std::size_t>(bank);
      elements_[k] += each;
      ends_[k] = std::max(ends_[k], end);
      return;
    }
    const PlanLoop& loop = loops[level];
    for (std::int64_t x = 0; x < loop.count; ++x) {
      walk(loops, level + 1, bank + x * loop.src_stride,
           end + x * loop.dst_stride, each);
    }
  }

  std::vector<std::int64_t> elements_;
  std::vector<std::int64_t> ends_;
  std::int64_t least_ = largest;
  std::int64_t steps_ = 0;
};

}  // namespace

std::optional<std::size_t> bank_axis(const Layout& layout, const Chip& chip) {
  if (chip.bank_axis.empty()) return std::nullopt;
  const auto axis =
      std::ranges::find(layout.axes(), chip.bank_axis, &BoundAxis::name);
  if (axis == layout.axes().end()) return std::nullopt;
  return static_cast<std::size_t>(axis - layout.axes().begin());
}

std::int64_t banks_of(const Layout& layout, const Chip& chip,
                      std::size_t axis) {
  return std::max(layout.axes()[axis].extent, chip.banks);
}

std::optional<BankFacts> bank_facts(const Layout& layout, const Digits& digits,
                                    const Chip& chip, std::size_t axis) {
  const std::int64_t banks = banks_of(layout, chip, axis);
  if (banks > most_banks) return std::nullopt;
  std::vector<std::vector<Piece>> factors;
  std::int64_t others = 1;
  std::int64_t span = 1;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    const std::int64_t extent = layout.shape()[d].extent;
    if (digits.banks(d).empty()) {
      const auto reach = reach_of(digits.within(d), extent);
      if (!reach) return std::nullopt;
      others *= extent;
      span += reach->most - reach->least;
      continue;
    }
    Result<std::vector<Piece>> pieces =
        refine(digits.banks(d), digits.within(d), 0, extent);
    if (!pieces) return std::nullopt;
    factors.push_back(*std::move(pieces));
  }
  const Result<std::vector<Piece>> all = product(factors);
  if (!all) return std::nullopt;
  Filling filling(banks);
  for (Piece piece : *all) {
    piece.src_offset += layout.axes()[axis].base;
    if (!filling.add(piece)) return std::nullopt;
  }
  BankFacts facts = filling.facts(others, span);
  facts.fullest_bytes =
      ceil_div(facts.fullest_bytes * layout.element_bits(), 8);
  return facts;
}

// -------------------------------------------------------------- conflicts ---

namespace {

// What an index adds: to the coordinate of the bank, where an axis tells it, and to the place
// in bits, within the bank.
using Step = std::pair<std::int64_t, std::int64_t>;

// A range of a dim's indices: where its first one lies within a word, and how far the others
// lie from there.
struct Pattern {
  std::int64_t begin = 0;
  std::vector<Step> steps;

  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};
using Patterns = std::map<Pattern, std::int64_t>;

// Counts the turns of boxes.
class Turns {
 public:
  // `word_bits`: what a bank gives at once. `banks`: 0 where an axis tells them.
  Turns(std::int64_t word_bits, std::int64_t banks)
      : word_(word_bits), banks_(banks) {}

  void count(const std::vector<Patterns>& dims, std::size_t d,
             std::int64_t begin, const std::vector<Step>& box,
             std::int64_t times);

  [[nodiscard]] ConflictFacts facts() const {
    return {worst_, sum_ / static_cast<double>(boxes_)};
  }

 private:
  [[nodiscard]] std::int64_t turns_of(std::int64_t begin,
                                      std::vector<Step> box) const;

  std::int64_t word_;
  std::int64_t banks_;
  std::int64_t worst_ = 1;
  std::int64_t boxes_ = 0;
  double sum_ = 0;
};

std::int64_t Turns::turns_of(std::int64_t begin, std::vector<Step> box) const {
  for (auto& [bank, word] : box) word = floor_div(word + begin, word_);
  std::ranges::sort(box);
  box.erase(std::unique(box.begin(), box.end()), box.end());
  std::map<std::int64_t, std::int64_t> asked;
  std::int64_t most = 0;
  for (const auto& [bank, word] : box) {
    most = std::max(most, ++asked[banks_ > 0 ? floor_mod(word, banks_) : bank]);
  }
  return most;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is the number of dims
void Turns::count(const std::vector<Patterns>& dims, std::size_t d,
                  std::int64_t begin, const std::vector<Step>& box,
                  std::int64_t times) {
  if (d == dims.size()) {
    const std::int64_t turns = turns_of(begin, box);
    worst_ = std::max(worst_, turns);
    boxes_ += times;
    sum_ += static_cast<double>(turns) * static_cast<double>(times);
    return;
  }
  for (const auto& [pattern, often] : dims[d]) {
    std::vector<Step> more;
    more.reserve(box.size() * pattern.steps.size());
    for (const auto& [bank, bits] : pattern.steps) {
      for (const Step& at : box) {
        more.emplace_back(at.first + bank, at.second + bits);
      }
    }
    count(dims, d + 1, begin + pattern.begin, more, times * often);
  }
}

// The patterns of a dim whose indices are read `box` at a time.
Patterns patterns_of(const Places& banks, const Places& places,
                     std::int64_t box, std::int64_t word_bits) {
  Patterns patterns;
  const std::int64_t extent = std::ssize(places);
  for (std::int64_t first = 0; first < extent; first += box) {
    const auto at = static_cast<std::size_t>(first);
    Pattern pattern{floor_mod(places[at], word_bits), {}};
    for (std::int64_t k = first; k < std::min(first + box, extent); ++k) {
      const auto x = static_cast<std::size_t>(k);
      pattern.steps.emplace_back(banks[x] - banks[at], places[x] - places[at]);
    }
    ++patterns[std::move(pattern)];
  }
  return patterns;
}

}  // namespace

Words words_of(const Layout& layout, const Chip& chip, bool by_axis) {
  const std::int64_t element_bytes = ceil_div(layout.element_bits(), 8);
  const std::int64_t bytes = std::max(chip.bank_width_bytes, element_bytes);
  if (by_axis) {
    return {chip.bank_width_bytes > 0 ? saturated(mul(bytes, 8))
                                      : layout.element_bits(),
            0};
  }
  const std::int64_t all = saturated(mul(chip.banks, chip.bank_width_bytes));
  return {saturated(mul(bytes, 8)), std::max<std::int64_t>(1, all / bytes)};
}

std::optional<ConflictFacts> conflict_facts(const Layout& layout,
                                            const Digits& digits,
                                            const Chip& chip,
                                            std::optional<std::size_t> axis,
                                            std::span<const std::int64_t> box) {
  const Words words = words_of(layout, chip, axis.has_value());
  // What is done is as many sorts of a box as there are ways to combine patterns.
  constexpr std::int64_t most_steps_of_boxes = 1 << 20;
  std::int64_t steps = 1;
  std::vector<Patterns> dims;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const std::int64_t extent = layout.shape()[d].extent;
    if (extent > most_indices) return std::nullopt;
    Places places = values_of(digits.within(d), extent);
    for (std::int64_t& place : places) place *= layout.element_bits();
    dims.push_back(patterns_of(values_of(digits.banks(d), extent), places,
                               box[d], words.bits));
    steps *= std::ssize(dims.back()) * box[d];
    if (steps > most_steps_of_boxes) return std::nullopt;
  }
  Turns turns(words.bits, words.banks);
  turns.count(
      dims, 0,
      floor_mod(layout.base_offset() * layout.element_bits(), words.bits),
      {{0, 0}}, 1);
  return turns.facts();
}

}  // namespace stridewise::advising
