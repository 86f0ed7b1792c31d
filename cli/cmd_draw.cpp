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

#include "common.hpp"
#include "png.hpp"

namespace stridewise::cli {
namespace {

struct Options : LayoutOptions {
  std::string out = "-";
  std::string to;
  std::string data;
  std::string label = "index";
  std::string view = "auto";
  std::vector<std::string> marks;
  DrawOptions draw;
};

struct Data {
  std::optional<MappedFile> file;
  std::vector<std::byte> reordered;  // of a Fortran-order array
  DrawData view;
};

// A file's array in Fortran order, as the layout's memory has it: C order.
std::vector<std::byte> c_order(std::span<const std::byte> bytes,
                               const NpyHeader& header) {
  std::vector<std::byte> result(bytes.size());
  const auto width = static_cast<std::size_t>(header.element_bytes);
  std::vector<std::int64_t> index(header.shape.size(), 0);
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::int64_t from = 0;
    for (std::size_t d = header.shape.size(); d-- > 0;) {
      from = from * header.shape[d] + index[d];
    }
    std::memcpy(result.data() + at,
                bytes.data() + static_cast<std::size_t>(from) * width, width);
    for (std::size_t d = header.shape.size(); d-- > 0;) {
      if (++index[d] < header.shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

// The layout's memory from a file: .npy, or raw bytes of --dtype.
Data read_data(const std::string& path, ElementType& type, bool type_given) {
  Data data{.file = value_of(MappedFile::open(path)),
            .reordered = {},
            .view = {.type = type, .bytes = {}}};
  data.view.bytes = data.file->bytes();
  if (!path.ends_with(".npy")) return data;
  const NpyHeader header = value_of(parse_npy_header(data.view.bytes));
  const auto begin = static_cast<std::size_t>(header.data_offset);
  const auto size = static_cast<std::size_t>(header.data_bytes);
  if (data.view.bytes.size() < begin + size) {
    throw Failure{
        {ErrorCode::io, fmt::format("{}: truncated: {} bytes of data, "
                                    "the header says {}",
                                    path,
                                    data.view.bytes.size() -
                                        std::min(begin, data.view.bytes.size()),
                                    size)}};
  }
  data.view.bytes = data.view.bytes.subspan(begin, size);
  data.view.big_endian = header.big_endian;
  if (type_given && type.bytes() != header.element_bytes) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} holds elements of {} bytes, {} has {}", path,
                               header.element_bytes, type.name, type.bytes())}};
  }
  if (!type_given && header.type) type = *header.type;
  data.view.type = type;
  if (header.fortran_order) {
    data.reordered = c_order(data.view.bytes, header);
    data.view.bytes = data.reordered;
  }
  return data;
}

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

Json panel_json(const PicturePanel& panel, const Layout& layout) {
  Json json = {{"name", panel.name},
               {"expression", panel.expression},
               {"elements", panel.elements},
               {"padding", panel.told_apart ? Json(panel.padding) : Json()},
               {"gaps", panel.told_apart ? Json(panel.gaps) : Json()},
               {"beyond", panel.beyond},
               {"padding_elements", layout.places() - layout.elements()},
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

Json picture_json(const Picture& picture) {
  Json panels = Json::array();
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    panels.push_back(panel_json(picture.panels[k], picture.layouts[k]));
  }
  const PicturePanel& first = picture.panels.front();
  Json json = {{"title", picture.title},
               {"cells", picture.cells()},
               {"elided", picture.elided()},
               {"elements", first.elements},
               {"padding", panels[0]["padding"]},
               {"gaps", panels[0]["gaps"]},
               {"padding_elements", panels[0]["padding_elements"]},
               {"colour", picture.colour}};
  if (picture.has_data) json["nonzero_padding"] = first.nonzero_padding;
  if (!picture.kernel.empty()) json["kernel"] = picture.kernel;
  json["panels"] = std::move(panels);
  return json;
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file = value_of(
      OutputFile::create(path, static_cast<std::int64_t>(text.size())));
  std::ranges::copy(std::as_bytes(std::span(text)), file.bytes().begin());
  if (const Result<void> done = file.commit(); !done) {
    throw Failure{done.error()};
  }
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

void run(Context& context, Options options, bool type_given) {
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
  ElementType type = value_of(parse_element_type(options.dtype));
  std::optional<Data> data;
  if (!options.data.empty()) {
    std::error_code ignored;
    if (std::filesystem::equivalent(options.data, options.out, ignored)) {
      throw Failure{
          {ErrorCode::io, options.out + ": --out would replace --data"}};
    }
    data = read_data(options.data, type, type_given);
    draw.data = data->view;
  }
  draw.type_name = type.name;

  std::vector<std::string> texts = {options.layout};
  if (!options.to.empty()) texts.push_back(options.to);
  const std::vector<LayoutSource> sources = resolve_all(texts, options.shape);
  const Shape shape = shape_for(options.shape, sources);
  const Layout layout = value_of(sources[0].bind(shape, type.bytes()));
  if (!options.to.empty()) {
    draw.to = value_of(sources[1].bind(shape, type.bytes()));
  }

  TerminalStyle style;
  if (format == Format::terminal) {
    style = terminal_style();
    if (draw.max_columns == 0) {
      draw.max_columns = terminal_columns(layout, draw, style);
    }
  }
  const Picture picture = value_of(make_picture(layout, draw));
  Json json = picture_json(picture);
  if (format == Format::terminal) {
    const std::string text = to_terminal(picture, style);
    json["text"] = text;
    context.answer(json, text);
    return;
  }
  std::string content =
      format == Format::html ? to_html(picture) : to_svg(picture);
  if (format == Format::png) content = png_of(content);
  write_file(options.out, content);
  json["file"] = options.out;
  json["bytes"] = content.size();
  context.answer(
      json, fmt::format("{}: {} cells{}, {}\n", options.out, picture.cells(),
                        picture.elided() ? ", the rest is left out" : "",
                        print_bytes(static_cast<double>(content.size()))));
}

}  // namespace

void add_draw(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("draw", "a picture of memory: SVG, HTML, PNG or text");
  command->footer(
      "  stridewise draw nChw8c --shape 1x17x2x2\n"
      "  stridewise draw mace.channel --shape 1x7x2x3 --with-logical --out "
      "image.svg\n"
      "  stridewise draw nchw --to nChw8c --shape 1x16x2x2 --out page.html\n"
      "  stridewise draw nChw8c --shape 1x17x2x2 --data dump.npy --label "
      "value --out x.png");
  auto options = std::make_shared<Options>();
  options->add_to(*command);
  DrawOptions& draw = options->draw;
  command
      ->add_option("--out,-o", options->out,
                   "FILE.svg, FILE.html, FILE.png, or - for the terminal")
      ->capture_default_str();
  command
      ->add_option("--label,-l", options->label,
                   "what cells show: index, value (of --data, else the "
                   "number in logical order) or offset")
      ->capture_default_str();
  command->add_option("--color,--colour", draw.colour,
                      "the dim or digit that gives the colour: c, c/16, c%4; "
                      "none");
  command->add_flag("--with-logical", draw.with_logical,
                    "the logical tensor beside memory, in the same colours");
  command->add_option("--logical", draw.logical,
                      "the same, with its rows and columns: 'n h | c w'");
  command->add_option("--to", options->to,
                      "a second layout: the picture of a conversion");
  command->add_option("--data", options->data,
                      "what memory holds: .npy, or raw bytes; padding that is "
                      "not zero becomes red");
  command->add_option("--walk", draw.walk,
                      "mark where memory order jumps, as [NAME:0], [NAME:1] "
                      "...");
  command
      ->add_option("--mark", options->marks,
                   "NAME=BYTE: write a name at a byte (more than once)")
      ->allow_extra_args(false);
  command
      ->add_option("--view", options->view,
                   "auto (by the layout's axes), rows, image or banks")
      ->capture_default_str();
  command->add_option("--grid", draw.grid_bytes,
                      "bytes in one row of cells (default: 64, or what fits)");
  command
      ->add_option("--max-cells", draw.max_cells,
                   "beyond so many cells the regular middle is left out")
      ->capture_default_str();
  command->add_option("--max-columns", draw.max_columns,
                      "cells beside each other (default: about a page, or the "
                      "terminal)");
  command->add_option("--title", draw.title, "instead of the expression");
  command->callback([&context, options, command] {
    run(context, *options, command->count("--dtype") > 0);
  });
}

}  // namespace stridewise::cli
