// Codes of elements that change only their width, as maps of whole bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/kernels/program_table.hpp"
#include "stridewise/values.hpp"

namespace stridewise::detail {

// How the codes of elements change, as maps of whole bytes.
struct Codes {
  std::int64_t src_bits = 0;  // of an element; 0: all that a field has
  std::int64_t dst_bits = 0;
  engine::ByteMap before = {};
  engine::ByteMap after = {};
};

// Nothing where no side has whole bytes, or where more than widths changes.
[[nodiscard]] std::optional<Codes> codes_of(const Values& values);

}  // namespace stridewise::detail
