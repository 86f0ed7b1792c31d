// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace stridewise {
namespace {

constexpr char32_t replacement = 0xfffd;

struct Character {
  char32_t code = replacement;
  std::size_t bytes = 1;
  bool valid = false;
};

// Shortest forms of U+0000 .. U+10FFFF without surrogates; else one bad byte.
Character character_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead < 0xc2   ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
  if (bytes == 0 || at + bytes > text.size()) return {};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    const auto next = static_cast<unsigned char>(text[at + k]);
    if ((next & 0xc0U) != 0x80U) return {};
    code = code << 6 | (next & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff ||
      (code >= 0xd800 && code < 0xe000)) {
    return {};
  }
  return {code, bytes, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [&](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

// Controls of both sets, marks and overrides of direction, line separators, and
// what no character is.
bool shows_nothing(char32_t code) {
  static constexpr auto ranges = std::to_array<Range>({
      {0x00, 0x1f},
      {0x7f, 0x9f},
      {0x61c, 0x61c},
      {0x200e, 0x200f},
      {0x2028, 0x202e},
      {0x2066, 0x2069},
      {0xfdd0, 0xfdef},
      {0xfeff, 0xfeff},
  });
  return within(ranges, code) || (code & 0xfffe) == 0xfffe;
}

std::size_t columns_of(char32_t code) {
  // Marks that stand on the character before them.
  static constexpr auto none = std::to_array<Range>({
      {0x300, 0x36f},
      {0x200b, 0x200d},
      {0x20d0, 0x20ff},
      {0xfe00, 0xfe0f},
      {0xfe20, 0xfe2f},
  });
  // East Asian characters and pictures.
  static constexpr auto two = std::to_array<Range>({
      {0x1100, 0x115f},
      {0x2e80, 0xa4cf},
      {0xac00, 0xd7a3},
      {0xf900, 0xfaff},
      {0xfe30, 0xfe6f},
      {0xff00, 0xff60},
      {0xffe0, 0xffe6},
      {0x1f300, 0x1faff},
      {0x20000, 0x3fffd},
  });
  return within(none, code) ? 0 : within(two, code) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    if (one.code >= 0x09 && one.code <= 0x0d) {
      result += ' ';
    } else if (one.valid && !shows_nothing(one.code)) {
      result += text.substr(at, one.bytes);
    } else {
      result += "\xef\xbf\xbd";  // U+FFFD
    }
    at += one.bytes;
  }
  return result;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    columns += columns_of(one.code);
    at += one.bytes;
  }
  return columns;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t taken = 0; at < text.size();) {
    const Character one = character_at(text, at);
    taken += columns_of(one.code);
    if (taken > columns) break;
    at += one.bytes;
  }
  return text.substr(0, at);
}

}  // namespace stridewise
