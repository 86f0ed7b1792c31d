// stridewise plan A B --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include "common.hpp"

namespace stridewise::cli {

void add_plan(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "plan", "how a conversion would be done: loops, tiles and kernels");
  command->footer(
      "Loops are from the outermost in, strides in bytes; the last line of a "
      "nest is the\nkernel and the tile that it walks itself.\n"
      "  stridewise plan nchw nChw16c --shape 8x67x56x56");
  struct Options {
    std::array<std::string, 2> layouts;
    std::string shape;
    std::string dtype = "f32";
    std::string to_dtype;
    bool keep_gaps = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("A", options->layouts[0], "layout of the source")
      ->required();
  command->add_option("B", options->layouts[1], "layout of the destination")
      ->required();
  command->add_option("--shape,-s", options->shape, "logical extents")
      ->required();
  command->add_option("--dtype,-t", options->dtype, "element type")
      ->capture_default_str();
  command->add_option("--to-dtype", options->to_dtype,
                      "element type of the destination, where values change");
  command->add_flag("--keep-gaps", options->keep_gaps,
                    "leave bytes that hold no element as they are");
  command->callback([&context, options] {
    const ElementType type = value_of(parse_element_type(options->dtype));
    const std::vector<LayoutSource> sources =
        resolve_all(options->layouts, options->shape);
    const Shape shape = shape_for(options->shape, sources);
    PlanOptions plan_options{.fill =
                                 options->keep_gaps ? Fill::keep : Fill::zero};
    ElementType to_type = type;
    if (!options->to_dtype.empty()) {
      to_type = value_of(parse_element_type(options->to_dtype));
      plan_options.values = Values{type, to_type};
    }
    const Plan plan = value_of(Plan::make(
        value_of(sources[0].bind(shape, type.bytes())),
        value_of(sources[1].bind(shape, to_type.bytes())), plan_options));
    context.answer(plan_json(plan), plan.to_string());
  });
}

}  // namespace stridewise::cli
