// stridewise check FILE LAYOUT --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "check_report.hpp"
#include "dump_files.hpp"
#include "dump_window.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {
namespace {

struct CheckCommand {
  std::string file, layout, shape, dtype, byte_order;
  PartOptions parts;
  WindowOptions window;
  bool ends_early = false;
};

// What the header of an array tells where nobody says otherwise: its extents,
// and without a layout that it is the tensor itself.
void use_header(CheckCommand& options, const TensorFile& file) {
  if (!file.npy) return;
  if (options.layout.empty()) {
    if (options.shape.empty()) options.shape = print_extents(file.npy->shape);
    const Shape shape = tensor_shape(options.shape).shape;
    options.shape = print(shape);
    options.layout = print_dims(shape);
  } else if (options.shape.empty()) {
    const LayoutSource source =
        resolve_all(std::array{options.layout}, options.shape)[0];
    const Result<Shape> shape = shape_of_array(file, source);
    // A flat array is memory as raw bytes are.
    if (!shape && file.npy->shape.size() == 1) return;
    options.shape = print(value_of(shape));
  }
}

// The report of a file of another size.
CheckReport wrong_size(const Layout& layout, const ElementType& type,
                       std::int64_t size) {
  CheckReport report;
  report.elements = layout.elements();
  report.padding = layout.plain() ? layout.places() - layout.elements() : 0;
  report.findings.push_back(fmt::format("{} bytes, but the layout takes {}",
                                        size, layout.size_bytes()));
  for (const std::string& sentence : explain_size(layout, type, size)) {
    report.findings.push_back(sentence);
  }
  return report;
}

// What tells more than a size does.
std::string hint(const CheckCommand& options, bool longer) {
  return fmt::format(
      "if the tensor is known: stridewise infer REFERENCE {}\n{}",
      shell_file(options.file),
      longer ? "if the memory begins at byte N of the file: --skip N\n" : "");
}

BoundTensor bind(CheckCommand& options, const TensorFile& file) {
  use_header(options, file);
  need(options.layout, "LAYOUT", options.file);
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.layout}, options.shape);
  take_told(options.shape, sources);
  need_shape(options.shape, sources, options.file);
  const Shape shape =
      shape_in_files(options.shape, sources, {{file, sources[0]}});
  BoundTensor bound =
      bind_tensor(file, sources[0], shape, options.dtype, options.parts);
  if (bound.layout.plain() && !bound.layout.valid()) {
    throw Failure{*bound.layout.defect()};
  }
  return bound;
}

// The byte of the layout's memory that the file begins with, where it is not that memory
// and nothing else.
std::optional<std::int64_t> start_of(const CheckCommand& options,
                                     const TensorFile& file,
                                     const Layout& layout) {
  const auto size = static_cast<std::int64_t>(file.data().size());
  const bool ends_early = options.ends_early && size < layout.size_bytes() &&
                          8 * size >= layout.used_bits();
  return ends_early ? 0 : options.window.start_byte();
}

void run_check(Context& context, const CheckCommand& given) {
  CheckCommand options = given;
  const Unchanged before(options.file);
  use_sidecar(options.file, options.layout, options.shape, options.dtype);
  TensorFile file = open_dump(options.file);
  value_of(before.check());
  const auto [layout, type] = bind(options, file);
  const Shape& shape = layout.shape();
  const auto size = static_cast<std::int64_t>(file.data().size());
  const std::optional<std::int64_t> start = start_of(options, file, layout);
  const bool fits = start || size == layout.size_bytes();
  CheckReport report;
  std::int64_t missing = 0;
  if (fits) {
    check_array(file, shape, &layout);
    swap_raw(file, options.byte_order, type, options.window);
    const FileMemory memory = memory_in(file, layout, start);
    missing = memory.window.missing_elements;
    std::int64_t told = 0;
    const auto passed = [&](std::int64_t done) {
      memory.forget(file, told, done - told);
      told = done;
    };
    report = value_of(check_memory(layout, memory.window.bytes, type, passed,
                                   memory.first_byte));
  } else {
    report = wrong_size(layout, type, size);
  }
  const std::string absent =
      missing == 0 ? ""
                   : fmt::format("{} of {} elements are not in the dump\n",
                                 missing, report.elements);
  Json json = check_json(report, shape);
  json["size_bytes"] = size;
  json["expected_bytes"] = layout.size_bytes();
  json["size_matches"] = size == layout.size_bytes();
  json["missing_elements"] = missing;
  json["expression"] = print(layout.expression());
  json["shape"] = print(shape);
  json["dtype"] = type.name;
  context.answer(json,
                 check_text(report, shape, missing) + absent +
                     (fits ? "" : hint(options, size > layout.size_bytes())));
  if (!report.findings.empty()) context.exit_code = exit_no;
}

}  // namespace

void add_check(Command app, Context& context) {
  Command command = app.add_command(
      "check",
      "a dump on its own: its size, padding that is not zero, NaN and Inf");
  command.footer(
      "Exit code 1 when something was found. LAYOUT, --shape and --dtype "
      "default to those of\nthe file's sidecar (dump.json); a .npy array's "
      "header tells shape and dtype of a layout\nwithout padding, and without "
      "a layout the array is the tensor itself.\n"
      "  stridewise check dump.bin nChw16c --shape 2x17x5x4 --dtype f32");
  auto options = std::make_shared<CheckCommand>();
  command.add_option("FILE", options->file, "the dump").required();
  command.add_option("LAYOUT,--layout,-l", options->layout, "its layout");
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command.add_option("--dtype,-t", options->dtype,
                     "element type; needed unless FILE is .npy");
  options->parts.add_to(command);
  options->window.add_to(command, "FILE");
  command.add_flag("--short", options->ends_early,
                   "FILE may end with its last element, without the padding "
                   "after it");
  add_byte_order(command, options->byte_order);
  command.callback([&context, options] { run_check(context, *options); });
}

}  // namespace stridewise::cli
