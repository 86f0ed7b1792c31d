// The meaning of a reorder. Everything faster must equal this.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "stridewise/reorder.hpp"

namespace stridewise {

namespace {

template <class Move>
void for_each_element(const Layout& src, const Layout& dst,
                      const std::byte* src_bytes, std::byte* dst_bytes,
                      Fill fill, Move move) {
  if (fill == Fill::zero) {
    std::fill_n(dst_bytes, dst.size_bytes(), std::byte{0});
  }
  // The two shapes name the same dims, perhaps in another order.
  const Shape& shape = src.shape();
  std::vector<std::size_t> dim_of_dst;
  for (const Dim& dim : dst.shape()) {
    const auto same = std::ranges::find(shape, dim.name, &Dim::name);
    dim_of_dst.push_back(static_cast<std::size_t>(same - shape.begin()));
  }
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::int64_t> dst_index(shape.size(), 0);
  for (std::int64_t e = 0; e < src.elements(); ++e) {
    for (std::size_t k = 0; k < dst_index.size(); ++k) {
      dst_index[k] = index[dim_of_dst[k]];
    }
    move(src_bytes + src.offset(index) * src.element_bytes(),
         dst_bytes + dst.offset(dst_index) * dst.element_bytes());
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d].extent) break;
      index[d] = 0;
    }
  }
}

}  // namespace

void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill) {
  const auto width = static_cast<std::size_t>(dst.element_bytes());
  for_each_element(src, dst, src_bytes, dst_bytes, fill,
                   [=](const std::byte* from, std::byte* to) {
                     std::memcpy(to, from, width);
                   });
}

void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill, const Values& values) {
  for_each_element(src, dst, src_bytes, dst_bytes, fill,
                   [&](const std::byte* from, std::byte* to) {
                     convert_values(values, from, to, 1);
                   });
}

}  // namespace stridewise
