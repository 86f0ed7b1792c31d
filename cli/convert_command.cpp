// SPDX-License-Identifier: Apache-2.0
#include "convert_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catalogues.hpp"
#include "dump_files.hpp"
#include "layout_options.hpp"
#include "progress.hpp"
#include "sidecar.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

double gbps_of(const ConvertReport& report) {
  const double moved = static_cast<double>(report.bytes_read) +
                       static_cast<double>(report.bytes_written);
  return report.seconds > 0 ? moved / report.seconds / 1e9 : 0.0;
}

}  // namespace

Parts read_parts(const std::vector<std::string>& texts) {
  Parts parts;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const bool again = std::ranges::any_of(
        parts.files, [&](const PartFile& file) { return file.name == name; });
    if (name.empty()) {
      throw Failure{{ErrorCode::invalid_value, "--part needs a name"}};
    }
    if (again || (equals == std::string::npos && texts.size() > 1)) {
      throw Failure{{ErrorCode::invalid_value,
                     fmt::format("--part {}: {}", text,
                                 again ? "the part is given twice"
                                       : "several parts need a file each: "
                                         "--part NAME=FILE")}};
    }
    if (equals == std::string::npos) {
      parts.chosen = name;
    } else {
      parts.files.push_back({name, text.substr(equals + 1)});
    }
  }
  return parts;
}

std::string logical_order(const ConvertCommand& options,
                          const std::string& part) {
  const LayoutSource source =
      resolve_all(std::array{options.from}, options.shape)[0];
  if (!source.expression.parts().empty()) {
    need(options.shape, "--shape", options.in);
    const Layout memory = value_of(source.bind(
        shape_for(options.shape, std::array{source}),
        Binding{.element_bits = 8,
                .tables = tables_of(options.tables, std::array{source})}));
    if (part.empty() && memory.unreadable()) {
      Error error = *memory.unreadable();
      error.message +=
          " with --part NAME, or write each to a file: --part "
          "NAME=FILE";
      throw Failure{std::move(error)};
    }
    return print(value_of(rows_of_part(memory, part)).expression);
  }
  std::vector<std::string> dims = source.dims;
  if (dims.empty() && !options.shape.empty()) {
    dims = names_of(shape_for(options.shape, std::array{source}));
  }
  return print_dims(dims.empty() ? dims_of(source) : dims);
}

namespace {

// --fill 0xCC
std::byte fill_byte(const ConvertCommand& options) {
  const Result<std::int64_t> byte = parse_count(options.fill);
  if (!byte || *byte > 255) {
    throw Failure{{ErrorCode::invalid_value,
                   fmt::format("--fill {}: a byte is 0 to 255, or 0x00 to 0xFF",
                               options.fill)}};
  }
  const bool keeps = options.keep_gaps || !options.to_window.empty();
  if (keeps) {
    throw Failure{
        {ErrorCode::invalid_value,
         fmt::format("--fill goes without {}: OUT's bytes would stay "
                     "as they are",
                     options.keep_gaps ? "--keep-gaps" : "--to-window")}};
  }
  return static_cast<std::byte>(*byte);
}

// What OUT's sidecar is to say: a layout and a shape that a command reads again.
Sidecar words_of(const ConvertCommand& options, const ConvertOptions& convert,
                 const ConvertJob& job) {
  Shape shape = convert.to_shape.value_or(job.src.shape());
  // A part knows some dims alone, or only k/32 of one.
  const bool of_part = job.dst.tensors().size() > 1 ||
                       std::ranges::any_of(shape, [](const Dim& dim) {
                         return dim.name.find('/') != std::string::npos;
                       });
  if (of_part && convert.shape && !convert.to_shape) shape = *convert.shape;
  // Dims of positions, as aBcd16b has them, have the names of the other side here.
  const auto alone = resolve_layout(options.to, {}, known_layouts());
  const std::string layout = alone && alone->positional_dims
                                 ? print(job.dst.expression())
                                 : options.to;
  return {layout, print(shape), std::string(job.values.dst.name)};
}

}  // namespace

ConvertOptions common_options(const ConvertCommand& options,
                              std::span<const LayoutSource> layouts) {
  ConvertOptions convert;
  if (!options.dtype.empty()) {
    convert.type = value_of(parse_element_type(options.dtype));
  }
  if (!options.to_dtype.empty()) {
    convert.to_type = value_of(parse_element_type(options.to_dtype));
  } else if (options.scales.given()) {
    throw Failure{
        {ErrorCode::mismatch, "--scale and --zero-point need --to-dtype"}};
  }
  Scales scales = options.scales.read();
  if (scales.dim.empty() && !scales.each.empty()) {
    convert.quantisation = scales.each.front();
  } else {
    convert.scales = std::move(scales);
  }
  convert.big_endian = options.byte_order == "big";
  convert.tables = tables_of(options.tables, layouts);
  convert.packed = options.packed;
  convert.start_byte = options.window.start_byte();
  convert.fill = options.keep_gaps ? Fill::keep : Fill::zero;
  if (!options.fill.empty()) convert.fill_byte = fill_byte(options);
  convert.parallel_for = make_parallel_for(options.threads);
  return convert;
}

ConvertReport convert_one(const Context& context, const ConvertCommand& options,
                          ConvertOptions convert, const Unchanged& in) {
  std::optional<OutputFile> sidecar;
  convert.before_commit = [&](const ConvertJob& job,
                              std::span<const std::byte> file) -> Result<void> {
    if (auto same = in.check(); !same) return same;
    if (options.sidecar) {
      Result<OutputFile> made = make_sidecar(
          convert.out, words_of(options, convert, job), fingerprint_of(file));
      if (!made) return unexpected(std::move(made.error()));
      sidecar.emplace(*std::move(made));
    }
    return remove_sidecars(convert.out);
  };
  ProgressBar bar(!context.json);
  convert.progress = [&bar](double done) { bar.update(done); };
  convert.sync = context.sync();
  ConvertReport report = value_of(convert_file(convert));
  if (sidecar) value_of(sidecar->commit(context.sync()));
  return report;
}

std::string text_of(const ConvertReport& report, const std::string& in,
                    const std::string& out) {
  const Shape& shape = report.src.shape();
  std::string text = fmt::format(
      "{}: {} of {}, {} -> {} in {}, {:.1f} GB/s\n", one_line(out),
      shape.empty() ? "one value" : print(shape), report.to_type.name,
      print_bytes(static_cast<double>(report.bytes_read)),
      print_bytes(static_cast<double>(report.bytes_written)),
      print_seconds(report.seconds), gbps_of(report));
  if (report.missing_elements != 0) {
    text += fmt::format("{} of {} elements are not in {}: zero\n",
                        report.missing_elements, report.src.elements(),
                        one_line(in));
  }
  if (report.missing_bytes != 0) {
    text += fmt::format(
        "{} ends with its last element, {} bytes before its layout does\n",
        one_line(in), report.missing_bytes);
  }
  return text;
}

Json json_of(const ConvertReport& report) {
  return {{"elements", report.src.elements()},
          {"missing_elements", report.missing_elements},
          {"missing_bytes", report.missing_bytes},
          {"bytes_read", report.bytes_read},
          {"bytes_written", report.bytes_written},
          {"seconds", report.seconds},
          {"gbps", gbps_of(report)},
          {"shape", print(report.src.shape())},
          {"dtype", report.type.name},
          {"to_dtype", report.to_type.name},
          {"from", print(report.src.expression())},
          {"to", print(report.dst.expression())}};
}

}  // namespace stridewise::cli
