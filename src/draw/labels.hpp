// What cells say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stridewise/draw.hpp"

namespace stridewise::draw {

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
