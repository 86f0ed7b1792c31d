// SPDX-License-Identifier: Apache-2.0
#include "reorder/scaled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stridewise {

Result<ScaledConversion> ScaledConversion::make(Values values,
                                                const Scales& scales,
                                                const Shape& shape) {
  ScaledConversion scaled;
  scaled.values_ = values;
  for (const Quantisation& each : scales.each) {
    scaled.values_.quantisation = each;
    if (auto fits = check(scaled.values_); !fits) {
      return unexpected(fits.error());
    }
  }
  if (auto fits = check(scaled.values_); !fits) return unexpected(fits.error());
  scaled.conversion_ = find_conversion(scaled.values_);
  if (!scaled.conversion_ && values.src != values.dst) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} does not become {} value by value",
                            values.src.name, values.dst.name));
  }
  if (scales.dim.empty()) return scaled;
  const auto dim = std::ranges::find(shape, scales.dim, &Dim::name);
  if (dim == shape.end()) {
    return fail(ErrorCode::unknown_name,
                fmt::format("scales of the dim '{}', which the shape has not",
                            scales.dim));
  }
  if (std::ssize(scales.each) != dim->extent) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} scales for {}={}", scales.each.size(),
                            dim->name, dim->extent));
  }
  scaled.dim_ = static_cast<std::size_t>(dim - shape.begin());
  scaled.each_ = scales.each;
  return scaled;
}

void ScaledConversion::one(std::span<const std::int64_t> x,
                           const std::byte* src, std::byte* dst) const {
  if (!conversion_) {
    std::memcpy(dst, src, static_cast<std::size_t>(values_.src.bytes()));
    return;
  }
  conversion_->run({.src = src,
                    .dst = dst,
                    .count = 1,
                    .runs = 1,
                    .src_pitch = 0,
                    .dst_pitch = 0},
                   at(dim_ ? x[*dim_] : 0));
}

void ScaledConversion::box(std::span<const std::int64_t> begin,
                           const Shape& extents, const std::byte* src,
                           std::byte* dst) const {
  std::int64_t inner = 1;
  std::int64_t outer = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::int64_t& count = dim_ && d <= *dim_ ? outer : inner;
    count *= extents[d].extent;
  }
  const std::int64_t extent = dim_ ? extents[*dim_].extent : 1;
  const std::int64_t first = dim_ ? begin[*dim_] : 0;
  for (std::int64_t k = 0; k < outer; ++k) {
    conversion_->run({.src = src + k * inner * values_.src.bytes(),
                      .dst = dst + k * inner * values_.dst.bytes(),
                      .count = inner,
                      .runs = 1,
                      .src_pitch = 0,
                      .dst_pitch = 0},
                     at(first + k % extent));
  }
}

}  // namespace stridewise
