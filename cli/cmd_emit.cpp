// stridewise emit LAYOUT --shape S --dtype T --lang c|opencl|cuda
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

struct EmitCommand : LayoutOptions {
  std::string language = "c";
  std::string name = "layout";
  bool dynamic = false;
  int bits = 0;
};

// The expression of a source for the layout's type and every shape. Ends the command where
// it depends on the extents.
Expression any_shape(const LayoutSource& source, const Layout& layout) {
  const Binding binding{.element_bits = layout.element_bits()};
  const Expression one =
      value_of(source.expression_for(layout.shape(), binding));
  Shape larger = layout.shape();
  for (Dim& dim : larger) dim.extent = 2 * dim.extent + 1;
  const Result<Expression> other = source.expression_for(larger, binding);
  if (other && *other == one) return one;
  throw Failure{{ErrorCode::unsupported,
                 fmt::format("{} depends on the shape: emit its code for one",
                             source.name)}};
}

void run_emit(Context& context, const EmitCommand& options) {
  EmitOptions emit_options{
      .language = value_of(parse_emit_language(options.language)),
      .name = options.name};
  if (options.bits == 32) emit_options.bits = EmitBits::narrow;
  if (options.bits == 64) emit_options.bits = EmitBits::wide;
  const Layout layout = options.bind_tensor();
  const std::vector<std::string> dims = names_of(layout.shape());
  std::vector<std::string> axes;
  for (const BoundAxis& axis : layout.axes()) axes.push_back(axis.name);
  EmittedCode emitted;
  if (options.dynamic) {
    // As it was written: a base in bytes is a number of steps once it is bound.
    const LayoutSource source = options.source();
    emitted = value_of(emit_dynamic(any_shape(source, layout), dims,
                                    layout.element_bytes(), emit_options));
  } else {
    emitted = value_of(emit(layout, emit_options));
  }
  context.answer({{"code", emitted.code},
                  {"lang", options.language},
                  {"offset_function", emitted.offset_function},
                  {"coordinates_function", emitted.coordinates_function},
                  {"inverse_function", emitted.inverse_function.empty()
                                           ? Json(nullptr)
                                           : Json(emitted.inverse_function)},
                  {"offset_bits", emitted.offset_bits},
                  {"bitwise", emitted.bitwise},
                  {"bits", emitted.bits},
                  {"dynamic", options.dynamic},
                  {"dims", dims},
                  {"axes", axes},
                  {"expression", print(layout.expression())}},
                 emitted.code);
}

}  // namespace

void add_emit(Command app, Context& context) {
  Command command = app.add_command(
      "emit", "a layout's index arithmetic as source code, for kernels");
  command.footer(
      "Three functions: index -> element offset, index -> axis coordinates, "
      "element offset ->\nindex. Indices are in the logical order of a tag or "
      "catalogue name, else in the order\nof the shape; their names stand in "
      "the code. An offset counts elements; where those are parts of bytes or "
      "of several "
      "widths,\nsteps of the bits that the code's comment tells.\n"
      "  stridewise emit nChw16c --shape 2x17x5x4\n"
      "  stridewise emit mace.channel --shape 2x17x5x4 --lang opencl --name "
      "image\n"
      "  stridewise emit gguf.q4_0 --part q --shape 64x256\n"
      "  stridewise emit nhwc --shape n=2,h=5,w=4,c=17 --lang cuda --dynamic");
  auto options = std::make_shared<EmitCommand>();
  options->add_to(command);
  command
      .add_option("--lang,-l", options->language,
                  "c (C99, C++), opencl (OpenCL C 1.2) or cuda (host and "
                  "device)")
      .show_default();
  command
      .add_option("--name,-n", options->name,
                  "what the functions' names begin with")
      .show_default();
  command.add_flag("--dynamic", options->dynamic,
                   "extents are parameters, after all others: the code is "
                   "for every shape");
  command
      .add_option("--bits", options->bits,
                  "integers of 32 or 64 bits; 0: 32 where all fits, 64 else "
                  "and for --dynamic")
      .one_of({0, 32, 64})
      .show_default();
  command.callback([&context, options] { run_emit(context, *options); });
}

}  // namespace stridewise::cli
