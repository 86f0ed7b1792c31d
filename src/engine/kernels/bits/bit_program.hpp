// Programs that move parts of bytes: what each byte of dst is made of, as the bytes of a
// program's table. Made at plan time, read by program.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernels/program_table.hpp"

namespace stridewise::engine {

// Bits of a byte of src, shifted to where they go in a byte of dst.
struct BitPart {
  std::int64_t dst = 0;
  std::int64_t src = 0;
  std::int64_t shift = 0;  // to the left; less than 0: to the right
  std::uint8_t mask = 0;   // of the byte of dst; 0: only zeros

  friend bool operator==(const BitPart&, const BitPart&) = default;
};

// A byte of dst is what all of its parts make: parts ascend in dst. `before` is done to
// each byte of src, `after` to each of dst: at most one of them changes anything.
struct BitProgram {
  std::span<const BitPart> parts;
  ByteMap before = {};
  ByteMap after = {};
  // Whether dst passes by the caches, where tiles are lines of it. Whoever runs it ends
  // with stream_fence().
  bool streams = false;
};

// The table of a program that is walked tile by tile; empty where runs of dst are too short
// for the vector, or where it would take more sources than `most_sources` in all.
// O(n log n) for n parts.
[[nodiscard]] ProgramMemory make_bit_program(const BitProgram& program,
                                             const ProgramVector& vector,
                                             std::int64_t most_sources);

}  // namespace stridewise::engine
