// Programs: what moves elements wherever they lie, by loads, masks and stores that are
// data. Included by the file of an instruction set alone.
//
// A program moves a tile of a few lines: each piece of dst, a lane or a vector, takes its
// bytes from some pieces of src, each permuted by a mask. A tile is repeated along its
// planes; the innermost of them is walked for one piece after the other, so that masks stay
// in registers:
//
//   src   | a0 b0 c0 a1 | b1 c1 a2 b2 | c2 a3 b3 c3 |
//   masks   0  .  .  3    .  .  2  .    .  1  .  .       of the first piece of dst
//   dst   | a0 a1 a2 a3 |
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "engine/kernels/program_table.hpp"
#include "engine/kernels/squares.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

// Vector: what permutes bytes of each of its lanes, or of all of it, by masks.
template <class Vector>
class Programs {
  using V = typename Vector::type;
  static constexpr std::int64_t vector_bytes = Vector::vector_bytes;

 public:
  static void run(const Tile& tile, const Hints& /*hints*/) {
    tiles<false>(tile);
  }
  // Of vectors as long as a line: pieces that are whole lines of dst.
  static void stream(const Tile& tile, const Hints& /*hints*/) {
    dst_bits(tile) % line_bytes == 0 ? tiles<true>(tile) : tiles<false>(tile);
  }

 private:
  template <bool streams>
  static void tiles(const Tile& tile) {
    const ProgramTable program(tile.program);
    Tile rest = tile;
    const Loop inner = tile.planes[0];
    rest.planes = {tile.planes[1], tile.planes[2], tile.planes[3], Loop{}};
    each_plane(rest, [&](const std::byte* src, std::byte* dst) {
      // Tiles whose loads would reach beyond src are moved element by element.
      std::int64_t whole = inner.count;
      while (whole > 0 &&
             tile.src_end - (src + (whole - 1) * inner.src) < program.reach()) {
        --whole;
      }
      for (std::int64_t k = 0; k < program.pieces(); ++k) {
        piece<streams>(program.piece(k), src, dst,
                       {whole, inner.src, inner.dst});
      }
      for (std::int64_t k = whole; k < inner.count; ++k) {
        program.move_elements(src + k * inner.src, dst + k * inner.dst);
      }
    });
  }

  template <bool streams>
  static void piece(const ProgramTable::Piece& piece, const std::byte* src,
                    std::byte* dst, const Loop& loop) {
    dst += piece.dst;
    const auto* const sources = piece.sources;
    const bool line =
        streams && piece.bytes == line_bytes && piece.dst % line_bytes == 0;
    switch (piece.count) {
      case 1:
        return constant<1, streams>(sources, src, dst, loop, piece.bytes, line);
      case 2:
        return constant<2, streams>(sources, src, dst, loop, piece.bytes, line);
      case 3:
        return constant<3, streams>(sources, src, dst, loop, piece.bytes, line);
      case 4:
        return constant<4, streams>(sources, src, dst, loop, piece.bytes, line);
      default:
        return any<streams>(sources, piece.count, src, dst, loop, piece.bytes,
                            line);
    }
  }

  // each(store) with what stores a piece.
  template <bool streams, class Each>
  [[gnu::always_inline]] static void with_store(std::int64_t bytes, bool line,
                                                Each each) {
    if constexpr (streams) {
      if (line) {
        return each([](std::byte* to, V v) { Vector::stream(to, v); });
      }
    }
    if (bytes == vector_bytes) {
      return each([](std::byte* to, V v) { Vector::store(to, v); });
    }
    each([bytes](std::byte* to, V v) { Vector::store_first(to, v, bytes); });
  }

  template <int count, bool streams>
  [[gnu::noinline]] static void constant(const std::byte* sources,
                                         const std::byte* src, std::byte* dst,
                                         Loop loop, std::int64_t bytes,
                                         bool line) {
    typename Vector::Source from[count];
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k) {
      from[k] = Vector::source(sources + k * Vector::source_bytes);
    }
    with_store<streams>(
        bytes, line, [&](auto store) __attribute__((always_inline)) {
          for (std::int64_t i = 0; i < loop.count; ++i) {
            V v = Vector::first(from[0], src);
#pragma GCC unroll 4
            for (int k = 1; k < count; ++k) v = Vector::more(v, from[k], src);
            store(dst, v);
            src += loop.src;
            dst += loop.dst;
          }
        });
  }

  template <bool streams>
  [[gnu::noinline]] static void any(const std::byte* sources,
                                    std::int64_t count, const std::byte* src,
                                    std::byte* dst, Loop loop,
                                    std::int64_t bytes, bool line) {
    with_store<streams>(bytes, line, [&](auto store) {
      for (std::int64_t i = 0; i < loop.count; ++i) {
        V v = Vector::first(Vector::source(sources), src);
        for (std::int64_t k = 1; k < count; ++k) {
          v = Vector::more(
              v, Vector::source(sources + k * Vector::source_bytes), src);
        }
        store(dst, v);
        src += loop.src;
        dst += loop.dst;
      }
    });
  }
};

}  // namespace
}  // namespace stridewise::engine
