// Programs of bits, of every instruction set that this machine has, against plain loops:
// random parts of bytes, maps of codes, tiles along planes, and forbidden pages on both
// sides.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "engine/kernels/bits/bit_program.hpp"
#include "engine/kernels/tile.hpp"
#include "support/guarded.hpp"

namespace stridewise::engine {
namespace {

using stridewise::testing::GuardedBytes;
using Side = GuardedBytes::Against;

constexpr std::int64_t many_sources = 1 << 20;

std::vector<Kernel> program_kernels() {
  std::vector<Kernel> all;
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
    for (const Kernel& kernel : kernels_of(static_cast<Isa>(isa))) {
      if (kernel.kind == Kind::program) all.push_back(kernel);
    }
  }
  return all;
}

// What a test moves: tiles of `parts`.
struct Case {
  std::vector<BitPart> parts;
  ByteMap before = {};
  ByteMap after = {};
  Loop plane;
  bool streams = false;
};

struct Random {
  std::mt19937 engine;
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  }
};

// Parts that make whole bytes: bits of each byte come from up to three others; runs of
// `run` bytes of dst with gaps between them.
Case random_case(unsigned seed) {
  Random random{std::mt19937(seed)};
  Case made;
  const std::int64_t runs = random(1, 3);
  const std::int64_t run = random(16, 150);
  const std::int64_t gap = random(0, 1) * random(1, 70);
  const std::int64_t reach = random(1, 300);
  const bool whole = random(0, 3) == 0;
  for (std::int64_t r = 0; r < runs; ++r) {
    for (std::int64_t k = 0; k < run; ++k) {
      const std::int64_t dst = r * (run + gap) + k;
      std::int64_t bit = 0;
      while (bit < 8) {
        const std::int64_t bits = whole ? 8 : random(1, 8 - bit);
        const std::int64_t from = whole ? 0 : random(0, 8 - bits);
        const auto mask = ((1U << bits) - 1) << bit;
        made.parts.push_back({dst, random(0, reach - 1), bit - from,
                              static_cast<std::uint8_t>(mask)});
        bit += bits;
      }
      if (random(0, 30) == 0) made.parts.back().mask = 0;
    }
  }
  const std::int64_t maps = random(0, 5);
  if (maps == 1) made.before = {128, 120, 135, 128};
  if (maps == 2) made.after = {8, 0, 255, 8};
  made.plane = {random(1, 9), random(0, reach), runs * (run + gap)};
  return made;
}

// As BitPart and ByteMap say it.
void reference(const Case& made, const std::byte* src, std::byte* dst) {
  for (std::int64_t tile = 0; tile < made.plane.count; ++tile) {
    for (std::size_t k = 0; k < made.parts.size();) {
      const std::int64_t at = made.parts[k].dst;
      unsigned byte = 0;
      for (; k < made.parts.size() && made.parts[k].dst == at; ++k) {
        const BitPart& part = made.parts[k];
        if (part.mask == 0) continue;
        const unsigned from =
            made.before.of(static_cast<unsigned>(src[part.src]));
        byte |= (part.shift < 0 ? from >> -part.shift : from << part.shift) &
                part.mask;
      }
      dst[at] = static_cast<std::byte>(made.after.of(byte));
    }
    src += made.plane.src;
    dst += made.plane.dst;
  }
}

void check(const Case& made, const Kernel& kernel, Side side) {
  std::int64_t src_bytes = 1, dst_bytes = 0;
  for (const BitPart& part : made.parts) {
    if (part.mask != 0) src_bytes = std::max(src_bytes, part.src + 1);
    dst_bytes = std::max(dst_bytes, part.dst + 1);
  }
  src_bytes += (made.plane.count - 1) * made.plane.src;
  dst_bytes += (made.plane.count - 1) * made.plane.dst;
  const ProgramMemory program =
      make_bit_program({made.parts, made.before, made.after, made.streams},
                       program_vector(kernel.isa), many_sources);
  ASSERT_FALSE(program.empty());
  const GuardedBytes src(static_cast<std::size_t>(src_bytes), side);
  const GuardedBytes dst(static_cast<std::size_t>(dst_bytes), side);
  std::mt19937 random(7);
  for (std::byte& b : src.bytes()) b = static_cast<std::byte>(random());
  std::ranges::fill(dst.bytes(), std::byte{0xa5});
  std::vector<std::byte> expected(dst.bytes().begin(), dst.bytes().end());
  reference(made, src.data(), expected.data());
  Tile tile;
  tile.src = src.data();
  tile.src_end = src.data() + src_bytes;
  tile.dst = dst.data();
  tile.planes[0] = made.plane;
  tile.program = reinterpret_cast<const std::byte*>(program.data());
  kernel.run(tile, {});
  stream_fence();
  ASSERT_TRUE(std::ranges::equal(dst.bytes(), expected)) << kernel_name(kernel);
}

TEST(Bits, RandomParts) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Case made = random_case(seed);
    for (const Kernel& kernel : program_kernels()) {
      for (const Side side : {Side::front, Side::back}) {
        check(made, kernel, side);
        if (HasFatalFailure()) FAIL() << "seed " << seed;
      }
    }
  }
}

// Nibbles to bytes and back, in whole lines of dst that pass by the caches.
TEST(Bits, StreamsLines) {
  for (const bool widens : {true, false}) {
    Case made;
    for (std::int64_t k = 0; k < 128; ++k) {
      const std::int64_t shift = 4 * (k % 2);
      if (widens) {
        made.parts.push_back({k, k / 2, -shift, 0x0f});
      } else {
        const auto mask = static_cast<std::uint8_t>(0x0f << shift);
        made.parts.push_back({k / 2, k, shift, mask});
      }
    }
    made.after = widens ? ByteMap{8, 0, 255, 8} : ByteMap{};
    made.before = widens ? ByteMap{} : ByteMap{128, 120, 135, 128};
    made.plane = widens ? Loop{33, 64, 128} : Loop{33, 128, 64};
    made.streams = true;
    for (const Kernel& kernel : program_kernels()) {
      check(made, kernel, Side::front);
    }
  }
}

TEST(Bits, RunsThatAreTooShortAndTooManySources) {
  std::vector<BitPart> parts = {{0, 0, 0, 0xff}, {2, 1, 0, 0xff}};
  for (const Kernel& kernel : program_kernels()) {
    const ProgramVector vector = program_vector(kernel.isa);
    EXPECT_EQ(make_bit_program({parts}, vector, many_sources).empty(),
              !vector.stores_any);
  }
  parts.clear();
  for (std::int64_t k = 0; k < 64; ++k) parts.push_back({k, 100 * k, 0, 0xff});
  for (const Kernel& kernel : program_kernels()) {
    const ProgramVector vector = program_vector(kernel.isa);
    EXPECT_FALSE(make_bit_program({parts}, vector, 64).empty());
    EXPECT_TRUE(make_bit_program({parts}, vector, 15).empty());
  }
}

}  // namespace
}  // namespace stridewise::engine
