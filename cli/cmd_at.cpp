// stridewise at LAYOUT INDEX --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "common.hpp"

namespace stridewise::cli {
namespace {

struct Options : LayoutOptions {
  std::string index;
};

// Numbers alone are in the order of the shape. Ends the command where the shape was
// written in another order than the layout has it.
std::vector<std::int64_t> index_of(const Options& options,
                                   const Layout& layout) {
  const bool by_name = options.index.find('=') != std::string::npos;
  const Result<Shape> written = parse_shape(options.shape);
  const std::vector<std::string> logical = names_of(layout.shape());
  if (by_name || !written || names_of(*written) == logical) {
    return value_of(parse_index(options.index, layout.shape()));
  }
  const auto reading = [&](const std::vector<std::string>& order) {
    return print(value_of(parse_shape(options.index, order)));
  };
  throw Failure{
      {ErrorCode::invalid_value,
       fmt::format("the index {} has two readings; name its dims: {} (logical "
                   "order) or {} (order of --shape)",
                   options.index, reading(logical),
                   reading(names_of(*written)))}};
}

void run(Context& context, const Options& options) {
  const Layout layout = options.bind();
  if (!layout.valid()) throw Failure{*layout.defect()};
  const std::vector<std::int64_t> index = index_of(options, layout);
  const std::int64_t offset = layout.offset(index);
  std::vector<std::int64_t> at(layout.axes().size());
  layout.coordinates_of(index, at);
  const std::int64_t byte = offset * layout.element_bytes();
  context.answer(
      {{"byte", byte},
       {"element_offset", offset},
       {"coords", coordinates(layout, at)},
       {"index", named(layout.shape(), index)},
       {"dims", named(layout.shape())}},
      fmt::format("byte {}  element {}  {}  ({} of {})\n", byte, offset,
                  print_coordinates(layout, at),
                  print_index(layout.shape(), index), print(layout.shape())));
}

}  // namespace

void add_at(Command app, Context& context) {
  Command command = app.add_command("at", "element -> where it is in memory");
  command.footer(
      "  stridewise at nChw16c --shape 2x17x5x4 n=1,c=16,h=4,w=3\n"
      "  stridewise at mace.channel --shape 2x17x5x4 --dtype f16 1,16,4,3");
  auto options = std::make_shared<Options>();
  options->add_to(command);
  command
      .add_option("INDEX", options->index,
                  "n=1,c=16,h=4,w=3, or 1,16,4,3 in the shape's order")
      .required();
  command.callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
