// Sophon OKK's own small functions, under plain names. A tensor in local memory
// lies on `npus` NPUs of `npu_bytes` each; its address A = Q*S + R starts at
// NPU Q, offset R. Layouts themselves are in the catalogue (okk.*).
// Source: Sophon OKKernel documentation and okk.h (BM1684).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stridewise/result.hpp"

namespace stridewise::okk {

inline constexpr std::int64_t default_npus = 64;
inline constexpr std::int64_t default_npu_bytes = 512 * 1024;

struct LocalAddress {
  std::int64_t npu;     // Q
  std::int64_t offset;  // R, bytes

  friend bool operator==(const LocalAddress&, const LocalAddress&) = default;
};

// Extents or strides (in elements) of n, c, h, w.
struct Dim4 {
  std::int64_t n, c, h, w;

  friend bool operator==(const Dim4&, const Dim4&) = default;
};

// Q and R of an address. Error: not within 0 .. npus * npu_bytes - 1.
[[nodiscard]] Result<LocalAddress> local_address(
    std::int64_t address, std::int64_t npus = default_npus,
    std::int64_t npu_bytes = default_npu_bytes);

// ceil((start_npu + channels) / npus): rows of channels that each NPU holds.
// Errors: negative arguments, start_npu not under npus, overflow.
[[nodiscard]] Result<std::int64_t> channels_per_npu(
    std::int64_t start_npu, std::int64_t channels,
    std::int64_t npus = default_npus);

// System memory without gaps: the C stride steps one channel.
[[nodiscard]] Result<Dim4> continuous_strides(const Dim4& shape);

// Local memory: the C stride steps `npus` channels. Aligned: each channel on
// 128 bytes, so element_bytes (1, 2 or 4) matters.
[[nodiscard]] Result<Dim4> aligned_strides(std::int64_t start_npu,
                                           const Dim4& shape,
                                           std::int64_t element_bytes,
                                           std::int64_t npus = default_npus);
[[nodiscard]] Result<Dim4> compact_strides(std::int64_t start_npu,
                                           const Dim4& shape,
                                           std::int64_t npus = default_npus);

// The vendor's own spelling of channels_per_npu.
[[nodiscard]] inline Result<std::int64_t> okk_channle_num_per_npu(
    std::int64_t start_npu, std::int64_t channels) {
  return channels_per_npu(start_npu, channels);
}

}  // namespace stridewise::okk
