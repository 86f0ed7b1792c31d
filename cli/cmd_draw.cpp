// stridewise draw LAYOUT --shape S --dtype T [--out FILE.svg|.html|.png|-]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "draw_parts.hpp"
#include "dump_files.hpp"
#include "layout_options.hpp"
#include "png.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

struct DrawCommand : LayoutOptions {
  std::string out = "-";
  std::string to;
  std::string data;
  std::string label = "index";
  std::string view = "auto";
  std::vector<std::string> marks;
  std::optional<std::int64_t> grid, max_columns;
  DrawOptions draw;
};

template <class Value>
Value one_of(const char* option, const std::string& word,
             const std::map<std::string, Value>& choices) {
  const auto found = choices.find(word);
  if (found != choices.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.push_back(name);
  const std::string hint = nearest(word, names);
  throw Failure{
      {ErrorCode::invalid_value,
       fmt::format(
           "{} is {}; not '{}'{}", option, fmt::join(names, ", "), word,
           hint.empty() ? "" : fmt::format("; did you mean '{}'?", hint))}};
}

// NAME=BYTE
DrawMark parse_mark(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw Failure{{ErrorCode::syntax,
                   fmt::format("--mark is NAME=BYTE; not '{}'", text)}};
  }
  return {text.substr(0, equals),
          value_of(parse_count(text.substr(equals + 1)))};
}

// In the library 0 is a choice by the layout; here that is not to give it.
std::int64_t at_least_one(const char* option,
                          const std::optional<std::int64_t>& number) {
  if (!number || *number > 0) return number.value_or(0);
  throw Failure{{ErrorCode::invalid_value,
                 fmt::format("{} is at least 1; not {}", option, *number)}};
}

// Width of the terminal, or what COLUMNS says.
std::int32_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 &&
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  std::int32_t width = 0;
  if (columns != nullptr &&
      std::from_chars(columns, columns + std::strlen(columns), width).ec ==
          std::errc{} &&
      width >= 20 && width <= 10000) {
    return width;
  }
  return 80;
}

TerminalStyle terminal_style() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  std::setlocale(LC_CTYPE, "");
  return {.width = terminal_width(),
          .colours = isatty(STDOUT_FILENO) != 0 &&
                     (no_colour == nullptr || *no_colour == '\0') &&
                     terminal != nullptr &&
                     std::string_view(terminal) != "dumb",
          .unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8"};
}

enum class Format : std::uint8_t { terminal, svg, html, png };

Format format_of(const std::string& out) {
  if (out == "-") return Format::terminal;
  const std::string extension = std::filesystem::path(out).extension();
  if (extension == ".svg") return Format::svg;
  if (extension == ".html") return Format::html;
  if (extension == ".png") return Format::png;
  throw Failure{{ErrorCode::invalid_value,
                 fmt::format("--out is FILE.svg, FILE.html, FILE.png, or - for "
                             "the terminal; not '{}'",
                             out)}};
}

void run_draw(Context& context, DrawCommand options, bool type_given) {
  const Format format = format_of(options.out);
  DrawOptions& draw = options.draw;
  draw.label = one_of<DrawLabel>("--label", options.label,
                                 {{"index", DrawLabel::index},
                                  {"value", DrawLabel::value},
                                  {"offset", DrawLabel::offset}});
  draw.view = one_of<DrawView>("--view", options.view,
                               {{"auto", DrawView::automatic},
                                {"rows", DrawView::rows},
                                {"image", DrawView::image},
                                {"banks", DrawView::banks}});
  for (const std::string& mark : options.marks) {
    draw.marks.push_back(parse_mark(mark));
  }
  draw.grid_bytes = at_least_one("--grid", options.grid);
  draw.max_columns = at_least_one("--max-columns", options.max_columns);
  std::vector<std::string> texts = {options.layout};
  if (!options.to.empty()) texts.push_back(options.to);
  const std::vector<LayoutSource> sources = resolve_all(texts, options.shape);
  ElementType type = type_for(options.dtype, sources[0]);
  std::optional<DrawFile> data;
  if (!options.data.empty()) {
    if (value_of(is_same_file(options.data, options.out))) {
      throw Failure{
          {ErrorCode::io, options.out + ": --out would replace --data"}};
    }
    data = read_draw_data(options.data, type, type_given);
    draw.data = data->view;
  }
  draw.type_name = type.name;

  const Shape shape =
      data ? shape_in_files(options.shape, sources, {{data->file, sources[0]}})
           : shape_for(options.shape, sources);
  const Binding binding{.element_bits = type.bits,
                        .tables = tables_of(options.tables, sources)};
  Layout layout = value_of(sources[0].bind(shape, binding));
  if (!options.part.empty()) layout = value_of(layout.part(options.part));
  if (!options.to.empty()) draw.to = value_of(sources[1].bind(shape, binding));

  if (format == Format::terminal) {
    const TerminalStyle style = terminal_style();
    const Picture picture =
        value_of(make_terminal_picture(layout, draw, style));
    const std::string text = to_terminal(picture, style);
    Json json = picture_json(picture);
    json["text"] = text;
    context.answer_styled(json, text);
    return;
  }
  const Picture picture = value_of(make_picture(layout, draw));
  Json json = picture_json(picture);
  std::string content =
      format == Format::html ? to_html(picture) : to_svg(picture);
  if (format == Format::png) content = png_of(content);
  write_file(options.out, content, context.sync());
  json["file"] = options.out;
  json["bytes"] = content.size();
  context.answer(json,
                 fmt::format("{}: {} cells{}, {}\n", one_line(options.out),
                             picture.cells(),
                             picture.elided() ? ", the rest is left out" : "",
                             print_bytes(static_cast<double>(content.size()))));
}

}  // namespace

void add_draw(Command app, Context& context) {
  Command command =
      app.add_command("draw", "a picture of memory: SVG, HTML, PNG or text");
  command.footer(
      "  stridewise draw nChw8c --shape 1x17x2x2\n"
      "  stridewise draw mace.channel --shape 1x7x2x3 --with-logical --out "
      "image.svg\n"
      "  stridewise draw nchw --to nChw8c --shape 1x16x2x2 --out page.html\n"
      "  stridewise draw gguf.q4_0 --shape 1x64 --out blocks.svg\n"
      "  stridewise draw nChw8c --shape 1x17x2x2 --data dump.npy --label "
      "value --out x.png");
  auto options = std::make_shared<DrawCommand>();
  options->add_to(command);
  DrawOptions& draw = options->draw;
  command
      .add_option("--out,-o", options->out,
                  "FILE.svg, FILE.html, FILE.png, or - for the terminal")
      .show_default();
  command
      .add_option("--label,-l", options->label,
                  "what cells show: index, value (of --data, else the "
                  "number in logical order) or offset")
      .show_default();
  command.add_option("--color,--colour", draw.colour,
                     "the dim or digit that gives the colour: c, c/16, c%4; "
                     "none");
  command.add_flag("--with-logical", draw.with_logical,
                   "the logical tensor beside memory, in the same colours");
  command.add_option("--logical", draw.logical,
                     "the same, with its rows and columns: 'n h | c w'");
  command.add_option("--to", options->to,
                     "a second layout: the picture of a conversion");
  command.add_option("--data", options->data,
                     "what memory holds: .npy, or raw bytes; padding that is "
                     "not zero becomes red");
  command.add_option("--walk", draw.walk,
                     "mark where memory order jumps, as [NAME:0], [NAME:1] "
                     "...");
  command
      .add_option("--mark", options->marks,
                  "NAME=BYTE: write a name at a byte (more than once)")
      .one_word_each();
  command
      .add_option("--view", options->view,
                  "auto (by the layout's axes), rows, image or banks")
      .show_default();
  command.add_option("--grid", options->grid,
                     "bytes in one row of cells (default: 64, or what fits)");
  command
      .add_option("--max-cells", draw.max_cells,
                  "beyond so many cells the regular middle is left out")
      .show_default();
  command.add_option("--max-columns", options->max_columns,
                     "cells beside each other (default: about a page, or the "
                     "terminal)");
  add_sync(command, context);
  command.add_option("--title", draw.title, "instead of the expression");
  command.callback([&context, options, command] {
    run_draw(context, *options, command.given("--dtype"));
  });
}

}  // namespace stridewise::cli
