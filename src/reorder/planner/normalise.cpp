// The passes that know only loops: products, dropping, ordering, merging.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "reorder/planner/pieces.hpp"

namespace stridewise {
namespace {

// Makes of a piece each of its combinations with another's.
void append(Piece& piece, const Piece& other) {
  piece.src_offset += other.src_offset;
  piece.dst_offset += other.dst_offset;
  piece.loops.insert(piece.loops.end(), other.loops.begin(), other.loops.end());
}

// Sorts so few that std::stable_sort's buffer would cost more; in the order of equals.
template <class T, class Less>
void sort_few(std::vector<T>& some, Less less) {
  for (auto next = some.begin(); next != some.end(); ++next) {
    std::rotate(std::upper_bound(some.begin(), next, *next, less), next,
                std::next(next));
  }
}

}  // namespace

Result<std::vector<Piece>> product(
    const std::vector<std::vector<Piece>>& factors) {
  std::vector<Piece> all(1);
  for (const std::vector<Piece>& factor : factors) {
    // Most dims are one piece.
    if (factor.size() == 1) {
      for (Piece& piece : all) append(piece, factor.front());
      continue;
    }
    if (all.size() * factor.size() > most_pieces) {
      return fail(ErrorCode::unsupported,
                  "the layouts differ in too many irregular blocks at once");
    }
    std::vector<Piece> next;
    next.reserve(all.size() * factor.size());
    for (const Piece& a : all) {
      for (const Piece& b : factor) {
        append(next.emplace_back(a), b);
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<PlanLoop> normalise(std::vector<PlanLoop> loops) {
  std::erase_if(loops, [](const PlanLoop& l) { return l.count == 1; });
  sort_few(loops, [](const PlanLoop& a, const PlanLoop& b) {
    return a.dst_stride != b.dst_stride ? a.dst_stride > b.dst_stride
                                        : a.src_stride > b.src_stride;
  });
  if (loops.empty()) return loops;
  auto outer = loops.begin();
  for (auto inner = std::next(outer); inner != loops.end(); ++inner) {
    if (outer->src_stride == inner->src_stride * inner->count &&
        outer->dst_stride == inner->dst_stride * inner->count) {
      inner->count *= outer->count;
      *outer = *inner;
    } else {
      *++outer = *inner;
    }
  }
  loops.erase(std::next(outer), loops.end());
  return loops;
}

void give_width(Piece& piece, std::int64_t from, std::int64_t to) {
  piece.dst_offset = piece.dst_offset / from * to;
  for (PlanLoop& loop : piece.loops) {
    loop.dst_stride = loop.dst_stride / from * to;
  }
}

}  // namespace stridewise
