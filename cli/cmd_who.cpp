// stridewise who LAYOUT --byte B | --coord C --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "common.hpp"

namespace stridewise::cli {
namespace {

struct Options : LayoutOptions {
  std::optional<std::string> byte;
  std::optional<std::string> element;
  std::optional<std::string> coord;
};

std::int64_t asked_byte(const Layout& layout, const Options& options) {
  if (options.coord) {
    return layout.offset_of_coordinates(
               value_of(parse_coordinates(*options.coord, layout))) *
           layout.element_bytes();
  }
  if (options.byte) return value_of(parse_count(*options.byte));
  const std::int64_t element = value_of(parse_count(*options.element));
  if (element >= layout.places()) {
    throw Failure{{ErrorCode::invalid_value,
                   fmt::format("element {} is outside the tensor's {} places",
                               element, layout.places())}};
  }
  return element * layout.element_bytes();
}

void run(Context& context, const Options& options) {
  const Layout layout = options.bind();
  if (!layout.valid()) throw Failure{*layout.defect()};
  const std::int64_t byte = asked_byte(layout, options);
  if (byte < 0 || byte >= layout.size_bytes()) {
    throw Failure{{ErrorCode::invalid_value,
                   fmt::format("byte {} is outside the tensor's {} bytes", byte,
                               layout.size_bytes())}};
  }
  const std::int64_t offset = byte / layout.element_bytes();
  const std::int64_t within = byte % layout.element_bytes();
  std::vector<std::int64_t> index(layout.shape().size());
  const Place place = layout.element_at(offset, index);
  const std::vector<std::int64_t> at = coordinates_at(layout, offset);
  const bool element = place == Place::element;
  std::string text;
  switch (place) {
    case Place::element:
      text = print_index(layout.shape(), index);
      break;
    case Place::padding:
      text = "padding";
      break;
    case Place::gap:
      text = "a gap: no element, and no padding of one";
      break;
  }
  if (within != 0) text += fmt::format("  (byte {} of it)", within);
  context.answer(
      {{"kind", element ? "element" : "padding"},
       {"index", element ? named(layout.shape(), index) : Json(nullptr)},
       {"gap", place == Place::gap},
       {"byte", byte},
       {"byte_in_element", within},
       {"element_offset", offset},
       {"coords", coordinates(layout, at)},
       {"dims", named(layout.shape())}},
      fmt::format("{}  at {} (byte {}), of {}\n", text,
                  print_coordinates(layout, at), byte, print(layout.shape())));
}

}  // namespace

void add_who(Command app, Context& context) {
  Command command = app.add_command(
      "who", "place in memory -> the element that is there, or padding");
  command.footer(
      "  stridewise who nChw16c --shape 2x17x5x4 --byte 4096\n"
      "  stridewise who 'okk.aligned(npus=4,npu_bytes=1024,start=2)' "
      "--shape 2x3x4x5 \\\n      --coord npu=3,offset=28");
  auto options = std::make_shared<Options>();
  options->add_to(command);
  Command place = command.add_choice("Place", "exactly one of these");
  place.add_option("--byte,-b", options->byte,
                   "byte from the start, decimal or 0x...");
  place.add_option("--element,-e", options->element,
                   "element from the start: byte / element size");
  place.add_option("--coord,-c", options->coord,
                   "coordinates by axis, npu=1,offset=28; axes left out are "
                   "at 0");
  command.callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
