// Which layouts are images, and what a device can hold: told before anything is
// allocated, because drivers do not agree on the error, and none says what would
// fit.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/opencl/internal.hpp"
#include "base/checked.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::opencl {
namespace {

struct Channel {
  std::string_view type;
  cl_channel_type channel;
};
constexpr Channel channels[] = {
    {"f32", CL_FLOAT},           {"f16", CL_HALF_FLOAT},
    {"bf16", CL_UNSIGNED_INT16}, {"bool", CL_UNSIGNED_INT8},
    {"u8", CL_UNSIGNED_INT8},    {"u16", CL_UNSIGNED_INT16},
    {"u32", CL_UNSIGNED_INT32},  {"s8", CL_SIGNED_INT8},
    {"s16", CL_SIGNED_INT16},    {"s32", CL_SIGNED_INT32}};

constexpr std::int64_t lanes = 4;

// Bytes of an image on the device, without its layout's row pitch.
Checked image_bytes(const ImageSize& size, const ElementType& type) {
  return mul(mul(size.width, size.height), lanes * type.bytes());
}

bool fits(const DeviceInfo& device, const ImageSize& size,
          const ElementType& type) {
  const Checked bytes = image_bytes(size, type);
  return size.width <= device.image_width_max &&
         size.height <= device.image_height_max && bytes &&
         *bytes <= device.allocation_max_bytes;
}

bool fits(const DeviceInfo& device, const Layout& layout,
          const ElementType& type, Storage storage) {
  if (storage == Storage::buffer) {
    return layout.size_bytes() <= device.allocation_max_bytes;
  }
  const Result<ImageSize> size = image_size(layout);
  return size && fits(device, *size, type);
}

// The catalogue's other images of this shape that would fit.
std::vector<std::string> other_images(const DeviceInfo& device,
                                      const Layout& layout,
                                      const ElementType& type) {
  std::vector<std::string> found;
  for (const CatalogueEntry& entry : catalogue()) {
    if (!entry.params.empty() || entry.dims.size() != layout.shape().size()) {
      continue;
    }
    const auto source = resolve_layout(entry.name);
    if (!source) continue;
    const Result<Layout> other =
        source->bind(layout.shape(), layout.element_bytes());
    if (!other) continue;
    const Result<ImageSize> size = image_size(*other);
    if (size && fits(device, *size, type)) {
      found.push_back(
          fmt::format("{} ({} x {})", entry.name, size->width, size->height));
    }
  }
  return found;
}

// The most indices of the first dim that would fit together; 0 if none do.
std::int64_t largest_batch(const DeviceInfo& device, const Layout& layout,
                           const ElementType& type, Storage storage) {
  Shape shape = layout.shape();
  if (shape.empty()) return 0;
  std::int64_t low = 0;
  std::int64_t high = shape[0].extent;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    shape[0].extent = middle;
    const Result<Layout> part =
        Layout::bind(layout.expression(), shape, layout.element_bytes());
    (part && fits(device, *part, type, storage) ? low : high) = middle;
  }
  return low;
}

std::string what_fits(const DeviceInfo& device, const Layout& layout,
                      const ElementType& type, Storage storage) {
  std::vector<std::string> ways;
  if (storage == Storage::image) {
    const std::vector<std::string> images = other_images(device, layout, type);
    if (!images.empty()) {
      ways.push_back(fmt::format("{}", fmt::join(images, ", ")));
    }
  }
  if (const std::int64_t part = largest_batch(device, layout, type, storage);
      part > 0) {
    ways.push_back(
        fmt::format("{} {} at a time", part, layout.shape()[0].name));
  }
  const Checked plain = mul(layout.elements(), type.bytes());
  if (storage == Storage::image && plain &&
      *plain <= device.allocation_max_bytes) {
    std::string dims;
    for (const Dim& dim : layout.shape()) {
      dims += (dims.empty() ? "" : " ") + dim.name;
    }
    ways.push_back(fmt::format("a buffer, '{}' ({} bytes)", dims, *plain));
  }
  if (ways.empty()) return "";
  return fmt::format("; what fits: {}", fmt::join(ways, "; "));
}

}  // namespace

Result<ImageSize> image_size(const Layout& layout) {
  const auto axes = layout.axes();
  const auto none = [&](std::string_view why) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("'{}' is no image: {}", print(layout.expression()), why));
  };
  if (!layout.plain()) return none("its digits are more than plain");
  if (axes.size() != 3) {
    return none("an image has three axes, row | pixel | lane");
  }
  if (axes[2].extent != lanes) {
    return none(fmt::format("its last axis has {} places, a pixel {}",
                            axes[2].extent, lanes));
  }
  if (axes[1].pitch_bytes != lanes * layout.element_bytes()) {
    return none("there are gaps between its pixels");
  }
  return ImageSize{axes[1].extent, axes[0].extent};
}

Result<cl_image_format> image_format(const ElementType& type) {
  const auto* const found =
      std::ranges::find(channels, type.name, &Channel::type);
  if (found == std::end(channels)) {
    return fail(ErrorCode::unsupported,
                fmt::format("images have no channels of type {}", type.name));
  }
  return cl_image_format{CL_RGBA, found->channel};
}

Result<void> check_limits(const DeviceInfo& device, const Layout& layout,
                          const ElementType& type, Storage storage) {
  if (storage == Storage::buffer) {
    if (fits(device, layout, type, storage)) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("a buffer of {} bytes; '{}' allocates at most {} "
                            "bytes at once{}",
                            layout.size_bytes(), device.name,
                            device.allocation_max_bytes,
                            what_fits(device, layout, type, storage)));
  }
  const Result<ImageSize> size = image_size(layout);
  if (!size) return unexpected(size.error());
  if (!device.images) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' has no images; use a buffer", device.name));
  }
  if (fits(device, *size, type)) return {};
  const bool too_many_pixels = size->width > device.image_width_max ||
                               size->height > device.image_height_max;
  const Checked bytes = image_bytes(*size, type);
  const std::string limit =
      too_many_pixels
          ? fmt::format("an image of {} x {} pixels; '{}' has at most {} x {}",
                        size->width, size->height, device.name,
                        device.image_width_max, device.image_height_max)
          : fmt::format(
                "an image of {} x {} pixels, {} bytes; '{}' allocates "
                "at most {} bytes at once",
                size->width, size->height, bytes.value_or(-1), device.name,
                device.allocation_max_bytes);
  return fail(ErrorCode::unsupported,
              limit + what_fits(device, layout, type, storage));
}

}  // namespace stridewise::opencl
