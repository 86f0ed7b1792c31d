// SPDX-License-Identifier: Apache-2.0
#include "stridewise/result.hpp"

#include <algorithm>
#include <utility>

namespace stridewise {
namespace {

// A caret that is 10,000 columns away helps nobody: long texts are shown as a
// window around the fault.
constexpr std::int64_t window_before = 50;
constexpr std::int64_t window_after = 25;

}  // namespace

std::string Error::to_string() const {
  if (position < 0) return message;
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t at = std::min(position, size);
  const std::int64_t begin =
      at > window_before + 3 ? at - window_before : std::int64_t{0};
  const std::int64_t end =
      size - at > window_after + 3 ? at + window_after : size;
  std::string shown = text.substr(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(end - begin));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  std::int64_t caret = at - begin;
  if (begin > 0) {
    shown.insert(0, "...");
    caret += 3;
  }
  if (end < size) shown += "...";
  return message + "\n  " + shown + "\n  " +
         std::string(static_cast<std::size_t>(caret), ' ') + "^";
}

unexpected<Error> fail(ErrorCode code, std::string message) {
  return unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace stridewise
