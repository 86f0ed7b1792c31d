// Where two tensors in memory differ, each in its own layout, in the words of
// the tensor: which dims, which axes, which bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

// What counts as equal beside equal values: an element passes when any rule
// that is set passes it. B is the reference.
struct Tolerance {
  double rtol = 0;  // |a - b| <= atol + rtol * |b|
  double atol = 0;
  // Steps between neighbouring floats (f16, bf16, f32, f64); -1: no rule.
  std::int64_t ulp = -1;

  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

struct DiffOptions {
  ElementType type;
  Tolerance tolerance = {};
  // Bytes of both sides before this one are read and compared, and will not be
  // read again, but for samples: a mapped file may give their memory back.
  std::function<void(std::int64_t done_a, std::int64_t done_b)> passed = {};
  // The number of the first byte of each side, where the report is to count
  // bytes of a file in which the tensor does not come first.
  std::int64_t first_byte_a = 0;
  std::int64_t first_byte_b = 0;
  // Of B's elements, where it is another one: both are compared as numbers then.
  std::optional<ElementType> type_b = {};
  // What the integers of a side mean.
  Scales scales_a = {};
  Scales scales_b = {};
};

// What two types leave of one number: a step of the one that has fewer of them (of f16
// 2^-10 of the number, of s8 its scale) and its least number; zero where both are the same
// type, or integers without scales.
[[nodiscard]] Tolerance tolerance_between(const DiffOptions& options);

// One element that differs. The real part of a complex value is its value, the
// error that of both parts.
struct Difference {
  std::vector<std::int64_t> index;
  std::int64_t byte_a = 0;
  std::int64_t byte_b = 0;
  double a = 0;
  double b = 0;
  double abs = 0;  // |a - b|; infinite where one of them is no finite number
  double rel = 0;  // abs / |b|
  std::int64_t ulp = 0;  // of floats; 0 for other types
  // In digits, exact also where a double is not: integers of 64 bits.
  std::string a_text;
  std::string b_text;
  std::string abs_text;
};

// How many elements of each index of a dim, or coordinate of an axis, differ.
// A dim of more than 65536 indices is counted by ranges of `step` of them:
// counts[k] is of indices k * step to (k + 1) * step - 1.
struct DiffCounts {
  std::string name;
  std::int64_t extent = 0;
  std::int64_t step = 1;                  // a power of two
  std::vector<std::int64_t> counts = {};  // empty where nothing differs
  std::int64_t first = -1;  // the least and largest index of these;
  std::int64_t last = -1;   // -1: there are none
};

struct DiffReport {
  std::int64_t elements = 0;
  ElementType compared = {};  // the type as which both sides were compared
  std::int64_t differences = 0;
  // Among elements with different bits:
  std::int64_t nan_a = 0;  // NaN in A, a number in B
  std::int64_t nan_b = 0;  // the other way round
  std::int64_t infinite =
      0;               // of numbers: infinite on one side, or of two signs
  double max_abs = 0;  // of finite errors, as doubles
  double max_rel = 0;
  std::int64_t max_ulp = 0;
  std::optional<Difference> first;  // in logical order
  std::optional<Difference> worst;  // by absolute error
  std::vector<DiffCounts> by_dim;
  std::vector<DiffCounts> by_axis;  // of A's layout, if it has several axes
  // Sentences, the most telling first: "all of c=8..15".
  std::vector<std::string> findings;
};

// Compares every element; what padding and gaps hold does not matter. Equal are:
// equal numbers (0 and -0 are), two NaNs of any bits, and what the tolerance
// allows. A NaN and a number differ. Layouts that are the same expression are
// compared as bytes first, which is the speed of memory; else parts of 16 MiB
// are brought into logical order. Memory does not grow with the tensor.
//
// Two types, or integers with scales, are compared as f32 where that holds their numbers,
// else as f64; integers of two types as s64. Parts of 16 MiB become that type on the way.
//
// Where a layout is more than plain digits, or elements are no whole bytes, both sides are
// decoded as a whole first; by_axis is empty then. A layout need not be one-to-one there.
//
// Errors: layouts that are not valid or not of one shape, bytes of another size than
// their layout, a width that is not the type's, a tolerance below 0 or not
// finite.
[[nodiscard]] Result<DiffReport> diff(const Layout& a,
                                      std::span<const std::byte> a_bytes,
                                      const Layout& b,
                                      std::span<const std::byte> b_bytes,
                                      const DiffOptions& options);

// ------------------------------------------------------------------ check ---

// A run of places without an element that are not zero.
struct LeakReport {
  std::int64_t byte = 0;
  std::int64_t count = 0;    // places
  std::string holds;         // what it looks like; empty: nothing known
  std::string indices = {};  // as LeakSet has them; empty: not known
};

// All such runs that the same indices would have, if the tensor were larger.
struct LeakSet {
  std::string indices;     // "c=17..31 of the last block, where h=3"
  std::int64_t byte = 0;   // the first one
  std::int64_t count = 0;  // places that are not zero
  std::int64_t of = 0;     // places that these indices have
  std::int64_t runs = 0;
};

struct CheckReport {
  std::int64_t elements = 0;
  // Counts of padding are of bits, not of places; see check_memory.
  bool in_bits = false;
  bool padding_looked_at = true;  // false: of a layout that is not one-to-one
  std::int64_t padding = 0;       // places without an element
  std::int64_t padding_nonzero = 0;     // of them, not zero
  std::int64_t padding_not_finite = 0;  // of those, NaN or infinite
  std::int64_t nan = 0;                 // elements
  std::int64_t inf = 0;
  // Their indices: "all of n=1, h=0..3"; empty where there are none, "all elements".
  std::string nan_indices = {};
  std::string inf_indices = {};
  std::optional<std::vector<std::int64_t>> first_nan;
  std::optional<std::vector<std::int64_t>> first_inf;
  std::vector<LeakReport> leaks;  // the first runs, at most 16
  // All runs by their indices, at most 16 sets; empty where padding is counted in bits.
  std::vector<LeakSet> leak_sets = {};
  std::int64_t leak_runs = 0;  // all of them
  std::vector<std::string> findings;
};

// The type as which numbers of `type` are compared and printed: f32 for small floats, the
// next of 8, 16, 32 and 64 bits for other integers, itself for what is left.
[[nodiscard]] ElementType plain_type(const ElementType& type);

// Looks at a tensor in memory on its own. Where the layout is more than plain digits or
// the type is no plain one, padding is counted in bits that no element has, and leaks are
// runs of bytes that hold such bits or a copy that is not equal. Padding that is not zero is compared
// with the elements around, to say what leaked into it. The report counts bytes
// from `first_byte`. O(places). Errors: as diff().
[[nodiscard]] Result<CheckReport> check_memory(
    const Layout& layout, std::span<const std::byte> bytes,
    const ElementType& type,
    const std::function<void(std::int64_t)>& passed = {},
    std::int64_t first_byte = 0);

// Why a memory of another size might be what somebody meant: at most three
// sentences, the likeliest first. `layout` as for bind().
[[nodiscard]] std::vector<std::string> explain_size(const Layout& layout,
                                                    const ElementType& type,
                                                    std::int64_t bytes);

}  // namespace stridewise
