// Between the host and the device.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backends/opencl/internal.hpp"

namespace stridewise::opencl {
namespace {

// Rows of an image in bytes of the host.
struct HostRows {
  std::size_t origin[3];
  std::size_t region[3];
  std::size_t pitch;
  std::int64_t bytes;  // from the first row's begin to the last row's end
};

Result<HostRows> host_rows(const Tensor& image, const Rows& rows) {
  const std::int64_t width_bytes =
      image.size().width * 4 * image.type().bytes();
  const std::int64_t pitch = rows.pitch_bytes == 0
                                 ? image.layout().axes()[0].pitch_bytes
                                 : rows.pitch_bytes;
  const std::int64_t height = image.size().height;
  const std::int64_t count = rows.count < 0 ? height - rows.first : rows.count;
  if (rows.first < 0 || rows.first > height || count > height - rows.first) {
    return fail(ErrorCode::invalid_value,
                fmt::format("rows {} to {} of an image of {}", rows.first,
                            rows.first + count, height));
  }
  if (pitch < width_bytes || pitch > (std::int64_t{1} << 40)) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("a pitch of {} bytes for rows of {}", pitch, width_bytes));
  }
  return HostRows{.origin = {0, static_cast<std::size_t>(rows.first), 0},
                  .region = {static_cast<std::size_t>(image.size().width),
                             static_cast<std::size_t>(count), 1},
                  .pitch = static_cast<std::size_t>(pitch),
                  .bytes = count == 0 ? 0 : (count - 1) * pitch + width_bytes};
}

Result<void> check_bytes(std::size_t has, std::int64_t needs) {
  if (static_cast<std::int64_t>(has) >= needs) return {};
  return fail(
      ErrorCode::mismatch,
      fmt::format("{} bytes of the host, where {} are needed", has, needs));
}

// The tensor alone that a part of the batch is, where it lies together in the
// host's memory: its layout, and where it begins. nullopt: it does not.
struct Part {
  Layout layout;
  std::int64_t begin_bytes;
};
std::optional<Part> part_of(const Layout& layout, std::int64_t first,
                            std::int64_t count) {
  const BoundTerm* batch = nullptr;
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim != 0) continue;
    if (batch != nullptr) return std::nullopt;
    batch = &term;
  }
  if (batch == nullptr || batch->bias != 0 || batch->div != 1 ||
      batch->mod != 0 || batch != layout.terms().data()) {
    return std::nullopt;  // not the slowest digit
  }
  Shape shape = layout.shape();
  shape[0].extent = count;
  const Result<Layout> part =
      Layout::bind(layout.expression(), shape, layout.element_bytes());
  if (!part || !part->valid()) return std::nullopt;
  const std::int64_t begin = first * batch->flat_stride;
  // Strides must not depend on how many there are.
  for (std::size_t k = 0; k < layout.terms().size(); ++k) {
    if (part->terms()[k].flat_stride != layout.terms()[k].flat_stride) {
      return std::nullopt;
    }
  }
  if (begin + part->places() > layout.places()) return std::nullopt;
  return Part{*part, begin * layout.element_bytes()};
}

}  // namespace

Result<void> Queue::write(std::span<const std::byte> bytes, const Tensor& dst,
                          const Rows& rows) const {
  if (dst.storage() == Storage::buffer) {
    const std::int64_t size = dst.layout().size_bytes();
    if (auto enough = check_bytes(bytes.size(), size); !enough) return enough;
    const cl_int status = clEnqueueWriteBuffer(
        get(), dst.get(), CL_TRUE, 0, static_cast<std::size_t>(size),
        bytes.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return failed("clEnqueueWriteBuffer", status);
    return {};
  }
  const Result<HostRows> host = host_rows(dst, rows);
  if (!host) return unexpected(host.error());
  if (auto enough = check_bytes(bytes.size(), host->bytes); !enough) {
    return enough;
  }
  if (host->bytes == 0) return {};
  const cl_int status =
      clEnqueueWriteImage(get(), dst.get(), CL_TRUE, host->origin, host->region,
                          host->pitch, 0, bytes.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return failed("clEnqueueWriteImage", status);
  return {};
}

Result<void> Queue::read(const Tensor& src, std::span<std::byte> bytes,
                         const Rows& rows) const {
  if (src.storage() == Storage::buffer) {
    const std::int64_t size = src.layout().size_bytes();
    if (auto enough = check_bytes(bytes.size(), size); !enough) return enough;
    const cl_int status = clEnqueueReadBuffer(
        get(), src.get(), CL_TRUE, 0, static_cast<std::size_t>(size),
        bytes.data(), 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return failed("clEnqueueReadBuffer", status);
    return {};
  }
  const Result<HostRows> host = host_rows(src, rows);
  if (!host) return unexpected(host.error());
  if (auto enough = check_bytes(bytes.size(), host->bytes); !enough) {
    return enough;
  }
  if (host->bytes == 0) return {};
  const cl_int status =
      clEnqueueReadImage(get(), src.get(), CL_TRUE, host->origin, host->region,
                         host->pitch, 0, bytes.data(), 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return failed("clEnqueueReadImage", status);
  return {};
}

Result<void> Queue::upload(const Layout& layout, const ElementType& type,
                           std::span<const std::byte> bytes, const Tensor& dst,
                           std::optional<Batch> batch) const {
  if (auto enough = check_bytes(bytes.size(), layout.size_bytes()); !enough) {
    return enough;
  }
  // Padding of the host's must not become padding of the device's.
  if (!batch && layout == dst.layout() && type == dst.type() &&
      layout.elements() == layout.places()) {
    return write(bytes, dst);
  }
  if (batch && batch->count == 0) return {};
  Layout from = layout;
  if (batch) {
    if (const auto part = part_of(layout, batch->src_first, batch->count)) {
      from = part->layout;
      bytes = bytes.subspan(static_cast<std::size_t>(part->begin_bytes));
      batch->src_first = 0;
    }
  }
  const Result<Tensor> staged = Tensor::uninitialised(*this, from, type);
  if (!staged) return unexpected(staged.error());
  if (auto written = write(bytes, *staged); !written) return written;
  // The other parts of dst's memory stay.
  const bool part = dst.layout().tensors().size() > 1;
  return reorder(*staged, dst,
                 {.fill = part ? Fill::keep : Fill::zero, .batch = batch});
}

Result<void> Queue::download(const Tensor& src, const Layout& layout,
                             const ElementType& type,
                             std::span<std::byte> bytes,
                             std::optional<Batch> batch) const {
  if (auto enough = check_bytes(bytes.size(), layout.size_bytes()); !enough) {
    return enough;
  }
  if (batch && batch->count == 0) return {};
  Layout to = layout;
  if (batch) {
    if (const auto part = part_of(layout, batch->dst_first, batch->count)) {
      to = part->layout;
      bytes = bytes.subspan(static_cast<std::size_t>(part->begin_bytes));
      batch->dst_first = 0;
    }
  }
  const Result<Tensor> staged = Tensor::uninitialised(*this, to, type);
  if (!staged) return unexpected(staged.error());
  // What the host has beside the elements of the part comes back unchanged.
  const bool whole = to.elements() == to.places() &&
                     (!batch || batch->count == to.shape()[0].extent);
  if (!whole) {
    if (auto written = write(bytes, *staged); !written) return written;
  }
  auto moved = reorder(src, *staged, {.fill = Fill::keep, .batch = batch});
  if (!moved) return moved;
  return read(*staged, bytes);
}

}  // namespace stridewise::opencl
