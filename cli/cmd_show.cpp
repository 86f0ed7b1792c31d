// stridewise show LAYOUT --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "common.hpp"

namespace stridewise::cli {
namespace {

std::string axis_name(const Layout& layout, const BoundTerm& term) {
  return layout.axes()[static_cast<std::size_t>(term.axis)].name;
}

const std::string& dim_name(const Layout& layout, const BoundTerm& term) {
  return layout.shape()[static_cast<std::size_t>(term.dim)].name;
}

Json layout_json(const Layout& layout, const LayoutOptions& options) {
  Json axes = Json::array();
  for (const BoundAxis& axis : layout.axes()) {
    axes.push_back({{"name", axis.name},
                    {"extent", axis.extent},
                    {"base", axis.base},
                    {"pitch_bytes", axis.pitch_bytes}});
  }
  Json terms = Json::array();
  for (const BoundTerm& term : layout.terms()) {
    terms.push_back({{"axis", axis_name(layout, term)},
                     {"dim", dim_name(layout, term)},
                     {"bias", term.bias},
                     {"div", term.div},
                     {"mod", term.mod == 0 ? Json(nullptr) : Json(term.mod)},
                     {"extent", term.extent},
                     {"stride_elements", term.stride},
                     {"flat_stride_elements", term.flat_stride}});
  }
  Json json = {{"layout", options.layout},
               {"expression", print(layout.expression())},
               {"dims", named(layout.shape())},
               {"dtype", value_of(parse_element_type(options.dtype)).name},
               {"axes", std::move(axes)},
               {"terms", std::move(terms)},
               {"size_bytes", layout.size_bytes()},
               {"elements", layout.elements()},
               {"padding_elements", layout.places() - layout.elements()},
               {"dense", layout.dense()},
               {"valid", layout.valid()}};
  if (!layout.valid()) {
    json["padding_elements"] = nullptr;  // elements share places
    json["reason"] = layout.defect()->message;
  }
  return json;
}

std::string layout_text(const Layout& layout, const LayoutOptions& options) {
  std::string text = fmt::format(
      "{}\n  shape     {} of {}\n  size      {} bytes ({})\n"
      "  elements  {}{}\n",
      print(layout.expression()), print(layout.shape()),
      value_of(parse_element_type(options.dtype)).name, layout.size_bytes(),
      print_bytes(static_cast<double>(layout.size_bytes())), layout.elements(),
      layout.valid() ? fmt::format(", and {} places without an element",
                                   layout.places() - layout.elements())
                     : "");
  for (const BoundAxis& axis : layout.axes()) {
    text +=
        fmt::format("  axis      {}: extent {}, {} bytes a step{}\n", axis.name,
                    axis.extent, axis.pitch_bytes,
                    axis.base == 0 ? "" : fmt::format(", from {}", axis.base));
  }
  text += "\n  axis       digit            extent       stride\n";
  for (const BoundTerm& term : layout.terms()) {
    const Digit digit{dim_name(layout, term), term.bias, term.div, term.mod};
    text +=
        fmt::format("  {:<10} {:<12} {:>10} {:>12}\n", axis_name(layout, term),
                    print(digit), term.extent, term.stride);
  }
  if (!layout.valid()) {
    text += fmt::format("\nNOT VALID: {}\n", layout.defect()->message);
  }
  return text;
}

}  // namespace

void add_show(Command app, Context& context) {
  Command command = app.add_command(
      "show", "all that follows from a layout: digits, strides, size, padding");
  command.footer(
      "Strides are in steps of their axis: elements on the last one. Exit "
      "code 1 when\nthe layout is not valid: a dim is not covered, or two "
      "elements share a place.\n"
      "  stridewise show nChw16c --shape 2x17x5x4\n"
      "  stridewise show 'n:120 c:30 h:8 w' --shape n=2,c=3,h=3,w=5 --dtype "
      "s8");
  auto options = std::make_shared<LayoutOptions>();
  options->add_to(command);
  command.callback([&context, options] {
    const Layout layout = options->bind();
    context.answer(layout_json(layout, *options),
                   layout_text(layout, *options));
    if (!layout.valid()) context.exit_code = exit_no;
  });
}

}  // namespace stridewise::cli
