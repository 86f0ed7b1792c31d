// SPDX-License-Identifier: Apache-2.0
#include "bench/rectangles.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace stridewise::cli {
namespace {

// Indices first, first + step, ... of one dim: `count` of them.
struct Run {
  std::int64_t step, count;
};

// Some indices of a dim: all combinations of its runs, from `first` on.
struct Piece {
  std::int64_t first;
  std::vector<Run> runs;
};

// A layout, and where the dims of the other layout stand in its shape.
struct Side {
  const Layout& layout;
  std::vector<std::size_t> dim_of;

  Side(const Layout& l, const Shape& shape) : layout(l) {
    for (const Dim& dim : shape) {
      const auto at = std::ranges::find(l.shape(), dim.name, &Dim::name);
      dim_of.push_back(static_cast<std::size_t>(at - l.shape().begin()));
    }
  }

  // How far index `x` of a dim alone is from the first element.
  [[nodiscard]] std::int64_t distance(std::size_t dim, std::int64_t x) const {
    std::vector<std::int64_t> index(dim_of.size(), 0);
    const std::int64_t origin = layout.offset(index);
    index[dim_of[dim]] = x;
    return layout.offset(index) - origin;
  }
};

// Where digits of the dim on either side step or wrap, ascending from 1; each
// divides the next, or there is no answer.
std::optional<std::vector<std::int64_t>> steps_of(
    std::size_t dim, const std::vector<const Side*>& sides) {
  std::vector<std::int64_t> steps = {1};
  for (const Side* side : sides) {
    for (const BoundTerm& term : side->layout.terms()) {
      if (static_cast<std::size_t>(term.dim) != side->dim_of[dim]) continue;
      if (term.bias != 0) return std::nullopt;
      steps.push_back(term.div);
      if (term.mod != 0) steps.push_back(term.div * term.mod);
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  for (std::size_t k = 1; k < steps.size(); ++k) {
    if (steps[k] % steps[k - 1] != 0) return std::nullopt;
  }
  return steps;
}

// 0 .. extent-1 as pieces: 67 by steps 1, 4, 16 is 4 x 4 x 4 and 3.
std::vector<Piece> pieces_of(std::int64_t extent,
                             const std::vector<std::int64_t>& steps) {
  std::vector<Piece> pieces;
  std::int64_t first = 0;
  for (std::size_t k = steps.size(); k-- > 0;) {
    const std::int64_t count = (extent - first) / steps[k];
    if (count == 0) continue;
    Piece piece{first, {{steps[k], count}}};
    for (std::size_t j = k; j-- > 0;) {
      piece.runs.push_back({steps[j], steps[j + 1] / steps[j]});
    }
    pieces.push_back(std::move(piece));
    first += count * steps[k];
  }
  return pieces;
}

Rectangle with(const Rectangle& rectangle, const Piece& piece, std::size_t dim,
               const Side& src, const Side& dst) {
  Rectangle result = rectangle;
  result.src_offset += src.distance(dim, piece.first);
  result.dst_offset += dst.distance(dim, piece.first);
  for (const Run& run : piece.runs) {
    if (run.count == 1) continue;
    result.loops.push_back({run.count,
                            src.distance(dim, piece.first + run.step) -
                                src.distance(dim, piece.first),
                            dst.distance(dim, piece.first + run.step) -
                                dst.distance(dim, piece.first)});
  }
  return result;
}

}  // namespace

std::optional<std::vector<Rectangle>> rectangles(const Layout& src,
                                                 const Layout& dst) {
  const Shape& shape = src.shape();
  const Side from(src, shape);
  const Side to(dst, shape);
  const std::vector<std::int64_t> origin(shape.size(), 0);
  std::vector<Rectangle> all = {{src.offset(origin), dst.offset(origin), {}}};
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto steps = steps_of(dim, {&from, &to});
    if (!steps) return std::nullopt;
    std::vector<Rectangle> longer;
    for (const Rectangle& rectangle : all) {
      for (const Piece& piece : pieces_of(shape[dim].extent, *steps)) {
        longer.push_back(with(rectangle, piece, dim, from, to));
      }
    }
    all = std::move(longer);
  }
  for (Rectangle& rectangle : all) {
    std::ranges::stable_sort(rectangle.loops, std::ranges::greater{},
                             &StridedLoop::dst_stride);
  }
  return all;
}

}  // namespace stridewise::cli
