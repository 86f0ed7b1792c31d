// The bytes of tables that kernels read with each call (Kernel::table_of).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace stridewise {
// Local to what includes it: kernels compile it with their own flags.
namespace {

template <class T, std::size_t size>
void append(std::vector<std::byte>& table, std::span<T, size> values) {
  const auto bytes = std::as_bytes(values);
  table.insert(table.end(), bytes.begin(), bytes.end());
}

// A number of a table: copying the structure that it is a member of takes longer.
inline std::int64_t number_at(const std::byte* table) {
  std::int64_t number;  // NOLINT: set below
  std::memcpy(&number, table, sizeof(number));
  return number;
}

}  // namespace
}  // namespace stridewise
