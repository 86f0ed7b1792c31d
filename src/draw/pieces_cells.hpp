// What a cell of a layout that is more than plain digits shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "draw/colour.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::draw {

// The tensors of a memory that are drawn.
struct PiecedTensors {
  std::vector<Layout> parts = {};  // one a tensor
  std::vector<bool> bitwise = {};  // whether cells are of its bits
  bool several = false;            // no tensor is chosen: all are drawn
  std::int64_t unit = 1;           // bits of a cell
};

class PiecedCells {
 public:
  PiecedCells(const Layout& layout, const DrawOptions& options,
              const PiecedTensors& tensors, const Colouring& colouring,
              const Picture& picture)
      : layout_(layout),
        options_(options),
        tensors_(tensors),
        colouring_(colouring),
        picture_(picture) {}

  // The words, label, value and colour of an element's cell.
  void element(const Found& found, std::span<const std::int64_t> index,
               PictureCell& cell) const;
  // Padding that is not zero is told: whether it is so.
  bool padding(std::int64_t bit, PictureCell& cell) const;

 private:
  [[nodiscard]] std::string label(const PictureCell& cell,
                                  const std::string& numbers, std::size_t t,
                                  std::span<const std::int64_t> index) const;
  // The number that the element's bits are.
  [[nodiscard]] std::string value(std::size_t t,
                                  std::span<const std::int64_t> index) const;

  const Layout& layout_;
  const DrawOptions& options_;
  const PiecedTensors& tensors_;
  const Colouring& colouring_;
  const Picture& picture_;
};

}  // namespace stridewise::draw
