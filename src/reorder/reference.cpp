// The meaning of a reorder. Everything faster must equal this.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "stridewise/reorder.hpp"

namespace stridewise {

void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill) {
  const auto width = static_cast<std::size_t>(dst.element_bytes());
  if (fill == Fill::zero) {
    for (std::int64_t k = 0; k < dst.size_bytes(); ++k) {
      dst_bytes[k] = std::byte{0};
    }
  }
  // The two shapes name the same dims, perhaps in another order.
  const Shape& shape = src.shape();
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::int64_t> dst_index(shape.size(), 0);
  for (std::int64_t e = 0; e < src.elements(); ++e) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (std::size_t k = 0; k < shape.size(); ++k) {
        if (dst.shape()[k].name == shape[d].name) dst_index[k] = index[d];
      }
    }
    std::memcpy(dst_bytes + dst.offset(dst_index) * dst.element_bytes(),
                src_bytes + src.offset(index) * src.element_bytes(), width);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d].extent) break;
      index[d] = 0;
    }
  }
}

}  // namespace stridewise
