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

// The first layout that spells these dims, in any order.
const LayoutSource* first_spelled(std::span<const LayoutSource> layouts,
                                  const std::vector<std::string>& dims) {
  const auto found = std::ranges::find_if(layouts, [&](const auto& layout) {
    return std::ranges::is_permutation(layout.spelled_dims, dims);
  });
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

// The extents that a layout's own text tells; nullopt: none does.
std::optional<Shape> told(std::span<const LayoutSource> layouts) {
  for (const LayoutSource& layout : layouts) {
    std::vector<std::int64_t> extents = layout.extents;
    if (extents.empty() && layout.elements != 0) extents = {layout.elements};
    if (extents.empty() || extents.size() != layout.dims.size()) continue;
    Shape shape;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      shape.push_back({layout.dims[d], extents[d]});
    }
    return shape;
  }
  return std::nullopt;
}

}  // namespace

Result<ShapeReadings> read_shape(std::string_view text,
                                 std::span<const LayoutSource> layouts) {
  if (text.empty()) {
    if (std::optional<Shape> shape = told(layouts)) {
      return ShapeReadings{*std::move(shape), {}};
    }
    const bool one_value = std::ranges::all_of(
        layouts, [](const auto& layout) { return dims_of(layout).empty(); });
    if (one_value && !layouts.empty()) return ShapeReadings{};
    return fail(ErrorCode::mismatch,
                "a shape is needed: the layout's text tells no extents");
  }
  const auto ordered = std::ranges::find_if(
      layouts, [](const auto& layout) { return !layout.dims.empty(); });
  const bool named = has_names(text);
  if (ordered == layouts.end() && !named && !layouts.empty()) {
    return needs_names(text, layouts.front());
  }
  const std::vector<std::string> dims =
      ordered == layouts.end() ? std::vector<std::string>() : ordered->dims;
  Result<Shape> logical = parse_shape(text, dims);
  if (!logical) return unexpected(std::move(logical.error()));
  ShapeReadings readings{*std::move(logical), {}};
  const LayoutSource* const spelled = first_spelled(layouts, dims);
  if (named || spelled == nullptr || spelled->spelled_dims == dims) {
    return readings;
  }
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
  std::vector<std::string> dims;
  for (const Dim& dim : readings->logical) dims.push_back(dim.name);
  return fail(
      ErrorCode::invalid_value,
      fmt::format("the shape {} has two readings; name its dims: {} (logical "
                  "order) or {} (order of the text {})",
                  text, print(readings->logical), print(*readings->spelled),
                  written(*first_spelled(layouts, dims))));
}

}  // namespace stridewise
