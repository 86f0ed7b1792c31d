// The facts of a layout, part by part: from its digits, or from all its places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reorder/planner/refine.hpp"
#include "stridewise/advise.hpp"

namespace stridewise::advising {

using Places = std::vector<std::int64_t>;

// What more indices of a dim than these are not walked for.
inline constexpr std::int64_t most_indices = 1 << 17;
// What a layout that is not plain may have, for its places to be walked.
inline constexpr std::int64_t most_elements = 1 << 16;
inline constexpr std::int64_t most_banks = 1 << 16;
inline constexpr std::int64_t most_lanes = 1 << 20;
inline constexpr std::int64_t most_indices_of_box = 1 << 12;

// The axis that the banks are coordinates of; nullopt: none has the name.
[[nodiscard]] std::optional<std::size_t> bank_axis(const Layout& layout,
                                                   const Chip& chip);
[[nodiscard]] std::int64_t banks_of(const Layout& layout, const Chip& chip,
                                    std::size_t axis);

// Errors: a dim that the tensor has not; lanes or extents that are none.
[[nodiscard]] Result<void> check_access(const Shape& shape,
                                        const Access& access);
// The box of an access: an extent for each dim of the shape, 1 for those that it does not
// name, none larger than the dim's.
[[nodiscard]] Result<std::vector<std::int64_t>> box_of(const Shape& shape,
                                                       const Access& access);

// The digits of a plain layout, a dim at a time. Steps of the place are in elements of all
// memory; those within a bank leave out the steps of the bank's own axis.
class Digits {
 public:
  Digits(const Layout& layout, std::optional<std::size_t> bank_axis);

  [[nodiscard]] std::span<const DigitStep> places(std::size_t dim) const {
    return places_[dim];
  }
  [[nodiscard]] std::span<const DigitStep> banks(std::size_t dim) const {
    return banks_[dim];
  }
  [[nodiscard]] std::span<const DigitStep> within(std::size_t dim) const {
    return within_[dim];
  }
  // Where each index of the dim lies beside index 0 of all others and without bases; empty
  // where there are too many.
  [[nodiscard]] const Places& line(std::size_t dim) const {
    return lines_[dim];
  }

 private:
  std::vector<std::vector<DigitStep>> places_, banks_, within_;
  std::vector<Places> lines_;
};

// Sums of digits for the first `extent` indices.
[[nodiscard]] Places values_of(std::span<const DigitStep> digits,
                               std::int64_t extent);

[[nodiscard]] std::int64_t longest_run(std::span<const std::int64_t> line);
// How many windows of so many places hold the places of a line.
[[nodiscard]] std::int64_t windows_of(Places line, std::int64_t lanes);

// Of plain layouts. nullopt: it cannot be told from the digits, or there are too many
// indices.
[[nodiscard]] std::optional<BankFacts> bank_facts(const Layout& layout,
                                                  const Digits& digits,
                                                  const Chip& chip,
                                                  std::size_t axis);
// What a bank gives at once, and how many banks there are of such words; 0: an axis tells
// the bank. Elements that are wider than a bank take several, which count as one.
struct Words {
  std::int64_t bits = 8;
  std::int64_t banks = 0;
};
[[nodiscard]] Words words_of(const Layout& layout, const Chip& chip,
                             bool by_axis);
[[nodiscard]] std::optional<ConflictFacts> conflict_facts(
    const Layout& layout, const Digits& digits, const Chip& chip,
    std::optional<std::size_t> axis, std::span<const std::int64_t> box);
[[nodiscard]] std::optional<std::int64_t> count_runs(const Layout& layout,
                                                     const Digits& digits);
[[nodiscard]] std::optional<std::int64_t> count_descriptors(
    const Layout& layout, const Digits& digits, std::int64_t dma_dims);
[[nodiscard]] std::optional<std::int64_t> row_alignment(const Layout& layout,
                                                        const Digits& digits);

// From all places, of any layout of few enough elements.
[[nodiscard]] std::int64_t walk_runs(const Layout& layout);
// All of it that all places tell, of any layout of few enough elements. `facts` has the
// sizes already.
void walk_places(const Layout& layout, const Chip& chip, const Access& access,
                 std::span<const std::int64_t> box, LayoutFacts& facts);

}  // namespace stridewise::advising
