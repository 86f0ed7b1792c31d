// A layout as XLA's tiles, CuTe's tuples, TIRx's iterators, and as strides alone.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "dialects/print.hpp"
#include "dialects/read.hpp"

namespace stridewise::dialects {
namespace {

Result<void> has_no_copies(const Layout& layout) {
  for (const LayoutPiece& piece : layout.pieces()) {
    for (const LayoutPiece::Digit& digit : piece.digits) {
      if (digit.term.copies > 1) return cannot("it has copies");
    }
  }
  return {};
}

// Strides of places in elements.
Result<std::int64_t> in_elements(const Layout& layout, std::int64_t bits) {
  if (bits % layout.element_bits() == 0) return bits / layout.element_bits();
  return cannot("its strides are no whole elements");
}

Result<void> begins_at_zero(const Layout& layout) {
  const std::vector<std::int64_t> zero(layout.shape().size(), 0);
  if (layout.bit_of(zero) == 0) return {};
  return cannot(fmt::format("its first element lies {} bits behind the begin",
                            layout.bit_of(zero)));
}

// The digits of one dim, fastest first, which must divide it without a rest.
Result<std::vector<PrintedDigit>> exact_digits(
    const Layout& layout, const std::vector<PrintedDigit>& all,
    std::size_t dim) {
  std::vector<PrintedDigit> own;
  for (const PrintedDigit& digit : all) {
    if (digit.copies == 0 && digit.dim == dim) own.push_back(digit);
  }
  std::ranges::sort(own, {}, &PrintedDigit::div);
  std::int64_t product = 1;
  for (const PrintedDigit& digit : own) {
    if (digit.div != product) return cannot("its digits are no chain");
    product *= digit.extent;
  }
  const Dim& of = layout.shape()[dim];
  if (product == of.extent) return own;
  return cannot(fmt::format("dim {} of {} is padded to {}: it has no padding",
                            of.name, of.extent, product));
}

// Sizes and strides of each dim, in CuTe's order.
Result<std::string> cute_tuples(const Layout& layout,
                                const std::vector<PrintedDigit>& digits) {
  std::vector<std::string> sizes, strides;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    const auto own = exact_digits(layout, digits, d);
    if (!own) return unexpected(own.error());
    std::vector<std::string> size, stride;
    for (const PrintedDigit& digit : *own) {
      const Result<std::int64_t> step = in_elements(layout, digit.stride_bits);
      if (!step) return unexpected(step.error());
      size.push_back(std::to_string(digit.extent));
      stride.push_back(std::to_string(*step));
    }
    if (size.empty()) {
      size = {"1"};
      stride = {"0"};
    }
    const auto tuple = [](const std::vector<std::string>& numbers) {
      return numbers.size() == 1 ? numbers[0]
                                 : fmt::format("({})", fmt::join(numbers, ","));
    };
    sizes.push_back(tuple(size));
    strides.push_back(tuple(stride));
  }
  return fmt::format("({}):({})", fmt::join(sizes, ","),
                     fmt::join(strides, ","));
}

// The layout without the xor of its digits; nullopt where there is none.
std::optional<Expression> without_xor(Expression expression) {
  bool found = false;
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) {
      found = found || !term.digit.twists.empty();
      term.digit.twists = {};
    }
  }
  return found ? std::optional(std::move(expression)) : std::nullopt;
}

// Whether the places of `layout` are those of `plain`, xored.
bool is_swizzled(const Layout& layout, const Layout& plain, const Swizzle& by,
                 std::int64_t most) {
  const std::uint64_t mask = ((std::uint64_t{1} << by.bits) - 1) << by.base;
  const std::int64_t width = layout.element_bits();
  std::vector<std::int64_t> index(layout.shape().size(), 0);
  for (std::int64_t left = std::min(layout.elements(), most); left > 0;
       --left) {
    const auto place = static_cast<std::uint64_t>(plain.bit_of(index) / width);
    const std::uint64_t moved = place ^ ((place >> by.shift) & mask);
    if (moved != static_cast<std::uint64_t>(layout.bit_of(index) / width)) {
      return false;
    }
    for (std::size_t d = layout.shape().size(); d-- > 0;) {
      if (++index[d] < layout.shape()[d].extent) break;
      index[d] = 0;
    }
  }
  return true;
}

std::optional<Swizzle> swizzle_of(const Layout& layout, const Layout& plain) {
  constexpr std::int64_t most_compared = std::int64_t{1} << 16;
  for (std::int64_t bits = 1; bits <= 5; ++bits) {
    for (std::int64_t base = 0; base <= 10; ++base) {
      for (std::int64_t shift = bits; shift <= 10; ++shift) {
        const Swizzle by{bits, base, shift};
        if (is_swizzled(layout, plain, by, most_compared)) return by;
      }
    }
  }
  return std::nullopt;
}

// Row-major digits of all dims: slowest first.
Result<std::vector<PrintedDigit>> in_logical_order(
    const Layout& layout, const std::vector<PrintedDigit>& digits) {
  std::vector<PrintedDigit> all;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    auto own = exact_digits(layout, digits, d);
    if (!own) return own;
    all.insert(all.end(), own->rbegin(), own->rend());
  }
  return all;
}

}  // namespace

Result<std::string> print_cute(const Layout& layout) {
  if (auto none = has_no_copies(layout); !none) return unexpected(none.error());
  if (auto zero = begins_at_zero(layout); !zero)
    return unexpected(zero.error());
  const std::optional<Expression> straight = without_xor(layout.expression());
  if (!straight) {
    const auto digits = digits_of(layout);
    if (!digits) return unexpected(digits.error());
    return cute_tuples(layout, *digits);
  }
  const Result<Layout> plain =
      Layout::bind(*straight, layout.shape(),
                   Binding{.element_bits = layout.element_bits()});
  if (!plain || !plain->plain()) return cannot("it has digits of digits");
  const auto digits = digits_of(*plain);
  if (!digits) return unexpected(digits.error());
  const std::optional<Swizzle> by = swizzle_of(layout, *plain);
  if (!by) return cannot("no Sw<B,M,S> xors its places so");
  const Result<std::string> tuples = cute_tuples(*plain, *digits);
  if (!tuples) return tuples;
  return fmt::format("Sw<{},{},{}> o {}", by->bits, by->base, by->shift,
                     *tuples);
}

Result<std::string> print_tirx(const Layout& layout) {
  const auto digits = digits_of(layout);
  if (!digits) return unexpected(digits.error());
  const auto ordered = in_logical_order(layout, *digits);
  if (!ordered) return unexpected(ordered.error());
  const auto on_axis = [&](std::int64_t steps, const BoundAxis& axis) {
    const bool memory =
        layout.axes().size() == 1 || axis.name == "offset" || axis.name == "m";
    return memory ? std::to_string(steps)
                  : fmt::format("{}@{}", steps, axis.name);
  };
  const auto stride_of = [&](const PrintedDigit& digit) {
    const BoundAxis& axis = layout.axes()[static_cast<std::size_t>(digit.axis)];
    const std::int64_t unit =
        layout.axes().size() == 1 ? layout.element_bits() : axis.pitch_bits;
    return on_axis(digit.stride_bits / std::max<std::int64_t>(unit, 1), axis);
  };
  std::vector<std::string> sizes, strides;
  for (const PrintedDigit& digit : *ordered) {
    sizes.push_back(std::to_string(digit.extent));
    strides.push_back(stride_of(digit));
  }
  if (sizes.empty()) {
    sizes = {"1"};
    strides = {"1"};
  }
  std::string text = fmt::format("S[({}) : ({})]", fmt::join(sizes, ", "),
                                 fmt::join(strides, ", "));
  for (const PrintedDigit& digit : *digits) {
    if (digit.copies == 0) continue;
    text += fmt::format(" + R[{} : {}]", digit.copies, stride_of(digit));
  }
  for (const BoundAxis& axis : layout.axes()) {
    if (axis.base != 0) text += " + " + on_axis(axis.base, axis);
  }
  return text;
}

Result<std::string> print_strides(const Layout& layout, Dialect dialect) {
  if (auto none = has_no_copies(layout); !none) return unexpected(none.error());
  const bool bytes = dialect == Dialect::numpy;
  std::vector<std::int64_t> index(layout.shape().size(), 0);
  const std::int64_t first = layout.bit_of(index);
  std::vector<std::int64_t> strides;
  std::int64_t natural = layout.element_bits();
  std::int64_t lowest = first;  // place of an element
  for (std::size_t d = index.size(); d-- > 0;) {
    std::int64_t stride = natural;
    if (layout.shape()[d].extent > 1) {
      index[d] = 1;
      stride = layout.bit_of(index) - first;
      index[d] = 0;
    }
    natural = std::max(natural, layout.shape()[d].extent * std::abs(stride));
    lowest +=
        std::min<std::int64_t>(0, (layout.shape()[d].extent - 1) * stride);
    // One stride must do for all indices of the dim.
    for (std::int64_t x = 2; x < layout.shape()[d].extent; ++x) {
      index[d] = x;
      const std::int64_t at = layout.bit_of(index);
      index[d] = 0;
      if (at - first == x * stride) continue;
      const std::string& dim = layout.shape()[d].name;
      return cannot(fmt::format(
          "dim {} has no one stride: from {}=0 to 1 it is {} bits, but {}={} "
          "lies {} bits from {}=0",
          dim, dim, stride, dim, x, at - first, dim));
    }
    const std::int64_t unit = bytes ? 8 : layout.element_bits();
    if (stride % unit != 0) {
      return cannot(bytes ? "its strides are no whole bytes"
                          : "its strides are no whole elements");
    }
    strides.insert(strides.begin(), stride / unit);
  }
  if (lowest != 0) {
    return cannot(fmt::format(
        "its memory begins {} bits before the first element", lowest));
  }
  return fmt::format("{}({})", bytes ? "numpy" : "torch",
                     fmt::join(strides, ", "));
}

Result<std::string> print_xla(const Layout& layout) {
  const auto digits = digits_of(layout);
  if (!digits) return unexpected(digits.error());
  if (!layout.plain()) return cannot("it has copies, or begins later");
  // Outer digits, slowest first, give the order of dims; what follows are tiles.
  std::vector<std::size_t> order;
  std::vector<std::vector<std::int64_t>> blocks(layout.shape().size());
  for (const BoundTerm& term : layout.terms()) {
    const auto dim = static_cast<std::size_t>(term.dim);
    const bool first = std::ranges::find(order, dim) == order.end();
    if ((term.mod == 0) != first) {
      return cannot(
          fmt::format("the blocks of dim {} stand before what they "
                      "are blocks of",
                      layout.shape()[dim].name));
    }
    if (first) {
      order.push_back(dim);
    } else {
      blocks[dim].push_back(term.mod);
    }
  }
  std::size_t first = order.size();
  std::size_t levels = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    levels = std::max(levels, blocks[order[k]].size());
    if (!blocks[order[k]].empty()) first = std::min(first, k);
  }
  std::vector<std::size_t> minor(order.rbegin(), order.rend());
  std::string text = fmt::format("{{{}", fmt::join(minor, ","));
  // The first tile of a dim has all of its blocks, the next all but the outermost.
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<std::int64_t> sizes;
    for (std::size_t k = first; k < order.size(); ++k) {
      std::int64_t size = 1;
      const auto& own = blocks[order[k]];
      for (std::size_t b = level; b < own.size(); ++b) size *= own[b];
      sizes.push_back(size);
    }
    text +=
        fmt::format("{}({})", level == 0 ? ":T" : "", fmt::join(sizes, ","));
  }
  return text + "}";
}

}  // namespace stridewise::dialects
