// The facts of a layout that is not plain: from the place of each element.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "advise/facts.hpp"
#include "base/checked.hpp"

namespace stridewise::advising {
namespace {

using Index = std::vector<std::int64_t>;

// Steps to the next index, the last dim first. False: it was the last one.
bool next(Index& index, const Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d].extent) return true;
    index[d] = 0;
  }
  return false;
}

class Walker {
 public:
  Walker(const Layout& layout, const Chip& chip)
      : layout_(layout), chip_(chip), axis_(bank_axis(layout, chip)) {
    Index index(layout.shape().size(), 0);
    std::vector<std::int64_t> coordinates(layout.axes().size());
    do {
      bits_.push_back(layout.bit_of(index));
      if (!axis_) continue;
      layout.coordinates_of(index, coordinates);
      banks_.push_back(coordinates[*axis_]);
    } while (next(index, layout.shape()));
    std::int64_t step = 1;
    steps_.resize(layout.shape().size());
    for (std::size_t d = steps_.size(); d-- > 0;) {
      steps_[d] = step;
      step *= layout.shape()[d].extent;
    }
  }

  // The elements that have index 0 of a dim, by their number in logical order.
  template <class Visit>
  void each_line(std::size_t dim, Visit visit) const {
    const std::int64_t extent = layout_.shape()[dim].extent;
    for (std::int64_t e = 0; e < std::ssize(bits_); ++e) {
      if (e / steps_[dim] % extent != 0) continue;
      Places line;
      for (std::int64_t x = 0; x < extent; ++x) {
        line.push_back(bit(e + x * steps_[dim]));
      }
      visit(line);
    }
  }

  [[nodiscard]] std::int64_t longest_run(std::size_t dim) const {
    std::int64_t longest = 0;
    each_line(dim, [&](const Places& line) {
      std::int64_t run = 0;
      for (std::size_t x = 0; x < line.size(); ++x) {
        run = x > 0 && line[x] == line[x - 1] + width() ? run + 1 : 1;
        longest = std::max(longest, run);
      }
    });
    return longest;
  }

  [[nodiscard]] VectorFacts vectors(std::size_t dim, std::int64_t lanes) const {
    std::int64_t loads = 0;
    std::int64_t most = 0;
    std::int64_t lines = 0;
    each_line(dim, [&](const Places& line) {
      const std::int64_t windows = windows_of(line, lanes * width());
      loads += windows;
      most = std::max(most, windows);
      ++lines;
    });
    return {most, static_cast<double>(bits_.size()) /
                      static_cast<double>(loads * lanes)};
  }

  [[nodiscard]] std::int64_t runs() const {
    Places sorted = bits_;
    std::ranges::sort(sorted);
    std::int64_t runs = 1;
    for (std::size_t k = 1; k < sorted.size(); ++k) {
      if (sorted[k] != sorted[k - 1] + width()) ++runs;
    }
    return runs;
  }

  [[nodiscard]] BankFacts banks() const {
    const BoundAxis& axis = layout_.axes()[*axis_];
    BankFacts facts{.banks = banks_of(layout_, chip_, *axis_)};
    std::vector<std::int64_t> elements(static_cast<std::size_t>(facts.banks),
                                       0);
    std::vector<std::int64_t> begins(elements.size(), largest);
    std::int64_t least = largest;
    std::vector<std::int64_t> ends(elements.size(), 0);
    for (std::size_t e = 0; e < bits_.size(); ++e) {
      const auto bank = static_cast<std::size_t>(banks_[e]);
      const std::int64_t within = bits_[e] - banks_[e] * axis.pitch_bits;
      ++elements[bank];
      least = std::min(least, within);
      ends[bank] = std::max(ends[bank], within + width());
    }
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (elements[k] == 0) continue;
      ++facts.used;
      facts.fullest_elements = std::max(facts.fullest_elements, elements[k]);
      facts.fullest_bytes =
          std::max(facts.fullest_bytes, ceil_div(ends[k] - least, 8));
    }
    return facts;
  }

  [[nodiscard]] ConflictFacts conflicts(
      std::span<const std::int64_t> box) const;

 private:
  [[nodiscard]] std::int64_t bit(std::int64_t element) const {
    return bits_[static_cast<std::size_t>(element)];
  }
  [[nodiscard]] std::int64_t width() const { return layout_.element_bits(); }

  const Layout& layout_;
  const Chip& chip_;
  const std::optional<std::size_t> axis_;
  Places bits_;   // of each element, in logical order
  Places banks_;  // where an axis chooses them
  std::vector<std::int64_t> steps_;
};

ConflictFacts Walker::conflicts(std::span<const std::int64_t> box) const {
  const std::int64_t word_bytes =
      std::max(chip_.bank_width_bytes, layout_.element_bytes());
  const std::int64_t word = saturated(mul(word_bytes, 8));
  const std::int64_t banks = word_banks(chip_, word_bytes);
  // What is asked for, by the number of the box; a bank gives a word at once.
  std::map<Index, std::map<std::int64_t, std::set<std::int64_t>>> asked;
  Index index(layout_.shape().size(), 0);
  std::size_t e = 0;
  do {
    Index number = index;
    for (std::size_t d = 0; d < number.size(); ++d) number[d] /= box[d];
    if (axis_) {
      asked[number][banks_[e]].insert(bits_[e]);
    } else {
      asked[number][bits_[e] / word % banks].insert(bits_[e] / word);
    }
    ++e;
  } while (next(index, layout_.shape()));
  ConflictFacts facts;
  double sum = 0;
  for (const auto& [number, words] : asked) {
    std::int64_t turns = 0;
    for (const auto& [bank, some] : words) {
      turns = std::max(turns, std::ssize(some));
    }
    facts.worst = std::max(facts.worst, turns);
    sum += static_cast<double>(turns);
  }
  facts.mean = sum / static_cast<double>(asked.size());
  return facts;
}

}  // namespace

std::int64_t walk_runs(const Layout& layout) {
  const Chip none;
  return Walker(layout, none).runs();
}

void walk_places(const Layout& layout, const Chip& chip, const Access& access,
                 std::span<const std::int64_t> box, LayoutFacts& facts) {
  const Walker walker(layout, chip);
  for (std::size_t d = 0; d < facts.dims.size(); ++d) {
    facts.dims[d].run = walker.longest_run(d);
    if (facts.dims[d].dim == access.vector_dim) {
      facts.vectors = walker.vectors(d, access.vector_lanes);
    }
  }
  facts.runs = walker.runs();
  if (bank_axis(layout, chip)) facts.banks = walker.banks();
  if (!box.empty() &&
      (facts.banks || (chip.banks > 0 && chip.bank_width_bytes > 0))) {
    facts.conflicts = walker.conflicts(box);
  }
}

}  // namespace stridewise::advising
