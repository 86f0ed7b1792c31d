// The banks of a plain layout: how full they are, and which of them an access meets.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "advise/facts.hpp"
#include "base/checked.hpp"
#include "reorder/planner/pieces.hpp"

namespace stridewise::advising {
namespace {

constexpr std::int64_t most_banks = 1 << 16;
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
  facts.fullest_bytes *= layout.element_bytes();
  return facts;
}

// -------------------------------------------------------------- conflicts ---

namespace {

// What a range of a dim's indices adds to the place: where it begins within a word, and
// where the others lie from there.
struct Pattern {
  std::int64_t begin = 0;  // modulo a word
  Places steps;

  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};
using Patterns = std::map<Pattern, std::int64_t>;

// Counts the turns of boxes. In bytes, or in banks where `word` is 0.
class Turns {
 public:
  // `word`: bytes that a bank gives at once.
  Turns(std::int64_t word, std::int64_t banks) : word_(word), banks_(banks) {}

  void count(const std::vector<Patterns>& dims, std::size_t d,
             std::int64_t begin, const Places& box, std::int64_t times);

  [[nodiscard]] ConflictFacts facts() const {
    return {worst_, sum_ / static_cast<double>(boxes_)};
  }

 private:
  [[nodiscard]] std::int64_t turns_of(std::int64_t begin, Places box) const;

  std::int64_t word_;
  std::int64_t banks_;
  std::int64_t worst_ = 1;
  std::int64_t boxes_ = 0;
  double sum_ = 0;
};

std::int64_t Turns::turns_of(std::int64_t begin, Places box) const {
  if (word_ > 0) {
    for (std::int64_t& place : box) place = floor_div(place + begin, word_);
    std::ranges::sort(box);
    box.erase(std::unique(box.begin(), box.end()), box.end());
    for (std::int64_t& word : box) word = floor_mod(word, banks_);
  }
  std::ranges::sort(box);
  std::int64_t most = 0;
  for (auto at = box.begin(); at != box.end();) {
    const auto end = std::upper_bound(at, box.end(), *at);
    most = std::max<std::int64_t>(most, end - at);
    at = end;
  }
  return most;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is the number of dims
void Turns::count(const std::vector<Patterns>& dims, std::size_t d,
                  std::int64_t begin, const Places& box, std::int64_t times) {
  if (d == dims.size()) {
    const std::int64_t turns = turns_of(begin, box);
    worst_ = std::max(worst_, turns);
    boxes_ += times;
    sum_ += static_cast<double>(turns) * static_cast<double>(times);
    return;
  }
  for (const auto& [pattern, often] : dims[d]) {
    Places more;
    more.reserve(box.size() * pattern.steps.size());
    for (const std::int64_t step : pattern.steps) {
      for (const std::int64_t place : box) more.push_back(place + step);
    }
    count(dims, d + 1, begin + pattern.begin, more, times * often);
  }
}

}  // namespace

std::int64_t word_banks(const Chip& chip, std::int64_t word_bytes) {
  const std::int64_t bytes = saturated(mul(chip.banks, chip.bank_width_bytes));
  return std::max<std::int64_t>(1, bytes / word_bytes);
}

std::optional<ConflictFacts> conflict_facts(const Layout& layout,
                                            const Digits& digits,
                                            const Chip& chip,
                                            std::optional<std::size_t> axis,
                                            std::span<const std::int64_t> box) {
  // Elements that are wider than a word take several banks, which count as one.
  const std::int64_t width =
      std::max(chip.bank_width_bytes, layout.element_bytes());
  const std::int64_t word = axis ? 0 : width;
  const std::int64_t unit = axis ? 1 : layout.element_bytes();
  const std::int64_t banks = axis ? 0 : word_banks(chip, width);
  constexpr std::size_t most_patterns = 4096;
  std::size_t all = 1;
  std::vector<Patterns> dims;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const std::int64_t extent = layout.shape()[d].extent;
    if (extent > most_indices) return std::nullopt;
    Places line = axis ? values_of(digits.banks(d), extent) : digits.line(d);
    for (std::int64_t& place : line) place *= unit;
    Patterns& patterns = dims.emplace_back();
    for (std::int64_t x = 0; x < extent; x += box[d]) {
      const auto first = line.begin() + x;
      Pattern pattern{word > 0 ? floor_mod(*first, word) : 0,
                      Places(first, first + std::min(box[d], extent - x))};
      for (std::int64_t& step : pattern.steps) step -= *first;
      ++patterns[std::move(pattern)];
    }
    all *= patterns.size();
    if (all > most_patterns) return std::nullopt;
  }
  Turns turns(word, banks);
  turns.count(dims, 0, word > 0 ? layout.base_offset() * unit % word : 0, {0},
              1);
  return turns.facts();
}

}  // namespace stridewise::advising
