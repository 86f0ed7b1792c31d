// SPDX-License-Identifier: Apache-2.0
#include "draw/colour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise::draw {
namespace {

constexpr std::uint32_t ink = 0x1b1f24;
constexpr std::uint32_t chalk = 0xf0f3f6;

// Okabe and Ito's colours: told apart with every kind of colour vision.
constexpr std::array<std::uint32_t, 8> distinct = {0x56b4e9, 0xe69f00, 0x009e73,
                                                   0xcc79a7, 0xf0e442, 0xd55e00,
                                                   0x0072b2, 0x999999};

// Points of the viridis scale, which is even in lightness and in order for
// every kind of colour vision.
constexpr std::array<std::uint32_t, 9> scale = {0x440154, 0x472d7b, 0x3b528b,
                                                0x2c728e, 0x21918c, 0x28ae80,
                                                0x5ec962, 0xaddc30, 0xfde725};
constexpr std::int64_t most_steps = 32;

std::uint32_t mix(std::uint32_t a, std::uint32_t b, double share_of_b) {
  std::uint32_t colour = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double from = (a >> shift) & 0xffU;
    const double to = (b >> shift) & 0xffU;
    colour |=
        static_cast<std::uint32_t>(std::lround(from + (to - from) * share_of_b))
        << shift;
  }
  return colour;
}

// Relative luminance as WCAG defines it.
double luminance(std::uint32_t colour) {
  const auto linear = [&](unsigned shift) {
    const double c = static_cast<double>((colour >> shift) & 0xffU) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

double contrast(std::uint32_t a, std::uint32_t b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

// Dark or light text, whichever contrasts more; black or white on the fills in
// the middle, where nothing less does (4.5 is WCAG's measure).
std::uint32_t text_on(std::uint32_t fill) {
  const bool dark = contrast(fill, ink) >= contrast(fill, chalk);
  const std::uint32_t soft = dark ? ink : chalk;
  if (contrast(fill, soft) >= 4.5) return soft;
  return contrast(fill, 0) >= contrast(fill, 0xffffff) ? 0 : 0xffffff;
}

std::vector<PictureColour> colours_for(std::int64_t extent, bool ordered) {
  std::vector<PictureColour> colours;
  const std::int64_t count = ordered ? std::min(extent, most_steps) : extent;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!ordered) {
      const std::uint32_t pure = distinct[static_cast<std::size_t>(k)];
      const std::uint32_t light = mix(pure, 0xffffff, 0.4);
      const std::uint32_t dark = mix(pure, 0x0d1117, 0.15);
      colours.push_back({light, text_on(light), dark, text_on(dark)});
      continue;
    }
    const double at = static_cast<double>(k) * (scale.size() - 1) /
                      static_cast<double>(std::max<std::int64_t>(1, count - 1));
    const auto below =
        std::min<std::size_t>(static_cast<std::size_t>(at), scale.size() - 2);
    const std::uint32_t fill =
        mix(scale[below], scale[below + 1], at - static_cast<double>(below));
    colours.push_back({fill, text_on(fill), fill, text_on(fill)});
  }
  return colours;
}

// A dim in blocks says most about a layout; else the second dim, which is the
// channel of most tensors; else the first that has more than one index.
std::size_t telling_dim(const Layout& layout) {
  const Shape& shape = layout.shape();
  std::vector<int> digits(shape.size(), 0);
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent > 1) ++digits[static_cast<std::size_t>(term.dim)];
  }
  const auto most = std::ranges::max_element(digits);
  if (*most > 1) return static_cast<std::size_t>(most - digits.begin());
  if (shape.size() > 2 && shape[1].extent > 1) return 1;
  const auto first = std::ranges::find_if(
      shape, [](const Dim& dim) { return dim.extent > 1; });
  return first == shape.end() ? 0
                              : static_cast<std::size_t>(first - shape.begin());
}

// The dim itself; where it has more indices than a scale has steps, the largest
// of its blocks that has not.
Digit telling_digit(const Layout& layout, std::size_t dim) {
  Digit whole{.dim = layout.shape()[dim].name};
  if (layout.shape()[dim].extent <= most_steps) return whole;
  std::int64_t most = 1;
  Digit best = whole;
  for (const BoundTerm& term : layout.terms()) {
    if (static_cast<std::size_t>(term.dim) == dim && term.extent > most &&
        term.extent <= most_steps) {
      most = term.extent;
      best = {whole.dim, term.bias, term.div, term.mod};
    }
  }
  return best;
}

Result<Digit> parse_digit(const std::string& text) {
  const Result<Expression> expression = parse_expression(text);
  if (!expression) return unexpected(expression.error());
  if (expression->axes.size() != 1 || expression->axes[0].terms.size() != 1 ||
      expression->axes[0].terms[0].stride.kind != Step::Kind::natural ||
      expression->axes[0].base != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("'{}' is not one dim or digit; a colour is given "
                            "by c, c/16 or c%4",
                            text));
  }
  return expression->axes[0].terms[0].digit;
}

}  // namespace

std::int32_t Colouring::of(std::span<const std::int64_t> index) const {
  if (colours.empty()) return -1;
  std::int64_t value = (index[dim] + digit.bias) / digit.div;
  if (digit.mod != 0) value %= digit.mod;
  const auto count = static_cast<std::int64_t>(colours.size());
  if (extent > count) {
    value = static_cast<std::int64_t>(static_cast<double>(value) *
                                      static_cast<double>(count) /
                                      static_cast<double>(extent));
  }
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(value, 0, count - 1));
}

std::vector<PictureColour> colours_of(std::int64_t count) {
  return colours_for(count, count > static_cast<std::int64_t>(distinct.size()));
}

Result<Colouring> make_colouring(const Layout& layout,
                                 const std::string& text) {
  Colouring colouring;
  const Shape& shape = layout.shape();
  if (text == "none" || shape.empty()) return colouring;
  if (text.empty()) {
    colouring.dim = telling_dim(layout);
    colouring.digit = telling_digit(layout, colouring.dim);
  } else {
    Result<Digit> digit = parse_digit(text);
    if (!digit) return unexpected(digit.error());
    const auto dim = std::ranges::find(shape, digit->dim, &Dim::name);
    if (dim == shape.end()) {
      std::vector<std::string> names;
      for (const Dim& known : shape) names.push_back(known.name);
      const std::string hint = nearest(digit->dim, names);
      return fail(ErrorCode::unknown_name,
                  fmt::format("the colour names dim '{}', which the tensor "
                              "does not have{}",
                              digit->dim,
                              hint.empty() ? ""
                                           : fmt::format("; did you mean "
                                                         "'{}'?",
                                                         hint)));
    }
    colouring.dim = static_cast<std::size_t>(dim - shape.begin());
    colouring.digit = *std::move(digit);
  }
  const Digit& digit = colouring.digit;
  const std::int64_t last =
      std::max<std::int64_t>(0, shape[colouring.dim].extent - 1);
  const Checked shifted = add(last, digit.bias);
  if (!shifted) {
    return fail(ErrorCode::overflow,
                "the bias of the colour overflows 64 bits");
  }
  colouring.extent = *shifted / digit.div + 1;
  if (digit.mod != 0) {
    colouring.extent = std::min(colouring.extent, digit.mod);
  }
  // One colour is worth having only for who asked for it.
  if (text.empty() && colouring.extent <= 1) return Colouring{};
  colouring.name = print(digit);
  colouring.ordered =
      colouring.extent > static_cast<std::int64_t>(distinct.size());
  colouring.colours = colours_for(colouring.extent, colouring.ordered);
  return colouring;
}

}  // namespace stridewise::draw
