// A picture as one SVG document.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "draw/svg/sheet.hpp"
#include "stridewise/draw.hpp"

namespace stridewise {

namespace {

using namespace draw;

// On paper and light screens first: what knows no media queries prints well.
constexpr const char* light = R"(
svg { background: #fff; }
.sheet { fill: #fff; }
text { font: 10px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24; text-anchor: middle; }
.title, .subtitle, .name, .note, .legend text { font-family: system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, sans-serif; text-anchor: start; }
.title { font-size: 16px; font-weight: 600; }
.subtitle { font-size: 12px; fill: #57606a; }
.name { font-size: 13px; font-weight: 600; }
.code { font: 11.5px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #57606a; }
.legend text, .note { font-size: 11.5px; }
.ruler { font-size: 9px; fill: #6e7781; }
.band { font-size: 10px; fill: #57606a; paint-order: stroke; stroke: #fff; stroke-width: 3px; stroke-linejoin: round; }
.end { text-anchor: end; }
.start { text-anchor: start; }
.left { font: italic 11.5px system-ui, 'DejaVu Sans', Helvetica, sans-serif; fill: #57606a; paint-order: stroke; stroke: #fff; stroke-width: 5px; stroke-linejoin: round; }
.brace { fill: none; stroke: #afb8c1; }
rect { stroke: #fff; }
.k rect { fill: #eaeef2; }
.pad rect { fill: url(#hatch); stroke: #c3cad1; }
.gap rect { fill: none; pointer-events: all; stroke: #d8dee4; stroke-dasharray: 1 3; }
.wrong rect { fill: #cf222e; stroke: #82071e; stroke-width: 2; }
.wrong text { fill: #fff; font-weight: 700; }
.hatch { stroke: #a7b0b9; }
.ground { fill: #f6f8fa; }
.block { fill: none; stroke: #1b1f24; stroke-width: 1.4; stroke-linecap: square; }
.tile { fill: none; stroke: #cf222e; stroke-width: 3; stroke-linecap: square; }
.jump { fill: none; stroke: #1b1f24; stroke-width: 1.5; marker-end: url(#tip); }
.halo { fill: none; stroke: #fff; stroke-width: 3.5; }
.tip { fill: #1b1f24; stroke: #fff; stroke-width: 0.6; }
.tag rect { fill: #1b1f24; stroke: none; }
.tag text { font-size: 8px; fill: #fff; }
.marked { fill: none; stroke: #d55e00; stroke-width: 2.5; }
.mark rect { fill: #d55e00; stroke: none; }
.mark text { font-size: 8px; fill: #fff; font-weight: 700; }
)";

constexpr const char* dark = R"(
svg { background: #0d1117; }
.sheet { fill: #0d1117; }
text { fill: #e6edf3; }
.subtitle, .code, .band, .left { fill: #9198a1; }
.ruler { fill: #848d97; }
.left, .band { stroke: #0d1117; }
.brace { stroke: #3d444d; }
rect { stroke: #0d1117; }
.k rect { fill: #30363d; }
.pad rect { stroke: #3d444d; }
.gap rect { stroke: #30363d; }
.wrong rect { fill: #da3633; stroke: #ffdcd7; }
.hatch { stroke: #59636e; }
.ground { fill: #151b23; }
.block { stroke: #f0f6fc; }
.tile { stroke: #ff7b72; }
.jump { stroke: #f0f6fc; }
.halo { stroke: #0d1117; }
.tip { fill: #f0f6fc; stroke: #0d1117; }
.tag rect { fill: #f0f6fc; stroke: none; }
.tag text { fill: #0d1117; }
.mark rect { stroke: none; }
)";

constexpr const char* definitions = R"(<defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="ground" width="6" height="6" stroke="none" style="stroke:none"/><path class="hatch" d="M-1 1l2-2M0 6l6-6M5 7l2-2"/></pattern>
<marker id="tip" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="4.6" markerHeight="4.6" orient="auto"><path class="tip" d="M0 0l8 4-8 4z"/></marker>
</defs>
)";

std::string style(const Picture& picture) {
  std::string day = light;
  std::string night = dark;
  for (std::size_t k = 0; k < picture.colours.size(); ++k) {
    const PictureColour& colour = picture.colours[k];
    day += fmt::format(
        ".k{0} rect {{ fill: #{1:06x}; }} .k{0} text {{ fill: #{2:06x}; }}\n",
        k, colour.fill, colour.text);
    night += fmt::format(
        ".k{0} rect {{ fill: #{1:06x}; }} .k{0} text {{ fill: #{2:06x}; }}\n",
        k, colour.dark_fill, colour.dark_text);
  }
  return fmt::format(
      "<style>{}@media screen and (prefers-color-scheme: dark) {{{}}}\n"
      "</style>\n",
      day, night);
}

}  // namespace

std::string to_svg(const Picture& picture) {
  const Sheet sheet = measure(picture);
  int height = sheet.panels_bottom;
  const std::string below = svg_legend(picture, sheet, height);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\" aria-labelledby=\"title desc\">\n"
      "<title id=\"title\">{2}</title>\n<desc id=\"desc\">{3}</desc>\n",
      sheet.width, height, escaped(picture.title), escaped(picture.subtitle));
  svg += style(picture);
  svg += definitions;
  svg += fmt::format(
      "<rect class=\"sheet\" width=\"{}\" height=\"{}\"/>\n"
      "<text class=\"title\" x=\"20\" y=\"28\">{}</text>\n"
      "<text class=\"subtitle\" x=\"20\" y=\"46\">{}</text>\n",
      sheet.width, height, escaped(picture.title), escaped(picture.subtitle));
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    svg += svg_panel(picture.panels[k], sheet.panels[k], picture);
  }
  return svg + below + "</svg>\n";
}

}  // namespace stridewise
