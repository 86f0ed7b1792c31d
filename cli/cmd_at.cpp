// stridewise at LAYOUT INDEX --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "common.hpp"

namespace stridewise::cli {

void add_at(Command app, Context& context) {
  Command command = app.add_command("at", "element -> where it is in memory");
  command.footer(
      "  stridewise at nChw16c --shape 2x17x5x4 n=1,c=16,h=4,w=3\n"
      "  stridewise at mace.channel --shape 2x17x5x4 --dtype f16 1,16,4,3");
  struct Options : LayoutOptions {
    std::string index;
  };
  auto options = std::make_shared<Options>();
  options->add_to(command);
  command
      .add_option("INDEX", options->index,
                  "n=1,c=16,h=4,w=3, or 1,16,4,3 in the shape's order")
      .required();
  command.callback([&context, options] {
    const Layout layout = options->bind();
    if (!layout.valid()) throw Failure{*layout.defect()};
    const std::vector<std::int64_t> index =
        value_of(parse_index(options->index, layout.shape()));
    const std::int64_t offset = layout.offset(index);
    std::vector<std::int64_t> at(layout.axes().size());
    layout.coordinates_of(index, at);
    const std::int64_t byte = offset * layout.element_bytes();
    context.answer({{"byte", byte},
                    {"element_offset", offset},
                    {"coords", coordinates(layout, at)},
                    {"index", named(layout.shape(), index)}},
                   fmt::format("byte {}  element {}  {}\n", byte, offset,
                               print_coordinates(layout, at)));
  });
}

}  // namespace stridewise::cli
