// Files that were dropped onto the page: their bytes stay in the core's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"
#include "stridewise/container.hpp"
#include "stridewise/element.hpp"
#include "stridewise/result.hpp"

namespace stridewise::explorer {

struct File {
  std::string name;
  std::vector<std::byte> bytes;
  // One of raw bytes has one tensor, whose type is not known.
  std::vector<ContainedTensor> tensors;
};

// One tensor of a file, as memory that a layout tells.
struct Dump {
  std::span<const std::byte> bytes;
  ElementType type;
  bool big_endian = false;
  const ContainedTensor* tensor = nullptr;
};

// The file whose number is the word `name`, its tensor number `name`-tensor, of the type
// "dtype" where the file tells none. Errors: no such file, a type that is not told, a tensor
// that is refused.
[[nodiscard]] Result<Dump> dump_of(const Request& request,
                                   std::string_view name);
// The same as the memory of a layout. Error mismatch: it has other bytes than the layout;
// the message says what may be meant.
[[nodiscard]] Result<Dump> dump_of(const Request& request,
                                   std::string_view name, const Layout& layout);

}  // namespace stridewise::explorer
