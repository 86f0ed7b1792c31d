// One function a dialect: a layout -> a text that may say it. print.cpp reads each again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stridewise/dialect.hpp"

namespace stridewise::dialects {

// The error of all: unsupported, with what the dialect has no words for.
[[nodiscard]] inline unexpected<Error> cannot(std::string message) {
  return fail(ErrorCode::unsupported, std::move(message));
}

// oneDNN, TVM, OpenVINO.
[[nodiscard]] Result<std::string> print_letters(const Layout& layout,
                                                Dialect dialect);
[[nodiscard]] Result<std::string> print_xla(const Layout& layout);
[[nodiscard]] Result<std::string> print_cute(const Layout& layout);
[[nodiscard]] Result<std::string> print_tirx(const Layout& layout);
// NumPy and torch.
[[nodiscard]] Result<std::string> print_strides(const Layout& layout,
                                                Dialect dialect);

// The same layout without its fused index, where all digits of that are digits of its dims;
// else the layout itself.
[[nodiscard]] Layout unfused(const Layout& layout);

// The digits of a layout of one piece, in its order, those of one value left out.
struct PrintedDigit {
  std::size_t dim = 0;  // of the shape; unused where copies > 0
  std::int64_t div = 1, mod = 0, extent = 1, stride_bits = 0;
  std::int32_t axis = 0;
  std::int64_t copies = 0;  // not 0: no digit
};
// Errors: several pieces, twists, tables and other digits that are more than plain.
[[nodiscard]] Result<std::vector<PrintedDigit>> digits_of(const Layout& layout);

}  // namespace stridewise::dialects
