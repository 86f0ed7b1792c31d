// The passes that know only loops: products, dropping, ordering, merging.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reorder/planner/problem.hpp"

namespace stridewise {

Result<std::vector<Piece>> product(
    const std::vector<std::vector<Piece>>& factors) {
  std::vector<Piece> all = {Piece{}};
  for (const std::vector<Piece>& factor : factors) {
    if (all.size() * factor.size() > most_pieces) {
      return fail(ErrorCode::unsupported,
                  "the layouts differ in too many irregular blocks at once");
    }
    std::vector<Piece> next;
    next.reserve(all.size() * factor.size());
    for (const Piece& a : all) {
      for (const Piece& b : factor) {
        Piece piece = a;
        piece.src_offset += b.src_offset;
        piece.dst_offset += b.dst_offset;
        piece.loops.insert(piece.loops.end(), b.loops.begin(), b.loops.end());
        next.push_back(std::move(piece));
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<PlanLoop> normalise(std::vector<PlanLoop> loops) {
  std::erase_if(loops, [](const PlanLoop& l) { return l.count == 1; });
  std::ranges::stable_sort(loops, [](const PlanLoop& a, const PlanLoop& b) {
    return a.dst_stride != b.dst_stride ? a.dst_stride > b.dst_stride
                                        : a.src_stride > b.src_stride;
  });
  std::vector<PlanLoop> merged;
  for (const PlanLoop& inner : loops) {
    if (!merged.empty()) {
      PlanLoop& outer = merged.back();
      if (outer.src_stride == inner.src_stride * inner.count &&
          outer.dst_stride == inner.dst_stride * inner.count) {
        outer = {outer.count * inner.count, inner.src_stride, inner.dst_stride};
        continue;
      }
    }
    merged.push_back(inner);
  }
  return merged;
}

}  // namespace stridewise
