// convert and decode with --part NAME=FILE.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "convert_command.hpp"
#include "layout_options.hpp"
#include "sidecar.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

// All that can be wrong with names is told before the first file is written.
void check_targets(const Layout& memory, const std::filesystem::path& in,
                   const std::vector<PartFile>& files) {
  std::error_code none;
  const auto resolved = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(
        std::filesystem::absolute(path, none), none);
  };
  std::vector<std::filesystem::path> paths = {resolved(in)};
  for (const PartFile& file : files) {
    static_cast<void>(value_of(memory.part(file.name)));
    check_not_stdout(file.path);
    value_of(check_tensor_name(file.path));
    const auto path = resolved(file.path);
    if (std::ranges::find(paths, path) != paths.end()) {
      throw Failure{
          {ErrorCode::io, file.path.string() + ": is IN, or named twice"}};
    }
    const auto folder = path.parent_path();
    if (std::filesystem::is_directory(path, none) ||
        !std::filesystem::is_directory(folder, none)) {
      throw Failure{{ErrorCode::io, file.path.string() +
                                        ": is no file, or its folder is not "
                                        "there"}};
    }
    paths.push_back(path);
  }
}

// IN's memory to a file a part.
void split(const Context& context, ConvertCommand options,
           const std::vector<PartFile>& files) {
  const Unchanged in(options.in);
  use_sidecar(options.in, options.from, options.shape, options.dtype);
  need(options.from, "--from", options.in);
  need(options.shape, "--shape", options.in);
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.from}, options.shape);
  ConvertOptions convert = common_options(options, sources);
  convert.in = options.in;
  convert.from = sources[0];
  convert.shape = shape_for(options.shape, sources);
  const Layout memory = value_of(convert.from.bind(
      *convert.shape, Binding{.element_bits = 8, .tables = convert.tables}));
  check_targets(memory, options.in, files);
  Json json = Json::array();
  std::string text;
  for (const PartFile& file : files) {
    convert.part = file.name;
    convert.out = file.path;
    convert.to = value_of(rows_of_part(memory, file.name));
    const ConvertReport report = convert_one(context, options, convert, in);
    Json one = json_of(report);
    one["part"] = file.name;
    one["file"] = file.path.string();
    json.push_back(std::move(one));
    text += text_of(report, options.in, file.path.string());
  }
  context.answer({{"parts", std::move(json)}}, text);
}

// A file a part to the memory that `out` names.
void compose(const Context& context, const ConvertCommand& options,
             const std::string& out, const std::vector<PartFile>& files) {
  check_not_stdout(out);
  value_of(check_tensor_name(out));
  need(options.shape, "--shape", out);
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.to}, options.shape);
  ConvertOptions convert = common_options(options, sources);
  convert.in = files.front().path;
  convert.out = out;
  convert.to = sources[0];
  convert.shape = shape_for(options.shape, sources);
  convert.part_files = files;
  const ConvertReport report =
      convert_one(context, options, convert, Unchanged(convert.in));
  Json json = json_of(report);
  json["file"] = out;
  context.answer(
      json,
      fmt::format("{}: {} parts, {} -> {} in {}\n", one_line(out), files.size(),
                  print_bytes(static_cast<double>(report.bytes_read)),
                  print_bytes(static_cast<double>(report.bytes_written)),
                  print_seconds(report.seconds)));
}

}  // namespace

void run_parts(const Context& context, const ConvertCommand& options,
               const std::vector<PartFile>& files) {
  if (!options.out.empty()) {
    throw Failure{{ErrorCode::invalid_value,
                   fmt::format("{}: with parts in files of their own there is "
                               "one file more, that of the memory",
                               options.out)}};
  }
  if (options.sidecar || !options.device.empty() ||
      !options.from_window.empty() || !options.to_window.empty()) {
    throw Failure{{ErrorCode::unsupported,
                   "parts in files of their own go without --sidecar, "
                   "--device and windows"}};
  }
  const bool to_parts = !options.to.empty() &&
                        !resolve_all(std::array{options.to}, options.shape)[0]
                             .expression.parts()
                             .empty();
  if (to_parts) return compose(context, options, options.in, files);
  split(context, options, files);
}

}  // namespace stridewise::cli
