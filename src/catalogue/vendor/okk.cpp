// SPDX-License-Identifier: Apache-2.0
#include "stridewise/vendor/okk.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"

namespace stridewise::okk {
namespace {

Result<Dim4> checked_strides(Checked n, Checked c, Checked h) {
  if (!n || !c || !h) {
    return fail(ErrorCode::overflow, "the strides overflow 64 bits");
  }
  return Dim4{*n, *c, *h, 1};
}

Result<void> check_shape(const Dim4& shape) {
  if (shape.n < 0 || shape.c < 0 || shape.h < 0 || shape.w < 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a negative extent in {}x{}x{}x{}", shape.n,
                            shape.c, shape.h, shape.w));
  }
  return {};
}

// The local strides whose C stride is a multiple of `unit` elements.
Result<Dim4> local_strides(std::int64_t start_npu, const Dim4& shape,
                           std::int64_t unit, std::int64_t npus) {
  if (auto checked = check_shape(shape); !checked) {
    return unexpected(checked.error());
  }
  const Result<std::int64_t> rows = channels_per_npu(start_npu, shape.c, npus);
  if (!rows) return unexpected(rows.error());
  const Checked c = round_up(mul(shape.h, shape.w), unit);
  return checked_strides(mul(c, *rows), c, shape.w);
}

}  // namespace

Result<LocalAddress> local_address(std::int64_t address, std::int64_t npus,
                                   std::int64_t npu_bytes) {
  const Checked end = mul(npus, npu_bytes);
  if (npus < 1 || npu_bytes < 1 || !end) {
    return fail(ErrorCode::invalid_value,
                fmt::format("{} NPUs of {} bytes", npus, npu_bytes));
  }
  if (address < 0 || address >= *end) {
    return fail(ErrorCode::invalid_value,
                fmt::format("address {} is outside 0..{}", address, *end - 1));
  }
  return LocalAddress{address / npu_bytes, address % npu_bytes};
}

Result<std::int64_t> channels_per_npu(std::int64_t start_npu,
                                      std::int64_t channels,
                                      std::int64_t npus) {
  const Checked last = add(start_npu, channels);
  if (npus < 1 || start_npu < 0 || start_npu >= npus || channels < 0 || !last) {
    return fail(ErrorCode::invalid_value,
                fmt::format("{} channels from NPU {} of {}", channels,
                            start_npu, npus));
  }
  return ceil_div(*last, npus);
}

Result<Dim4> continuous_strides(const Dim4& shape) {
  if (auto checked = check_shape(shape); !checked) {
    return unexpected(checked.error());
  }
  const Checked c = mul(shape.h, shape.w);
  return checked_strides(mul(c, shape.c), c, shape.w);
}

Result<Dim4> aligned_strides(std::int64_t start_npu, const Dim4& shape,
                             std::int64_t element_bytes, std::int64_t npus) {
  if (element_bytes < 1 || 128 % element_bytes != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("elements of {} bytes do not divide 128 bytes",
                            element_bytes));
  }
  return local_strides(start_npu, shape, 128 / element_bytes, npus);
}

Result<Dim4> compact_strides(std::int64_t start_npu, const Dim4& shape,
                             std::int64_t npus) {
  return local_strides(start_npu, shape, 1, npus);
}

}  // namespace stridewise::okk
