// SPDX-License-Identifier: Apache-2.0
#include "bench/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "buffer.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::cli {
namespace {

constexpr int samples = 1'000'000;

std::int64_t below(std::mt19937_64& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() %
                                   static_cast<std::uint64_t>(limit));
}

bool elements_match(const Layout& src, const Layout& dst,
                    const std::byte* src_bytes, const std::byte* dst_bytes) {
  const auto width = src.element_bytes();
  std::mt19937_64 random(1);
  std::vector<std::int64_t> src_index(src.shape().size());
  std::vector<std::int64_t> dst_index(dst.shape().size());
  // Dst may list the dims in another order.
  std::vector<std::size_t> position;
  for (const Dim& dim : dst.shape()) {
    position.push_back(static_cast<std::size_t>(
        std::ranges::find(src.shape(), dim.name, &Dim::name) -
        src.shape().begin()));
  }
  for (int k = 0; k < samples; ++k) {
    for (std::size_t d = 0; d < src_index.size(); ++d) {
      src_index[d] = below(random, src.shape()[d].extent);
    }
    for (std::size_t d = 0; d < dst_index.size(); ++d) {
      dst_index[d] = src_index[position[d]];
    }
    if (std::memcmp(src_bytes + src.offset(src_index) * width,
                    dst_bytes + dst.offset(dst_index) * width,
                    static_cast<std::size_t>(width)) != 0) {
      return false;
    }
  }
  return true;
}

bool rest_is_zero(const Layout& dst, const std::byte* bytes) {
  if (dst.dense()) return true;
  const auto width = static_cast<std::size_t>(dst.element_bytes());
  const std::vector<std::byte> zero(width);
  std::mt19937_64 random(2);
  std::vector<std::int64_t> index(dst.shape().size());
  for (int k = 0; k < samples; ++k) {
    const std::int64_t place = below(random, dst.places());
    if (dst.element_at(place, index) != Place::element &&
        std::memcmp(bytes + place * dst.element_bytes(), zero.data(), width) !=
            0) {
      return false;
    }
  }
  return true;
}

}  // namespace

void fill_pattern(std::span<std::byte> bytes) {
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::byte& b : bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    b = static_cast<std::byte>(4 + (state >> 58));
  }
}

bool verify(const Layout& src, const Layout& dst,
            std::span<const std::byte> src_bytes,
            std::span<const std::byte> dst_bytes) {
  if (std::max(src.size_bytes(), dst.size_bytes()) > most_compared_bytes) {
    return elements_match(src, dst, src_bytes.data(), dst_bytes.data()) &&
           rest_is_zero(dst, dst_bytes.data());
  }
  const Buffer expected(dst.size_bytes());
  reorder_reference(src, dst, src_bytes.data(), expected.data());
  return std::ranges::equal(expected.bytes(), dst_bytes);
}

}  // namespace stridewise::cli
