// The meaning of a reorder. Everything faster must equal this. It asks of each element
// where it lies; where elements are no whole bytes or lie in more places than one, it asks
// of each bit of dst what lies there.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "layout/piece.hpp"
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

bool bit_at(const std::byte* memory, std::int64_t bit) {
  return (static_cast<unsigned>(memory[bit / 8]) >> (bit % 8) & 1U) != 0;
}

void set_bit(std::byte* memory, std::int64_t bit, bool value) {
  const auto mask = static_cast<std::byte>(1U << (bit % 8));
  memory[bit / 8] = value ? memory[bit / 8] | mask : memory[bit / 8] & ~mask;
}

// Bits of the element that `index` of src has, as what dst is to hold.
std::vector<std::byte> code_of(const Layout& src, const Layout& dst,
                               std::span<const std::int64_t> index,
                               const std::byte* src_bytes,
                               const Values* values) {
  std::vector<std::byte> code(static_cast<std::size_t>(src.element_bytes()));
  for (std::int64_t bit = 0; bit < src.element_bits(); ++bit) {
    set_bit(code.data(), bit, bit_at(src_bytes, src.bit_of(index, bit)));
  }
  if (values == nullptr) return code;
  std::vector<std::byte> changed(static_cast<std::size_t>(dst.element_bytes()));
  convert_values(*values, code.data(), changed.data(), 1);
  return changed;
}

void for_each_bit(const Layout& src, const Layout& dst,
                  const std::byte* src_bytes, std::byte* dst_bytes, Fill fill,
                  const Values* values) {
  std::vector<std::int64_t> index(detail::max_dims);
  for (std::int64_t bit = 0; bit < dst.size_bits(); ++bit) {
    const Found found = dst.find(bit, index);
    if (found.place != Place::element || found.tensor != dst.tensor()) {
      if (fill == Fill::zero) set_bit(dst_bytes, bit, false);
      continue;
    }
    std::vector<std::int64_t> of_src;
    for (const Dim& dim : src.shape()) {
      const auto same = std::ranges::find(dst.shape(), dim.name, &Dim::name);
      of_src.push_back(
          index[static_cast<std::size_t>(same - dst.shape().begin())]);
    }
    const auto code = code_of(src, dst, of_src, src_bytes, values);
    set_bit(dst_bytes, bit, bit_at(code.data(), found.bit));
  }
}

bool by_elements(const Layout& src, const Layout& dst) {
  return src.plain() && dst.plain() && src.element_bits() % 8 == 0 &&
         dst.element_bits() % 8 == 0;
}

}  // namespace

void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill) {
  if (!by_elements(src, dst)) {
    return for_each_bit(src, dst, src_bytes, dst_bytes, fill, nullptr);
  }
  const auto width = static_cast<std::size_t>(dst.element_bytes());
  for_each_element(src, dst, src_bytes, dst_bytes, fill,
                   [=](const std::byte* from, std::byte* to) {
                     std::memcpy(to, from, width);
                   });
}

void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill, const Values& values) {
  if (!by_elements(src, dst)) {
    return for_each_bit(src, dst, src_bytes, dst_bytes, fill, &values);
  }
  for_each_element(src, dst, src_bytes, dst_bytes, fill,
                   [&](const std::byte* from, std::byte* to) {
                     convert_values(values, from, to, 1);
                   });
}

}  // namespace stridewise
