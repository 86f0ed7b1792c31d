// stridewise infer REFERENCE DUMP --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "catalogues.hpp"
#include "dump_files.hpp"
#include "infer_report.hpp"
#include "infer_values.hpp"
#include "progress.hpp"

namespace stridewise::cli {
namespace {

namespace fs = std::filesystem;

struct InferCommand {
  std::vector<std::string> files;
  std::string shape, dtype, dump_dtype, byte_order;
  double rtol = 0;
  double atol = 0;
  std::optional<std::int64_t> record, part_at, part_bytes;
};

// REFERENCE DUMP, where each may stand for a series; or all references, then
// all dumps.
std::pair<std::vector<fs::path>, std::vector<fs::path>> split(
    const std::vector<std::string>& files) {
  if (files.size() == 2) return {files_of(files[0]), files_of(files[1])};
  const auto half = static_cast<std::ptrdiff_t>(files.size() / 2);
  return {{files.begin(), files.begin() + half},
          {files.begin() + half, files.end()}};
}

// A reference has each element in bytes of its own.
void check_width(const ElementType& type, const TensorFile& reference) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(type.bytes()))) {
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("infer reads elements of 1, 2, 4, 8 or 16 "
                               "bytes, or of fewer bits than these; {} is "
                               "none",
                               type.name)}};
  }
  if (type.bits % 8 != 0 && !reference.npy) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{}: a reference of {} is a .npy array, in "
                               "which each element has bytes of its own",
                               reference.path.string(), type.name)}};
  }
}

std::optional<InferRecord> record_of(const InferCommand& options) {
  if (!options.record) {
    if (!options.part_at && !options.part_bytes) return std::nullopt;
    throw Failure{{ErrorCode::mismatch,
                   "--part-at and --part-bytes are of a record: they need "
                   "--record BYTES"}};
  }
  return InferRecord{*options.record, options.part_at.value_or(-1),
                     options.part_bytes.value_or(-1)};
}

// The files of both sides, references first.
struct Files {
  std::vector<TensorFile> all;
  std::size_t pairs = 0;

  [[nodiscard]] const TensorFile& dump() const { return all[pairs]; }
};

Files open_files(const InferCommand& options) {
  if (options.files.size() % 2 != 0) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} files: as many references as dumps are "
                               "needed",
                               options.files.size())}};
  }
  const auto [references, dumps] = split(options.files);
  Files files{.all = {}, .pairs = references.size()};
  for (const auto* paths : {&references, &dumps}) {
    for (const fs::path& path : *paths) {
      files.all.push_back(open_dump(path));
    }
  }
  if (references.size() != dumps.size()) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} references and {} dumps of a series",
                               references.size(), dumps.size())}};
  }
  return files;
}

TensorShape shape_of(const InferCommand& options, const TensorFile& reference) {
  if (!options.shape.empty()) return tensor_shape(options.shape);
  if (reference.npy && reference.npy->shape.empty()) {
    throw Failure{{ErrorCode::mismatch,
                   reference.path.string() +
                       ": one value without dims has no layout to look for"}};
  }
  if (reference.npy) return tensor_shape(print_extents(reference.npy->shape));
  throw Failure{
      {ErrorCode::mismatch, reference.path.string() + ": needs --shape"}};
}

TypedReport typed_report(const Files& files, const TypedOptions& options) {
  std::vector<InferPair> pairs;
  for (std::size_t k = 0; k < files.pairs; ++k) {
    pairs.push_back({files.all[k].data(), files.all[files.pairs + k].data()});
  }
  return value_of(infer_typed(pairs, options));
}

// The dump's type: as told, or as the header of an array has it; else the reference's.
ElementType type_of_dump(const InferCommand& options, const TensorFile& dump,
                         const ElementType& reference) {
  if (!options.dump_dtype.empty()) {
    return value_of(parse_element_type(options.dump_dtype));
  }
  if (!dump.npy || type_of(dump, reference)) return reference;
  return type_of(dump, std::nullopt).value_or(reference);
}

void run_infer(Context& context, const InferCommand& options) {
  Files files = open_files(options);
  const std::optional<ElementType> asked =
      options.dtype.empty()
          ? std::nullopt
          : std::optional(value_of(parse_element_type(options.dtype)));
  const ElementType type = value_of(type_of(files.all.front(), asked));
  check_width(type, files.all.front());
  const TensorShape shape = shape_of(options, files.all.front());
  for (const TensorFile& file : std::span(files.all).first(files.pairs)) {
    check_array(file, shape.shape, nullptr);
    static_cast<void>(value_of(type_of(file, asked)));
  }
  ProgressBar bar(!context.json);
  const auto progress = [&](double done) {
    for (const TensorFile& file : files.all) {
      forget(file, 0, static_cast<std::int64_t>(file.data().size()));
    }
    bar.update(done);
  };
  const ElementType dump_type = type_of_dump(options, files.dump(), type);
  for (std::size_t k = 0; k < files.all.size(); ++k) {
    swap_raw(files.all[k], options.byte_order,
             k < files.pairs ? type : dump_type, WindowOptions{});
  }
  InferOptions inference{shape.shape, dump_type.bytes(), shape.positional,
                         progress};
  inference.names = known_layouts();
  if (type.bits % 8 != 0) inference.packed_bits = type.bits;
  inference.record = record_of(options);
  // Of a series, holes of one dump may be data of another.
  if (files.pairs == 1) inference.zeros = holes_of(files.all.back());
  const TypedOptions typed{inference, type, dump_type, options.rtol,
                           options.atol};
  const TypedReport found = typed_report(files, typed);
  const bool is_bits = found.agreement == TypedReport::Agreement::bits;
  const bool taken = std::ranges::any_of(files.all, [](const TensorFile& file) {
    std::error_code none;
    return fs::equivalent(file.path, "out.npy", none);
  });
  const Told told{.dump = files.dump(),
                  .shape = print(shape.shape),
                  .type = is_bits ? type : dump_type,
                  .out = taken ? "decoded.npy" : "out.npy",
                  .values = values_text(found, typed),
                  .assumed = assumed_dims(shape),
                  .byte_order = options.byte_order == "big" ? "big" : ""};
  const InferReport& report = found.report;
  Json json = report_json(report, shape.shape, told.type, told);
  json.update(values_json(found, typed));
  context.answer(json, report_text(report, shape.shape, told));
  if (report.fits.empty()) context.exit_code = exit_no;
}

}  // namespace

void add_infer(Command app, Context& context) {
  Command command =
      app.add_command("infer", "reference and dump -> the layout of the dump");
  command.footer(
      "REFERENCE is the tensor in logical order (.npy), DUMP the raw bytes "
      "that "
      "somebody's\nprogram made of it. Exact where the reference's values "
      "differ: see stridewise probe.\nOf a series, name OUT.npy for OUT.0.npy, "
      "OUT.1.npy ..., or all references and then\nall dumps; of OUT.npy and a "
      "series, what was written last is read. Exit code 1 when "
      "no layout fits, or the data cannot tell.\n"
      "  stridewise infer p.npy dump.bin --shape 2x70x14x14 --dtype f32");
  auto options = std::make_shared<InferCommand>();
  command
      .add_option("FILES", options->files,
                  "REFERENCE DUMP; or all references, then all dumps")
      .required()
      .expects(2, 1024);
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4; needed "
                     "unless REFERENCE is .npy");
  command.add_option("--dtype,-t", options->dtype,
                     "element type; needed unless REFERENCE is .npy");
  command.add_option("--dump-dtype", options->dump_dtype,
                     "type of DUMP's elements, where it is another one than "
                     "REFERENCE's");
  command.add_option("--rtol", options->rtol,
                     "values of DUMP may be off by so much of the reference's");
  command.add_option("--atol", options->atol, "and by so much more");
  add_byte_order(command, options->byte_order);
  command
      .add_option("--record", options->record,
                  "the dump is records of so many bytes, of which the tensor "
                  "is a part")
      .not_negative();
  command
      .add_option("--part-at", options->part_at,
                  "byte of a record where the part begins; else it is looked "
                  "for")
      .not_negative();
  command
      .add_option("--part-bytes", options->part_bytes,
                  "bytes of the part in a record, where it has padding")
      .not_negative();
  command.callback([&context, options] { run_infer(context, *options); });
}

}  // namespace stridewise::cli
