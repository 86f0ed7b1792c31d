// What the passes hand each other: nests of loops, and the products of pieces
// that they begin as.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "reorder/kernels/kernel.hpp"
#include "reorder/planner/refine.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {

// The steps of one dim's digits in a layout, in bytes of its whole memory if its
// elements had `element_bytes`.
[[nodiscard]] std::vector<DigitStep> digit_steps(const Layout& layout,
                                                 std::int32_t dim,
                                                 std::int64_t element_bytes);

// Every combination of one piece of each factor: rectangles of a tensor from
// rectangles of its dims. Loops keep the order of the factors.
[[nodiscard]] Result<std::vector<Piece>> product(
    const std::vector<std::vector<Piece>>& factors);

// Sorts so few that std::stable_sort's buffer would cost more; in the order of equals.
template <class T, class Less>
void sort_few(std::vector<T>& some, Less less) {
  for (auto next = some.begin(); next != some.end(); ++next) {
    std::rotate(std::upper_bound(some.begin(), next, *next, less), next,
                std::next(next));
  }
}

// Sorts loops by descending dst stride (src stride where those are equal),
// drops those of one step, and merges each pair of which the outer continues
// the inner on both sides.
[[nodiscard]] std::vector<PlanLoop> normalise(std::vector<PlanLoop> loops);

// Pieces (of which only the dst side means anything) that visit each place of
// `layout` that holds no element once, by runs of elements; loops in bytes.
// nullopt when the layout's digits interleave so that only its inverse tells:
// then places must be asked one by one.
[[nodiscard]] Result<std::optional<std::vector<Piece>>> places_without_element(
    const Layout& layout);

// Hands padding that follows the runs of a move, or rows of those where it is a whole
// number of runs, to that move: what one pass over dst can write needs no second. Removes
// those pieces from `fills`, but for runs of more than `most` zeros. Pre: all loops are
// normalised.
void fuse_padding(std::vector<Piece>& moves, std::vector<Piece>& fills,
                  std::int64_t element_bytes, std::int64_t most);

// The run of zeros that begins there in dst and wherever the loops around it lead, taken
// from `fills`: how many elements, if a multiple of so many and no more than `most`; else
// 0, and nothing is taken.
[[nodiscard]] std::int64_t take_zeros(std::vector<Piece>& fills,
                                      std::int64_t dst_offset,
                                      const std::vector<PlanLoop>& around,
                                      std::int64_t element_bytes,
                                      std::int64_t multiple, std::int64_t most);

// Takes so many iterations of a loop, which is left those that begin such parts.
// Pre: `count` divides loop.count.
[[nodiscard]] inline PlanLoop take_part(PlanLoop& loop, std::int64_t count) {
  const PlanLoop part = {count, loop.src_stride, loop.dst_stride};
  loop = {loop.count / count, loop.src_stride * count, loop.dst_stride * count};
  return part;
}

// The most iterations of so many, up to `most`, that divide them; 1 if `most` is less.
[[nodiscard]] inline std::int64_t most_part(std::int64_t count,
                                            std::int64_t most) {
  std::int64_t taken = std::min(count, most);
  while (taken > 1 && count % taken != 0) --taken;
  return std::max<std::int64_t>(taken, 1);
}

// Takes up to `most` iterations of the loop `next`, which is left the rest, if there is
// one; nullopt where that would be one alone, or where there is no such loop.
[[nodiscard]] inline std::optional<PlanLoop> take_most(
    std::vector<PlanLoop>& loops, std::vector<PlanLoop>::iterator next,
    std::int64_t most) {
  if (next == loops.end()) return std::nullopt;
  const std::int64_t taken = most_part(next->count, most);
  if (taken == 1) return std::nullopt;
  const PlanLoop part = take_part(*next, taken);
  if (next->count == 1) loops.erase(next);
  return part;
}

// What a move is planned for: src and dst in the caches next to a core; in others, or
// stores that go through them; stores that pass by them; or that, and src in memory.
enum class Reach : std::uint8_t { near, caches, streams, memory };

// Bytes of columns that stream wherever they begin in a line (misaligned.hpp).
inline constexpr std::int64_t long_column = 512;

// Chooses the kernel of a piece, and which of its loops the kernel walks.
// Pre: the loops are normalised; `element_bytes` is a width with kernels.
struct Lowered {
  PlanNest nest;  // whose kernel has no name yet
  const Kernel* kernel;
};
[[nodiscard]] Lowered lower_move(const Piece& piece, std::int64_t element_bytes,
                                 Reach reach);
[[nodiscard]] Lowered lower_fill(const Piece& piece,
                                 std::int64_t element_bytes);

// Takes those moves whose columns of up to a line have zeros between their rows, or after
// rows of more than one loop, and these zeros from `fills`. Pre: all loops are normalised.
[[nodiscard]] std::vector<Lowered> take_padded_rows(std::vector<Piece>& moves,
                                                    std::vector<Piece>& fills,
                                                    std::int64_t element_bytes);

// What a byte costs, in what it costs to copy it in the L2 cache: to a kernel; and by
// what each call takes beside it, of a tile of so many bytes and the loops around it.
[[nodiscard]] double cost_of(const Lowered& lowered);
[[nodiscard]] double cost_of_calls(std::span<const PlanLoop> around,
                                   std::int64_t tile_bytes);
[[nodiscard]] double cost_of_calls(const Lowered& lowered);
// The sum of both.
[[nodiscard]] double cost_of_all(const Lowered& lowered);

// A piece as blocks of some KiB, each moved into a dense stage and from
// there to dst.
struct Steps {
  std::vector<PlanLoop> around;  // the blocks, normalised
  std::vector<PlanLoop> block;   // its loops in src and dst
  std::int64_t bytes;            // of a block
  Lowered first;                 // from src, as if dst were the stage
  Lowered second;                // to dst, as if src were the stage
};

// The steps by which a piece moves faster than directly; none where it does not.
// Pre: `direct` is what moves it otherwise.
[[nodiscard]] std::optional<Steps> in_two_steps(const Piece& piece,
                                                const Lowered& direct,
                                                std::int64_t element_bytes,
                                                Reach reach);

// The piece by runs of dst that gather their bytes from many places of src, where
// calls of `direct` move little, and that is faster than it and than `steps`; none
// where it is not. Pre: `steps` are in_two_steps of the same.
[[nodiscard]] std::optional<Lowered> gathered(const Piece& piece,
                                              const Lowered& direct,
                                              const std::optional<Steps>& steps,
                                              std::int64_t element_bytes);

// The piece by blocks that are dense in dst, of as many loops as some vectors hold, which
// are permuted, where that is faster than `direct`; none where it is not.
[[nodiscard]] std::optional<Lowered> permuted_block(const Piece& piece,
                                                    const Lowered& direct,
                                                    std::int64_t element_bytes,
                                                    Reach reach);

// The piece by rows that are groups of a few in src (grouped.hpp), where such a tile
// holds some columns and is no more than `most_bytes`; none where it does not. Pre: the
// loops are normalised.
[[nodiscard]] std::optional<Lowered> grouped(const Piece& piece,
                                             std::int64_t element_bytes,
                                             std::int64_t most_bytes);
// The same from groups in src (ungrouped.hpp).
[[nodiscard]] std::optional<Lowered> ungrouped(const Piece& piece,
                                               std::int64_t element_bytes);

}  // namespace stridewise
