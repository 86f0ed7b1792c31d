// SPDX-License-Identifier: Apache-2.0
#include "reorder/executor/stage.hpp"

namespace stridewise::detail {
namespace {

// Converts one run of the stage to dst, `at` as the plan sees it.
void write(const PlanData& data, const std::byte* stage, std::byte* dst,
           std::int64_t at, std::int64_t bytes) {
  data.convert(stage, dst + data.in_dst(at), bytes / data.src_width,
               data.values->quantisation);
}

}  // namespace

void run_staged(const PlanData& data, const ScheduledNest& scheduled, Tile tile,
                std::byte* dst, std::int64_t at) {
  alignas(64) std::byte stage[stage_bytes];
  // The side of the tile that is contiguous in the stage, and the other one,
  // which counts runs.
  const KernelKind kind = scheduled.kernel->kind;
  const bool by_rows = kind == KernelKind::copy || kind == KernelKind::strided;
  const std::size_t run = by_rows ? 1 : 0;
  const std::size_t runs = 1 - run;
  const std::int64_t unit = scheduled.kernel->element_bytes;
  const std::int64_t bytes = (tile.count[run] + tile.zeros) * unit;
  const Tile in_dst = tile;
  tile.dst = stage;
  tile.dst_stride[run] = unit;
  tile.dst_stride[runs] = bytes;
  tile.column_offset = nullptr;
  // How columns of dst lie says nothing about those of the stage.
  tile.crowded_dst = 0;
  tile.square_bytes = 0;
  scheduled.run(tile);

  const bool scattered =
      in_dst.dst_stride[run] != unit && in_dst.count[run] > 1;
  const bool dense = !scattered && in_dst.column_offset == nullptr &&
                     in_dst.dst_stride[runs] == bytes;
  if (dense) {
    return write(data, stage, dst, at, bytes * tile.count[runs]);
  }
  for (std::int64_t k = 0; k < tile.count[runs]; ++k) {
    const std::byte* const from = stage + k * bytes;
    const std::int64_t to =
        at + (by_rows ? k * in_dst.dst_stride[0] : in_dst.column_at(k));
    if (!scattered) {
      write(data, from, dst, to, bytes);
      continue;
    }
    for (std::int64_t i = 0; i < tile.count[run]; ++i) {
      write(data, from + i * unit, dst, to + i * in_dst.dst_stride[run], unit);
    }
  }
}

}  // namespace stridewise::detail
