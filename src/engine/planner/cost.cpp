// SPDX-License-Identifier: Apache-2.0
#include "engine/planner/cost.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace stridewise::engine {
namespace {

constexpr double kib = 1024;

double as_double(std::int64_t number) { return static_cast<double>(number); }

// Of so many bytes of each column, how many lines a strip of it takes: what is left of
// whole lines is taken by strips of half of one and of a lane, which cost more of a byte.
double lines_of(std::int64_t column_bytes, const Profile& profile) {
  const std::int64_t rest = column_bytes % line_bytes;
  return as_double(column_bytes / line_bytes) +
         profile.half_line_share * as_double(rest / 32) +
         profile.lane_share * as_double(ceil_div(rest % 32, 16));
}

// How many of accesses of so many bytes reach over the end of a line, if these bits are set
// in any place of them.
double split_share(std::int64_t bytes, std::int64_t bits) {
  const std::int64_t aligned_to = (bits | line_bytes) & -(bits | line_bytes);
  return as_double(bytes - std::min(bytes, aligned_to)) / line_bytes;
}

}  // namespace

double cycles_of_transpose(const Machine& machine, std::int64_t element_bytes,
                           std::int64_t rows, std::int64_t columns,
                           std::int64_t planes) {
  constexpr std::int64_t lane = 16;
  const Profile& profile = machine.profile;
  const std::int64_t column_bytes = rows * element_bytes;
  const double strips = as_double(ceil_div(column_bytes, line_bytes));
  double cycles = profile.plane_cycles + strips * profile.strip_cycles;
  if (element_bytes >= lane) {
    cycles += strips * as_double(columns) * profile.chunk_line_cycles;
    return cycles * as_double(planes);
  }
  const std::int64_t n = lane / element_bytes;  // columns of a square
  const double factor = element_bytes == 1   ? profile.transpose_byte_factor
                        : element_bytes == 2 ? profile.transpose_pair_factor
                                             : 1;
  const double square_cycles =
      profile.transpose_kib_cycles * factor * as_double(line_bytes * n) / kib;
  // Shorter columns than a lane are each written as a lane.
  const double lines = column_bytes >= lane
                           ? lines_of(column_bytes, machine.profile)
                           : lines_of(lane, machine.profile) * 2;
  cycles += as_double(ceil_div(columns, n)) * lines * square_cycles;
  return cycles * as_double(planes);
}

double cycles_of_zip(const Machine& machine, std::int64_t plane_bytes,
                     std::int64_t planes) {
  const Profile& profile = machine.profile;
  return as_double(planes) *
         (profile.plane_cycles + profile.strip_cycles +
          profile.zip_kib_cycles * as_double(plane_bytes) / kib);
}

double cycles_of_copy(const Machine& machine, std::int64_t run_bytes,
                      std::int64_t runs) {
  const Profile& profile = machine.profile;
  const double of_run = run_bytes <= line_bytes ? profile.short_run_cycles
                                                : profile.long_run_cycles;
  return as_double(runs) * (of_run + profile.copy_line_cycles *
                                         as_double(run_bytes) / line_bytes);
}

double cycles_of_zeros(const Machine& machine, std::int64_t run_bytes,
                       std::int64_t runs) {
  // A line is stored and none is read.
  return as_double(runs) * machine.profile.copy_line_cycles / 2 *
         as_double(ceil_div(run_bytes, line_bytes));
}

double cycles_of_calls(const Machine& machine, std::int64_t bytes,
                       std::int64_t tile_bytes) {
  const Profile& profile = machine.profile;
  return profile.call_cycles * as_double(bytes) /
         as_double(std::min(tile_bytes, profile.call_bytes));
}

double cycles_of_program(const Machine& machine, const ProgramCost& program,
                         std::int64_t inner, std::int64_t tiles) {
  const Profile& profile = machine.profile;
  const double pieces = as_double(program.pieces);
  const double sources = as_double(program.sources);
  const double of_tile =
      pieces * (profile.piece_cycles +
                profile.split_store_cycles *
                    split_share(program.piece_bytes, program.dst_bits)) +
      sources * (profile.source_cycles +
                 profile.split_load_cycles *
                     split_share(program.source_bytes, program.src_bits));
  const double begin = pieces * profile.piece_begin_cycles +
                       sources * profile.source_begin_cycles;
  return as_double(tiles) *
         (of_tile + begin / as_double(std::max<std::int64_t>(inner, 1)));
}

}  // namespace stridewise::engine
