// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "backends/opencl/internal.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::opencl {
namespace {

Result<void> check(const Layout& layout, const ElementType& type) {
  if (const auto held = check_held(layout); !held) return held;
  if (layout.element_bits() != type.bits) {
    return fail(ErrorCode::mismatch,
                fmt::format("a layout of {} bytes an element for {}, which has "
                            "{}",
                            layout.element_bytes(), type.name, type.bytes()));
  }
  if (layout.size_bytes() == 0) {
    return fail(ErrorCode::unsupported,
                fmt::format("a tensor of {} has no elements: OpenCL has no "
                            "empty memory",
                            print(layout.shape())));
  }
  return {};
}

}  // namespace

Result<void> check_held(const Layout& layout) {
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  const std::int64_t bits = layout.element_bits();
  if (bits % 8 != 0 || !std::has_single_bit(static_cast<std::uint64_t>(bits))) {
    return fail(ErrorCode::unsupported,
                "devices hold elements of 1, 2, 4, 8 or 16 bytes");
  }
  return {};
}

namespace {

cl_int fill_with_zeros(const detail::QueueData& queue, const Tensor& tensor) {
  if (tensor.storage() == Storage::buffer) {
    const cl_uchar zero = 0;
    return clEnqueueFillBuffer(
        queue.queue.get(), tensor.get(), &zero, sizeof zero, 0,
        static_cast<std::size_t>(tensor.layout().size_bytes()), 0, nullptr,
        nullptr);
  }
  // Zero is the same bytes as four floats, ints or unsigned ints.
  const cl_uint4 zero{};
  const std::size_t origin[] = {0, 0, 0};
  const std::size_t region[] = {static_cast<std::size_t>(tensor.size().width),
                                static_cast<std::size_t>(tensor.size().height),
                                1};
  return clEnqueueFillImage(queue.queue.get(), tensor.get(), &zero, origin,
                            region, 0, nullptr, nullptr);
}

// Sets `value`; what the driver says.
template <class T>
cl_int image_info(cl_mem memory, cl_image_info parameter, T& value) {
  return clGetImageInfo(memory, parameter, sizeof value, &value, nullptr);
}

}  // namespace

Tensor::Tensor(cl_mem memory, const Layout& layout, const ElementType& type,
               Storage storage)
    : memory_(memory, [](cl_mem owned) { clReleaseMemObject(owned); }),
      layout_(layout),
      type_(type),
      storage_(storage) {
  if (storage == Storage::image) size_ = *image_size(layout);
}

Result<Tensor> Tensor::image(const Queue& queue, const Layout& layout,
                             const ElementType& type) {
  if (auto checked = check(layout, type); !checked) {
    return unexpected(checked.error());
  }
  const Result<cl_image_format> format = image_format(type);
  if (!format) return unexpected(format.error());
  if (auto within = check_limits(queue.device(), layout, type, Storage::image);
      !within) {
    return unexpected(within.error());
  }
  const ImageSize size = *image_size(layout);
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = static_cast<std::size_t>(size.width);
  desc.image_height = static_cast<std::size_t>(size.height);
  cl_int status = CL_SUCCESS;
  cl_mem memory = clCreateImage(queue.context(), CL_MEM_READ_WRITE, &*format,
                                &desc, nullptr, &status);
  if (status != CL_SUCCESS) {
    return failed(fmt::format("clCreateImage, {} x {} pixels of {}", size.width,
                              size.height, type.name),
                  status);
  }
  const Tensor tensor(memory, layout, type, Storage::image);
  status = fill_with_zeros(*queue.data_, tensor);
  if (status != CL_SUCCESS) return failed("clEnqueueFillImage", status);
  return tensor;
}

Result<Tensor> Tensor::uninitialised(const Queue& queue, const Layout& layout,
                                     const ElementType& type) {
  if (auto checked = check(layout, type); !checked) {
    return unexpected(checked.error());
  }
  if (auto within = check_limits(queue.device(), layout, type, Storage::buffer);
      !within) {
    return unexpected(within.error());
  }
  cl_int status = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(queue.context(), CL_MEM_READ_WRITE,
                                 static_cast<std::size_t>(layout.size_bytes()),
                                 nullptr, &status);
  if (status != CL_SUCCESS) {
    return failed(fmt::format("clCreateBuffer, {} bytes", layout.size_bytes()),
                  status);
  }
  return Tensor(memory, layout, type, Storage::buffer);
}

Result<Tensor> Tensor::buffer(const Queue& queue, const Layout& layout,
                              const ElementType& type) {
  Result<Tensor> tensor = uninitialised(queue, layout, type);
  if (!tensor) return tensor;
  const cl_int status = fill_with_zeros(*queue.data_, *tensor);
  if (status != CL_SUCCESS) return failed("clEnqueueFillBuffer", status);
  return tensor;
}

Result<Tensor> Tensor::create(const Queue& queue, const Layout& layout,
                              const ElementType& type) {
  const bool is_image = image_size(layout) && image_format(type);
  return is_image ? image(queue, layout, type) : buffer(queue, layout, type);
}

Result<Tensor> Tensor::wrap(cl_mem memory, const Layout& layout,
                            const ElementType& type) {
  if (auto checked = check(layout, type); !checked) {
    return unexpected(checked.error());
  }
  cl_mem_object_type kind = 0;
  if (const cl_int status = clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof kind,
                                               &kind, nullptr)) {
    return failed("clGetMemObjectInfo", status);
  }
  if (kind == CL_MEM_OBJECT_BUFFER) {
    std::size_t bytes = 0;
    if (const cl_int status = clGetMemObjectInfo(
            memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr)) {
      return failed("clGetMemObjectInfo", status);
    }
    if (bytes < static_cast<std::size_t>(layout.size_bytes())) {
      return fail(ErrorCode::mismatch,
                  fmt::format("a buffer of {} bytes for a layout of {}", bytes,
                              layout.size_bytes()));
    }
    clRetainMemObject(memory);
    return Tensor(memory, layout, type, Storage::buffer);
  }
  if (kind != CL_MEM_OBJECT_IMAGE2D) {
    return fail(ErrorCode::unsupported,
                "memory that is neither a buffer nor a two-dimensional image");
  }
  const Result<cl_image_format> format = image_format(type);
  if (!format) return unexpected(format.error());
  const Result<ImageSize> size = image_size(layout);
  if (!size) return unexpected(size.error());
  cl_image_format has{};
  std::size_t width = 0;
  std::size_t height = 0;
  cl_int status = image_info(memory, CL_IMAGE_FORMAT, has);
  if (status == CL_SUCCESS) status = image_info(memory, CL_IMAGE_WIDTH, width);
  if (status == CL_SUCCESS) {
    status = image_info(memory, CL_IMAGE_HEIGHT, height);
  }
  if (status != CL_SUCCESS) return failed("clGetImageInfo", status);
  if (has.image_channel_order != format->image_channel_order ||
      has.image_channel_data_type != format->image_channel_data_type) {
    return fail(ErrorCode::mismatch,
                fmt::format("the image is not CL_RGBA of {}", type.name));
  }
  if (width < static_cast<std::size_t>(size->width) ||
      height < static_cast<std::size_t>(size->height)) {
    return fail(ErrorCode::mismatch,
                fmt::format("an image of {} x {} pixels for a layout of {} x "
                            "{}",
                            width, height, size->width, size->height));
  }
  clRetainMemObject(memory);
  return Tensor(memory, layout, type, Storage::image);
}

}  // namespace stridewise::opencl
