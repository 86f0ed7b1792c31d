// The tiles of a program. Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/program_table.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

// move(src, dst, loop) for the tiles of the innermost planes whose loads do not reach
// beyond src; those that do are moved element by element.
template <class Move>
inline void each_program_loop(const Tile& tile, const ProgramTable& program,
                              const Move& move) {
  Tile rest = tile;
  const Loop inner = tile.planes[0];
  rest.planes = {tile.planes[1], tile.planes[2], tile.planes[3], Loop{}};
  each_plane(rest, [&](const std::byte* src, std::byte* dst) {
    std::int64_t whole = inner.count;
    while (whole > 0 &&
           tile.src_end - (src + (whole - 1) * inner.src) < program.reach()) {
      --whole;
    }
    move(src, dst, Loop{whole, inner.src, inner.dst});
    for (std::int64_t k = whole; k < inner.count; ++k) {
      program.move_elements(src + k * inner.src, dst + k * inner.dst);
    }
  });
}

}  // namespace
}  // namespace stridewise::engine
