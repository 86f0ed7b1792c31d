// The meaning of a reorder. Everything faster must equal this. It asks of each element
// where it lies; where elements are no whole bytes or lie in more places than one, it asks
// of each bit of dst what lies there. It allocates nothing: plans that get no memory end here.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/expects.hpp"
#include "layout/piece.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {

namespace {

using Index = std::array<std::int64_t, detail::max_dims>;

[[maybe_unused]] bool are_one_tensor(const Layout& src, const Layout& dst) {
  return !src.unreadable() && dst.valid() &&
         src.shape().size() == dst.shape().size() &&
         std::ranges::all_of(src.shape(), [&](const Dim& dim) {
           return std::ranges::find(dst.shape(), dim) != dst.shape().end();
         });
}

// Of each dim of `shape`, which dim of `other` has its name: the two name the same ones.
using Dims = std::array<std::size_t, detail::max_dims>;
Dims dims_in(const Shape& shape, const Shape& other) {
  Dims dims = {};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto same = std::ranges::find(other, shape[d].name, &Dim::name);
    dims[d] = static_cast<std::size_t>(same - other.begin());
  }
  return dims;
}

std::span<std::int64_t> reordered(const Index& index, const Dims& dims,
                                  std::size_t count, Index& storage) {
  for (std::size_t d = 0; d < count; ++d) storage[d] = index[dims[d]];
  return std::span(storage).first(count);
}

template <class Move>
void for_each_element(const Layout& src, const Layout& dst,
                      const std::byte* src_bytes, std::byte* dst_bytes,
                      Fill fill, Move move) {
  if (fill == Fill::zero) {
    std::fill_n(dst_bytes, dst.size_bytes(), std::byte{0});
  }
  const Shape& shape = src.shape();
  const Dims dims = dims_in(dst.shape(), shape);
  Index index = {}, of_dst = {};
  for (std::int64_t e = 0; e < src.elements(); ++e) {
    const auto at = std::span<const std::int64_t>(index).first(shape.size());
    const auto to = reordered(index, dims, shape.size(), of_dst);
    move(src_bytes + src.offset(at) * src.element_bytes(),
         dst_bytes + dst.offset(to) * dst.element_bytes());
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

// The bit of what the element that `index` of src has becomes.
bool changed_bit(const Layout& src, std::span<const std::int64_t> index,
                 const std::byte* src_bytes, const Values& values,
                 std::int64_t bit) {
  // Types whose values change have 64 bits at most.
  std::array<std::byte, 16> code = {}, changed = {};
  for (std::int64_t b = 0; b < src.element_bits(); ++b) {
    set_bit(code.data(), b, bit_at(src_bytes, src.bit_of(index, b)));
  }
  convert_values(values, code.data(), changed.data(), 1);
  return bit_at(changed.data(), bit);
}

void for_each_bit(const Layout& src, const Layout& dst,
                  const std::byte* src_bytes, std::byte* dst_bytes, Fill fill,
                  const Values* values) {
  const Dims dims = dims_in(src.shape(), dst.shape());
  Index index = {}, storage = {};
  for (std::int64_t bit = 0; bit < dst.size_bits(); ++bit) {
    const Found found = dst.find(bit, index);
    if (found.place != Place::element || found.tensor != dst.tensor()) {
      if (fill == Fill::zero) set_bit(dst_bytes, bit, false);
      continue;
    }
    const auto at = reordered(index, dims, src.shape().size(), storage);
    set_bit(dst_bytes, bit,
            values == nullptr
                ? bit_at(src_bytes, src.bit_of(at, found.bit))
                : changed_bit(src, at, src_bytes, *values, found.bit));
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
  STRIDEWISE_EXPECTS(fill <= Fill::keep, "reorder_reference: a valid Fill");
  STRIDEWISE_EXPECTS(are_one_tensor(src, dst),
                     "reorder_reference: src that can be read and a valid dst, "
                     "of the same dims");
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
  STRIDEWISE_EXPECTS(fill <= Fill::keep, "reorder_reference: a valid Fill");
  if (values.src == values.dst) {
    return reorder_reference(src, dst, src_bytes, dst_bytes, fill);
  }
  if (!by_elements(src, dst)) {
    return for_each_bit(src, dst, src_bytes, dst_bytes, fill, &values);
  }
  for_each_element(src, dst, src_bytes, dst_bytes, fill,
                   [&](const std::byte* from, std::byte* to) {
                     convert_values(values, from, to, 1);
                   });
}

}  // namespace stridewise
