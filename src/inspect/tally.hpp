// Counts, errors, and the first and worst of what differs, run by run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "inspect/compare.hpp"
#include "inspect/judge.hpp"
#include "inspect/samples.hpp"

namespace stridewise::inspect {

// What a layout does along one dim, whatever the other indices are: a table
// where the dim is short enough for one.
class Along {
 public:
  Along(const Layout& layout, std::size_t dim);

  [[nodiscard]] std::size_t dim() const { return dim_; }
  // Places between index x of the dim and index 0.
  [[nodiscard]] std::int64_t place(std::int64_t x) const {
    if (plain_ > 0) return x * plain_;
    return places_.empty() ? compute_place(x)
                           : places_[static_cast<std::size_t>(x)];
  }
  // The same in steps of an axis.
  [[nodiscard]] std::int64_t coordinate(std::size_t axis,
                                        std::int64_t x) const {
    return coordinates_.empty()
               ? compute_coordinate(axis, x)
               : coordinates_[axis][static_cast<std::size_t>(x)];
  }
  // Whether places only grow with the index.
  [[nodiscard]] bool ascends() const { return plain_ > 0; }
  // How many indices from x on follow each other in memory, at most `most`.
  [[nodiscard]] std::int64_t run(std::int64_t x, std::int64_t most) const;

 private:
  [[nodiscard]] std::int64_t compute_place(std::int64_t x) const;
  [[nodiscard]] std::int64_t compute_coordinate(std::size_t axis,
                                                std::int64_t x) const;

  const Layout& layout_;
  std::size_t dim_;
  std::int64_t extent_;
  std::int64_t plain_ = 0;  // the stride of a dim of one digit
  std::vector<std::int64_t> places_;
  std::vector<std::vector<std::int64_t>> coordinates_;  // where several axes
};

class Tally {
 public:
  // Runs are along `dim`.
  Tally(const Sides& sides, std::size_t dim, DiffReport& report);

  [[nodiscard]] const Judge& judge() const { return judge_; }
  [[nodiscard]] const Along& along() const { return along_; }
  [[nodiscard]] const Extent& extent() const { return extent_; }
  // Elements that differ, at random among all of them.
  [[nodiscard]] std::vector<Example> examples() const { return examples_; }

  // `count` elements along the dim from `index` on, whose values follow each
  // other at a and b. `index` comes back as it was.
  void run(std::vector<std::int64_t>& index, std::int64_t count,
           const std::byte* a, const std::byte* b);

 private:
  void marked(std::vector<std::int64_t>& index, std::int64_t first,
              std::int64_t count, const std::byte* a, const std::byte* b);
  void take_example(std::int64_t begin, std::int64_t count, const std::byte* a,
                    const std::byte* b);
  void count_places(std::int64_t begin, std::span<const std::int64_t> fails);
  [[nodiscard]] std::int64_t worst_of(std::int64_t least, std::int64_t count,
                                      const std::byte* a,
                                      const std::byte* b) const;
  [[nodiscard]] std::int64_t infinite_ones(std::int64_t count) const;
  [[nodiscard]] bool exceeds(const Difference& one, const std::byte* a,
                             const std::byte* b) const;
  [[nodiscard]] Difference difference(const std::vector<std::int64_t>& index,
                                      const std::byte* a,
                                      const std::byte* b) const;

  const Sides& sides_;
  DiffReport& report_;
  const std::int64_t width_;  // of compared elements
  const Judge& judge_;
  const bool rounds_;
  const Along along_;
  std::vector<std::int64_t> coordinates_;
  std::vector<std::int64_t> index_;
  Marks marks_;
  Element worst_a_, worst_b_;  // of the report's worst one
  Extent extent_;
  std::vector<Example> examples_;
  std::int64_t offered_ = 0;  // as examples
  Sequence sequence_;
};

}  // namespace stridewise::inspect
