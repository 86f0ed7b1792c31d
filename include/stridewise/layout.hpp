// The model: a layout as axes of digits, and both directions of its map.
//
//   digit       v = ((x + bias) / div) % mod     x: index in its dim
//   coordinate  base + sum over the axis's digits of v * stride
//   byte        sum over the axes of coordinate * pitch
//
// Expressions, and what they are made of, are equal where their texts are: a value that
// says nothing, as that of a natural step, is not compared.
//
// An Expression is that description before sizes are known. A Layout is an
// Expression bound to a shape and an element width; it is immutable, cheap to
// copy and safe to read from many threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/nested.hpp"
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

struct Slice;

// The extents of a box of indices; a dim without a range is whole, a range without an end
// goes to the last index. Errors: a range of no dim or of one that has one already, one
// that is empty or leaves the dim.
[[nodiscard]] Result<Shape> box_of(const Shape& shape,
                                   std::span<const Slice> ranges);

// ----------------------------------------------------------- expression ---

struct Body;
struct Twist;

// Which entry a digit's value chooses: entries in the text, or a name whose entries
// are given when the layout is bound. One of both, or neither.
struct Table {
  std::vector<std::int64_t> entries = {};
  std::string name = {};

  [[nodiscard]] bool empty() const { return entries.empty() && name.empty(); }
  friend bool operator==(const Table&, const Table&) = default;
};

// A dim in equal shares: "//p" is the share's number, "%%p" the place in it.
enum class Share : std::uint8_t { none, number, place };

// One digit: ((x + bias) / div) % mod of a dim, of the element's bit "#", or of several
// dims fused. mod == 0 means "no mod": the rest of the dim. What comes after mod is
// applied in the order of the members.
struct Digit {
  std::string dim =
      {};  // a dim, a fused index or "#"; empty where `fused` is set
  std::int64_t bias = 0;
  std::int64_t div = 1;
  std::int64_t mod = 0;

  std::int64_t after = 0;     // places after the last: (h+1+1)
  Share share = Share::none;  // of x + bias, before div and mod
  std::int64_t shares = 0;    // so many
  bool reversed = false;      // ~: the last value first
  Table table = {};
  NestedList<Twist> twists = {};  // ^ + - with other digits, in order
  NestedList<Body> fused = {};    // a body in brackets; at most one

  // This digit divided by k, or its remainder by k: i%16 then /4 is the digit
  // {div 4, mod 4}. Error invalid_value when k does not divide: the model has
  // no digit i%16/5.
  [[nodiscard]] Result<Digit> divided_by(std::int64_t k) const;
  [[nodiscard]] Result<Digit> modulo(std::int64_t k) const;

  // Whether it is a dim's with a bias, a divisor and a modulus, and no more.
  [[nodiscard]] bool plain() const;

  friend bool operator==(const Digit& a, const Digit& b);
};

// What a digit is combined with: modulo the extent of the digit on the left.
struct Twist {
  enum class Kind : std::uint8_t { exclusive_or, plus, minus };
  Kind kind = Kind::exclusive_or;
  Digit digit = {};  // without twists

  friend bool operator==(const Twist&, const Twist&) = default;
};

// How far one step goes: naturally; exactly `value` elements or bytes, backwards where
// that is negative; or naturally and then rounded up to a multiple of `value` bytes.
struct Step {
  enum class Kind : std::uint8_t { natural, exact, aligned, bytes };
  Kind kind = Kind::natural;
  std::int64_t value = 0;

  friend bool operator==(const Step& a, const Step& b);
};

// A digit with its stride; or `copies` places that hold the same; or a dim that is cut:
// as many pieces of cuts[0] as fit, then of cuts[1] and so on, and one of the rest.
struct Term {
  Digit digit = {};
  Step stride = {};         // exact: elements of the axis
  std::int64_t copies = 0;  // not 0: "*k", and no digit
  std::vector<std::int64_t> cuts =
      {};  // not empty: "dim!k,k"; dim alone is set

  friend bool operator==(const Term& a, const Term& b);
};

// Indices low <= x < high of a dim; high < 0: to its end.
struct Slice {
  std::string dim = {};
  std::int64_t low = 0;
  std::int64_t high = -1;

  friend bool operator==(const Slice& a, const Slice& b);
};

struct Part;

// What lies from a base on: terms, slowest first, and within their steps the parts, one
// after the other.
struct Body {
  std::int64_t base = 0;
  bool base_in_bytes = false;
  std::vector<Term> terms = {};
  NestedList<Part> parts = {};

  friend bool operator==(const Body& a, const Body& b);
};

// A tensor, or slices of one, in a memory of several.
struct Part {
  std::string name = {};  // empty: the tensor of the part around it
  std::vector<Slice> slices = {};
  std::string type =
      {};  // an element type's name; empty: that of the part around it
  Body body = {};

  friend bool operator==(const Part&, const Part&) = default;
};

struct Axis {
  std::string name = {};  // empty: chosen by position when bound
  std::int64_t base = 0;  // the coordinate of the first place
  bool base_in_bytes = false;
  std::vector<Term> terms = {};  // slowest first
  Step pitch = {};               // exact: bytes; natural for the last axis
  NestedList<Part> parts = {};   // of the last axis alone

  friend bool operator==(const Axis& a, const Axis& b);
};

// A name for a coordinate made of digits: what follows takes digits of it in turn.
struct FusedIndex {
  std::string name = {};
  Body body = {};

  friend bool operator==(const FusedIndex&, const FusedIndex&) = default;
};

// Axes, slowest first. Printed and parsed by notation.hpp.
struct Expression {
  std::vector<Axis> axes = {};
  std::vector<FusedIndex> fused = {};

  // The dims that the digits name, in order of first appearance.
  [[nodiscard]] std::vector<std::string> dims() const;
  // The names of the tables whose entries the text leaves open, in the same order.
  [[nodiscard]] std::vector<std::string> tables() const;
  // The names of the parts; empty for a layout of one tensor.
  [[nodiscard]] std::vector<std::string> parts() const;
  // Whether it is axes of plain digits alone, with strides forwards in elements.
  [[nodiscard]] bool plain() const;

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
  std::int64_t pitch_bits;   // one step of the coordinate
  std::int64_t pitch_bytes;  // the same, rounded up
};

// One tensor of a memory: the only one, or a part.
struct Tensor {
  std::string name;  // empty: the only one
  std::string
      type;  // as the text names it; empty: the one given beside the text
  std::int64_t element_bits = 0;
  // The dims that it has itself. One of which it tells no more than x/32 is its own
  // dim "k/32".
  Shape shape = {};
  std::int64_t elements = 0;
  // Whether the text says where each bit lies: then the bits of an element may lie apart.
  bool bitwise = false;
};

// A set of indices of one tensor whose digits are those: see Layout::pieces().
struct LayoutPiece {
  std::int32_t tensor = 0;  // index into Layout::tensors()
  std::int64_t base_bits = 0;
  std::vector<Slice> slices = {};  // of dims, "#" for bits; empty: all indices
  struct Digit {
    std::int32_t axis = 0;
    Term term = {};  // as written; a cut stands for the number of the piece
    std::int64_t extent = 1;
    std::int64_t stride_bits = 0;
  };
  std::vector<Digit> digits = {};  // slowest first
};

// What a place of memory holds: an element; padding inside the rounded-up
// extents; a gap that belongs to no padded element (a pitch, an alignment); or what
// belongs to another tensor of the memory.
enum class Place : std::uint8_t { element, padding, gap, other };

// What lies at a bit of memory.
struct Found {
  Place place = Place::gap;
  std::int32_t tensor = -1;  // index into Layout::tensors(); -1 for a gap
  std::int32_t bit = 0;      // of the element
  std::int64_t copy = 0;     // which of its copies
  bool more = false;         // other elements lie here too
};

// What the text of a layout leaves open, beside the shape.
struct Binding {
  std::int64_t element_bits =
      8;  // of the tensors whose type the text does not name
  std::map<std::string, std::vector<std::int64_t>, std::less<>> tables = {};
};

namespace detail {
struct LayoutAccess;
struct LayoutData;
struct TensorData;
}  // namespace detail

// A memory and one of its tensors, which is chosen where there are several. One that was
// moved from can be destroyed and assigned to, no more.
class Layout {
 public:
  // Binds `expression` to sizes. Errors: a dim of the expression that is not in the shape,
  // a negative extent, a size beyond 2^62 bits. A pitch smaller than what it must hold, or
  // that is not whole elements. A table that is not one-to-one; slices that overlap or
  // leave elements out. A dim that is not covered, or two elements in one place, is no
  // error here: ask defect().
  [[nodiscard]] static Result<Layout> bind(const Expression& expression,
                                           const Shape& shape,
                                           const Binding& binding);
  [[nodiscard]] static Result<Layout> bind(const Expression& expression,
                                           const Shape& shape,
                                           std::int64_t element_bytes);

  [[nodiscard]] const Expression& expression() const;  // base in elements
  // Of the chosen tensor; where none is chosen, all dims.
  [[nodiscard]] const Shape& shape() const;
  [[nodiscard]] std::int64_t element_bits() const;
  [[nodiscard]] std::int64_t element_bytes() const;  // rounded up
  [[nodiscard]] std::span<const BoundAxis> axes() const;
  // The digits of a plain layout; of no other.
  [[nodiscard]] std::span<const BoundTerm> terms() const;

  // The tensors of the memory, in its order.
  [[nodiscard]] std::span<const Tensor> tensors() const;
  // The chosen one; -1: there are several, and none is chosen.
  [[nodiscard]] std::int32_t tensor() const;
  // The same memory, with this tensor chosen. Error unknown_name lists those there are.
  [[nodiscard]] Result<Layout> part(std::string_view name) const;
  // A box of the chosen tensor's indices, in the same memory: index x of the window is
  // index x + low of this layout. A dim without a range is whole, and a range without an
  // end goes to the last index. Memory outside the box is padding.
  //   Post: window.bit_of(x) == bit_of(x + low), and size_bits() is the same.
  // Errors: invalid_value for a dim that is not the tensor's or is named twice, and for a
  // range that is empty or leaves the dim; unsupported for a dim that is cut or sliced;
  // mismatch where no tensor is chosen. O(what bind() takes).
  [[nodiscard]] Result<Layout> window(std::span<const Slice> ranges) const;
  // The normal form: what all texts of a layout come to.
  [[nodiscard]] std::vector<LayoutPiece> pieces() const;

  // Whether it is one piece of plain digits, without copies, of elements that lie whole
  // at multiples of their width.
  [[nodiscard]] bool plain() const;

  // Elements of the tensor, and the places (elements, copies, padding, gaps and other
  // tensors) and bytes that the memory takes. A tensor with a zero extent takes none.
  // A place is `place_bits()` wide: an element where those lie at multiples of their
  // width, else what their places are multiples of.
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t places() const;
  [[nodiscard]] std::int64_t place_bits() const;
  [[nodiscard]] std::int64_t size_bits() const;
  [[nodiscard]] std::int64_t size_bytes() const;  // rounded up
  // Where the last element or copy of any tensor ends: bits that follow hold none. Where
  // digits are more than plain, the last place that they could have.
  [[nodiscard]] std::int64_t used_bits() const;

  // Why the layout is not valid: the dim that is not covered or two elements
  // that share a place (code invalid_layout); or that it is too irregular to be
  // shown valid, or to be inverted in bounded time (code unsupported). nullopt:
  // it is valid, and the inverse exists. One that is not can still be read.
  [[nodiscard]] const std::optional<Error>& defect() const;
  [[nodiscard]] bool valid() const { return !defect().has_value(); }
  // Why the layout cannot be read either: a dim that no digit names, several tensors of
  // which none is chosen. nullopt: every index has a place.
  [[nodiscard]] const std::optional<Error>& unreadable() const;

  // Why what lies at a place cannot be told. nullopt: find() answers, also of a layout
  // that is not one-to-one.
  [[nodiscard]] const std::optional<Error>& unfindable() const;

  // True when every place is an element and the digits follow each other
  // densely: no padding, no gap, natural strides.
  [[nodiscard]] bool dense() const;

  // Where an index lies in memory: its lowest bit, or the given one. O(digits).
  // Pre: a tensor is chosen; index.size() == shape().size(), 0 <= index[d] < extent of d,
  // 0 <= bit < element_bits().
  [[nodiscard]] std::int64_t bit_of(std::span<const std::int64_t> index,
                                    std::int64_t bit = 0) const noexcept;

  // The place of an index: bit_of(index) / place_bits(). O(digits).
  // Pre: as for bit_of.
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

  // The place of no element in particular: what bases alone add up to. Pre: plain().
  [[nodiscard]] std::int64_t base_offset() const noexcept;

  // The coordinate along each axis, axes() order, into `coordinates`.
  // Pre: as for offset(); coordinates.size() == axes().size().
  void coordinates_of(std::span<const std::int64_t> index,
                      std::span<std::int64_t> coordinates) const noexcept;
  // The same of a bit of memory. Pre: 0 <= bit < size_bits().
  void coordinates_at(std::int64_t bit,
                      std::span<std::int64_t> coordinates) const noexcept;

  // What lies at a bit of memory; for an element, its index in its own tensor's dims is
  // written to `index` (else `index` is left in an unspecified state).
  //   Post: find(bit_of(x, b)) is {element, b} and x for every x and b of a valid layout.
  // O(pieces x digits); where strides interleave, some combinations of digits are tried
  // (bounded when bound), and all that is no element is told as a gap. A layout that is
  // not one-to-one names one of the elements. Pre: !unfindable(),
  // 0 <= bit < size_bits(), index.size() >= the dims of every tensor.
  [[nodiscard]] Found find(std::int64_t bit,
                           std::span<std::int64_t> index) const noexcept;

  // What lies at a place.
  //   Post: element_at(offset(x)) is {element, x} for every x of the shape.
  // Pre: as for find; a tensor is chosen, valid(), 0 <= offset < places().
  [[nodiscard]] Place element_at(std::int64_t offset,
                                 std::span<std::int64_t> index) const noexcept;

  // The place of axis coordinates. Pre: 0 <= each < axis extent.
  [[nodiscard]] std::int64_t offset_of_coordinates(
      std::span<const std::int64_t> coordinates) const noexcept;

  // Same expression, shape, element width, tables and chosen tensor.
  friend bool operator==(const Layout& a, const Layout& b);

 private:
  friend struct detail::LayoutAccess;
  Layout(std::shared_ptr<const detail::LayoutData> data, std::int32_t tensor);
  std::shared_ptr<const detail::LayoutData> data_;
  const detail::TensorData* tensor_;  // of data_
};

}  // namespace stridewise
