// SPDX-License-Identifier: Apache-2.0
#include "inspect/sizes.hpp"

#include <fmt/format.h>

namespace stridewise {

Result<void> inspect::check_bytes(const Layout& layout,
                                  std::span<const std::byte> bytes,
                                  const ElementType& type,
                                  std::string_view name) {
  if (!layout.valid()) return unexpected(*layout.defect());
  if (layout.element_bytes() != type.bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: a layout of elements of {} bytes and type {}",
                            name, layout.element_bytes(), type.name));
  }
  if (static_cast<std::int64_t>(bytes.size()) != layout.size_bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} has {} bytes, its layout {}", name,
                            bytes.size(), layout.size_bytes()));
  }
  return {};
}

}  // namespace stridewise
