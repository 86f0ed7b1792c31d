// The pass that chooses kernels: what remains of a piece's loops after the
// kernel took its tile are the loops around it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/cache_sets.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise {
namespace {

bool streams(Reach reach) { return reach >= Reach::streams; }

PlanLoop take_last(std::vector<PlanLoop>& loops) {
  if (loops.empty()) return {1, 0, 0};
  const PlanLoop last = loops.back();
  loops.pop_back();
  return last;
}

Lowered nest_of(const Piece& piece, std::vector<PlanLoop> loops,
                const Kernel& kernel, std::vector<PlanLoop> tile) {
  return {PlanNest{.loops = std::move(loops),
                   .tile = std::move(tile),
                   .element_bytes = kernel.element_bytes,
                   .src_offset = piece.src_offset,
                   .dst_offset = piece.dst_offset,
                   .fills = kernel.kind == KernelKind::fill},
          &kernel};
}

// A loop of a tile, or several that continue each other on its side alone.
struct Side {
  PlanLoop fastest;
  std::vector<PlanLoop> loops = {};  // if there are several; the fastest last

  [[nodiscard]] std::int64_t count() const {
    std::int64_t count = loops.empty() ? fastest.count : 1;
    for (const PlanLoop& loop : loops) count *= loop.count;
    return count;
  }
  void go_on_by(const PlanLoop& loop) {
    if (loops.empty()) loops.push_back(fastest);
    loops.insert(loops.begin(), loop);
  }
};

// A tile of a transpose: rows are contiguous in dst, columns in src.
struct Sides {
  Side rows;
  Side columns;
  std::vector<PlanLoop> around;
};

// Of a table that takes the place of a stride.
constexpr std::int64_t most_offsets = 1 << 16;

// Hands loops of `around` that continue `side` to it, until it spans `wanted`
// bytes. Their offsets will be tables: of loops that are too long for one it gets a part,
// of less than twice what it wants, if `parts`, or nothing.
void extend(Side& side, std::vector<PlanLoop>& around,
            std::int64_t PlanLoop::*stride, std::int64_t wanted,
            bool parts = false) {
  std::int64_t count = side.count();
  const std::int64_t unit = side.fastest.*stride;
  while (count * unit < wanted) {
    const auto next = std::ranges::find(around, count * unit, stride);
    if (next == around.end()) return;
    const bool all = next->count <= most_offsets / count;
    if (!all && !parts) return;
    const auto part = take_most(
        around, next, all ? next->count : ceil_div(wanted, count * unit));
    if (!part) return;
    side.go_on_by(*part);
    count *= part->count;
  }
}

// How many of `count` columns that follow each other in dst, of so many bytes each, make
// whole lines, or if none do, one long column: the fewest that divide `count`. All of
// them if they are less, 1 if they are too many.
std::int64_t whole_lines_of(std::int64_t count, std::int64_t column) {
  constexpr std::int64_t line = 64, some = 4 * line;
  constexpr std::int64_t most = 8 << 10;
  const std::int64_t lines = line / std::gcd(column, line);
  const bool whole = count % lines == 0;
  const std::int64_t step = whole ? lines : 1;
  const std::int64_t enough = whole ? some : long_column;
  const std::int64_t last = std::min(count, most / column);
  for (std::int64_t k = step; k <= last; k += step) {
    if (count % k == 0 && k * column >= enough) return k;
  }
  return last == count ? count : 1;
}

// Hands loops of `around` that rows go on with in dst to them where columns are short
// and end within lines, so that what streams is whole lines, or long. Not the loop that
// columns go on with in src where those are less than a lane without it, or less than
// two and could take it.
void extend_to_lines(Sides& sides, std::int64_t unit) {
  constexpr std::int64_t line = 64, lane = 16;
  const std::int64_t row_bytes = sides.columns.count() * unit;
  std::int64_t column = sides.rows.count() * unit;
  const auto short_of_lines = [&] {
    return column % line != 0 && column < long_column;
  };
  if (!short_of_lines()) return;
  Sides extended = sides;
  while (short_of_lines()) {
    const auto next =
        std::ranges::find(extended.around, column, &PlanLoop::dst_stride);
    if (next == extended.around.end()) return;
    const bool shared = next->src_stride == row_bytes;
    const bool columns_fit =
        next->count <= most_offsets / sides.columns.count();
    if (shared && row_bytes < (columns_fit ? 2 * lane : lane)) return;
    const std::int64_t taken = whole_lines_of(next->count, column);
    if (taken == 1) return;
    extended.rows.go_on_by(take_part(*next, taken));
    column *= taken;
    if (next->count == 1) extended.around.erase(next);
  }
  sides = std::move(extended);
}

// The loops as two sides of elements of `unit` bytes, if there is a loop for
// each; rows may be a single one where zeros follow it.
std::optional<Sides> sides_of(std::span<const PlanLoop> loops,
                              std::int64_t unit, bool zeros) {
  const auto row = std::ranges::find(loops, unit, &PlanLoop::dst_stride);
  const auto column = std::ranges::find(loops, unit, &PlanLoop::src_stride);
  if (column == loops.end() || row == column) return std::nullopt;
  if (row == loops.end() && !zeros) return std::nullopt;
  Sides sides{.rows = {row == loops.end() ? PlanLoop{1, 0, unit} : *row},
              .columns = {*column},
              .around = {}};
  sides.around.reserve(loops.size());
  for (auto loop = loops.begin(); loop != loops.end(); ++loop) {
    if (loop != row && loop != column) sides.around.push_back(*loop);
  }
  return sides;
}

// Whether long columns stream as well without being put together from short rows: so
// many that begin anywhere in a line.
bool many(const PlanLoop& column, std::int64_t unit) {
  return unit > 1 && column.count * unit >= 48 && column.dst_stride % 64 != 0;
}

// A few rows and then zeros up to a line or a part of it, but for what interleaves.
bool padded_columns(std::int64_t rows, std::int64_t zeros, std::int64_t unit) {
  const std::int64_t bytes = (rows + zeros) * unit;
  return zeros > 0 && rows <= 4 &&
         ((bytes == 16 && unit == 1) || bytes == 32 || bytes == 64);
}

// Planes that are best taken by squares, one after the other, of half a line of rows or
// one or two. Bytes take more work, which overlapping squares would do twice.
bool small_plane(const PlanLoop& row, const PlanLoop& column,
                 std::int64_t unit) {
  constexpr std::int64_t line = 64, lane = 16;
  const std::int64_t bytes = row.count * unit;
  const std::int64_t row_bytes = column.count * unit;
  const bool half =
      bytes >= line / 2 && bytes < line && (unit > 1 || bytes % lane == 0);
  const bool some_lines = unit == 4 && bytes > line && bytes <= 2 * line;
  return unit <= 8 && (half || bytes == line || some_lines) &&
         row_bytes >= lane && row_bytes <= 2 * line;
}

bool short_columns(const PlanLoop& row, const PlanLoop& column,
                   std::int64_t zeros, std::int64_t unit, Reach reach) {
  const std::int64_t bytes = row.count * unit;
  // Lines and halves of them are best transposed straight to dst: of long elements
  // always, of two bytes where they stream, others where all is near.
  if (bytes % 32 == 0 &&
      (unit >= 4 || (unit == 2 && streams(reach)) || reach == Reach::near)) {
    return false;
  }
  return row.count >= 5 && row.count <= 32 && zeros == 0 &&
         column.dst_stride == bytes;
}

bool short_rows(const PlanLoop& row, const PlanLoop& column, std::int64_t zeros,
                std::int64_t unit, bool streams) {
  constexpr std::int64_t few_bytes = 32;
  const bool past_caches = streams && row.count * unit >= streamed_column_bytes;
  if (past_caches ? many(column, unit)
                  : detail::share_sets(column.count, column.dst_stride)) {
    return false;
  }
  return column.count >= 5 && column.count <= 32 && zeros == 0 &&
         row.src_stride == column.count * unit && row.count * unit >= few_bytes;
}

const Kernel* find_short(KernelKind kind, std::int64_t unit,
                         std::int64_t bytes) {
  const Kernel* const kernel = find_kernel(kind, unit);
  return kernel != nullptr && bytes <= kernel->most_short ? kernel : nullptr;
}

// A tile that four vectors hold whole on both sides, with its zeros; `many`: they hold
// some, that follow each other. Interleaves of a few rows that are whole lines stream,
// which these do not.
const Kernel* permuted(const PlanLoop& row, const PlanLoop& column,
                       std::int64_t zeros, std::int64_t unit, bool many,
                       bool streams) {
  constexpr std::int64_t least_bytes = 16;
  const std::int64_t of_column = (row.count + zeros) * unit;
  const std::int64_t bytes = of_column * column.count;
  const bool dense = column.dst_stride == of_column;
  const bool interleaves = row.count <= 4 && row.count * unit < 32;
  if (streams && bytes % 64 == 0 && interleaves) return nullptr;
  if (!dense || (bytes < least_bytes && !many) || row.src_stride <= 0) {
    return nullptr;
  }
  const std::int64_t span =
      (row.count - 1) * row.src_stride + column.count * unit;
  const Kernel* const kernel =
      find_short(KernelKind::permuted, unit, std::max(bytes, span));
  // A few rows of whole vectors are best zipped.
  const auto whole = [&](std::int64_t vector) {
    return column.count * unit % vector == 0;
  };
  return kernel != nullptr && interleaves && whole(permuted_vector(*kernel))
             ? nullptr
             : kernel;
}

// Few rows or columns that lie side by side are permuted in registers.
const Kernel* few_kernel(const Sides& sides, std::int64_t zeros,
                         std::int64_t unit, Reach reach) {
  const PlanLoop& row = sides.rows.fastest;
  const PlanLoop& column = sides.columns.fastest;
  const std::int64_t tile = row.count * column.count * unit;
  const bool many = std::ranges::any_of(sides.around, [&](const PlanLoop& l) {
    return l.src_stride == tile && l.dst_stride == tile;
  });
  if (const Kernel* k =
          permuted(row, column, zeros, unit, many, streams(reach))) {
    return k;
  }
  const std::int64_t rows = row.count + zeros;
  const std::int64_t bytes = rows * unit;
  const bool dense = column.dst_stride == bytes;
  if (dense && padded_columns(row.count, zeros, unit)) {
    const Kernel* const k = find_kernel(KernelKind::padded_columns, unit);
    if (k != nullptr) return k;
  }
  if (dense && rows >= 2 && bytes < 32 &&
      (rows <= 8 || (unit == 1 && rows == 16))) {
    if (const Kernel* k = find_kernel(KernelKind::interleave, unit)) return k;
  }
  // Parts of lines go through the caches.
  if ((!streams(reach) || bytes < 64) && zeros == 0 && !sides.around.empty() &&
      small_plane(row, column, unit)) {
    return nullptr;
  }
  const std::int64_t row_bytes = column.count * unit;
  const Kernel* const columns =
      short_columns(row, column, zeros, unit, reach)
          ? find_short(KernelKind::short_columns, unit, bytes)
          : nullptr;
  if (columns != nullptr && row_bytes >= 16) return columns;
  if (short_rows(row, column, zeros, unit, streams(reach))) {
    const Kernel* const k = find_short(KernelKind::short_rows, unit, row_bytes);
    if (k != nullptr) return k;
  }
  const std::int64_t lanes = row.src_stride / unit;
  if (zeros == 0 && row_bytes < 16 && row.src_stride % unit == 0 &&
      lanes >= column.count && lanes <= 8) {
    return find_kernel(KernelKind::deinterleave, unit);
  }
  return columns;
}

// Whether both sides go on by the same loop, and columns gain more by it: not where rows
// would be a lane and a part of one, and columns are lanes without it.
bool leave_to_columns(const Sides& sides, std::int64_t unit) {
  constexpr std::int64_t lane = 16, long_row = 16, line = 64;
  const std::int64_t row = sides.rows.fastest.count * unit;
  const std::int64_t column = sides.columns.fastest.count * unit;
  const auto next = std::ranges::find(sides.around, row, &PlanLoop::dst_stride);
  if (row % lane != 0 && row < 2 * lane && column >= lane) return false;
  return row >= long_row && column < line && next != sides.around.end() &&
         next->src_stride == column;
}

// Puts last what take_most() takes.
void put_last(std::vector<PlanLoop>& loops,
              std::vector<PlanLoop>::iterator next, std::int64_t most) {
  if (const auto part = take_most(loops, next, most)) loops.push_back(*part);
}

// Puts last the loop by which src goes on after a tile's columns. Where dst gets some
// lines a tile, it gets them in any order; where it gets less, only so many iterations of
// that loop as use up lines of src that would else be gone when they are needed again, and
// half of a page: memory likes long runs on both sides. What streams less, by small parts
// of lines of src, goes on in dst first if src is in memory, or if the lines of dst that
// src goes on by are multiples of 512 bytes apart: on Zen 4 bytes io to 4i16o4i take 0.8
// of the time so. Elsewhere going on in dst first takes up to 1.7 times as long, as it does
// where more rows are read at once than a set of the L1 cache keeps.
void follow_src(std::vector<PlanLoop>& around, const PlanLoop& row,
                std::int64_t column_bytes, Reach reach) {
  constexpr std::int64_t half_line = 32, some_lines = 256;
  constexpr std::int64_t half_page = 2048, crowding = 512;
  const std::int64_t tile_bytes = row.count * column_bytes;
  const auto next =
      std::ranges::find(around, column_bytes, &PlanLoop::src_stride);
  if (next == around.end()) return;
  const std::int64_t stride = next->dst_stride;
  const bool little = tile_bytes < some_lines;
  const bool dst_first =
      little && column_bytes < half_line && stride != tile_bytes &&
      (reach == Reach::memory ||
       (reach == Reach::streams && stride % crowding == 0)) &&
      !detail::share_sets(row.count * (some_lines / tile_bytes),
                          row.src_stride);
  put_last(around, next, little ? half_page / column_bytes : next->count);
  if (!dst_first) return;
  put_last(around, std::ranges::find(around, tile_bytes, &PlanLoop::dst_stride),
           some_lines / tile_bytes);
}

// `zeros`: rows of them.
Lowered lower_sides(const Piece& piece, Sides sides, std::int64_t unit,
                    std::int64_t zeros, Reach reach) {
  const PlanLoop row = sides.rows.fastest;
  const PlanLoop column = sides.columns.fastest;
  constexpr std::int64_t line = 64;
  const Kernel* kernel = few_kernel(sides, zeros, unit, reach);
  if (kernel == nullptr) {
    kernel = find_kernel(KernelKind::transpose, unit);
    constexpr std::int64_t page = 4096;
    // What streams needs whole lines.
    if (zeros == 0 && (streams(reach) || !leave_to_columns(sides, unit))) {
      extend(sides.rows, sides.around, &PlanLoop::dst_stride, line);
      if (streams(reach)) extend_to_lines(sides, unit);
    }
    // Of less than a line, columns are best written one after the other.
    extend(sides.columns, sides.around, &PlanLoop::src_stride, page,
           sides.rows.count() * unit >= line);
  } else {
    follow_src(sides.around, row, column.count * unit, reach);
  }
  std::vector<PlanLoop> tile = {row, column};
  if (!sides.rows.loops.empty()) tile[0] = {sides.rows.count(), 0, unit};
  if (!sides.columns.loops.empty()) {
    tile[1] = {sides.columns.count(), unit, 0};
  }
  Lowered lowered =
      nest_of(piece, std::move(sides.around), *kernel, std::move(tile));
  PlanNest& nest = lowered.nest;
  nest.zeros = zeros;
  nest.rows = std::move(sides.rows.loops);
  nest.columns = std::move(sides.columns.loops);
  return lowered;
}

// Puts last the longer of the two innermost loops around short copies where the other
// one is short: what a kernel does once for all runs is more than a few of them take.
// Not where that leaves the nearest caches, unless they are very few.
void prefer_many_runs(std::vector<PlanLoop>& loops, std::int64_t run) {
  constexpr std::int64_t short_run = 64, few = 16, very_few = 4;
  constexpr std::int64_t near = 64 << 10;
  if (loops.size() < 2 || run >= short_run) return;
  PlanLoop& last = loops.back();
  PlanLoop& before = loops[loops.size() - 2];
  if (last.count >= few || before.count <= last.count) return;
  const std::int64_t stride = std::max(before.src_stride, before.dst_stride);
  if (last.count <= very_few || stride <= near / before.count) {
    std::swap(last, before);
  }
}

}  // namespace

Lowered lower_move(const Piece& piece, std::int64_t element_bytes,
                   Reach reach) {
  std::span<const PlanLoop> of_runs = piece.loops;
  // Elements that stay neighbours on both sides move as one wider element.
  std::int64_t run = element_bytes;
  if (!of_runs.empty() && of_runs.back().src_stride == run &&
      of_runs.back().dst_stride == run) {
    run *= of_runs.back().count;
    of_runs = of_runs.first(of_runs.size() - 1);
  }
  const bool padded_run =
      piece.zeros > 0 && run > element_bytes && !piece.zeros_after_rows;
  if (!padded_run && find_kernel(KernelKind::transpose, run) != nullptr) {
    if (auto sides = sides_of(of_runs, run, piece.zeros > 0)) {
      return lower_sides(piece, *std::move(sides), run,
                         piece.zeros * element_bytes / run, reach);
    }
  }
  std::vector<PlanLoop> loops(of_runs.begin(), of_runs.end());
  // Runs of many lines are written as fast in any order, but read faster in theirs;
  // from memory, which the processor reads ahead only in order, all but the shortest.
  constexpr std::int64_t many_lines = 1024, line = 64;
  if (run >= (reach == Reach::memory ? line : many_lines)) {
    sort_few(loops, [](const PlanLoop& a, const PlanLoop& b) {
      return a.src_stride > b.src_stride;
    });
  }
  if (const Kernel* strided = find_kernel(KernelKind::strided, run);
      strided != nullptr && piece.zeros == 0 && !loops.empty()) {
    const PlanLoop inner = take_last(loops);
    const PlanLoop outer = take_last(loops);
    return nest_of(piece, std::move(loops), *strided, {outer, inner});
  }
  prefer_many_runs(loops, run);
  const PlanLoop inner = take_last(loops);
  Lowered lowered =
      nest_of(piece, std::move(loops), *find_kernel(KernelKind::copy, 1),
              {inner, {run, 1, 1}});
  lowered.nest.zeros = piece.zeros * element_bytes;
  return lowered;
}

Lowered lower_fill(const Piece& piece, std::int64_t element_bytes) {
  std::vector<PlanLoop> loops = piece.loops;
  std::int64_t run = element_bytes;
  if (!loops.empty() && loops.back().dst_stride == run) {
    run *= take_last(loops).count;
  }
  const PlanLoop inner = take_last(loops);
  return nest_of(piece, std::move(loops), *find_kernel(KernelKind::fill, 1),
                 {inner, {run, 0, 1}});
}

}  // namespace stridewise
