// SPDX-License-Identifier: Apache-2.0
#include "io/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

bool has_parts(const LayoutSource& source) {
  return !source.expression.parts().empty();
}

// The logical extents of both memories.
struct Extents {
  Shape src;
  Shape dst;
};

// What parts that name their types leave open means nothing.
ElementType bytes() { return *parse_element_type("u8"); }

Result<ElementType> fail_without_type(const std::filesystem::path& in) {
  return fail(ErrorCode::mismatch,
              in.string() + ": a part that names no type needs --dtype");
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// A layout of the catalogue as the text that it is for these sizes.
Result<LayoutSource> as_text(LayoutSource source, const Shape& shape,
                             const ElementType& type) {
  if (source.entry == nullptr) return source;
  Result<Expression> expression =
      source.expression_for(shape, Binding{.element_bits = type.bits});
  if (!expression) return unexpected(expression.error());
  source.expression = *std::move(expression);
  source.entry = nullptr;
  return source;
}

// The same layout of a part: where it leaves low digits of a dim out, so does the part.
LayoutSource within_part(LayoutSource source, const Tensor& part) {
  Axis& last = source.expression.axes.back();
  Part named{.name = part.name};
  named.body.base = std::exchange(last.base, 0);
  named.body.base_in_bytes = std::exchange(last.base_in_bytes, false);
  named.body.terms = std::exchange(last.terms, {});
  named.body.parts = std::exchange(last.parts, {});
  last.parts = std::vector<Part>{std::move(named)};
  return source;
}

// Whether a layout steps in bytes somewhere: of an array that has an element a byte these
// would be other steps.
bool steps_in_bytes(const Expression& expression) {
  const auto in_bytes = [](const Step& step) {
    return step.kind == Step::Kind::bytes || step.kind == Step::Kind::aligned;
  };
  return std::ranges::any_of(expression.axes, [&](const Axis& axis) {
    return axis.base_in_bytes || axis.pitch.kind != Step::Kind::natural ||
           std::ranges::any_of(axis.terms, [&](const Term& term) {
             return in_bytes(term.stride);
           });
  });
}

Result<Side> bind_side(const LayoutSource& source, const Shape& shape,
                       const ElementType& type, bool array,
                       const ConvertOptions& options) {
  // A memory of parts is its bytes in an array, too.
  const bool as_elements = array && !options.packed && !has_parts(source);
  const ElementType stored = as_elements ? array_type(type) : type;
  if (stored != type && steps_in_bytes(source.expression)) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("an array of {} has {} bits for each element: a "
                    "layout with steps in bytes is written raw, or with "
                    "--packed",
                    type.name, stored.bits));
  }
  Result<Layout> layout = source.bind(
      shape, Binding{.element_bits = stored.bits, .tables = options.tables});
  if (!layout) return unexpected(layout.error());
  return Side{*std::move(layout), stored};
}

bool array_is_written(const ConvertOptions& options) {
  return options.out_is_array.value_or(writes_array(options.out));
}

ElementType type_of_tensor(const Side& side, const Layout& tensor) {
  const std::string& named =
      tensor.tensors()[static_cast<std::size_t>(tensor.tensor())].type;
  return named.empty() ? side.stored : *parse_element_type(named);
}

Pair pair_of(const Side& src, const Layout& from, const Side& dst,
             const Layout& to, const Quantisation& quantisation) {
  return {from,
          to,
          {type_of_tensor(src, from), type_of_tensor(dst, to), quantisation}};
}

// The part that moves, of the side that has parts.
Result<Layout> chosen_part(const Layout& memory, const LayoutSource& source,
                           const std::string& part, const char* side) {
  if (!part.empty()) return memory.part(part);
  if (memory.tensor() >= 0) return memory;
  return fail(ErrorCode::mismatch,
              fmt::format("{} has several parts: {}; choose one with --part",
                          side, list_of(source.expression.parts())));
}

// The type of an input: an array that holds memory says nothing of it.
Result<ElementType> type_of_input(const ConvertOptions& options,
                                  const TensorFile& input,
                                  const std::optional<ElementType>& asked) {
  const bool memory = options.packed && input.npy && asked &&
                      asked->bits % 8 != 0 && input.npy->element_bytes == 1;
  return memory ? Result<ElementType>(*asked) : type_of(input, asked);
}

// Of an array or of bare bytes that become a part of that type: the part's, unless values
// are to change.
Result<ElementType> type_for_part(const ConvertOptions& options,
                                  const TensorFile& input,
                                  const ElementType& part) {
  const Result<ElementType> type =
      type_of_input(options, input, options.type ? *options.type : part);
  if (!type || *type == part || options.to_type == part) return type;
  return fail(
      ErrorCode::mismatch,
      fmt::format("{}: {} for a part of {}; --to-dtype {} converts it",
                  input.path.string(), type->name, part.name, part.name));
}

// The dims that the part has itself, whole.
Shape shape_of_part(const Shape& shape, const Tensor& part) {
  Shape own;
  for (const Dim& dim : shape) {
    if (std::ranges::any_of(part.shape, [&](const Dim& d) {
          return d.name.substr(0, d.name.find('/')) == dim.name;
        })) {
      own.push_back(dim);
    }
  }
  return own;
}

// The side that has no parts takes the one that is chosen on the other.
Result<Sides> one_part(const ConvertOptions& options, const TensorFile& input,
                       const Extents& extents) {
  const bool of_src = has_parts(options.from);
  const LayoutSource& parts = of_src ? options.from : options.to;
  const Result<ElementType> untyped = src_type(options, input);
  const ElementType type = untyped.value_or(bytes());
  Result<Side> memory = bind_side(parts, of_src ? extents.src : extents.dst,
                                  type, false, options);
  if (!memory) return unexpected(memory.error());
  const Result<Layout> chosen =
      chosen_part(memory->memory, parts, options.part, of_src ? "src" : "dst");
  if (!chosen) return unexpected(chosen.error());
  const Tensor& tensor =
      chosen->tensors()[static_cast<std::size_t>(chosen->tensor())];
  if (tensor.type.empty() && !untyped) return unexpected(untyped.error());
  const ElementType element =
      tensor.type.empty() ? type : *parse_element_type(tensor.type);
  const Result<ElementType> other_type =
      of_src ? options.to_type.value_or(element)
             : type_for_part(options, input, element);
  if (!other_type) return unexpected(other_type.error());
  const bool array = of_src ? array_is_written(options) : input.npy.has_value();
  const Result<LayoutSource> alone =
      as_text(of_src ? options.to : options.from,
              of_src ? extents.dst : extents.src, *other_type);
  if (!alone) return unexpected(alone.error());
  Result<Side> other = bind_side(
      within_part(*alone, tensor),
      shape_of_part(of_src ? extents.dst : extents.src, tensor),
      array && !options.packed ? array_type(*other_type) : *other_type, false,
      options);
  if (!other) return unexpected(other.error());
  Side src = of_src ? *memory : *other;
  Side dst = of_src ? *other : *memory;
  const Layout& from = of_src ? *chosen : other->memory;
  const Layout& to = of_src ? other->memory : *chosen;
  std::vector<Pair> pairs = {pair_of(src, from, dst, to, options.quantisation)};
  return Sides{std::move(src), std::move(dst), std::move(pairs)};
}

Result<Sides> all_parts(const ConvertOptions& options, const TensorFile& input,
                        const Extents& extents) {
  const ElementType type = src_type(options, input).value_or(bytes());
  Result<Side> src = bind_side(options.from, extents.src, type, false, options);
  if (!src) return unexpected(src.error());
  Result<Side> dst = bind_side(options.to, extents.dst,
                               options.to_type.value_or(type), false, options);
  if (!dst) return unexpected(dst.error());
  Sides sides{*std::move(src), *std::move(dst), {}};
  for (const Tensor& tensor : sides.dst.memory.tensors()) {
    if (!options.part.empty() && tensor.name != options.part) continue;
    const Result<Layout> from = sides.src.memory.part(tensor.name);
    if (!from) return unexpected(from.error());
    sides.pairs.push_back(pair_of(sides.src, *from, sides.dst,
                                  *sides.dst.memory.part(tensor.name),
                                  options.quantisation));
  }
  if (sides.pairs.empty()) {
    return unexpected(sides.dst.memory.part(options.part).error());
  }
  return sides;
}

// The memories as a whole, and all of the tensors that move.
Result<Sides> bind_whole(const ConvertOptions& options, const TensorFile& input,
                         const Extents& extents) {
  const bool src_parts = has_parts(options.from);
  const bool dst_parts = has_parts(options.to);
  if (src_parts && dst_parts) return all_parts(options, input, extents);
  if (src_parts || dst_parts) return one_part(options, input, extents);
  if (!options.part.empty()) {
    return fail(
        ErrorCode::unknown_name,
        fmt::format("no part '{}': neither layout has parts", options.part));
  }
  const Result<ElementType> type = src_type(options, input);
  if (!type) return unexpected(type.error());
  Result<Side> src = bind_side(options.from, extents.src, *type,
                               input.npy.has_value(), options);
  if (!src) return unexpected(src.error());
  Result<Side> dst =
      bind_side(options.to, extents.dst, options.to_type.value_or(*type),
                array_is_written(options), options);
  if (!dst) return unexpected(dst.error());
  Pair pair =
      pair_of(*src, src->memory, *dst, dst->memory, options.quantisation);
  std::vector<Pair> pairs = {std::move(pair)};
  return Sides{*std::move(src), *std::move(dst), std::move(pairs)};
}

// What both memories have, where boxes of them move.
Result<Extents> extents_of(const ConvertOptions& options, const Shape& shape) {
  if (options.to_shape) return Extents{shape, *options.to_shape};
  if (!options.to_window.empty()) {
    return fail(
        ErrorCode::mismatch,
        options.out.string() + ": a window of it needs the shape of all of it");
  }
  Result<Shape> moved = box_of(shape, options.from_window);
  if (!moved) return unexpected(moved.error());
  return Extents{shape, *std::move(moved)};
}

Result<void> narrow(Layout& layout, const std::vector<Slice>& box) {
  if (box.empty()) return {};
  Result<Layout> window = layout.window(box);
  if (!window) return unexpected(window.error());
  layout = *std::move(window);
  return {};
}

}  // namespace

Result<ElementType> src_type(const ConvertOptions& options,
                             const TensorFile& input) {
  const bool bare = has_parts(options.from) && !options.type;
  return bare ? fail_without_type(options.in)
              : type_of_input(options, input, options.type);
}

Result<Sides> bind_sides(const ConvertOptions& options, const TensorFile& input,
                         const Shape& shape) {
  const Result<Extents> extents = extents_of(options, shape);
  if (!extents) return unexpected(extents.error());
  Result<Sides> sides = bind_whole(options, input, *extents);
  if (!sides) return sides;
  for (Pair& pair : sides->pairs) {
    if (auto narrowed = narrow(pair.src, options.from_window); !narrowed) {
      return unexpected(narrowed.error());
    }
    if (auto narrowed = narrow(pair.dst, options.to_window); !narrowed) {
      return unexpected(narrowed.error());
    }
  }
  return sides;
}

Result<TensorPair> bind_pair(const TensorFile& a, const LayoutSource& layout_a,
                             const TensorFile& b, const LayoutSource& layout_b,
                             const Shape& shape, const PairOptions& options) {
  ConvertOptions convert{
      .in = a.path, .out = b.path, .from = layout_a, .to = layout_b};
  convert.type = options.type;
  convert.to_type = options.type_b;
  convert.out_is_array = b.npy.has_value();
  convert.part = options.part;
  convert.tables = options.tables;
  const Result<Sides> sides = bind_sides(convert, a, shape);
  if (!sides) return unexpected(sides.error());
  if (sides->pairs.size() != 1) {
    return fail(ErrorCode::mismatch,
                fmt::format("both have several parts: {}; choose one with "
                            "--part",
                            list_of(layout_a.expression.parts())));
  }
  const Pair& pair = sides->pairs.front();
  return TensorPair{pair.src, pair.dst, pair.values.src, pair.values.dst};
}

}  // namespace stridewise
