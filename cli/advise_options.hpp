// What `advise` is asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common.hpp"

namespace stridewise::cli {

// Its options, as they are written.
struct AdviseCommand {
  std::string shape;
  std::string dtype;
  std::vector<std::string> families;
  std::string from;
  std::string op = "conv";
  std::string vector;
  std::string box;
  std::vector<std::string> limits;
  std::string weights;
  std::vector<std::string> why;
  std::string machine;
  std::string graph;
  std::string out;
  std::int64_t top = 10;
};

// What they mean.
struct Asked {
  Shape shape;
  ElementType type;
  AdviseOptions options;
  std::optional<LayoutSource> from;
  Catalogue names;
};

// Ends the command where an option is none.
[[nodiscard]] Asked read(const AdviseCommand& command);

}  // namespace stridewise::cli
