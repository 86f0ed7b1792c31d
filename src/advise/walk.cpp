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
    each_line(dim, [&](const Places& line) {
      const std::int64_t windows = windows_of(line, lanes * width());
      loads += windows;
      most = std::max(most, windows);
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
    BankFacts facts{.banks = banks_of(layout_, chip_, *axis_)};
    struct Use {
      std::int64_t elements = 0;
      std::int64_t end = 0;
    };
    std::map<std::int64_t, Use> used;
    std::int64_t least = largest;
    for (std::size_t e = 0; e < bits_.size(); ++e) {
      Use& use = used[banks_[e]];
      ++use.elements;
      use.end = std::max(use.end, within(e) + width());
      least = std::min(least, within(e));
    }
    facts.used = std::ssize(used);
    for (const auto& [bank, use] : used) {
      facts.fullest_elements = std::max(facts.fullest_elements, use.elements);
      facts.fullest_bytes =
          std::max(facts.fullest_bytes, ceil_div(use.end - least, 8));
    }
    return facts;
  }

  [[nodiscard]] ConflictFacts conflicts(
      std::span<const std::int64_t> box) const;

 private:
  [[nodiscard]] std::int64_t bit(std::int64_t element) const {
    return bits_[static_cast<std::size_t>(element)];
  }
  // The bit of an element within its bank, or in all memory.
  [[nodiscard]] std::int64_t within(std::size_t element) const {
    return axis_ ? bits_[element] -
                       banks_[element] * layout_.axes()[*axis_].pitch_bits
                 : bits_[element];
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
  const Words words = words_of(layout_, chip_, axis_.has_value());
  // What is asked for, by the number of the box and the bank.
  std::map<Index, std::map<std::int64_t, std::set<std::int64_t>>> asked;
  Index index(layout_.shape().size(), 0);
  std::size_t e = 0;
  do {
    Index number = index;
    for (std::size_t d = 0; d < number.size(); ++d) number[d] /= box[d];
    const std::int64_t word = within(e) / words.bits;
    asked[number][axis_ ? banks_[e] : word % words.banks].insert(word);
    ++e;
  } while (next(index, layout_.shape()));
  ConflictFacts facts;
  double sum = 0;
  for (const auto& [number, banks] : asked) {
    std::int64_t turns = 0;
    for (const auto& [bank, some] : banks) {
      turns = std::max<std::int64_t>(turns, std::ssize(some));
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
