// SPDX-License-Identifier: Apache-2.0
#include "draw_parts.hpp"

namespace stridewise::cli {
namespace {

// Places without an element, where places are those of one tensor.
Json padding_of(const Layout& layout) {
  return layout.plain() ? Json(layout.places() - layout.elements()) : Json();
}

Json panel_json(const PicturePanel& panel, const Layout& layout) {
  Json json = {{"name", panel.name},
               {"expression", panel.expression},
               {"elements", panel.elements},
               {"padding", panel.told_apart ? Json(panel.padding) : Json()},
               {"gaps", panel.told_apart ? Json(panel.gaps) : Json()},
               {"padding_elements", padding_of(layout)},
               {"places", layout.places()},
               {"cells", panel.cells.size()},
               {"rows", panel.rows.size()},
               {"columns", panel.columns.size()},
               {"block", panel.block}};
  Json left_out = Json::array();
  for (const auto* tracks : {&panel.rows, &panel.columns}) {
    for (const PictureTrack& track : *tracks) {
      if (track.elided == 0) continue;
      left_out.push_back(
          {{"direction", tracks == &panel.rows ? "rows" : "columns"},
           {"count", track.elided},
           {"text", track.label}});
    }
  }
  json["left_out"] = std::move(left_out);
  return json;
}

}  // namespace

Json picture_json(const Picture& picture) {
  Json panels = Json::array();
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    panels.push_back(panel_json(picture.panels[k], picture.layouts[k]));
  }
  const PicturePanel& first = picture.panels.front();
  const Layout& layout = picture.layouts.front();
  Json json = {{"title", picture.title},
               {"cells", picture.cells()},
               {"elided", picture.elided()},
               {"elements", first.elements},
               {"padding", first.told_apart ? Json(first.padding) : Json()},
               {"gaps", first.told_apart ? Json(first.gaps) : Json()},
               {"padding_elements", padding_of(layout)},
               {"cell_bits", picture.cell_bits},
               {"colour", picture.colour}};
  if (picture.has_data) json["nonzero_padding"] = first.nonzero_padding;
  if (!picture.kernel.empty()) json["kernel"] = picture.kernel;
  if (!picture.walk.empty()) json["walk"] = picture.walk_steps;
  json["panels"] = std::move(panels);
  return json;
}

}  // namespace stridewise::cli
