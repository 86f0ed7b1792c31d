// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/codes.hpp"

#include <cstddef>

#include "reorder/values/converter.hpp"

namespace stridewise::detail {
namespace {

using engine::ByteMap;

// A map that is `code` of each x less than `count`, in the bits of `mask`.
template <class Code>
std::optional<ByteMap> map_of(unsigned count, unsigned mask, Code code) {
  for (const unsigned sign : {0U, count / 2, 128U}) {
    // By the order of x ^ sign, which signed codes have.
    const auto at = [&](unsigned y) { return code(y ^ sign); };
    unsigned low = 0, high = count - 1;
    while (low < high && at(low) == at(low + 1)) ++low;
    while (high > low && at(high) == at(high - 1)) --high;
    if (high == count - 1) high = 255;
    const ByteMap map = {
        static_cast<std::uint8_t>(sign), static_cast<std::uint8_t>(low),
        static_cast<std::uint8_t>(high), static_cast<std::uint8_t>(sign)};
    bool same = true;
    for (unsigned x = 0; x < count && same; ++x) {
      same = (map.of(x) & mask) == code(x);
    }
    if (same) return map;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Codes> codes_of(const Values& values) {
  Codes codes{values.src.bits, values.dst.bits};
  if (!changes_width(values) || codes.src_bits > 8 || codes.dst_bits > 8) {
    return std::nullopt;
  }
  const unsigned mask = (1U << codes.dst_bits) - 1;
  const auto map = map_of(1U << codes.src_bits, mask, [&](unsigned x) {
    const auto before = static_cast<std::byte>(x);
    std::byte after{};
    convert_values(values, &before, &after, 1);
    return static_cast<unsigned>(after) & mask;
  });
  if (!map) return std::nullopt;
  if (codes.dst_bits == 8) {
    codes.after = *map;
  } else if (codes.src_bits == 8) {
    codes.before = *map;
  } else {
    return std::nullopt;
  }
  return codes;
}

}  // namespace stridewise::detail
