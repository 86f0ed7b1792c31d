// A picture as one page: the SVG, what the script needs to know of the layouts,
// and the script.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "draw/axis.hpp"
#include "draw/page/page.hpp"
#include "draw/svg/sheet.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {

namespace {

using namespace draw;

// Names and numbers alone: nothing here needs escaping. Numbers are text where
// they may exceed what JavaScript counts exactly.
std::string layout_json(const Layout& layout, const PicturePanel& panel,
                        std::int64_t cell_bits) {
  std::string axes;
  for (const BoundAxis& axis : layout.axes()) {
    axes += fmt::format(R"({}{{"name":"{}","extent":"{}","pitch_bytes":"{}"}})",
                        axes.empty() ? "" : ",", axis.name, axis.extent,
                        axis.pitch_bytes);
  }
  // Of more than plain digits the page knows the cells alone.
  if (!layout.plain()) {
    return fmt::format(
        R"({{"name":"{}","logical":false,"plain":false,"places":"{}",)"
        R"("axes":[],"terms":[]}})",
        panel.name, (layout.size_bits() + cell_bits - 1) / cell_bits);
  }
  std::string terms;
  for (const BoundTerm& term : layout.terms()) {
    terms += fmt::format(
        R"({}{{"name":"{}","dim":{},"bias":"{}","div":"{}","mod":"{}",)"
        R"("extent":"{}","flat_stride":"{}"}})",
        terms.empty() ? "" : ",", print(digit_of(layout, term)), term.dim,
        term.bias, term.div, term.mod, term.extent, term.flat_stride);
  }
  return fmt::format(R"({{"name":"{}","logical":{},"plain":true,"places":"{}",)"
                     R"("base_offset":"{}",)"
                     R"("axes":[{}],"terms":[{}]}})",
                     panel.name, panel.logical, layout.places(),
                     layout.base_offset(), axes, terms);
}

// An index that can be searched for: the last element's.
std::string example(const Picture& picture) {
  std::string text;
  for (const Dim& dim : picture.shape) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", dim.name,
                        dim.extent > 0 ? dim.extent - 1 : 0);
  }
  return text;
}

// Each {{name}} of the document becomes its text; what texts contain is not
// looked at again.
template <class Text>
std::string filled(std::string_view document, Text text_of) {
  std::string result;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = document.find("{{", at);
    const std::size_t close = document.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      break;
    }
    result += document.substr(at, open - at);
    result += text_of(document.substr(open + 2, close - open - 2));
    at = close + 2;
  }
  result += document.substr(at);
  return result;
}

}  // namespace

std::string picture_model(const Picture& picture) {
  std::string shape;
  for (const Dim& dim : picture.shape) {
    shape += fmt::format(R"({}{{"name":"{}","extent":"{}"}})",
                         shape.empty() ? "" : ",", dim.name, dim.extent);
  }
  std::string panels;
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    panels +=
        (k == 0 ? "" : ",") +
        layout_json(picture.layouts[k], picture.panels[k], picture.cell_bits);
  }
  std::string walk;
  for (const char c : picture.walk) {
    // It stands in a string of JSON within HTML.
    if (c != '"' && c != '\\' && c != '<' &&
        static_cast<unsigned char>(c) >= ' ') {
      walk += c;
    }
  }
  return fmt::format(
      R"({{"element_bytes":{},"cell_bits":{},"walk":"{}","shape":[{}],)"
      R"("panels":[{}]}})",
      picture.element_bytes, picture.cell_bits, walk, shape, panels);
}

std::string to_html(const Picture& picture) {
  return filled(page_document, [&](std::string_view name) -> std::string {
    if (name == "title") return escaped(picture.title);
    if (name == "style") return page_style;
    if (name == "example") return escaped(example(picture));
    if (name == "svg") return to_svg(picture);
    if (name == "model") return picture_model(picture);
    return page_script;
  });
}

}  // namespace stridewise
