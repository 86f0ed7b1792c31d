// Stretches of elements that follow each other in the memory of a plain layout.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "advise/facts.hpp"
#include "base/checked.hpp"
#include "reorder/planner/pieces.hpp"

namespace stridewise::advising {
namespace {

// Of the digits by ascending stride, where each is at least what those before it span, a
// place p and the next one differ by a carry: the first digits are at their ends, and the one
// after them is raised. So both hold an element where each dim has an index with such digits,
// and another one with those that follow: the dims are counted one by one.
class Carries {
 public:
  Carries(const Layout& layout, const Digits& digits) {
    for (const BoundTerm& term : layout.terms()) {
      if (term.extent > 1) terms_.push_back(term);
    }
    std::ranges::stable_sort(terms_, {}, &BoundTerm::flat_stride);
    for (std::size_t d = 0; d < layout.shape().size(); ++d) {
      lines_.push_back(digits.line(d));
      sorted_.push_back(lines_.back());
      std::ranges::sort(sorted_.back());
    }
    for (const BoundTerm& term : terms_) {
      std::vector<std::int64_t> values =
          values_of(std::vector{DigitStep{term.bias, term.div, term.mod, 1}},
                    layout.shape()[static_cast<std::size_t>(term.dim)].extent);
      digits_.push_back(std::move(values));
    }
  }

  // Elements whose next place holds an element, too; nullopt: strides interleave.
  [[nodiscard]] std::optional<std::int64_t> followed() const {
    std::int64_t sum = 0;
    std::int64_t span = 1;
    for (std::size_t raised = 0; raised < terms_.size(); ++raised) {
      if (terms_[raised].flat_stride < span) return std::nullopt;
      if (terms_[raised].flat_stride == span) {
        std::int64_t all = 1;
        for (std::size_t d = 0; d < lines_.size() && all > 0; ++d) {
          all *= indices(d, raised);
        }
        sum += all;
      }
      span += (terms_[raised].extent - 1) * terms_[raised].flat_stride;
    }
    return sum;
  }

 private:
  // Indices of a dim whose digits before the raised one are at their ends, and for which
  // there is an index with the digits that follow.
  [[nodiscard]] std::int64_t indices(std::size_t dim,
                                     std::size_t raised) const {
    std::vector<std::size_t> ended;
    std::int64_t step = 0;
    for (std::size_t k = 0; k <= raised; ++k) {
      const BoundTerm& term = terms_[k];
      if (term.dim != static_cast<std::int32_t>(dim)) continue;
      if (k == raised) {
        step += term.flat_stride;
      } else {
        ended.push_back(k);
        step -= (term.extent - 1) * term.flat_stride;
      }
    }
    const Places& line = lines_[dim];
    if (step == 0 && ended.empty()) return std::ssize(line);
    const bool raises = terms_[raised].dim == static_cast<std::int32_t>(dim);
    std::int64_t count = 0;
    for (std::size_t x = 0; x < line.size(); ++x) {
      const bool at_end = std::ranges::all_of(ended, [&](std::size_t k) {
        return digits_[k][x] == terms_[k].extent - 1;
      });
      if (!at_end ||
          (raises && digits_[raised][x] + 1 == terms_[raised].extent)) {
        continue;
      }
      if (std::ranges::binary_search(sorted_[dim], line[x] + step)) ++count;
    }
    return count;
  }

  std::vector<BoundTerm> terms_;
  std::vector<Places> digits_;  // of each term, for each index of its dim
  std::vector<Places> lines_, sorted_;
};

}  // namespace

std::optional<std::int64_t> count_runs(const Layout& layout,
                                       const Digits& digits) {
  for (const Dim& dim : layout.shape()) {
    if (dim.extent > most_indices) return std::nullopt;
  }
  if (layout.elements() == 0) return 0;
  const auto followed = Carries(layout, digits).followed();
  if (!followed) return std::nullopt;
  return layout.elements() - *followed;
}

std::optional<std::int64_t> count_descriptors(const Layout& layout,
                                              const Digits& digits,
                                              std::int64_t dma_dims) {
  if (layout.elements() == 0) return 0;
  std::vector<std::vector<Piece>> factors;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    Result<std::vector<Piece>> pieces =
        refine(digits.places(d), digits.places(d), 0, layout.shape()[d].extent);
    if (!pieces) return std::nullopt;
    factors.push_back(*std::move(pieces));
  }
  Result<std::vector<Piece>> all = product(factors);
  if (!all) return std::nullopt;
  std::int64_t descriptors = 0;
  for (Piece& piece : *all) {
    std::vector<std::int64_t> loops;
    for (const PlanLoop& loop : normalise(std::move(piece.loops))) {
      if (loop.dst_stride != 1) loops.push_back(loop.count);
    }
    // The longest loops are the descriptor's own.
    std::ranges::sort(loops, std::ranges::greater{});
    std::int64_t each = 1;
    for (auto k = static_cast<std::size_t>(dma_dims - 1); k < loops.size();
         ++k) {
      each = saturated(mul(each, loops[k]));
    }
    descriptors = saturated(add(descriptors, each));
  }
  return descriptors;
}

}  // namespace stridewise::advising
