// Where and when something was measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stridewise::cli {

struct Machine {
  std::string cpu;   // the model's name
  int cores;         // that the system shows
  std::string date;  // "2025-01-31"
};

[[nodiscard]] Machine this_machine();

// Memory that can be had without swapping; the largest number where the system
// does not tell.
[[nodiscard]] std::int64_t available_memory_bytes();

}  // namespace stridewise::cli
