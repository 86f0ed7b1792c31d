// stridewise doctor REFERENCE DUMP
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>

#include "doctor.hpp"
#include "layout_options.hpp"
#include "progress.hpp"
#include "scales.hpp"

namespace stridewise::cli {
namespace {

struct DoctorCommand {
  std::string reference, dump, layout, shape, dtype, reference_dtype;
  ScaleOptions scales;
  std::optional<double> rtol, atol;
};

// The golden's shape: as told, with names of its own or in the order of the layout's dims.
TensorShape shape_of_golden(const DoctorCommand& options,
                            const DoctorCase& patient) {
  const TensorFile& golden = patient.golden;
  if (options.shape.empty() && !golden.npy) {
    throw Failure{{ErrorCode::mismatch, options.reference + ": needs --shape"}};
  }
  if (!options.shape.empty()) {
    return patient.layout ? TensorShape{shape_for(options.shape,
                                                  std::array{*patient.layout})}
                          : tensor_shape(options.shape);
  }
  if (!patient.layout) return tensor_shape(print_extents(golden.npy->shape));
  const std::optional<Shape> shape =
      shape_in_order(*patient.layout, golden.npy->shape);
  if (shape) return {*shape};
  throw Failure{
      {ErrorCode::mismatch,
       fmt::format("{}: an array of {}, but the layout's dims are "
                   "{}; give --shape",
                   options.reference, print_extents(golden.npy->shape),
                   fmt::join(dims_of(*patient.layout), ", "))}};
}

DoctorCase open_case(const DoctorCommand& options) {
  DoctorCase patient{.golden = open_dump(options.reference),
                     .dump_path = options.dump,
                     .dump = open_dump(options.dump)};
  const TensorFile& golden = patient.golden;
  patient.golden_type = value_of(
      type_of(golden, dtype_of(options.reference_dtype.empty() && !golden.npy
                                   ? options.dtype
                                   : options.reference_dtype)));
  if (!options.layout.empty()) {
    patient.layout = value_of(resolve_layout(options.layout));
  }
  // A boolean is a byte.
  if (patient.golden_type.kind == ElementKind::boolean) {
    patient.golden_type = value_of(parse_element_type("u8"));
  }
  if (!golden.npy) {
    patient.golden_words = fmt::format(" --dtype {}", patient.golden_type.name);
  }
  patient.shape = shape_of_golden(options, patient);
  patient.elements = value_of(element_count(patient.shape.shape));
  const std::int64_t width = patient.golden_type.bytes();
  if (patient.golden_type.bits % 8 != 0 || golden.data_bytes % width != 0 ||
      golden.data_bytes / width != patient.elements) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{}: {} bytes for {} of {}", options.reference,
                               golden.data_bytes, print(patient.shape.shape),
                               patient.golden_type.name)}};
  }
  if (patient.elements == 0) {
    throw Failure{{ErrorCode::mismatch,
                   options.reference + ": a tensor without elements"}};
  }
  if (patient.dump.npy) {
    patient.dump_type =
        value_of(type_of(patient.dump, dtype_of(options.dtype)));
  } else {
    patient.dump_type = dtype_of(options.dtype);
  }
  if (patient.dump_type && patient.dump_type->bits % 8 != 0 &&
      !patient.layout) {
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("a layout of {}, which is less than a byte, is "
                               "not looked for: --layout says which it is",
                               patient.dump_type->name)}};
  }
  patient.scales = options.scales.read();
  patient.scale_words = options.scales.words();
  if (options.rtol || options.atol) {
    patient.tolerance = Tolerance{.rtol = options.rtol.value_or(0),
                                  .atol = options.atol.value_or(0)};
  }
  return patient;
}

void run_doctor(Context& context, const DoctorCommand& options) {
  const DoctorCase patient = open_case(options);
  ProgressBar bar(!context.json);
  const Diagnosis told =
      diagnose(patient, [&bar](double done) { bar.update(done); });
  context.answer(told.json, told.text);
  if (!told.problems.empty()) context.exit_code = exit_no;
}

}  // namespace

void add_doctor(Command app, Context& context) {
  Command command = app.add_command(
      "doctor", "a golden and a dump: what is wrong, step by step");
  command.footer(
      "Tries in order what a person would: the dump's size, its type, its byte "
      "order, its\nlayout (infer), the values in it (diff), its padding "
      "(check); ends with the commands\nthat repeat each step. Exit code 0 "
      "only when nothing is wrong.\n"
      "  stridewise doctor golden.npy dump.bin\n"
      "  stridewise doctor golden.npy dump.bin --layout nChw16c --dtype f16");
  auto options = std::make_shared<DoctorCommand>();
  command
      .add_option("REFERENCE", options->reference,
                  "the golden: a .npy file, a tensor of a container, or raw "
                  "bytes")
      .required();
  command.add_option("DUMP", options->dump, "what was written").required();
  command.add_option("--layout,-l", options->layout,
                     "layout of DUMP, where it is known");
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4; needed "
                     "where REFERENCE is raw");
  command.add_option("--dtype,-t", options->dtype,
                     "element type of DUMP, where it is known");
  command.add_option("--reference-dtype", options->reference_dtype,
                     "element type of a raw REFERENCE; else that of DUMP");
  options->scales.add_to(command);
  command
      .add_option("--rtol", options->rtol,
                  "values may be off by so much of the reference's")
      .not_negative();
  command.add_option("--atol", options->atol, "and by so much more")
      .not_negative();
  command.callback([&context, options] { run_doctor(context, *options); });
}

}  // namespace stridewise::cli
