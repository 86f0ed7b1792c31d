// SPDX-License-Identifier: Apache-2.0
#include "draw/terminal/pen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int32_t least_width = 20;

// The colour of 6 x 6 x 6 that is nearest.
int ansi(std::uint32_t colour) {
  int code = 16;
  for (const auto& [shift, weight] :
       {std::pair(16, 36), std::pair(8, 6), std::pair(0, 1)}) {
    const auto part = static_cast<int>((colour >> shift) & 0xffU);
    code += (part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40) * weight;
  }
  return code;
}

}  // namespace

Pen::Pen(const Picture& picture, const TerminalStyle& style)
    : picture_(picture),
      style_(style),
      width_(static_cast<std::size_t>(std::max(style.width, least_width))) {}

std::string Pen::plain(std::string_view text) const {
  const std::string clean = printable(text);
  if (style_.unicode) return clean;
  static constexpr std::array<std::pair<std::string_view, const char*>, 3>
      known = {{{"\u2192", "->"}, {"\u00b7", "-"}, {"\u2026", "..."}}};
  std::string result;
  for (std::size_t at = 0; at < clean.size();) {
    const std::string_view rest = std::string_view(clean).substr(at);
    const auto sign = std::ranges::find_if(
        known, [&](const auto& one) { return rest.starts_with(one.first); });
    if (sign != known.end()) {
      result += sign->second;
      at += sign->first.size();
      continue;
    }
    const auto byte = static_cast<unsigned char>(clean[at++]);
    if (byte < 0x80) result += clean[at - 1];
    if (byte >= 0xc0) result += '?';  // one for each character
  }
  return result;
}

std::string Pen::paint(const std::string& text,
                       const std::string& codes) const {
  if (!style_.colours) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", codes, text);
}

std::string Pen::colour_codes(std::int32_t colour) const {
  const PictureColour& own = picture_.colours[static_cast<std::size_t>(colour)];
  return fmt::format("48;5;{};38;5;{}", ansi(own.fill), ansi(own.text));
}

std::string Pen::hatching(std::size_t width) const {
  std::string text;
  for (std::size_t k = 0; k < width; ++k) {
    text += style_.unicode ? "\u2571" : "/";
  }
  return text;
}

std::string Pen::gap() const { return style_.unicode ? "\u00b7" : "."; }

std::string Pen::dots() const { return style_.unicode ? "\u2026" : "..."; }

bool Pen::brackets() const {
  return !style_.colours && !picture_.kernel.empty();
}

std::string padded(std::string_view text, std::size_t width, char side) {
  const std::string_view shown = first_columns(text, width);
  const std::size_t rest = width - columns_of(shown);
  const std::size_t before = side == 'r' ? rest : side == 'c' ? rest / 2 : 0;
  return std::string(before, ' ') + std::string(shown) +
         std::string(rest - before, ' ');
}

}  // namespace stridewise::draw
