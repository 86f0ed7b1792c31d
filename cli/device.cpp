// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <fmt/format.h>

#include <charconv>

#include "common.hpp"
#ifdef STRIDEWISE_HAS_OPENCL
#include "stridewise/opencl.hpp"
#endif

namespace stridewise::cli {
namespace {

// The N of "opencl:N"; 0 where there is none.
int device_number(const std::string& text) {
  constexpr std::string_view backend = "opencl";
  int number = 0;
  if (text == backend) return number;
  const char* const end = text.data() + text.size();
  if (text.starts_with("opencl:")) {
    const auto [stop, error] =
        std::from_chars(text.data() + backend.size() + 1, end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  throw Failure{{ErrorCode::invalid_value,
                 fmt::format("no device '{}': opencl or opencl:N; 'stridewise "
                             "devices' lists them",
                             text)}};
}

#ifdef STRIDEWISE_HAS_OPENCL

// Bits that are not changed pass as unsigned integers, so that images and
// kernels leave NaNs as they are.
ElementType opaque(const ElementType& type) {
  constexpr std::string_view names[] = {"u8", "u16", "u32", "u64", "c128"};
  for (const std::string_view name : names) {
    const ElementType same = *parse_element_type(name);
    if (same.bytes() == type.bytes()) return same;
  }
  return type;
}

Result<void> move(const opencl::Queue& queue, const ConvertJob& job, Fill fill,
                  std::string& storage) {
  if (job.src.elements() == 0) return {};
  const bool same = job.values.src == job.values.dst;
  if (job.values.quantisation != Quantisation{}) {
    return fail(ErrorCode::unsupported, "a device does not quantise");
  }
  const ElementType src_type = same ? opaque(job.values.src) : job.values.src;
  const ElementType dst_type = same ? src_type : job.values.dst;
  // In images a driver converts halves, and may change NaNs.
  const auto create = same ? opencl::Tensor::create : opencl::Tensor::buffer;
  const auto src = create(queue, job.src, src_type);
  if (!src) return unexpected(src.error());
  // A pixel is written as a whole; where bytes are kept, dst is a buffer.
  const auto dst = fill == Fill::keep
                       ? opencl::Tensor::buffer(queue, job.dst, dst_type)
                       : create(queue, job.dst, dst_type);
  if (!dst) return unexpected(dst.error());
  const auto kind = [](const opencl::Tensor& tensor) {
    return tensor.storage() == opencl::Storage::image ? "image" : "buffer";
  };
  storage = fmt::format("{} to {}", kind(*src), kind(*dst));
  if (auto written = queue.write(job.in, *src); !written) return written;
  if (fill == Fill::keep) {
    if (auto written = queue.write(job.out, *dst); !written) return written;
  }
  if (auto moved = queue.reorder(*src, *dst, {.fill = fill}); !moved) {
    return moved;
  }
  return queue.read(*dst, job.out);
}

#endif

}  // namespace

Mover mover_on(const std::string& text, Fill fill) {
  const int number = device_number(text);
#ifdef STRIDEWISE_HAS_OPENCL
  const opencl::Queue queue = value_of(opencl::Queue::open(number));
  Mover mover{queue.device().name, {}};
  mover.move = [queue, fill, storage = mover.storage](const ConvertJob& job) {
    return move(queue, job, fill, *storage);
  };
  return mover;
#else
  static_cast<void>(number);
  static_cast<void>(fill);
  throw Failure{{ErrorCode::unsupported, "this build has no OpenCL"}};
#endif
}

}  // namespace stridewise::cli
