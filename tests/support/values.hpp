// What the tests of values share: the reference over vectors, and every
// converter against it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/kernels/tile.hpp"
#include "reorder/values/converter.hpp"
#include "stridewise/values.hpp"

namespace stridewise::testing {

inline Values values_of(std::string_view src, std::string_view dst,
                        Quantisation quantisation = {}) {
  return {parse_element_type(src).value(), parse_element_type(dst).value(),
          quantisation};
}

// By the reference.
template <class Dst, class Src>
std::vector<Dst> convert(const Values& values, const std::vector<Src>& src) {
  std::vector<Dst> dst(src.size());
  convert_values(values, reinterpret_cast<const std::byte*>(src.data()),
                 reinterpret_cast<std::byte*>(dst.data()),
                 static_cast<std::int64_t>(src.size()));
  return dst;
}

// One run, with the stores of the caches or those that pass by them.
inline void run(const Converter& converter, bool streams, const ValueRuns& runs,
                const Quantisation& quantisation = {}) {
  (streams ? converter.stream : converter.run)(runs, quantisation);
  if (streams) engine::stream_fence();
}

// Every converter of the pair gives what the reference gives.
template <class Dst, class Src>
void expect_converters_agree(const Values& values,
                             const std::vector<Src>& src) {
  const std::vector<Dst> expected = convert<Dst>(values, src);
  std::vector<Dst> dst(src.size());
  for (const Converter& converter : converters()) {
    if (converter.src != values.src.name || converter.dst != values.dst.name) {
      continue;
    }
    for (const bool streams : {false, true}) {
      if (streams && converter.stream == nullptr) continue;
      std::ranges::fill(dst, Dst{});
      run(converter, streams,
          {reinterpret_cast<const std::byte*>(src.data()),
           reinterpret_cast<std::byte*>(dst.data()),
           static_cast<std::int64_t>(src.size()), 1, 0, 0},
          values.quantisation);
      for (std::size_t k = 0; k < src.size(); ++k) {
        ASSERT_EQ(std::memcmp(&dst[k], &expected[k], sizeof(Dst)), 0)
            << converter.name << " of " << +src[k] << " gives " << +dst[k]
            << ", not " << +expected[k] << "; scale "
            << values.quantisation.scale << ", zero point "
            << values.quantisation.zero_point;
      }
    }
  }
}

}  // namespace stridewise::testing
