// stridewise check FILE LAYOUT --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "dump_files.hpp"

namespace stridewise::cli {
namespace {

struct Options {
  std::string file, layout, shape, dtype;
};

Json leaks_json(const std::vector<LeakReport>& leaks) {
  Json json = Json::array();
  for (const LeakReport& leak : leaks) {
    json.push_back(
        {{"byte", leak.byte},
         {"count", leak.count},
         {"holds", leak.holds.empty() ? Json(nullptr) : Json(leak.holds)}});
  }
  return json;
}

Json index_json(const Shape& shape,
                const std::optional<std::vector<std::int64_t>>& index) {
  return index ? named(shape, *index) : Json(nullptr);
}

void run(Context& context, const Options& given) {
  turn_signals_into_errors();
  Options options = given;
  use_sidecar(options.file, options.layout, options.shape, options.dtype);
  need(options.layout, "LAYOUT", options.file);
  need(options.shape, "--shape", options.file);
  const TensorFile file = value_of(open_tensor(options.file));
  const ElementType type = value_of(type_of(file, dtype_of(options.dtype)));
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.layout}, options.shape);
  const Shape shape = shape_for(options.shape, sources);
  const Layout layout = value_of(sources[0].bind(shape, type.bytes()));
  if (!layout.valid()) throw Failure{*layout.defect()};
  const auto size = static_cast<std::int64_t>(file.data().size());
  CheckReport report;
  const bool fits = size == layout.size_bytes();
  if (fits) {
    check_array(file, shape, &layout);
    std::int64_t told = 0;
    report = value_of(
        check_memory(layout, file.data(), type, [&](std::int64_t done) {
          forget(file, told, done - told);
          told = done;
        }));
  } else {
    report.elements = layout.elements();
    report.padding = layout.places() - layout.elements();
    report.findings.push_back(fmt::format("{} bytes, but the layout takes {}",
                                          size, layout.size_bytes()));
    for (const std::string& sentence : explain_size(layout, type, size)) {
      report.findings.push_back(sentence);
    }
  }
  std::string text = report.findings.empty()
                         ? fmt::format(
                               "nothing found: {} elements, {} places "
                               "without one, all zero\n",
                               report.elements, report.padding)
                         : "";
  for (const std::string& finding : report.findings) text += finding + "\n";
  for (const LeakReport& leak : report.leaks) {
    text += fmt::format("  byte {}: {} place{}{}\n", leak.byte, leak.count,
                        leak.count == 1 ? "" : "s",
                        leak.holds.empty() ? "" : ", holds " + leak.holds);
  }
  const auto more =
      report.leak_runs - static_cast<std::int64_t>(report.leaks.size());
  if (more > 0) {
    text += fmt::format("  and {} more run{}\n", more, more == 1 ? "" : "s");
  }
  if (report.first_nan) {
    text += "  first NaN at " + print_index(shape, *report.first_nan) + "\n";
  }
  if (report.first_inf) {
    text += "  first Inf at " + print_index(shape, *report.first_inf) + "\n";
  }
  context.answer({{"ok", report.findings.empty()},
                  {"size_bytes", size},
                  {"expected_bytes", layout.size_bytes()},
                  {"size_matches", fits},
                  {"elements", report.elements},
                  {"padding", report.padding},
                  {"padding_nonzero", report.padding_nonzero},
                  {"padding_not_finite", report.padding_not_finite},
                  {"nan", report.nan},
                  {"inf", report.inf},
                  {"first_nan", index_json(shape, report.first_nan)},
                  {"first_inf", index_json(shape, report.first_inf)},
                  {"leaks", leaks_json(report.leaks)},
                  {"leak_runs", report.leak_runs},
                  {"findings", report.findings},
                  {"expression", print(layout.expression())},
                  {"shape", print(shape)},
                  {"dtype", type.name}},
                 text);
  if (!report.findings.empty()) context.exit_code = exit_no;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "check",
      "a dump on its own: its size, padding that is not zero, NaN and Inf");
  command->footer(
      "Exit code 1 when something was found. LAYOUT, --shape and --dtype "
      "default to those of\nthe file's sidecar (dump.json).\n"
      "  stridewise check dump.bin nChw16c --shape 2x17x5x4 --dtype f32");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "the dump")->required();
  command->add_option("LAYOUT,--layout,-l", options->layout, "its layout");
  command->add_option("--shape,-s", options->shape,
                      "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command->add_option("--dtype,-t", options->dtype,
                      "element type; needed unless FILE is .npy");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
