// --scale, --zero-point and --scale-dim: what the integers of a side mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common.hpp"

namespace stridewise::cli {

struct ScaleOptions {
  std::string scale;  // a number, or a .npy file of one for each index of `dim`
  std::string zero_point;  // the same
  std::string dim;

  void add_to(Command command);
  [[nodiscard]] bool given() const;
  // As they are to be typed: " --scale 0.05 --zero-point 3".
  [[nodiscard]] std::string words() const;
  // Ends the command where a text is no number and no file of numbers, or where both have
  // another number of them.
  [[nodiscard]] Scales read() const;
  // The scales of the side that is integers. Ends the command where it is both or neither.
  void use_in(DiffOptions& options) const;
};

}  // namespace stridewise::cli
