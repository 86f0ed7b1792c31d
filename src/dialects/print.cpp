// What is printed is read again, and must say the same places.
// SPDX-License-Identifier: Apache-2.0
#include "dialects/print.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

constexpr std::int64_t most_compared = std::int64_t{1} << 22;

// The places of both along each dim alone: with plain digits these add up.
bool same_along_dims(const Layout& a, const Layout& b) {
  std::vector<std::int64_t> index(a.shape().size(), 0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    for (index[d] = 0; index[d] < a.shape()[d].extent; ++index[d]) {
      if (a.bit_of(index) != b.bit_of(index)) return false;
    }
    index[d] = 0;
  }
  return true;
}

// Whether an index has the same coordinates, axis by name: their order is not told.
bool same_coordinates(const Layout& a, const Layout& b,
                      std::span<const std::int64_t> index) {
  std::vector<std::int64_t> of_a(a.axes().size());
  std::vector<std::int64_t> of_b(b.axes().size());
  if (of_a.size() != of_b.size()) return false;
  a.coordinates_of(index, of_a);
  b.coordinates_of(index, of_b);
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    // The axis of memory has its own name there.
    const std::string& name = a.axes()[k].name;
    const auto same = std::ranges::find(b.axes(), name == "offset" ? "m" : name,
                                        &BoundAxis::name);
    if (same == b.axes().end()) return false;
    if (of_a[k] != of_b[static_cast<std::size_t>(same - b.axes().begin())]) {
      return false;
    }
  }
  return true;
}

bool same_everywhere(const Layout& a, const Layout& b, bool by_axes) {
  const Shape& shape = a.shape();
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::int64_t left = a.elements(); left > 0; --left) {
    if (by_axes ? !same_coordinates(a, b, index)
                : a.bit_of(index) != b.bit_of(index)) {
      return false;
    }
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d].extent) break;
      index[d] = 0;
    }
  }
  return true;
}

// The text's layout of the same tensor.
Result<Layout> read_again(const std::string& text, const Layout& layout) {
  std::vector<std::string> dims;
  for (const Dim& dim : layout.shape()) dims.push_back(dim.name);
  DialectText read;
  if (auto dialect = read_dialect(text, dims)) {
    if (!*dialect) return unexpected(dialect->error());
    read = **std::move(dialect);
  } else {
    const Result<Tag> tag = parse_tag(text);
    if (!tag) return unexpected(tag.error());
    read.expression = tag->expression;
    read.dims = tag->dims;
    read.positional = tag->canonical;
  }
  if (read.positional) {
    Shape shape = layout.shape();
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d].name = read.dims[d];
    return Layout::bind(read.expression, shape,
                        Binding{.element_bits = layout.element_bits()});
  }
  return Layout::bind(read.expression, layout.shape(),
                      Binding{.element_bits = layout.element_bits()});
}

}  // namespace

Result<std::string> print_as(const Layout& layout, Dialect dialect) {
  using namespace dialects;
  STRIDEWISE_EXPECTS(dialect <= Dialect::torch, "print_as: a valid dialect");
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  if (layout.elements() == 0) return cannot("a tensor without elements");
  std::int64_t along = 0;
  for (const Dim& dim : layout.shape()) {
    along = saturated(add(along, dim.extent));
  }
  if (along > most_compared) {
    return cannot("its dims are too long to be compared index by index");
  }
  const Layout by_dims = unfused(layout);
  Result<std::string> text;
  switch (dialect) {
    case Dialect::onednn:
    case Dialect::tvm:
    case Dialect::openvino:
      text = print_letters(by_dims, dialect);
      break;
    case Dialect::xla:
      text = print_xla(by_dims);
      break;
    case Dialect::cute:
      text = print_cute(by_dims);
      break;
    case Dialect::tirx:
      text = print_tirx(by_dims);
      break;
    case Dialect::numpy:
    case Dialect::torch:
      text = print_strides(by_dims, dialect);
      break;
  }
  if (!text) return text;
  const Result<Layout> again = read_again(*text, layout);
  if (!again) return cannot("it has no words for this order of digits");
  const bool strides_alone =
      dialect != Dialect::onednn && dialect != Dialect::tvm &&
      dialect != Dialect::openvino && dialect != Dialect::xla;
  // A tag says how much memory there is, too.
  if (!strides_alone && again->size_bits() != layout.size_bits()) {
    return cannot(fmt::format("it takes {} bytes, where {} takes {}",
                              layout.size_bytes(), *text, again->size_bytes()));
  }
  const bool by_axes = dialect == Dialect::tirx && layout.axes().size() > 1;
  const bool plain = layout.plain() && again->plain() && !by_axes;
  if ((plain ? along : layout.elements()) > most_compared) {
    return cannot(
        fmt::format("too many elements to be compared with {}", *text));
  }
  const bool same = plain ? same_along_dims(layout, *again)
                          : same_everywhere(layout, *again, by_axes);
  if (!same)
    return cannot("its digits stand in an order that has no words there");
  return text;
}

namespace dialects {

Result<std::vector<PrintedDigit>> digits_of(const Layout& layout) {
  const std::vector<LayoutPiece> pieces = layout.pieces();
  if (pieces.size() != 1) return cannot("it is made of several pieces");
  if (layout.element_bits() % 8 != 0 &&
      layout.place_bits() != layout.element_bits()) {
    return cannot("it tells where each bit lies");
  }
  std::vector<PrintedDigit> digits;
  for (const LayoutPiece::Digit& digit : pieces[0].digits) {
    if (digit.extent == 1) continue;
    const Digit& written = digit.term.digit;
    PrintedDigit made{.extent = digit.extent,
                      .stride_bits = digit.stride_bits,
                      .axis = digit.axis,
                      .copies = digit.term.copies};
    if (made.copies == 0) {
      const auto dim =
          std::ranges::find(layout.shape(), written.dim, &Dim::name);
      if (!written.plain() || written.bias != 0 ||
          dim == layout.shape().end()) {
        return cannot(fmt::format("it has the digit {}", print(digit.term)));
      }
      made.dim = static_cast<std::size_t>(dim - layout.shape().begin());
      made.div = written.div;
      made.mod = written.mod;
    }
    digits.push_back(made);
  }
  return digits;
}

}  // namespace dialects
}  // namespace stridewise
