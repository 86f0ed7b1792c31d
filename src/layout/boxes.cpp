// SPDX-License-Identifier: Apache-2.0
#include "layout/boxes.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace stridewise {
namespace {

// The largest step that a dim takes, in elements.
double reach(const Layout& layout, std::size_t d) {
  double reach = 1;
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim == static_cast<std::int32_t>(d) && term.extent > 1) {
      reach = std::max(reach, static_cast<double>(term.flat_stride));
    }
  }
  return reach;
}

// Halves the extents of a box until it is small enough.
std::vector<std::int64_t> box_extents(const Layout& a, const Layout& b,
                                      std::int64_t most) {
  const Shape& shape = a.shape();
  std::vector<std::int64_t> extents;
  std::vector<double> far;
  std::int64_t count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    extents.push_back(shape[d].extent);
    far.push_back(reach(a, d) * reach(b, d));
    count *= shape[d].extent;
  }
  while (count > most) {
    std::size_t best = shape.size();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (extents[d] > 1 && (best == shape.size() || far[d] > far[best])) {
        best = d;
      }
    }
    if (best == shape.size()) break;
    count /= extents[best];
    // Whole blocks where there is room: most are powers of two.
    std::int64_t half = ceil_div(extents[best], 2);
    if (half > 64) half = ceil_div(half, 64) * 64;
    extents[best] = half;
    count *= half;
  }
  return extents;
}

}  // namespace

std::vector<Box> boxes_of(const Layout& a, const Layout& b, std::int64_t most) {
  const Shape& shape = a.shape();
  const std::vector<std::int64_t> extents = box_extents(a, b, most);
  std::vector<Box> boxes;
  std::vector<std::int64_t> begin(shape.size(), 0);
  if (a.elements() == 0) return boxes;
  for (;;) {
    Box box{begin, shape};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      box.shape[d].extent = std::min(extents[d], shape[d].extent - begin[d]);
    }
    boxes.push_back(std::move(box));
    std::size_t d = shape.size();
    while (d > 0) {
      --d;
      begin[d] += extents[d];
      if (begin[d] < shape[d].extent) break;
      begin[d] = 0;
      if (d == 0) return boxes;
    }
    if (shape.empty()) return boxes;
  }
}

}  // namespace stridewise
