// The text of a shape -> extents of dims: the one place that decides which number
// belongs to which dim.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// "nhwc", "mli.chw", "n h w c": the layout as its user wrote it.
std::string written(const LayoutSource& layout) {
  constexpr std::string_view tag_vendor = "onednn.";
  if (layout.name.empty()) return print(layout.expression);
  return layout.name.starts_with(tag_vendor)
             ? layout.name.substr(tag_vendor.size())
             : layout.name;
}

const LayoutSource* first_spelled(std::span<const LayoutSource> layouts) {
  const auto found = std::ranges::find_if(
      layouts, [](const auto& layout) { return !layout.spelled_dims.empty(); });
  return found == layouts.end() ? nullptr : &*found;
}

bool has_names(std::string_view text) {
  return text.find('=') != std::string_view::npos;
}

// Of expressions alone: names to copy, where as many numbers as dims are given.
unexpected<Error> needs_names(std::string_view text,
                              const LayoutSource& layout) {
  Error error = parse_shape(text).error();
  if (const auto spelled = parse_shape(text, layout.spelled_dims)) {
    error.message += fmt::format(": {}, if that is the order", print(*spelled));
  }
  return unexpected(std::move(error));
}

}  // namespace

Result<ShapeReadings> read_shape(std::string_view text,
                                 std::span<const LayoutSource> layouts) {
  const auto ordered = std::ranges::find_if(
      layouts, [](const auto& layout) { return !layout.dims.empty(); });
  const LayoutSource* const spelled = first_spelled(layouts);
  if (ordered == layouts.end() && !has_names(text) && spelled != nullptr) {
    return needs_names(text, *spelled);
  }
  const std::vector<std::string> dims =
      ordered == layouts.end() ? std::vector<std::string>() : ordered->dims;
  Result<Shape> logical = parse_shape(text, dims);
  if (!logical) return unexpected(std::move(logical.error()));
  ShapeReadings readings{*std::move(logical), {}};
  const bool other_order =
      !has_names(text) && spelled != nullptr && spelled->spelled_dims != dims &&
      std::ranges::is_permutation(spelled->spelled_dims, dims);
  if (!other_order) return readings;
  Result<Shape> other = parse_shape(text, spelled->spelled_dims);
  if (!other) return unexpected(std::move(other.error()));
  readings.spelled = *std::move(other);
  return readings;
}

Result<Shape> shape_of(std::string_view text,
                       std::span<const LayoutSource> layouts) {
  Result<ShapeReadings> readings = read_shape(text, layouts);
  if (!readings) return unexpected(std::move(readings.error()));
  if (!readings->spelled) return std::move(readings->logical);
  return fail(
      ErrorCode::invalid_value,
      fmt::format("the shape {} has two readings; name its dims: {} (logical "
                  "order) or {} (order of the text {})",
                  text, print(readings->logical), print(*readings->spelled),
                  written(*first_spelled(layouts))));
}

}  // namespace stridewise
