// SPDX-License-Identifier: Apache-2.0
#include "io/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "io/tensor.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// A .npy array in Fortran order is the same digits with the first one fastest.
Result<Layout> fortran_order(const Layout& layout) {
  Axis axis;
  std::int64_t stride = 1;
  std::vector<Term> terms;
  for (const Axis& a : layout.expression().axes) {
    terms.insert(terms.end(), a.terms.begin(), a.terms.end());
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    terms[k].stride = Step{Step::Kind::exact, stride};
    // No overflow: the layout is dense, so this is at most its places.
    stride *= std::max<std::int64_t>(layout.terms()[k].extent, 1);
  }
  axis.terms = std::move(terms);
  return Layout::bind(Expression{{std::move(axis)}}, layout.shape(),
                      Binding{.element_bits = layout.element_bits()});
}

// How much less than the layout's memory the file has; 0: it has all. A file may end with
// the last element. Errors: it has more, or less than that.
Result<std::int64_t> missing_bytes(const ConvertOptions& options,
                                   const TensorFile& input, const Sides& sides,
                                   const Shape& shape) {
  const auto size = static_cast<std::int64_t>(input.data().size());
  const Layout& layout = sides.src.memory;
  if (options.start_byte || size == layout.size_bytes()) return 0;
  if (!input.npy && size < layout.size_bytes() &&
      size >= ceil_div(layout.used_bits(), 8)) {
    return layout.size_bytes() - size;
  }
  // Parts have types of their own.
  const std::string_view type_text =
      layout.tensors().size() > 1 ? "elements" : sides.pairs[0].values.src.name;
  return fail(
      ErrorCode::mismatch,
      fmt::format("{}: has {} bytes of data, but {} of {} {} takes "
                  "{}{}",
                  options.in.string(), size, print(layout.expression()),
                  print(shape), type_text, layout.size_bytes(),
                  input.npy ? ""
                            : "; where its memory does not begin and end "
                              "with the file, say where it does: --skip, "
                              "--start"));
}

// What the array's dims and order make of the layout.
Result<Layout> array_layout(const ConvertOptions& options,
                            const TensorFile& input, const Layout& layout) {
  const std::vector<std::int64_t> expected = array_shape(layout);
  // An array without dims is one value, flat in any layout.
  const bool flat = input.npy->shape.size() < 2;
  if (!flat && input.npy->shape != expected) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("{}: an array of {}, but the layout's digits are "
                    "{}",
                    options.in.string(), print_extents(input.npy->shape),
                    print_extents(expected)));
  }
  if (!input.npy->fortran_order || flat) return layout;
  // Where the array has one dim an axis, its dims are not the digits.
  if (!layout.plain() || expected.size() != layout.terms().size()) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: Fortran order of a layout with gaps; save the "
                            "array in C order",
                            options.in.string()));
  }
  return fortran_order(layout);
}

bool is_big_endian(const ConvertOptions& options, const TensorFile& input) {
  return input.npy ? input.npy->big_endian : options.big_endian;
}

// Whether big-endian elements may move as they are, and be swapped where they are then.
bool swaps_in_place(const Sides& sides) {
  return std::ranges::all_of(sides.pairs, [](const Pair& pair) {
    return pair.dst.plain() && pair.values.src == pair.values.dst;
  });
}

// Little-endian elements of a file that has big-endian ones, in a copy.
Result<TensorFile> swapped(const ConvertOptions& options, TensorFile file,
                           const Sides& sides) {
  if (file.npy) return in_native_order(std::move(file));
  const ElementType& type = sides.pairs.front().values.src;
  if (sides.pairs.size() > 1 || type.bits % 8 != 0) {
    return fail(ErrorCode::unsupported,
                options.in.string() +
                    ": big-endian elements are of one tensor and whole bytes");
  }
  const std::int64_t width =
      type.bytes() / (type.kind == ElementKind::complex_floating ? 2 : 1);
  const std::int64_t start = options.start_byte.value_or(0);
  return with_bytes_reversed(
      std::move(file), width,
      start < 0 ? -start : (width - start % width) % width);
}

Result<std::vector<Plan>> plans_of(const Sides& sides) {
  std::vector<Plan> plans;
  for (const Pair& pair : sides.pairs) {
    // A fresh file is zeros already; an old one keeps what it has.
    PlanOptions options{.fill = Fill::keep};
    if (pair.values.src != pair.values.dst) options.values = pair.values;
    Result<Plan> plan = Plan::make(pair.src, pair.dst, options);
    if (!plan) return unexpected(plan.error());
    plans.push_back(*std::move(plan));
  }
  return plans;
}

Result<Shape> shape_of_input(const ConvertOptions& options,
                             const TensorFile& file) {
  if (options.shape) return *options.shape;
  if (!options.to_window.empty() && options.to_shape) {
    return box_of(*options.to_shape, options.to_window);
  }
  if (file.npy) return shape_of_array(file, options.from);
  return fail(ErrorCode::mismatch,
              options.in.string() + ": a raw file needs --shape");
}

}  // namespace

bool holds_elements(const LayoutSource& layout, const Side& side) {
  return layout.expression.parts().empty() &&
         side.stored == array_type(side.stored) &&
         side.memory.place_bits() == side.memory.element_bits();
}

Result<Shape> shape_of_array(const TensorFile& file, const LayoutSource& from) {
  STRIDEWISE_EXPECTS(file.npy.has_value(), "shape_of_array: a .npy array");
  const NpyHeader& npy = *file.npy;
  std::vector<std::string> loops;
  bool plain = true;
  for (const Axis& axis : from.expression.axes) {
    plain = plain && axis.base == 0 && axis.pitch == Step{};
    for (const Term& term : axis.terms) {
      plain = plain && term == Term{Digit{term.digit.dim}, {}};
      loops.push_back(term.digit.dim);
    }
  }
  if (!plain) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: the array alone does not tell the extents of "
                            "a padded or strided layout; give --shape",
                            file.path.string()));
  }
  if (loops.size() != npy.shape.size()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: an array of {} dims ({}) for a layout of {}",
                            file.path.string(), npy.shape.size(),
                            print_extents(npy.shape), loops.size()));
  }
  Shape shape;
  for (const std::string& dim : dims_of(from)) {
    const auto at = std::ranges::find(loops, dim);
    if (at == loops.end()) continue;
    shape.push_back(
        {dim, npy.shape[static_cast<std::size_t>(at - loops.begin())]});
  }
  return shape;
}

namespace {

// What a file is a conversion of; `copied`: its elements are little-endian by now.
Result<Input> input_of(const ConvertOptions& options, TensorFile opened,
                       bool copied) {
  TensorFile* const file = &opened;
  const Result<Shape> shape = shape_of_input(options, *file);
  if (!shape) return unexpected(shape.error());
  Result<Sides> sides = bind_sides(options, *file, *shape);
  if (!sides) return unexpected(sides.error());
  const bool big_endian = !copied && is_big_endian(options, *file);
  if (big_endian && !swaps_in_place(*sides)) {
    Result<TensorFile> copy = swapped(options, std::move(opened), *sides);
    if (!copy) return unexpected(copy.error());
    return input_of(options, *std::move(copy), true);
  }
  const auto missing = missing_bytes(options, *file, *sides, *shape);
  if (!missing) return unexpected(missing.error());
  if (file->npy && holds_elements(options.from, sides->src)) {
    Result<Layout> layout = array_layout(options, *file, sides->src.memory);
    if (!layout) return unexpected(layout.error());
    if (*layout != sides->src.memory) {
      layout = options.from_window.empty()
                   ? layout
                   : layout->window(options.from_window);
      if (!layout) return unexpected(layout.error());
      sides->pairs.front().src = *std::move(layout);
    }
  }
  Result<MemoryWindow> window = memory_window(
      *file,
      options.from_window.empty() ? sides->src.memory
                                  : sides->pairs.front().src,
      *missing > 0 ? std::optional<std::int64_t>(0) : options.start_byte);
  if (!window) return unexpected(window.error());
  Result<std::vector<Plan>> plans = plans_of(*sides);
  if (!plans) return unexpected(plans.error());
  return Input{std::move(opened), *std::move(sides), *std::move(window),
               *std::move(plans), *missing,          big_endian};
}

}  // namespace

Result<Input> open_input(const ConvertOptions& options) {
  Result<TensorFile> file = open_tensor(options.in);
  if (!file) return unexpected(file.error());
  return input_of(options, *std::move(file), false);
}

}  // namespace stridewise
