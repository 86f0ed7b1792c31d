// SPDX-License-Identifier: Apache-2.0
#include "infer/partial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "infer/sample.hpp"

namespace stridewise::inference {
namespace {

// A layout that chance might give once in a thousand dumps is none.
constexpr double bits_beyond_chance = 10;

// How often two elements are equal, in bits: the collision entropy of the values.
double bits_of_value(const InferData& data, std::int64_t elements) {
  constexpr std::int64_t most = 4096;
  const std::vector<std::uint64_t> keys = sorted_keys(data, elements, most);
  double equal_pairs = 0;
  for (std::size_t first = 0; first < keys.size();) {
    const auto end = std::ranges::upper_bound(keys, keys[first]);
    const double run =
        static_cast<double>(end - keys.begin()) - static_cast<double>(first);
    equal_pairs += run * (run - 1) / 2;
    first = static_cast<std::size_t>(end - keys.begin());
  }
  if (equal_pairs == 0) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(keys.size());
  return std::log2(count * (count - 1) / 2 / equal_pairs);
}

}  // namespace

bool enough_present(const InferData& data, const Layout& layout,
                    std::int64_t elements, std::int64_t present) {
  const double bits_of_place =
      std::log2(1 + static_cast<double>(data.dump_bytes()) /
                        static_cast<double>(data.width()));
  const double bits_of_element =
      std::min(bits_of_place, bits_of_value(data, elements));
  const auto numbers =
      1 + std::ranges::count_if(layout.shape(),
                                [](const Dim& dim) { return dim.extent > 1; });
  return static_cast<double>(present) * bits_of_element >
         static_cast<double>(numbers) * bits_of_place + bits_beyond_chance;
}

}  // namespace stridewise::inference
