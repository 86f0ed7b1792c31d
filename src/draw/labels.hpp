// What cells say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

// What an element's label says where that is a number: its offset, the data it holds, or
// its place in logical order. None where its index is told.
[[nodiscard]] std::optional<std::string> number_label(
    const PictureCell& cell, const DrawOptions& options, const Shape& shape,
    std::span<const std::int64_t> index);

// What is told of an element: its index without dims of one, or a number.
class Labels {
 public:
  // Pre: `options` outlives this.
  Labels(const Layout& layout, const DrawOptions& options);

  // Names of the dims whose indices are told.
  [[nodiscard]] std::vector<std::string> dims() const;

  [[nodiscard]] std::string of(const PictureCell& cell) const;

  // Characters of the longest one, about.
  [[nodiscard]] std::int64_t width(const Layout& layout) const;

 private:
  const DrawOptions& options_;
  Shape shape_;
  std::vector<std::size_t> dims_;
};

}  // namespace stridewise::draw
