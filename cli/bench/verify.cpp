// SPDX-License-Identifier: Apache-2.0
#include "bench/verify.hpp"

#include <algorithm>
#include <array>
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

// Whether what lies at `dst` is what lies at `src`, or is converted from it.
bool element_matches(const BoundProblem& problem, const std::byte* src,
                     const std::byte* dst) {
  const auto width = static_cast<std::size_t>(problem.dst_type.bytes());
  if (!problem.values) return std::memcmp(src, dst, width) == 0;
  std::array<std::byte, 4> expected{};
  convert_values(*problem.values, src, expected.data(), 1);
  return std::memcmp(expected.data(), dst, width) == 0;
}

bool elements_match(const BoundProblem& problem, const std::byte* src_bytes,
                    const std::byte* dst_bytes) {
  const Layout& src = problem.src;
  const Layout& dst = problem.dst;
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
    if (!element_matches(
            problem, src_bytes + src.offset(src_index) * src.element_bytes(),
            dst_bytes + dst.offset(dst_index) * dst.element_bytes())) {
      return false;
    }
  }
  return true;
}

bool bit_at(std::span<const std::byte> memory, std::int64_t bit) {
  return (static_cast<unsigned>(memory[static_cast<std::size_t>(bit / 8)]) >>
              (bit % 8) &
          1U) != 0;
}

// Of layouts that are more than plain digits: bits of memory that are asked what they are.
bool bits_match(const BoundProblem& problem, std::span<const std::byte> src,
                std::span<const std::byte> dst) {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> index(32);
  std::vector<std::byte> code(16), changed(16);
  for (int k = 0; k < samples / 8; ++k) {
    const std::int64_t bit = below(random, problem.dst.size_bits());
    const Found found = problem.dst.find(bit, index);
    if (found.place != Place::element || found.tensor != problem.dst.tensor()) {
      if (bit_at(dst, bit)) return false;
      continue;
    }
    std::vector<std::int64_t> of_src;
    for (const Dim& dim : problem.src.shape()) {
      const auto same =
          std::ranges::find(problem.dst.shape(), dim.name, &Dim::name);
      of_src.push_back(
          index[static_cast<std::size_t>(same - problem.dst.shape().begin())]);
    }
    std::ranges::fill(code, std::byte{0});
    for (std::int64_t b = 0; b < problem.src.element_bits(); ++b) {
      if (!bit_at(src, problem.src.bit_of(of_src, b))) continue;
      code[static_cast<std::size_t>(b / 8)] |=
          static_cast<std::byte>(1U << (b % 8));
    }
    changed = code;
    if (problem.values) {
      convert_values(*problem.values, code.data(), changed.data(), 1);
    }
    if (bit_at(dst, bit) != bit_at(changed, found.bit)) return false;
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

// Numbers below `limit` that follow no pattern.
class Scattered {
 public:
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 40) * limit >> 24;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace

void fill_src(const BoundProblem& problem, std::span<std::byte> bytes) {
  Scattered scattered;
  if (problem.values && problem.src_type.bytes() == 1) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(scattered.below(256));
    return;
  }
  if (!problem.values) {
    for (std::byte& b : bytes)
      b = static_cast<std::byte>(4 + scattered.below(64));
    return;
  }
  const ElementType f32 = parse_element_type("f32").value();
  const auto width = static_cast<std::size_t>(problem.src_type.bytes());
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    // From -150 to 150: beyond what 8 bits hold.
    const auto steps = static_cast<float>(scattered.below(30001));
    const float value = steps / 100 - 150;
    convert_values({f32, problem.src_type},
                   reinterpret_cast<const std::byte*>(&value), &bytes[at], 1);
  }
}

bool verify(const BoundProblem& problem, std::span<const std::byte> src_bytes,
            std::span<const std::byte> dst_bytes) {
  const Layout& src = problem.src;
  const Layout& dst = problem.dst;
  if (!problem.plain()) return bits_match(problem, src_bytes, dst_bytes);
  if (std::max(src.size_bytes(), dst.size_bytes()) > most_compared_bytes) {
    return elements_match(problem, src_bytes.data(), dst_bytes.data()) &&
           rest_is_zero(dst, dst_bytes.data());
  }
  const Buffer expected(dst.size_bytes());
  if (problem.values) {
    reorder_reference(src, dst, src_bytes.data(), expected.data(), Fill::zero,
                      *problem.values);
  } else {
    reorder_reference(src, dst, src_bytes.data(), expected.data());
  }
  return std::ranges::equal(expected.bytes(), dst_bytes);
}

}  // namespace stridewise::cli
