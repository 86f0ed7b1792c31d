// Random pairs of layouts of one tensor, of the whole grammar.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "stridewise/reorder.hpp"
#include "support/grammar.hpp"

namespace stridewise::testing {

struct Pair {
  Shape shape;
  RandomLayout src, dst;
  Fill fill;

  [[nodiscard]] std::string to_string() const {
    return fmt::format("{} -> {} of {}, {} bits{}", src.text, dst.text,
                       print(shape), src.layout.element_bits(),
                       fill == Fill::keep ? ", kept" : "");
  }
};

inline constexpr std::int64_t most_pair_bits = 1 << 21;

// Mostly small. Of every tenth the rows are as long as those that vectors are for, and of
// every fiftieth there is so much that plans move it by blocks.
inline Shape random_extents() {
  const std::int64_t kind = in_range(0, 49);
  const std::int64_t most = kind == 0 ? 30000 : kind <= 5 ? 6000 : 400;
  const std::int64_t rank = in_range(kind == 0 ? 2 : 1, kind == 0 ? 3 : 5);
  Shape shape;
  std::int64_t elements = 1;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t room = std::max<std::int64_t>(most / elements, 1);
    const std::int64_t extent =
        in_range(1, std::min<std::int64_t>(room, kind <= 5 ? 300 : 20));
    shape.push_back({std::string(1, static_cast<char>('a' + d)), extent});
    elements *= extent;
  }
  return shape;
}

inline std::optional<RandomLayout> random_plain_layout(const Shape& shape,
                                                       std::int64_t bits) {
  const Layout layout = random_valid_layout(shape, bits / 8);
  return RandomLayout{print(layout.expression()), Binding{.element_bits = bits},
                      layout};
}

// nullopt where the draw gives no pair.
inline std::optional<Pair> random_pair() {
  static constexpr auto widths = std::to_array<std::int64_t>(
      {1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 12, 16, 16, 24, 32, 32, 48, 64, 128});
  const std::int64_t bits = widths[static_cast<std::size_t>(
      in_range(0, static_cast<std::int64_t>(widths.size()) - 1))];
  const Shape shape = random_extents();
  // What the engine is for, of every second pair.
  const bool plain = bits % 8 == 0 && in_range(0, 1) == 0;
  const auto draw = [&] {
    return plain ? random_plain_layout(shape, bits)
                 : random_layout(shape, bits);
  };
  auto src = draw();
  auto dst = draw();
  if (!src || !dst || !dst->layout.valid()) return std::nullopt;
  if (src->layout.size_bits() > most_pair_bits ||
      dst->layout.size_bits() > most_pair_bits) {
    return std::nullopt;
  }
  return Pair{shape, *std::move(src), *std::move(dst),
              in_range(0, 1) == 0 ? Fill::zero : Fill::keep};
}

}  // namespace stridewise::testing
