// What was measured of a machine: the numbers by which ways to move bytes are weighed.
// Costs are in cycles of a core, sizes in bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stridewise {

struct Profile {
  // A transpose of elements of four bytes and longer, of a KiB; and how many times as much
  // those of one byte and of two take.
  double transpose_kib_cycles;
  double transpose_byte_factor;
  double transpose_pair_factor;
  // Beside that, of each plane and each strip of it.
  double plane_cycles;
  double strip_cycles;
  // A line of elements of 16 bytes and longer.
  double chunk_line_cycles;
  // Zips and unzips, of a KiB.
  double zip_kib_cycles;
  // A copy: of a line, and of a run, short or of more than a line.
  double copy_line_cycles;
  double short_run_cycles;
  double long_run_cycles;
  // A program: of a piece of dst and of each source of it in a tile; and of both, once for
  // all tiles of its innermost loop.
  double piece_cycles;
  double source_cycles;
  double piece_begin_cycles;
  double source_begin_cycles;
  // A load and a store of it, besides, that reach over the end of a line.
  double split_load_cycles;
  double split_store_cycles;
  // What calls a kernel, and what brings a block through a stage.
  double call_cycles;
  double block_cycles;
  // A byte that is written beyond the caches next to a core by parts of lines.
  double scattered_byte_cycles;
  // How much less a way by stages must cost to be taken.
  double staged_advantage;

  // Up to so many bytes of src and dst together the caches next to a core hold them; from
  // so many on the last cache holds nothing of dst when it is read again.
  std::int64_t near_bytes;
  std::int64_t min_streamed_bytes;
  // What prices take a call to move at most; what it is given of tiles with planes, and by
  // programs, which go through a tile once for each piece.
  std::int64_t call_bytes;
  std::int64_t planes_bytes;
  std::int64_t program_bytes;
  // What a stage holds: near, and where src or dst is far.
  std::int64_t near_stage_bytes;
  std::int64_t far_stage_bytes;
  // Runs of dst that a far stage has at least, if blocks are large enough.
  std::int64_t far_run_bytes;
  // How far ahead transposes ask for src where it is far, and how many strips they take by
  // turns.
  std::int64_t far_ahead_bytes;
  std::int64_t far_strips;
  // The same at most where src and dst are near, and the ways of the L1 cache: rows that
  // strips take by turns must not crowd its sets.
  std::int64_t near_strips;
  std::int64_t l1_ways;
  // Whether transposes take whole lines of src, where vectors are lines: near, and where
  // rows would crowd the L1 cache.
  bool whole_lines;
  // What a task moves, so that threads are busy and handing out is cheap.
  std::int64_t task_bytes;

  // What no machine was found to differ in.
  // Strips of half of a line and of a lane take so much of what those of a line take.
  double half_line_share = 0.5;
  double lane_share = 0.36;
  // Of dst that a kernel writes without a gap, of which no part of a line matters; and of
  // runs that a copy writes.
  std::int64_t dense_bytes = 1024;
  std::int64_t long_run_bytes = 256;
  // Runs of values that change one by one, from which on no kernel gathers them first.
  std::int64_t converted_run = 16;
  // Zeros that are written in one with what they follow.
  std::int64_t fused_zeros_bytes = 4096;
  // What programs are made of at most: bytes of a run of dst, sources of a piece, runs that
  // share lines of src; and tiles that a call of one has at least.
  std::int64_t program_run_bytes = 768;
  std::int64_t program_sources = 12;
  std::int64_t program_runs = 8;
  std::int64_t program_tiles = 8;
  // What a call of a transpose moves at least where it has few columns, and of all that
  // share lines of dst at most; of each column at least; and of all columns at most where
  // it takes all rows.
  std::int64_t transpose_bytes = 16 << 10;
  std::int64_t column_bytes = 512;
  std::int64_t columns_bytes = 64 << 10;
  // Strips by turns, where rows are short: of so many lines of columns, and at most.
  std::int64_t short_row_lines = 4;
  std::int64_t short_row_strips = 16;
  // What calls of zips and of copies move at most.
  std::int64_t zip_bytes = 32 << 10;
  std::int64_t copy_bytes = 256 << 10;
  // What is moved by way of words: at least, and at once.
  std::int64_t min_relayed_bytes = 16 << 10;
  std::int64_t relay_bytes = 512 << 10;
};

}  // namespace stridewise
