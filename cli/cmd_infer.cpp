// stridewise infer REFERENCE DUMP --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "catalogues.hpp"
#include "dump_files.hpp"
#include "progress.hpp"

namespace stridewise::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string shape, dtype;
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

std::string outcome_name(InferReport::Outcome outcome) {
  switch (outcome) {
    case InferReport::Outcome::one:
      return "one fits";
    case InferReport::Outcome::unproven:
      return "fits, maybe not alone";
    case InferReport::Outcome::several:
      return "several fit";
    case InferReport::Outcome::none:
      return "none fits";
    case InferReport::Outcome::unknowable:
      return "cannot know";
  }
  return "";
}

// What tells the files apart in the command that reads them.
struct Told {
  const TensorFile& dump;
  std::string shape;
  const ElementType& type;
  std::string out;  // a file that is none of those given
};

// Whether `decode` takes the dump for bytes, as infer() does: an array says more
// of itself.
bool decodes(const InferFit& fit, const Told& told) {
  const std::optional<NpyHeader>& npy = told.dump.npy;
  if (!npy) return true;
  if (!type_of(told.dump, told.type)) return false;
  if (npy->shape.size() == 1) return true;
  return !npy->fortran_order && fit.start_byte == 0 &&
         fit.trailing_bytes == 0 && fit.missing_bytes == 0 &&
         npy->shape == array_shape(fit.layout);
}

// The command that makes an array of the dump, as it is to be typed; empty where
// there is none.
std::string decode_command(const InferFit& fit, const Told& told) {
  if (!decodes(fit, told)) return "";
  std::string text =
      fmt::format("stridewise decode {} {} --from {} --shape {} --dtype {}",
                  shell_file(told.dump.path.string()), told.out,
                  shell_word(print(fit.layout.expression())),
                  shell_word(told.shape), told.type.name);
  if (fit.start_byte > 0 || fit.missing_bytes > 0) {
    // Bytes before the memory and none at its end: one option tells both.
    text += fit.start_byte < 0 ? fmt::format(" --skip {}", -fit.start_byte)
                               : fmt::format(" --start {}", fit.start_byte);
  } else if (fit.start_byte < 0 || fit.trailing_bytes > 0) {
    text += fmt::format(" --skip {}", -fit.start_byte);
  }
  return text;
}

Json fit_json(const InferFit& fit) {
  return {{"expression", print(fit.layout.expression())},
          {"name", fit.names.empty() ? Json(nullptr) : Json(fit.names[0])},
          {"names", fit.names},
          {"names_at_base", fit.names_at_base},
          {"base_bytes", fit.base_bytes},
          {"size_bytes", fit.layout.size_bytes()},
          {"start_byte", fit.start_byte},
          {"trailing_bytes", fit.trailing_bytes},
          {"missing_bytes", fit.missing_bytes}};
}

// Of one that fits.
Json fit_json(const InferFit& fit, const Told& told) {
  Json json = fit_json(fit);
  const std::string command = decode_command(fit, told);
  json["decode"] = command.empty() ? Json(nullptr) : Json(command);
  return json;
}

Json report_json(const InferReport& report, const Shape& shape,
                 const ElementType& type, const Told& told) {
  Json json = {{"outcome", outcome_name(report.outcome)},
               {"unique", report.outcome == InferReport::Outcome::one}};
  if (report.fits.empty()) {
    json["expression"] = nullptr;
    json["name"] = nullptr;
  } else {
    json.update(fit_json(report.fits[0], told));
  }
  Json fits = Json::array();
  Json details = Json::array();
  for (const InferFit& fit : report.fits) {
    fits.push_back(print(fit.layout.expression()));
    details.push_back(fit_json(fit, told));
  }
  json["fits"] = std::move(fits);
  json["fit_details"] = std::move(details);
  json["shape"] = print(shape);
  json["dtype"] = type.name;
  json["elements"] = report.elements;
  json["present"] = report.present;
  json["matching"] = report.matching;
  json["best"] = report.best ? fit_json(*report.best) : Json(nullptr);
  json["first_break"] =
      report.first_break ? named(shape, *report.first_break) : Json(nullptr);
  if (!report.reason.empty()) json["reason"] = report.reason;
  return json;
}

std::string fit_text(const InferFit& fit) {
  std::string text = print(fit.layout.expression()) + "\n";
  for (std::size_t k = 0; k < std::min<std::size_t>(fit.names.size(), 6); ++k) {
    text +=
        fmt::format("  {}      {}\n", k == 0 ? "name" : "also", fit.names[k]);
  }
  if (!fit.names_at_base.empty()) {
    text += fmt::format("  which is  {}, {} bytes into the dump\n",
                        fit.names_at_base[0], fit.base_bytes);
  }
  if (fit.start_byte > 0) {
    text +=
        fmt::format("  start     the dump begins with byte {} of this memory\n",
                    fit.start_byte);
  }
  if (fit.start_byte < 0) {
    text += fmt::format("  start     {} bytes of the dump come before\n",
                        -fit.start_byte);
  }
  if (fit.trailing_bytes > 0) {
    text += fmt::format("  end       {} bytes of the dump come after\n",
                        fit.trailing_bytes);
  }
  if (fit.missing_bytes > 0) {
    text += fmt::format("  end       the dump lacks the last {} bytes\n",
                        fit.missing_bytes);
  }
  return text;
}

std::string report_text(const InferReport& report, const Shape& shape,
                        const Told& told) {
  switch (report.outcome) {
    case InferReport::Outcome::one:
    case InferReport::Outcome::unproven: {
      std::string text = fit_text(report.fits[0]);
      if (report.present < report.elements) {
        text += fmt::format("  elements  {} of {} are in the dump, all right\n",
                            report.present, report.elements);
      }
      if (report.outcome == InferReport::Outcome::unproven) {
        text +=
            fmt::format("  maybe     not the only one: {}{}\n", report.reason,
                        report.reason != "values repeat"
                            ? ""
                            : " (stridewise probe makes values that\n"
                              "            do not)");
      }
      const std::string command = decode_command(report.fits[0], told);
      return command.empty() ? text : text + "  read it   " + command + "\n";
    }
    case InferReport::Outcome::several: {
      std::string text = fmt::format(
          "several fit, because values repeat (stridewise probe makes values "
          "that do not):\n");
      for (const InferFit& fit : report.fits) text += fit_text(fit);
      return text;
    }
    case InferReport::Outcome::none: {
      std::string text = report.reason + "\n";
      if (report.best) {
        text += "  nearest   " + print(report.best->layout.expression()) + "\n";
      }
      if (report.first_break) {
        text += fmt::format("  breaks    at {}\n",
                            print_index(shape, *report.first_break));
      }
      return text;
    }
    case InferReport::Outcome::unknowable:
      return "cannot know: " + report.reason + "\n";
  }
  return "";
}

void run(Context& context, const Options& options) {
  turn_signals_into_errors();
  if (options.files.size() % 2 != 0) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} files: as many references as dumps are "
                               "needed",
                               options.files.size())}};
  }
  const auto [references, dumps] = split(options.files);
  if (references.size() != dumps.size()) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} references and {} dumps of a series",
                               references.size(), dumps.size())}};
  }
  std::vector<TensorFile> files;
  for (const fs::path& path : references) {
    files.push_back(value_of(open_tensor(path)));
  }
  std::optional<ElementType> asked;
  if (!options.dtype.empty()) {
    asked = value_of(parse_element_type(options.dtype));
  }
  const ElementType type = value_of(type_of(files.front(), asked));
  if (type.bits % 8 != 0 ||
      !std::has_single_bit(static_cast<std::uint32_t>(type.bits))) {
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("infer reads elements of whole bytes; {} is "
                               "none",
                               type.name)}};
  }
  std::string text = options.shape;
  if (text.empty() && files.front().npy) {
    text = print_extents(files.front().npy->shape);
  }
  if (text.empty()) {
    throw Failure{
        {ErrorCode::mismatch, files.front().path.string() + ": needs --shape"}};
  }
  const TensorShape shape = tensor_shape(text);
  for (const TensorFile& file : files) {
    check_array(file, shape.shape, nullptr);
    static_cast<void>(value_of(type_of(file, asked)));
  }
  for (const fs::path& path : dumps) {
    files.push_back(value_of(open_tensor(path)));
  }
  std::vector<InferPair> pairs;
  for (std::size_t k = 0; k < references.size(); ++k) {
    pairs.push_back({files[k].data(), files[references.size() + k].data()});
  }
  ProgressBar bar(!context.json);
  const auto progress = [&](double done) {
    for (const TensorFile& file : files) {
      forget(file, 0, static_cast<std::int64_t>(file.data().size()));
    }
    bar.update(done);
  };
  InferOptions inference{shape.shape, type.bytes(), shape.positional, progress};
  inference.names = known_layouts();
  // Of a series, holes of one dump may be data of another.
  if (dumps.size() == 1) inference.zeros = holes_of(files.back());
  const InferReport report = value_of(infer(pairs, inference));
  const bool taken = std::ranges::any_of(files, [](const TensorFile& file) {
    std::error_code none;
    return fs::equivalent(file.path, "out.npy", none);
  });
  const Told told{files[references.size()], print(shape.shape), type,
                  taken ? "decoded.npy" : "out.npy"};
  context.answer(report_json(report, shape.shape, type, told),
                 report_text(report, shape.shape, told));
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
  auto options = std::make_shared<Options>();
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
  command.callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
