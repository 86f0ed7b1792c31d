// The rows of an instruction set in the table of kernels: every kernel over its
// vectors. Included as transpose.hpp is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "reorder/kernels/copy.hpp"
#include "reorder/kernels/deinterleave.hpp"
#include "reorder/kernels/gathered.hpp"
#include "reorder/kernels/grouped_lanes.hpp"
#include "reorder/kernels/interleave.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/kernels/padded_rows.hpp"
#include "reorder/kernels/permuted_tiles.hpp"
#include "reorder/kernels/square_columns.hpp"
#include "reorder/kernels/transpose.hpp"

namespace stridewise {
namespace {

template <class Of, bool streams>
constexpr Kernel kernel_of(Isa isa, KernelKind kind,
                           std::int64_t element_bytes) {
  Kernel kernel{kind, element_bytes, isa, &Of::run, nullptr, nullptr, 0, 0, {}};
  if constexpr (streams) kernel.stream = &Of::stream;
  if constexpr (requires { &Of::table_of; }) kernel.table_of = &Of::table_of;
  if constexpr (requires { Of::most_short; }) {
    kernel.most_short = Of::most_short;
  }
  if constexpr (requires { Of::block_columns; }) {
    kernel.block_columns = Of::block_columns;
  }
  return kernel;
}

template <int width, class Vector>
constexpr Kernel permuted_of(Isa isa) {
  return kernel_of<PermutedTiles<Vector, width>, false>(
      isa, KernelKind::permuted, width);
}

template <int width, class Vector>
constexpr Kernel gathered_of(Isa isa) {
  return kernel_of<Gathered<Vector, width>, true>(isa, KernelKind::gathered,
                                                  width);
}

// Half has half the bytes of Wide, or as many where there is nothing shorter;
// `streams`: whether there are stores that pass by the caches.
template <Isa isa, class Wide, class Half, bool streams>
constexpr auto kernels_of() {
  using enum KernelKind;
  const auto row = []<class Of>(KernelKind kind, std::int64_t element_bytes) {
    return kernel_of<Of, streams>(isa, kind, element_bytes);
  };
  return std::to_array<Kernel>({
      row.template operator()<Copy<Wide>>(copy, 1),
      row.template operator()<FillZero<Wide>>(fill, 1),
      row.template operator()<Transpose<Wide, Half, 1>>(transpose, 1),
      row.template operator()<Transpose<Wide, Half, 2>>(transpose, 2),
      row.template operator()<Transpose<Wide, Half, 4>>(transpose, 4),
      row.template operator()<Transpose<Wide, Half, 8>>(transpose, 8),
      row.template operator()<Transpose<Wide, Half, 16>>(transpose, 16),
      row.template operator()<Transpose<Wide, Half, 32>>(transpose, 32),
      row.template operator()<Transpose<Wide, Half, 64>>(transpose, 64),
      kernel_of<PaddedRows<Wide, Half, 1>, false>(isa, padded_rows, 1),
      kernel_of<PaddedRows<Wide, Half, 2>, false>(isa, padded_rows, 2),
      kernel_of<PaddedRows<Wide, Half, 4>, false>(isa, padded_rows, 4),
      kernel_of<PaddedRows<Wide, Half, 8>, false>(isa, padded_rows, 8),
      row.template operator()<Interleave<Wide, 1>>(interleave, 1),
      row.template operator()<Interleave<Wide, 2>>(interleave, 2),
      row.template operator()<Interleave<Wide, 4>>(interleave, 4),
      row.template operator()<Interleave<Wide, 8>>(interleave, 8),
      row.template operator()<ShortColumnsBySquares<Wide, 1>>(short_columns, 1),
      row.template operator()<ShortColumnsBySquares<Wide, 2>>(short_columns, 2),
      row.template operator()<Deinterleave<Wide, 1>>(deinterleave, 1),
      row.template operator()<Deinterleave<Wide, 2>>(deinterleave, 2),
      row.template operator()<Deinterleave<Wide, 4>>(deinterleave, 4),
      permuted_of<1, LaneBytes>(isa),
      permuted_of<2, LaneBytes>(isa),
      permuted_of<4, LaneBytes>(isa),
      permuted_of<8, LaneBytes>(isa),
  });
}

template <class Vector, int width>
constexpr Kernel grouped_of(Isa isa) {
  return kernel_of<GroupedByLanes<Vector, width>, true>(
      isa, KernelKind::grouped, width);
}

// Where bytes of lanes are permuted by an instruction: groups by vectors of type Vector.
template <Isa isa, class Vector, std::size_t count>
constexpr auto with_permuted_lanes(const std::array<Kernel, count>& kernels) {
  std::array<Kernel, count + 3> all{};
  std::copy(kernels.begin(), kernels.end(), all.begin());
  // Longer elements are moved faster than lanes gather them, because a lane holds fewer.
  // measured: Zen 3, 2026-11-27, weights of 8 to 800 KB: gathered, elements of 1, 2, 4
  // and 8 bytes took 0.93, 1.37, 1.27 and 1.22 times as long as moved otherwise.
  all[count] = gathered_of<1, LaneBytes>(isa);
  all[count + 1] = grouped_of<Vector, 1>(isa);
  all[count + 2] = grouped_of<Vector, 2>(isa);
  return all;
}

}  // namespace
}  // namespace stridewise
