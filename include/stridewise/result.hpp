// Errors are values: every function that can fail on its data returns a
// Result<T>, and nothing in the library prints, aborts or throws for bad input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace stridewise {

enum class ErrorCode : std::uint8_t {
  syntax,          // a text does not follow its grammar
  unknown_name,    // no such layout, dim, parameter or element type
  invalid_value,   // a number or parameter outside what its owner allows
  overflow,        // a size or stride that 64 bits cannot hold
  invalid_layout,  // dims not covered, or two elements share a place
  mismatch,        // two things that must agree do not
  unsupported,     // well formed, but outside what the library does
  io,              // the operating system refused
};

// What went wrong, with the offending values in `message` (one line).
// When the fault lies at a place in a text, `text` is that text and `position`
// the byte in it that the caret goes under; else `position` is -1.
struct Error {
  ErrorCode code = ErrorCode::invalid_value;
  std::string message;
  std::string text = {};
  std::int64_t position = -1;

  // The message, and below it the text with a caret where `position` is set.
  [[nodiscard]] std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;

using tl::unexpected;

// An Error without a position, ready to return from any Result function.
[[nodiscard]] unexpected<Error> fail(ErrorCode code, std::string message);

}  // namespace stridewise
