// stridewise probe OUT --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <memory>

#include "dump_files.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

struct ProbeCommand {
  std::string out = "probe.npy";
  std::string shape;
  std::string dtype = "f32";
};

void write(const Probe& probe, int file, const ElementType& type,
           const std::string& header, const std::filesystem::path& path,
           Sync sync) {
  constexpr std::int64_t slice = 1 << 20;
  // Fits: the probe's bytes are at most 2^62.
  const auto size = static_cast<std::int64_t>(header.size()) +
                    probe.elements() * type.bytes();
  write_file(path, size, sync, [&](std::byte* data) {
    if (!header.empty()) std::memcpy(data, header.data(), header.size());
    for (std::int64_t first = 0; first < probe.elements(); first += slice) {
      probe.fill(file, first, std::min(slice, probe.elements() - first),
                 data + header.size() + first * type.bytes());
    }
  });
}

void run_probe(Context& context, const ProbeCommand& options) {
  const Shape shape = tensor_shape(options.shape).shape;
  const ElementType type = value_of(parse_element_type(options.dtype));
  if (!std::has_single_bit(static_cast<std::uint64_t>(type.bytes()))) {
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("a probe's elements have 1, 2, 4, 8 or 16 "
                               "bytes, or fewer bits than these; {} has not",
                               type.name)}};
  }
  const Probe probe = value_of(Probe::make(shape, type));
  std::vector<std::int64_t> extents;
  for (const Dim& dim : shape) extents.push_back(dim.extent);
  const std::filesystem::path out = options.out;
  check_not_stdout(out);
  check_whole_file(out);
  value_of(check_tensor_name(out));
  if (type.bits % 8 != 0 && !is_npy(out)) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{}: a probe of {} is a .npy array, in which "
                               "each element has bytes of its own",
                               out.string(), type.name)}};
  }
  const std::string header =
      is_npy(out) ? make_npy_header(array_type(type), extents) : "";
  Json files = Json::array();
  std::string text;
  for (int k = 0; k < probe.files(); ++k) {
    const std::filesystem::path path =
        probe.files() == 1 ? out : series_name(out, k);
    write(probe, k, type, header, path, context.sync());
    files.push_back(path.string());
    text += fmt::format(
        "{}: {} of {}{}\n", one_line(path.string()), print(shape), type.name,
        probe.files() == 1 ? ", all values differ"
                           : fmt::format(", {} of {}: together all differ",
                                         k + 1, probe.files()));
  }
  // infer reads what was written last under this name.
  if (probe.files() == 1) {
    date_after(out, series_name(out, 0));
  } else {
    date_after(series_name(out, 0), out);
  }
  context.answer({{"files", std::move(files)},
                  {"shape", print(shape)},
                  {"dtype", type.name},
                  {"elements", probe.elements()},
                  {"values", probe.values()}},
                 text);
}

}  // namespace

void add_probe(Command app, Context& context) {
  Command command = app.add_command(
      "probe",
      "a tensor to send through other software, so that infer can read the "
      "dump of it");
  command.footer(
      "No two elements are equal. Types of few values (s8, u8, bool) take a "
      "series of\nfiles, OUT.0.npy, OUT.1.npy ...: send each through, and give "
      "infer all of them.\n"
      "  stridewise probe p.npy --shape 2x70x14x14 --dtype f32\n"
      "  stridewise infer p.npy dump.bin --shape 2x70x14x14 --dtype f32");
  auto options = std::make_shared<ProbeCommand>();
  command
      .add_option("OUT,--out,-o", options->out,
                  "file to write: .npy, else raw bytes")
      .show_default();
  command
      .add_option("--shape,-s", options->shape,
                  "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4")
      .required();
  command.add_option("--dtype,-t", options->dtype, "element type")
      .show_default();
  add_sync(command, context);
  command.callback([&context, options] { run_probe(context, *options); });
}

}  // namespace stridewise::cli
