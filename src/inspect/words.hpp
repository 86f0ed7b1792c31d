// Sets of numbers in words: what a person says of the rows that are wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// The numbers k of 0 .. in.size()-1 with in[k], of something called `name`:
// "c=8..15", "c=5", "h odd", "c=4k+1 and 4k+2", "c=1, 5, 9". Empty for all and
// for none.
[[nodiscard]] std::string print_set(const std::string& name,
                                    const std::vector<bool>& in);

// Counts of nothing yet, for a dim or axis of that extent.
[[nodiscard]] DiffCounts counts_of(const std::string& name,
                                   std::int64_t extent);
void add(DiffCounts& counts, std::int64_t index, std::int64_t count);
// What another count of the same dim has.
void add_all(DiffCounts& counts, const DiffCounts& other);
// How many there are of indices first, first + 1 ...: one number of `each` for
// each.
void add_run(DiffCounts& counts, std::int64_t first,
             std::span<const std::int64_t> each);

// What was counted, in words.
struct CountedSet {
  std::string text;       // as print_set; empty for all and for none
  std::int64_t size = 0;  // indices; where ranges are counted, at most so many
};
[[nodiscard]] CountedSet print_counts(const DiffCounts& counts);

// "c=8..15, h odd": those of `all` that tell something.
[[nodiscard]] std::string print_all_counts(const std::vector<DiffCounts>& all);

// The same, and how many elements have their index in all of the sets; where ranges are
// counted, at most so many.
struct IndexBox {
  std::string text;
  std::int64_t size = 1;
};
[[nodiscard]] IndexBox index_box(const std::vector<DiffCounts>& all);

// Where `count` of so many elements are: "all elements", "all of c=8..15, h odd", "only
// c=3 (12 of its 30 elements)". Empty: no set tells, or one dim alone with a set that has
// no words of its own, which would say nothing but how many there are.
[[nodiscard]] std::string print_where(const std::vector<DiffCounts>& all,
                                      std::int64_t count,
                                      std::int64_t elements);

// Whether one of the sets has no words of its own: "17 of the 64 values of c".
[[nodiscard]] bool irregular(const std::vector<DiffCounts>& all);

// "4k+1", "4k".
[[nodiscard]] std::string residue(std::int64_t period, std::int64_t rest);

}  // namespace stridewise::inspect
