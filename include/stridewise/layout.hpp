// The model: a layout as axes of digits, and both directions of its map.
//
//   digit       v = ((x + bias) / div) % mod     x: index in its dim
//   coordinate  base + sum over the axis's digits of v * stride
//   byte        sum over the axes of coordinate * pitch
//
// An Expression is that description before sizes are known. A Layout is an
// Expression bound to a shape and an element width; it is immutable, cheap to
// copy and safe to read from many threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/result.hpp"

namespace stridewise {

// ---------------------------------------------------------------- shape ---

struct Dim {
  std::string name;
  std::int64_t extent = 0;

  friend bool operator==(const Dim&, const Dim&) = default;
};

// The logical dims of a tensor, in logical order (n, c, h, w for activations).
using Shape = std::vector<Dim>;

// The product of the extents (1 for no dims); overflow and negative extents
// are errors.
[[nodiscard]] Result<std::int64_t> element_count(const Shape& shape);

// ----------------------------------------------------------- expression ---

// One digit of a dim. mod == 0 means "no mod": the rest of the dim.
struct Digit {
  std::string dim;
  std::int64_t bias = 0;
  std::int64_t div = 1;
  std::int64_t mod = 0;

  // This digit divided by k, or its remainder by k: i%16 then /4 is the digit
  // {div 4, mod 4}. Error invalid_value when k does not divide: the model has
  // no digit i%16/5.
  [[nodiscard]] Result<Digit> divided_by(std::int64_t k) const;
  [[nodiscard]] Result<Digit> modulo(std::int64_t k) const;

  friend bool operator==(const Digit&, const Digit&) = default;
};

// How far one step goes: naturally, exactly `value`, or naturally and then
// rounded up to a multiple of `value` bytes.
struct Step {
  enum class Kind : std::uint8_t { natural, exact, aligned };
  Kind kind = Kind::natural;
  std::int64_t value = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

struct Term {
  Digit digit;
  Step stride = {};  // exact: elements of the axis

  friend bool operator==(const Term&, const Term&) = default;
};

struct Axis {
  std::string name = {};  // empty: chosen by position when bound
  std::int64_t base = 0;  // the coordinate of the first place
  bool base_in_bytes = false;
  std::vector<Term> terms = {};  // slowest first
  Step pitch = {};               // exact: bytes; natural for the last axis

  friend bool operator==(const Axis&, const Axis&) = default;
};

// Axes, slowest first. Printed and parsed by notation.hpp.
struct Expression {
  std::vector<Axis> axes;

  // The dims that the digits name, in order of first appearance.
  [[nodiscard]] std::vector<std::string> dims() const;

  friend bool operator==(const Expression&, const Expression&) = default;
};

// --------------------------------------------------------------- layout ---

// A digit with everything that the sizes decide. Strides in elements.
struct BoundTerm {
  std::int32_t axis;  // index into Layout::axes()
  std::int32_t dim;   // index into Layout::shape()
  std::int64_t bias;
  std::int64_t div;
  std::int64_t mod;          // 0: none
  std::int64_t extent;       // values 0 .. extent-1, padding included
  std::int64_t stride;       // one step of the digit along its axis
  std::int64_t flat_stride;  // the same in the whole memory: stride * pitch
};

struct BoundAxis {
  std::string name;
  std::int64_t base;         // elements for a plain axis, else steps
  std::int64_t extent;       // coordinates 0 .. extent-1
  std::int64_t pitch_bytes;  // one step of the coordinate
};

// What a place of memory holds: an element; padding inside the rounded-up
// extents; or a gap that belongs to no padded element (a pitch, an alignment).
enum class Place : std::uint8_t { element, padding, gap };

namespace detail {
struct LayoutData;
}

class Layout {
 public:
  // Binds `expression` to sizes. Errors: a dim of the expression that is not in
  // the shape, a negative extent, 64-bit overflow, a pitch smaller than what it
  // must hold or that is not whole elements. A dim that is not covered, or two
  // elements in one place, is no error here: ask defect().
  [[nodiscard]] static Result<Layout> bind(const Expression& expression,
                                           const Shape& shape,
                                           std::int64_t element_bytes);

  [[nodiscard]] const Expression& expression() const;  // base in elements
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] std::int64_t element_bytes() const;
  [[nodiscard]] std::span<const BoundAxis> axes() const;
  [[nodiscard]] std::span<const BoundTerm> terms() const;

  // Elements of the tensor, and the places (elements, padding and gaps) and
  // bytes that it takes. A tensor with a zero extent takes none.
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t places() const;
  [[nodiscard]] std::int64_t size_bytes() const;

  // Why the layout is not valid: the dim that is not covered or two elements
  // that share a place (code invalid_layout); or that it is too irregular to be
  // shown valid, or to be inverted in bounded time (code unsupported). nullopt:
  // it is valid, and the inverse exists.
  [[nodiscard]] const std::optional<Error>& defect() const;
  [[nodiscard]] bool valid() const { return !defect().has_value(); }

  // True when every place is an element and the digits follow each other
  // densely: no padding, no gap, natural strides.
  [[nodiscard]] bool dense() const;

  // The element offset of an index: byte / element_bytes(). O(digits).
  // Pre: index.size() == shape().size(), 0 <= index[d] < extent of d.
  [[nodiscard]] std::int64_t offset(
      std::span<const std::int64_t> index) const noexcept;
  // The same as numbers: layout.offset(1, 16, 4, 3), or in braces. -1 where these are
  // not as many as the shape has dims.
  template <std::integral... Index>
  [[nodiscard]] std::int64_t offset(Index... index) const noexcept {
    return offset({static_cast<std::int64_t>(index)...});
  }
  [[nodiscard]] std::int64_t offset(
      std::initializer_list<std::int64_t> index) const noexcept {
    if (index.size() != shape().size()) return -1;
    return offset(std::span<const std::int64_t>(index.begin(), index.size()));
  }

  // The offset of no element in particular: what bases alone add up to.
  [[nodiscard]] std::int64_t base_offset() const noexcept;

  // The coordinate along each axis, axes() order, into `coordinates`.
  // Pre: as for offset(); coordinates.size() == axes().size().
  void coordinates_of(std::span<const std::int64_t> index,
                      std::span<std::int64_t> coordinates) const noexcept;

  // What lies at an element offset; for an element, its index is written to
  // `index` (else `index` is left in an unspecified state).
  //   Post: element_at(offset(x)) is {element, x} for every x of the shape.
  // O(digits); where strides interleave, some combinations of digits are tried
  // (bounded when bound), and all that is no element is told as a gap. Pre:
  // valid(), 0 <= offset < places(), index.size() == shape().size().
  [[nodiscard]] Place element_at(std::int64_t offset,
                                 std::span<std::int64_t> index) const noexcept;

  // The element offset of axis coordinates. Pre: 0 <= each < axis extent.
  [[nodiscard]] std::int64_t offset_of_coordinates(
      std::span<const std::int64_t> coordinates) const noexcept;

  // Same expression, shape and element width.
  friend bool operator==(const Layout& a, const Layout& b);

 private:
  explicit Layout(std::shared_ptr<const detail::LayoutData> data);
  std::shared_ptr<const detail::LayoutData> data_;
};

}  // namespace stridewise
