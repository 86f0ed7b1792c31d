// stridewise convert IN OUT --from A --to B
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "convert_command.hpp"
#include "device.hpp"
#include "dump_files.hpp"
#include "sidecar.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

// The shape is IN's, unless the one window is OUT's: then that has it.
void set_extents(const ConvertCommand& options,
                 const std::vector<LayoutSource>& sources,
                 ConvertOptions& convert) {
  if (!options.from_window.empty()) {
    convert.from_window = value_of(parse_window(options.from_window));
  }
  if (!options.to_window.empty()) {
    convert.to_window = value_of(parse_window(options.to_window));
    convert.fill = Fill::keep;
  }
  if (!options.to_shape.empty() &&
      (options.from_window.empty() || options.to_window.empty())) {
    throw Failure{{ErrorCode::mismatch,
                   "--to-shape goes with --from-window and --to-window: one "
                   "window alone needs no other shape"}};
  }
  const bool both = !options.from_window.empty() && !options.to_window.empty();
  if (!both && !options.to_window.empty()) {
    convert.to_shape = shape_for(options.shape, sources);
    return;
  }
  if (options.shape.empty() && !both) {
    std::string told;
    if (!is_npy(options.in)) take_told(told, sources);
    const bool one_value = dims_of(sources[0]).empty();
    if (!told.empty() || one_value) convert.shape = shape_for(told, sources);
    return;
  }
  const TensorFile file = value_of(open_tensor(options.in));
  if (!options.shape.empty()) {
    convert.shape =
        shape_in_files(options.shape, sources, {{file, sources[0]}});
  } else if (file.npy) {
    convert.shape = value_of(shape_of_array(file, sources[0]));
  } else {
    need_shape(options.shape, sources, options.in);
  }
  if (!both) return;
  convert.to_shape = options.to_shape.empty()
                         ? *convert.shape
                         : shape_for(options.to_shape, sources);
}

// An array is the tensor itself, where nobody says otherwise.
void use_header(ConvertCommand& options) {
  const TensorFile file = value_of(open_tensor(options.in));
  if (!file.npy) return;
  if (options.shape.empty()) options.shape = print_extents(file.npy->shape);
  const Shape shape = tensor_shape(options.shape).shape;
  options.shape = print(shape);
  options.from = print_dims(shape);
}

// An empty text, as of a variable of the shell that is not set, is no window of all.
std::string empty_text(const std::string& text) {
  return text.empty() ? "is empty" : "";
}

void run_convert(Context& context, const ConvertCommand& given) {
  ConvertCommand options = given;
  const Parts parts = read_parts(options.parts);
  if (!parts.files.empty()) return run_parts(context, options, parts.files);
  if (options.out.empty()) {
    throw Failure{{ErrorCode::invalid_value, "OUT is required"}};
  }
  check_not_stdout(options.out);
  if (options.sidecar) check_sidecar(options.in, options.out);
  if (options.sidecar && options.packed && is_npy(options.out)) {
    throw Failure{{ErrorCode::unsupported,
                   "--packed --sidecar: the array's header and the sidecar "
                   "would tell two shapes; write a raw file"}};
  }
  value_of(check_tensor_name(options.out));
  // Of one window of OUT the shape is OUT's, which IN's sidecar does not know.
  if (!options.to_window.empty() && options.from_window.empty() &&
      options.shape.empty()) {
    throw Failure{{ErrorCode::invalid_value,
                   "--to-window needs --shape, the extents of all of OUT"}};
  }
  const Unchanged in(options.in);
  use_sidecar(options.in, options.from, options.shape, options.dtype);
  if (options.from.empty() && !options.needs_to) use_header(options);
  need(options.from, "--from", options.in);
  if (options.to.empty() && options.needs_to) {
    throw Failure{{ErrorCode::invalid_value, "--to is required"}};
  }
  if (options.to.empty()) options.to = logical_order(options, parts.chosen);
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.from, options.to}, options.shape);
  ConvertOptions convert = common_options(options, sources);
  convert.in = options.in;
  convert.out = options.out;
  convert.from = sources[0];
  convert.to = sources[1];
  convert.part = parts.chosen;
  set_extents(options, sources, convert);
  if (!options.device.empty() &&
      (!convert.scales.dim.empty() || convert.big_endian)) {
    throw Failure{{ErrorCode::unsupported,
                   "--scale-dim and --byte-order are of the CPU: without "
                   "--device"}};
  }
  Mover mover{"cpu", {}};
  if (!options.device.empty()) {
    // What lies around a part or a window stays, as it does where the CPU moves.
    const bool around = !convert.part.empty() || !convert.to_window.empty() ||
                        convert.fill_byte.has_value();
    mover = mover_on(options.device, around ? Fill::keep : convert.fill);
    convert.move = mover.move;
  }
  const ConvertReport report = convert_one(context, options, convert, in);
  Json json = json_of(report);
  json["device"] = mover.device;
  const std::string& storage = *mover.storage;
  json["storage"] = storage.empty() ? Json() : Json(storage);
  json["plan"] = options.device.empty() ? plan_json(report.plan) : Json();
  std::string text = text_of(report, options.in, options.out);
  if (!storage.empty()) {
    text += fmt::format("on {}: {}\n", mover.device, storage);
  }
  context.answer(json, text);
}

// The options that convert and decode have in common.
std::shared_ptr<ConvertCommand> add_options(Command command, Context& context) {
  auto options = std::make_shared<ConvertCommand>();
  command.add_option("IN", options->in, "source file").required();
  command.add_option("OUT", options->out, "destination file");
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command.add_option("--dtype,-t", options->dtype,
                     "element type; bf16 reads 2-byte .npy data as such");
  command.add_option("--to-dtype", options->to_dtype,
                     "element type of OUT: values become its nearest ones");
  options->scales.add_to(command);
  add_byte_order(command, options->byte_order);
  command
      .add_option("--part,-p", options->parts,
                  "NAME: the part of IN's or OUT's memory that moves. "
                  "NAME=FILE, for each: the\nparts in files of their own; then "
                  "there is one file more, the memory")
      .one_word_each();
  command
      .add_option("--table", options->tables,
                  "entries of a table of a layout: T=7,2,5 or T=FILE.npy")
      .one_word_each();
  command.add_flag("--packed", options->packed,
                   ".npy arrays of types below 8 bits hold their memory, not "
                   "an element a byte");
  command
      .add_option("--from-window", options->from_window,
                  "the box of IN's indices that moves: h=10..30,w=5..; --shape "
                  "is IN's")
      .check(empty_text);
  command
      .add_option("--to-window", options->to_window,
                  "the box of OUT's indices that IN becomes; what OUT holds "
                  "elsewhere stays.\n--shape is OUT's, unless there is "
                  "--from-window too")
      .check(empty_text);
  command
      .add_option("--to-shape", options->to_shape,
                  "with both windows: OUT's extents where they are not IN's")
      .check(empty_text);
  options->window.add_to(command, "IN");
  command.add_flag("--keep-gaps", options->keep_gaps,
                   "OUT exists: leave its bytes that hold no element as they "
                   "are, instead of zeros");
  command
      .add_option("--fill", options->fill,
                  "the bytes of OUT that hold no element, 0..255 or 0xCC, "
                  "instead of zeros: junk\nin the padding, to test kernels "
                  "with")
      .check(empty_text);
  command.add_flag("--sidecar", options->sidecar,
                   "write OUT's layout, shape and dtype beside it: dump.json "
                   "of dump.bin");
  add_sync(command, context);
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
  command.callback([&context, options] { run_convert(context, *options); });
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
  command.add_option("--to,-o", options->to,
                     "layout of OUT; parts in files of their own have their "
                     "dims one after the\nother");
  options->needs_to = true;
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
