// Programs that are walked tile by tile: dst is written in order, so that vectors shorter
// than a line stream it too, and each tile's lines of src are near while it is made.
// Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/bits/pieces.hpp"
#include "engine/kernels/program_loops.hpp"

namespace stridewise::engine {
namespace {

template <class Vector>
class TilePrograms {
  using V = typename Vector::type;
  static constexpr std::int64_t vector_bytes = Vector::vector_bytes;

 public:
  static void run(const Tile& tile, const ProgramTable& program) {
    if (program.streams() && dst_bits(tile) % line_bytes == 0) {
      return by_tiles<true>(tile, program);
    }
    by_tiles<false>(tile, program);
  }

 private:
  template <bool streams>
  static void by_tiles(const Tile& tile, const ProgramTable& program) {
    if (!program.bits()) {
      return each_tile<streams>(tile, program, BytePieces<Vector>());
    }
    if (program.before() != ByteMap{}) {
      return each_tile<streams>(tile, program,
                                BitPieces<Vector, Maps::before>(program));
    }
    if (program.after() != ByteMap{}) {
      return each_tile<streams>(tile, program,
                                BitPieces<Vector, Maps::after>(program));
    }
    each_tile<streams>(tile, program, BitPieces<Vector, Maps::none>(program));
  }

  template <bool streams, class Takes>
  static void each_tile(const Tile& tile, const ProgramTable& program,
                        const Takes takes) {
    each_program_loop(
        tile, program, [&](const std::byte* src, std::byte* dst, Loop loop) {
          constexpr int together = 4;
          for (; loop.count >= together; loop.count -= together) {
            tiles<together, streams>(program, takes, src, dst, loop);
            src += together * loop.src;
            dst += together * loop.dst;
          }
          for (; loop.count > 0; --loop.count) {
            tiles<1, streams>(program, takes, src, dst, loop);
            src += loop.src;
            dst += loop.dst;
          }
        });
  }
  template <int count, bool streams, class Takes>
  [[gnu::always_inline]] static void tiles(const ProgramTable& program,
                                           const Takes& takes,
                                           const std::byte* src, std::byte* dst,
                                           const Loop& loop) {
    for (std::int64_t k = 0; k < program.pieces(); ++k) {
      const ProgramTable::Piece piece = program.piece(k);
      const auto all = takes.template take<count>(piece, src, loop.src);
      repeat<count>([&](auto i) __attribute__((always_inline)) {
        put<streams>(piece, dst + piece.dst + i * loop.dst, all.v[i]);
      });
    }
  }
  template <bool streams>
  [[gnu::always_inline]] static void put(const ProgramTable::Piece& piece,
                                         std::byte* dst, V v) {
    if constexpr (streams) return Vector::stream(dst, v);
    if (piece.bytes == vector_bytes) return Vector::store(dst, v);
    Vector::store_part(dst, v, piece.stored);
  }
};

}  // namespace
}  // namespace stridewise::engine
