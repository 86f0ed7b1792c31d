// Files that were dropped onto the page: their bytes stay in the core's memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"
#include "stridewise/container.hpp"
#include "stridewise/element.hpp"
#include "stridewise/io.hpp"
#include "stridewise/result.hpp"

namespace stridewise::explorer {

struct Released {
  void operator()(std::byte* memory) const { std::free(memory); }
};

struct File {
  std::string name;
  // As stridewise_allocate() gave it; elements of arrays are little-endian here.
  std::unique_ptr<std::byte, Released> memory;
  std::size_t size = 0;
  // One of raw bytes has one tensor, whose type is not known.
  std::vector<ContainedTensor> tensors;
};

// An array in Fortran order has its dims in the order of memory: "d1 d0".
[[nodiscard]] ToldTensor told_of(const ContainedTensor& tensor);

// One tensor of a file.
struct Dump {
  std::span<const std::byte> bytes;
  ElementType type;
  const ContainedTensor* tensor = nullptr;
};

// The file whose number is the word `name`, its tensor number `name`-tensor, of the type
// `type_name`, or else of what the file tells, or else of the word "dtype". Errors: no such
// file, a type that is not told or that only x87 processors know, a tensor that is refused.
[[nodiscard]] Result<Dump> dump_of(const Request& request,
                                   std::string_view name,
                                   std::string_view type_name = {});
// The same as the memory of a layout, of the type of its part or of the word "dtype"; `type`
// where nothing tells one. Error mismatch: it has other bytes than the layout, or its
// elements another width; the message says what may be meant.
[[nodiscard]] Result<Dump> dump_of(const Request& request,
                                   std::string_view name, const Layout& layout,
                                   const ElementType& type);

}  // namespace stridewise::explorer
