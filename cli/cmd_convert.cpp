// stridewise convert IN OUT --from A --to B
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "device.hpp"
#include "dump_files.hpp"
#include "dump_window.hpp"
#include "progress.hpp"
#include "sidecar.hpp"
#include "stridewise/threads.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

struct Options {
  std::string in, out, from, to, shape, dtype;
  std::string to_dtype;
  std::string device;
  WindowOptions window;
  Quantisation quantisation;
  bool keep_gaps = false;
  bool sidecar = false;
  int threads = 0;
};

// Dims one after the other, as NumPy wants them: the layout's own logical order,
// or the shape's.
std::string logical_order(const Options& options) {
  const LayoutSource source =
      resolve_all(std::array{options.from}, options.shape)[0];
  std::vector<std::string> dims = source.dims;
  if (dims.empty() && !options.shape.empty()) {
    dims = names_of(shape_for(options.shape, std::array{source}));
  }
  return print_dims(dims.empty() ? dims_of(source) : dims);
}

void run(Context& context, const Options& given) {
  turn_signals_into_errors();
  Options options = given;
  check_not_stdout(options.out);
  if (options.sidecar) check_sidecar(options.in, options.out);
  value_of(check_tensor_name(options.out));
  const std::string in = identity_of(options.in);
  use_sidecar(options.in, options.from, options.shape, options.dtype);
  need(options.from, "--from", options.in);
  if (options.to.empty()) options.to = logical_order(options);
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.from, options.to}, options.shape);
  ConvertOptions convert{.in = options.in,
                         .out = options.out,
                         .from = sources[0],
                         .to = sources[1]};
  if (!options.shape.empty()) {
    const TensorFile file = value_of(open_tensor(options.in));
    convert.shape =
        shape_in_files(options.shape, sources, {{file, sources[0]}});
  }
  if (!options.dtype.empty()) {
    convert.type = value_of(parse_element_type(options.dtype));
  }
  if (!options.to_dtype.empty()) {
    convert.to_type = value_of(parse_element_type(options.to_dtype));
  } else if (options.quantisation != Quantisation{}) {
    throw Failure{
        {ErrorCode::mismatch, "--scale and --zero-point need --to-dtype"}};
  }
  convert.quantisation = options.quantisation;
  convert.start_byte = options.window.start_byte();
  convert.fill = options.keep_gaps ? Fill::keep : Fill::zero;
  convert.parallel_for = make_parallel_for(options.threads);
  Mover mover{"cpu", {}};
  if (!options.device.empty()) {
    mover = mover_on(options.device, convert.fill);
    convert.move = mover.move;
  }
  std::optional<OutputFile> sidecar;
  convert.before_commit = [&](const ConvertJob& job,
                              std::span<const std::byte> file) -> Result<void> {
    // What was said of IN is of the bytes that were there then.
    if (identity_of(options.in) != in) {
      return fail(ErrorCode::io, options.in + ": changed while it was read");
    }
    if (options.sidecar) {
      Result<OutputFile> made =
          make_sidecar(options.out,
                       {options.to, print(job.src.shape()),
                        std::string(job.values.dst.name)},
                       fingerprint_of(file));
      if (!made) return unexpected(std::move(made.error()));
      sidecar.emplace(*std::move(made));
    }
    return remove_sidecars(options.out);
  };
  ProgressBar bar(!context.json);
  convert.progress = [&bar](double done) { bar.update(done); };
  const ConvertReport report = value_of(convert_file(convert));
  if (sidecar) value_of(sidecar->commit());
  const double moved = static_cast<double>(report.bytes_read) +
                       static_cast<double>(report.bytes_written);
  const double gbps = report.seconds > 0 ? moved / report.seconds / 1e9 : 0.0;
  const std::string missing =
      report.missing_elements == 0
          ? ""
          : fmt::format("{} of {} elements are not in {}: zero\n",
                        report.missing_elements, report.src.elements(),
                        options.in);
  context.answer(
      {{"elements", report.src.elements()},
       {"missing_elements", report.missing_elements},
       {"bytes_read", report.bytes_read},
       {"bytes_written", report.bytes_written},
       {"seconds", report.seconds},
       {"gbps", gbps},
       {"shape", print(report.src.shape())},
       {"dtype", report.type.name},
       {"to_dtype", report.to_type.name},
       {"from", print(report.src.expression())},
       {"to", print(report.dst.expression())},
       {"device", mover.device},
       {"plan", options.device.empty() ? plan_json(report.plan) : Json()}},
      fmt::format("{}: {} of {}, {} -> {} in {}, {:.1f} "
                  "GB/s\n",
                  options.out, print(report.src.shape()), report.to_type.name,
                  print_bytes(static_cast<double>(report.bytes_read)),
                  print_bytes(static_cast<double>(report.bytes_written)),
                  print_seconds(report.seconds), gbps) +
          missing);
}

// The options that convert and decode have in common.
std::shared_ptr<Options> add_options(Command command, Context& context) {
  auto options = std::make_shared<Options>();
  command.add_option("IN", options->in, "source file").required();
  command.add_option("OUT", options->out, "destination file").required();
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command.add_option("--dtype,-t", options->dtype,
                     "element type; bf16 reads 2-byte .npy data as such");
  command.add_option("--to-dtype", options->to_dtype,
                     "element type of OUT: f32 to f16, bf16, s8 or u8, or "
                     "back");
  command
      .add_option("--scale", options->quantisation.scale,
                  "s8, u8: real = (integer - zero point) * scale")
      .show_default();
  command
      .add_option("--zero-point", options->quantisation.zero_point,
                  "s8, u8: the integer that means 0")
      .show_default();
  options->window.add_to(command, "IN");
  command.add_flag("--keep-gaps", options->keep_gaps,
                   "OUT exists: leave its bytes that hold no element as they "
                   "are, instead of zeros");
  command.add_flag("--sidecar", options->sidecar,
                   "write OUT's layout, shape and dtype beside it: dump.json "
                   "of dump.bin");
  const Option threads =
      command
          .add_option("--threads,-j", options->threads,
                      "threads; 0: as many as the machine has")
          .in_range(0, 4096);
  command
      .add_option("--device", options->device,
                  "opencl or opencl:N: move on that device; the same bytes "
                  "('stridewise devices')")
      .excludes(threads);
  command.callback([&context, options] { run(context, *options); });
  return options;
}

}  // namespace

void add_convert(Command app, Context& context) {
  Command command = app.add_command(
      "convert",
      "a file from one layout to another: a tensor, a weight, a dump");
  command.footer(
      "Files named *.npy are NumPy arrays, all others raw bytes. A .npy source "
      "of a layout\nwithout padding tells shape and dtype itself; else give "
      "--shape (logical extents) and\n--dtype. A .npy output has one dim a "
      "digit: nChw8c of 2x17x5x4 is 2x3x5x4x8.\nOUT appears whole or not at "
      "all, replaces a file of that name, and is never the input.\n"
      "  stridewise convert x.npy x16.npy --from nchw --to nChw16c\n"
      "  stridewise convert dump.bin x.npy --from 'okk.aligned(start=2)' --to "
      "nchw \\\n      --shape 2x70x14x14 --dtype f32\n"
      "  stridewise convert x.npy q.npy --from nchw --to nhwc --to-dtype s8 "
      "--scale 0.05");
  const auto options = add_options(command, context);
  command.add_option("--from,-f", options->from,
                     "layout of IN; needed unless its sidecar tells it");
  command.add_option("--to,-o", options->to, "layout of OUT").required();
}

void add_decode(Command app, Context& context) {
  Command command = app.add_command(
      "decode", "a dump to a plain array: convert, in the words of a dump");
  command.footer(
      "The same as convert; without --to, OUT is in logical order, without "
      "padding. A sidecar\n(dump.json with layout, shape and dtype) saves the "
      "options; convert --sidecar writes one.\n"
      "  stridewise decode dump.bin out.npy --from "
      "'okk.aligned(npus=64,start=2)' \\\n      --shape 2x70x14x14 --dtype "
      "f32\n"
      "  stridewise decode dump.bin out.npy");
  const auto options = add_options(command, context);
  command.add_option("--from,--layout,-f", options->from,
                     "layout of IN; needed unless its sidecar tells it");
  command.add_option("--to,-o", options->to,
                     "layout of OUT; logical order unless given");
}

}  // namespace stridewise::cli
