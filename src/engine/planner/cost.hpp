// What moving a block costs, in cycles of a core.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/kernels/tile.hpp"
#include "machine/machine.hpp"

namespace stridewise::engine {

// A transpose of rows x columns elements of so many bytes.
[[nodiscard]] double cycles_of_transpose(const Machine& machine,
                                         std::int64_t element_bytes,
                                         std::int64_t rows,
                                         std::int64_t columns,
                                         std::int64_t planes);
// Zips and unzips of so many bytes each plane.
[[nodiscard]] double cycles_of_zip(const Machine& machine,
                                   std::int64_t plane_bytes,
                                   std::int64_t planes);
[[nodiscard]] double cycles_of_copy(const Machine& machine,
                                    std::int64_t run_bytes, std::int64_t runs);
// Runs of so many bytes, most of them zeros.
[[nodiscard]] double cycles_of_zeros(const Machine& machine,
                                     std::int64_t run_bytes, std::int64_t runs);
// Of what calls a kernel for so many bytes, as often as a call moves a tile.
[[nodiscard]] double cycles_of_calls(const Machine& machine, std::int64_t bytes,
                                     std::int64_t tile_bytes);
// Of pieces of dst and sources of them, each as long as that; the bits that are set in any
// place of both sides tell how often they reach over the end of a line.
struct ProgramCost {
  std::int64_t pieces, sources;
  std::int64_t piece_bytes, source_bytes;
  std::int64_t dst_bits, src_bits;
};
[[nodiscard]] double cycles_of_program(const Machine& machine,
                                       const ProgramCost& program,
                                       std::int64_t inner, std::int64_t tiles);

}  // namespace stridewise::engine
