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

#include "engine/kernels/bits/tiles.hpp"
#include "engine/kernels/program_loops.hpp"
#include "engine/kernels/squares.hpp"

namespace stridewise::engine {
namespace {

// Vector: what permutes bytes of each of its lanes, or of all of it, by masks.
template <class Vector>
class Programs {
  using V = typename Vector::type;
  static constexpr std::int64_t vector_bytes = Vector::vector_bytes;

 public:
  static void run(const Tile& tile, const Hints& /*hints*/) {
    const ProgramTable program(tile.program);
    program.by_tiles() ? TilePrograms<Vector>::run(tile, program)
                       : by_pieces<false>(tile, program);
  }
  // Of vectors as long as a line: pieces that are whole lines of dst.
  static void stream(const Tile& tile, const Hints& /*hints*/) {
    const ProgramTable program(tile.program);
    dst_bits(tile) % line_bytes == 0 ? by_pieces<true>(tile, program)
                                     : by_pieces<false>(tile, program);
  }

 private:
  template <bool streams>
  static void by_pieces(const Tile& tile, const ProgramTable& program) {
    each_program_loop(
        tile, program,
        [&](const std::byte* src, std::byte* dst, const Loop& loop) {
          for (std::int64_t k = 0; k < program.pieces(); ++k) {
            const ProgramTable::Piece piece = program.piece(k);
            bytes<streams>(piece, src, dst + piece.dst, loop);
          }
        });
  }

  template <bool streams>
  static void bytes(const ProgramTable::Piece& piece, const std::byte* src,
                    std::byte* dst, const Loop& loop) {
    switch (piece.count) {
      case 1:
        return constant<1, streams>(piece, src, dst, loop);
      case 2:
        return constant<2, streams>(piece, src, dst, loop);
      case 3:
        return constant<3, streams>(piece, src, dst, loop);
      case 4:
        return constant<4, streams>(piece, src, dst, loop);
      default:
        return any<streams>(piece, src, dst, loop);
    }
  }

  // each(store) with what stores a piece.
  template <bool streams, class Each>
  [[gnu::always_inline]] static void with_store(
      const ProgramTable::Piece& piece, const std::byte* dst, Each each) {
    if constexpr (streams) {
      // What planes and tiles step by is whole lines.
      if (piece.bytes == line_bytes &&
          reinterpret_cast<std::intptr_t>(dst) % line_bytes == 0) {
        return each([](std::byte* to, V v) { Vector::stream(to, v); });
      }
    }
    if (piece.bytes == vector_bytes) {
      return each([](std::byte* to, V v) { Vector::store(to, v); });
    }
    const std::uint64_t stored = piece.stored;
    each([stored](std::byte* to, V v) { Vector::store_part(to, v, stored); });
  }

  template <int count, bool streams>
  [[gnu::noinline]] static void constant(const ProgramTable::Piece& piece,
                                         const std::byte* src, std::byte* dst,
                                         Loop loop) {
    typename Vector::Source from[count];
#pragma GCC unroll 4
    for (int k = 0; k < count; ++k) from[k] = source(piece, k);
    with_store<streams>(
        piece, dst, [&](auto store) __attribute__((always_inline)) {
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
  [[gnu::noinline]] static void any(const ProgramTable::Piece& piece,
                                    const std::byte* src, std::byte* dst,
                                    Loop loop) {
    with_store<streams>(piece, dst, [&](auto store) {
      for (std::int64_t i = 0; i < loop.count; ++i) {
        V v = Vector::first(source(piece, 0), src);
        for (std::int64_t k = 1; k < piece.count; ++k) {
          v = Vector::more(v, source(piece, k), src);
        }
        store(dst, v);
        src += loop.src;
        dst += loop.dst;
      }
    });
  }

  static auto source(const ProgramTable::Piece& piece, std::int64_t k) {
    return Vector::source(piece.sources + k * source_vectors * vector_bytes);
  }
};

}  // namespace
}  // namespace stridewise::engine
