// Devices that conversions may run on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "stridewise/io.hpp"

namespace stridewise::cli {

struct Mover {
  std::string device;  // its name
  std::function<Result<void>(const ConvertJob&)> move;
  // What held both sides, once it has moved: "buffer to image".
  std::shared_ptr<std::string> storage = std::make_shared<std::string>();
};

// What moves a file's bytes on the device that `text` names: "opencl",
// "opencl:1". Throws Failure where there is none.
[[nodiscard]] Mover mover_on(const std::string& text, Fill fill);

}  // namespace stridewise::cli
