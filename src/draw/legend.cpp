// SPDX-License-Identifier: Apache-2.0
#include "draw/legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/axis.hpp"

namespace stridewise::draw {
namespace {

using Swatch = LegendItem::Swatch;
using Line = std::vector<LegendItem>;

constexpr std::int32_t most_swatches = 9;

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

Line colours(const Picture& picture) {
  Line line;
  const auto count = static_cast<std::int32_t>(picture.colours.size());
  if (count == 0) return line;
  line.push_back({.text = "colour: " + picture.colour, .of_colours = true});
  if (count == 1) {
    line.push_back(
        {.swatch = Swatch::colour, .text = "0 everywhere", .of_colours = true});
    return line;
  }
  const std::int32_t shown = std::min(count, most_swatches);
  for (std::int32_t k = 0; k < shown; ++k) {
    const std::int32_t colour = k * (count - 1) / std::max(1, shown - 1);
    const std::int64_t value = static_cast<std::int64_t>(colour) *
                               (picture.colour_extent - 1) / (count - 1);
    line.push_back(
        {.swatch = Swatch::colour,
         .colour = colour,
         .text = picture.colour_names.empty()
                     ? fmt::format("{}", value)
                     : picture.colour_names[static_cast<std::size_t>(value)],
         .of_colours = true});
  }
  return line;
}

Line cells_of(const Picture& picture) {
  Line line;
  switch (picture.label) {
    case DrawLabel::index: {
      if (!picture.cell_words.empty()) {
        line.push_back({.text = picture.cell_words});
        break;
      }
      std::string names;
      for (const std::string& name : picture.label_dims) {
        names += fmt::format("{}{}", names.empty() ? "" : ",", name);
      }
      line.push_back({.text = "in a cell: " + names});
      break;
    }
    case DrawLabel::value:
      line.push_back({.text = picture.has_data
                                  ? "in a cell: its value"
                                  : "in a cell: its number in logical order"});
      break;
    case DrawLabel::offset:
      line.push_back({.text = "in a cell: its offset in elements"});
      break;
  }
  const PicturePanel& first = picture.panels.front();
  if (!first.block.empty()) {
    line.push_back({.swatch = Swatch::block, .text = "block: " + first.block});
  }
  if (!picture.kernel.empty()) {
    line.push_back(
        {.swatch = Swatch::tile,
         .text = fmt::format("moved by one call of {}", picture.kernel)});
  }
  return line;
}

Line counts(const PicturePanel& panel, bool named) {
  Line line;
  const std::string prefix = named ? panel.name + ": " : "";
  line.push_back(
      {.text = prefix + counted(panel.elements, "element", "elements")});
  if (panel.told_apart) {
    line.push_back({.swatch = Swatch::padding,
                    .text = grouped(panel.padding) + " padding"});
    line.push_back(
        {.swatch = Swatch::gap, .text = counted(panel.gaps, "gap", "gaps")});
  } else {
    line.push_back({.swatch = Swatch::gap,
                    .text = grouped(panel.gaps) + " padding and gaps"});
  }
  if (panel.nonzero_padding > 0) {
    line.push_back({.swatch = Swatch::wrong,
                    .text = fmt::format(
                        "{} padding not zero{}", grouped(panel.nonzero_padding),
                        panel.searched ? "" : " (of what is drawn)")});
  }
  return line;
}

Line walk(const Picture& picture) {
  Line line;
  if (picture.walk.empty() || picture.panels.front().elements == 0) return line;
  if (picture.walk_steps.empty()) {
    line.push_back(
        {.text = "memory order: digits interleave, so that no jump is marked"});
    return line;
  }
  line.push_back({.text = "memory order:"});
  for (std::size_t level = 0; level < picture.walk_steps.size(); ++level) {
    line.push_back({.text = fmt::format("[{}:{}] {}", picture.walk, level,
                                        picture.walk_steps[level])});
  }
  return line;
}

Line left_out(const Picture& picture) {
  Line line;
  if (!picture.elided()) return line;
  std::string text = "parts are left out; drawn:";
  for (const PicturePanel& panel : picture.panels) {
    const std::int64_t places = panel.elements + panel.padding + panel.gaps;
    text += fmt::format("{}{} {} of {} places",
                        &panel == &picture.panels.front() ? "" : ",",
                        picture.panels.size() > 1 ? " " + panel.name : "",
                        grouped(static_cast<std::int64_t>(panel.cells.size())),
                        grouped(places));
  }
  line.push_back({.text = text});
  return line;
}

}  // namespace

std::vector<std::vector<LegendItem>> legend(const Picture& picture) {
  std::vector<Line> lines;
  const auto add = [&](Line line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  add(colours(picture));
  add(cells_of(picture));
  const auto memories =
      std::ranges::count(picture.panels, false, &PicturePanel::logical);
  for (const PicturePanel& panel : picture.panels) {
    if (!panel.logical) add(counts(panel, memories > 1));
  }
  add(walk(picture));
  add(left_out(picture));
  return lines;
}

}  // namespace stridewise::draw
