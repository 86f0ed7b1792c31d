// Pictures, as `stridewise draw` makes them: the same options, the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files.hpp"
#include "reply.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::explorer {
namespace {

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

template <class Value, std::size_t count>
Result<Value> one_of(const std::array<Word<Value>, count>& words,
                     const std::string& text, Value otherwise) {
  if (text.empty()) return otherwise;
  for (const Word<Value>& one : words) {
    if (one.word == text) return one.value;
  }
  return fail(ErrorCode::unknown_name, fmt::format("there is no '{}'", text));
}

constexpr std::array<Word<DrawLabel>, 3> labels = {
    {{"index", DrawLabel::index},
     {"value", DrawLabel::value},
     {"offset", DrawLabel::offset}}};
constexpr std::array<Word<DrawView>, 4> views = {{{"auto", DrawView::automatic},
                                                  {"rows", DrawView::rows},
                                                  {"image", DrawView::image},
                                                  {"banks", DrawView::banks}}};

// "A=340,B=1472"
Result<std::vector<DrawMark>> marks_of(std::string_view text) {
  std::vector<DrawMark> marks;
  while (!text.empty()) {
    const std::string_view mark = text.substr(0, text.find(','));
    text.remove_prefix(std::min(mark.size() + 1, text.size()));
    const std::size_t equals = std::min(mark.rfind('='), mark.size());
    const auto byte =
        parse_count(mark.substr(std::min(equals + 1, mark.size())));
    if (!byte) return unexpected(byte.error());
    marks.push_back({std::string(mark.substr(0, equals)), *byte});
  }
  return marks;
}

Result<DrawOptions> options_of(const Request& request) {
  DrawOptions options;
  const auto label = one_of(labels, request.text("label"), options.label);
  if (!label) return unexpected(label.error());
  const auto view = one_of(views, request.text("view"), options.view);
  if (!view) return unexpected(view.error());
  const auto grid = request.number("grid", 0);
  if (!grid) return unexpected(grid.error());
  const auto cells = request.number("max-cells", options.max_cells);
  if (!cells) return unexpected(cells.error());
  const auto columns = request.number("max-columns", 0);
  if (!columns) return unexpected(columns.error());
  options.label = *label;
  options.view = *view;
  options.grid_bytes = *grid;
  options.max_cells = *cells;
  options.max_columns = *columns;
  options.colour = request.text("colour");
  options.with_logical = request.has("logical");
  if (request.text("logical") != "yes") {
    options.logical = request.text("logical");
  }
  options.walk = request.text("walk");
  options.title = request.text("title");
  const auto marks = marks_of(request.text("marks"));
  if (!marks) return unexpected(marks.error());
  options.marks = *marks;
  return options;
}

Json panel_json(const PicturePanel& panel) {
  return {{"name", panel.name},
          {"expression", panel.expression},
          {"elements", count(panel.elements)},
          {"padding", panel.told_apart ? count(panel.padding) : Json()},
          {"gaps", panel.told_apart ? count(panel.gaps) : Json()},
          {"nonzero_padding", count(panel.nonzero_padding)},
          {"size_bytes", count(panel.size_bytes)}};
}

}  // namespace

Reply draw(const Request& request) {
  Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  Result<DrawOptions> options = options_of(request);
  if (!options) return unexpected(options.error());
  options->type_name = subject->type.name;
  options->to = std::move(subject->to);
  // A file of another tensor is not drawn; why, stands beside the picture.
  std::string note;
  if (request.has("file")) {
    const Result<Dump> dump =
        dump_of(request, "file", subject->layout, subject->type);
    if (dump) {
      options->data = DrawData{.type = dump->type, .bytes = dump->bytes};
    } else {
      note = dump.error().message;
    }
  }
  for (const Layout* const layout :
       {&subject->layout, options->to ? &*options->to : nullptr}) {
    if (options->to && layout->defect()) return unexpected(*layout->defect());
  }
  const Result<Picture> picture = make_picture(subject->layout, *options);
  if (!picture) return unexpected(picture.error());
  Json panels = Json::array();
  for (const PicturePanel& panel : picture->panels) {
    panels.push_back(panel_json(panel));
  }
  return Json{{"note", note},
              {"svg", to_svg(*picture)},
              {"model", picture_model(*picture)},
              {"title", picture->title},
              {"cells", count(picture->cells())},
              {"elided", picture->elided()},
              {"colour", picture->colour},
              {"panels", std::move(panels)}};
}

}  // namespace stridewise::explorer
