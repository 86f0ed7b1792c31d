// Tensors in two layouts for tests of what diff() and check_memory() say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/generators.hpp"

namespace stridewise::inspect_test {

using Bytes = std::vector<std::byte>;
using Index = std::vector<std::int64_t>;

inline const ElementType f32 = *parse_element_type("f32");
inline const ElementType s8 = *parse_element_type("s8");

inline Layout layout_of(const std::string& text, const std::string& shape,
                        const ElementType& type = f32) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape(shape, source.dims), type.bytes());
}

template <class T>
void put(Bytes& memory, const Layout& layout, const Index& x, T value) {
  std::memcpy(memory.data() + layout.offset(x) * layout.element_bytes(), &value,
              sizeof value);
}

// A tensor of random numbers in its layout; padding is zero.
inline Bytes random_tensor(const Layout& layout,
                           const ElementType& type = f32) {
  Bytes memory(static_cast<std::size_t>(layout.size_bytes()));
  std::mt19937 random(7);
  testing::for_each_index(layout.shape(), [&](const Index& x) {
    if (type == f32) {
      put(memory, layout, x,
          static_cast<float>(static_cast<int>(random() % 100000) + 1));
    } else {
      put(memory, layout, x, static_cast<std::int8_t>(random() % 255 - 127));
    }
  });
  return memory;
}

inline Bytes moved(const Layout& from, const Layout& to, const Bytes& memory) {
  Bytes out(static_cast<std::size_t>(to.size_bytes()));
  reorder_reference(from, to, memory.data(), out.data());
  return out;
}

inline DiffReport differ(const Layout& a, const Bytes& a_bytes, const Layout& b,
                         const Bytes& b_bytes, const ElementType& type = f32,
                         const Tolerance& tolerance = {}) {
  const Result<DiffReport> report =
      diff(a, a_bytes, b, b_bytes, DiffOptions{type, tolerance, {}});
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

// A reference in logical order, and the right dump of it.
struct Pair {
  Layout logical;
  Layout layout;
  Bytes reference;
  Bytes dump;

  [[nodiscard]] DiffReport report(const ElementType& type = f32) const {
    return differ(layout, dump, logical, reference, type);
  }
};

inline Pair pair_of(const std::string& text, const std::string& shape,
                    const std::string& logical = "nchw",
                    const ElementType& type = f32) {
  Pair pair{
      layout_of(logical, shape, type), layout_of(text, shape, type), {}, {}};
  pair.reference = random_tensor(pair.logical, type);
  pair.dump = moved(pair.logical, pair.layout, pair.reference);
  return pair;
}

}  // namespace stridewise::inspect_test
