// stridewise diff A B --layout-a LA --layout-b LB --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "dump_files.hpp"
#include "dump_window.hpp"
#include "layout_options.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {
namespace {

struct Options {
  std::string a, b, layout_a, layout_b, shape, dtype;
  PartOptions parts;
  Tolerance tolerance;
  WindowOptions window_a, window_b;
};

// JSON has no infinities and no NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

bool is_integer(const ElementType& type) {
  return type.kind == ElementKind::signed_integer ||
         type.kind == ElementKind::unsigned_integer ||
         type.kind == ElementKind::boolean;
}

// Integers in all their digits, also those that are no double.
Json number(const ElementType& type, const std::string& text, double value) {
  return is_integer(type) ? Json::parse(text).value_or(nullptr) : number(value);
}

// The largest error: of integers it is the worst one's.
std::string largest(const DiffReport& report, const ElementType& type) {
  return is_integer(type) ? report.worst->abs_text
                          : fmt::format("{:.6g}", report.max_abs);
}

Json difference_json(const Shape& shape, const ElementType& type,
                     const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {{"index", named(shape, difference->index)},
          {"byte_a", difference->byte_a},
          {"byte_b", difference->byte_b},
          {"a", number(type, difference->a_text, difference->a)},
          {"b", number(type, difference->b_text, difference->b)},
          {"abs", number(type, difference->abs_text, difference->abs)},
          {"rel", number(difference->rel)},
          {"ulp", difference->ulp}};
}

std::string difference_text(const char* what, const Shape& shape,
                            const Difference& difference) {
  return fmt::format("  {:<9} {}: {} and {}, at byte {} of A and {} of B\n",
                     what, print_index(shape, difference.index),
                     difference.a_text, difference.b_text, difference.byte_a,
                     difference.byte_b);
}

Json counts_json(const std::vector<DiffCounts>& all) {
  // A long dim is told by its indices that differ, as far as they are few.
  constexpr std::size_t most = 4096;
  Json json = Json::object();
  for (const DiffCounts& dim : all) {
    Json counts = Json::object();
    for (std::size_t k = 0; k < dim.counts.size(); ++k) {
      if (dim.counts[k] == 0) continue;
      if (counts.size() >= most) break;
      const std::int64_t first = static_cast<std::int64_t>(k) * dim.step;
      const std::int64_t last = std::min(first + dim.step, dim.extent) - 1;
      counts[first == last ? std::to_string(first)
                           : fmt::format("{}..{}", first, last)] =
          dim.counts[k];
    }
    json[dim.name] = std::move(counts);
  }
  return json;
}

std::string summary(const DiffReport& report) {
  if (report.differences == 0) return "equal";
  return fmt::format("{}", fmt::join(report.findings, "; "));
}

// What A's sidecar says, or B's; an error where they do not say the same.
std::string one_of(const char* what, const std::string& option,
                   const std::string& a, const std::string& b, bool same) {
  if (!a.empty() && !b.empty() && !same) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("the sidecar of A says {} {} and that of B {}; "
                               "give {}",
                               what, a, b, option)}};
  }
  return a.empty() ? b : a;
}

std::vector<std::int64_t> extents_of(const std::string& shape) {
  std::vector<std::int64_t> extents;
  if (shape.empty()) return extents;
  for (const Dim& dim : tensor_shape(shape).shape) {
    extents.push_back(dim.extent);
  }
  return extents;
}

void use_sidecars(Options& options) {
  const bool open = options.shape.empty() || options.dtype.empty();
  const auto told = [&](const std::string& file, const std::string& layout) {
    return open || layout.empty() ? sidecar_for(file) : Sidecar{};
  };
  const Sidecar a = told(options.a, options.layout_a);
  const Sidecar b = told(options.b, options.layout_b);
  if (options.layout_a.empty()) options.layout_a = a.layout;
  if (options.layout_b.empty()) options.layout_b = b.layout;
  if (options.shape.empty()) {
    options.shape = one_of("shape", "--shape", a.shape, b.shape,
                           extents_of(a.shape) == extents_of(b.shape));
  }
  if (options.dtype.empty()) {
    options.dtype = one_of("dtype", "--dtype", a.dtype, b.dtype,
                           dtype_of(a.dtype) == dtype_of(b.dtype));
  }
}

// --dtype, or what the sidecars or either array's header tell.
// None where parts name theirs.
std::optional<ElementType> common_type(const TensorFile& a, const TensorFile& b,
                                       const std::string& dtype,
                                       std::span<const LayoutSource> layouts) {
  const std::optional<ElementType> asked = dtype_of(dtype);
  const bool parts = std::ranges::any_of(layouts, [](const auto& layout) {
    return !layout.expression.parts().empty();
  });
  if (parts) return asked;
  const bool told_by_b = !asked && !a.npy && b.npy;
  const ElementType type = value_of(type_of(told_by_b ? b : a, asked));
  static_cast<void>(value_of(type_of(told_by_b ? a : b, type)));
  return type;
}

// The memory of one side, which must have every element.
FileMemory memory_of(const TensorFile& file, const Layout& layout,
                     const ElementType& type, const WindowOptions& options,
                     const char* skip) {
  const auto size = static_cast<std::int64_t>(file.data().size());
  // A raw file may end with its last element.
  const bool ends_early = !file.npy && !options.skip &&
                          size < layout.size_bytes() &&
                          8 * size >= layout.used_bits();
  if (!options.skip && size != layout.size_bytes() && !ends_early) {
    throw Failure{
        {ErrorCode::mismatch,
         fmt::format("{}: has {} bytes, but {} of {} {} takes {}: {}{}",
                     file.path.string(), size, print(layout.expression()),
                     print(layout.shape()), type.name, layout.size_bytes(),
                     explain_size(layout, type, size).front(),
                     size > layout.size_bytes() && !file.npy
                         ? fmt::format("; if its memory begins at byte N of "
                                       "the file, {} N",
                                       skip)
                         : "")}};
  }
  FileMemory memory = memory_in(
      file, layout,
      ends_early ? std::optional<std::int64_t>(0) : options.start_byte());
  if (memory.window.missing_elements > 0) {
    throw Failure{
        {ErrorCode::mismatch,
         fmt::format("{}: after {} bytes, {} of {} elements are not in it",
                     file.path.string(), *options.skip,
                     memory.window.missing_elements, layout.elements())}};
  }
  return memory;
}

// What not_negative() lets through is no tolerance: nan, inf.
std::string finite_tolerance(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = end != text.c_str() && *end == '\0';
  return number && std::isfinite(value) && value >= 0
             ? ""
             : fmt::format("'{}' is no finite number of 0 or more", text);
}

// The shape in the logical order of a layout, if the array has those extents and is
// therefore the tensor itself.
Shape shape_of_tensor(const Options& options, const std::string& layout,
                      const TensorFile& array) {
  const std::vector<LayoutSource> source =
      resolve_all(std::array{layout}, options.shape);
  const Shape shape = value_of(read_shape(options.shape, source)).logical;
  const bool told =
      std::ranges::equal(array.npy->shape, shape, {}, {}, &Dim::extent);
  return told ? shape : shape_for(options.shape, source);
}

// An array of which nobody says otherwise is the tensor itself.
void use_headers(Options& options, const TensorFile& a, const TensorFile& b) {
  if (options.layout_a.empty() && a.npy && !a.npy->shape.empty()) {
    if (options.shape.empty()) options.shape = print_extents(a.npy->shape);
    const Shape shape = options.layout_b.empty()
                            ? tensor_shape(options.shape).shape
                            : shape_of_tensor(options, options.layout_b, a);
    options.shape = print(shape);
    options.layout_a = print_dims(shape);
  }
  if (!options.layout_b.empty() || options.layout_a.empty()) return;
  options.layout_b = options.layout_a;
  // Two arrays of one shape were written alike.
  if (!b.npy || options.shape.empty()) return;
  if (a.npy && a.npy->shape == b.npy->shape) return;
  const Shape shape = shape_of_tensor(options, options.layout_a, b);
  const bool is_tensor =
      std::ranges::equal(b.npy->shape, shape, {}, {}, &Dim::extent);
  if (!is_tensor) return;
  options.layout_b = print_dims(shape);
  options.shape = print(shape);
}

// What was bound; as it was written where a part was put around it.
const Expression& told(const Layout& layout, const LayoutSource& source) {
  const bool own =
      source.expression.parts().empty() && !layout.expression().parts().empty();
  return own ? source.expression : layout.expression();
}

double share_of(const DiffReport& report) {
  return report.elements == 0 ? 0
                              : static_cast<double>(report.differences) /
                                    static_cast<double>(report.elements);
}

std::string report_text(const DiffReport& report, const Shape& shape,
                        const ElementType& type) {
  if (report.differences == 0) {
    return fmt::format("equal: {} elements\n", report.elements);
  }
  std::string text =
      fmt::format("{} of {} elements differ ({:.3g} %)\n", report.differences,
                  report.elements, 100 * share_of(report));
  for (const std::string& finding : report.findings) {
    text += "  " + finding + "\n";
  }
  text += difference_text("first", shape, *report.first);
  text += report.worst->index == report.first->index
              ? "  worst     the first\n"
              : difference_text("worst", shape, *report.worst);
  text += fmt::format(
      "  largest   |a-b| {}, |a-b|/|b| {:.6g}{}\n", largest(report, type),
      report.max_rel,
      report.max_ulp > 0 ? fmt::format(", {} ulp", report.max_ulp) : "");
  return text;
}

// What was found, without what it was found in.
Json report_json(const DiffReport& report, const Shape& shape,
                 const ElementType& type) {
  return {
      {"equal", report.differences == 0},
      {"elements", report.elements},
      {"differences", report.differences},
      {"share", share_of(report)},
      {"max_abs", report.worst && is_integer(type)
                      ? Json::parse(report.worst->abs_text).value_or(nullptr)
                      : Json(report.max_abs)},
      {"max_rel", report.max_rel},
      {"max_ulp", report.max_ulp},
      {"nan_a", report.nan_a},
      {"nan_b", report.nan_b},
      {"first", difference_json(shape, type, report.first)},
      {"worst", difference_json(shape, type, report.worst)},
      {"by_dim", counts_json(report.by_dim)},
      {"by_axis", counts_json(report.by_axis)},
      {"findings", report.findings},
      {"summary", summary(report)}};
}

void run(Context& context, const Options& given) {
  turn_signals_into_errors();
  Options options = given;
  use_sidecars(options);
  const TensorFile file_a = value_of(open_tensor(options.a));
  const TensorFile file_b = value_of(open_tensor(options.b));
  if (!options.layout_a.empty()) {
    take_told(options.shape,
              resolve_all(std::array{options.layout_a}, options.shape));
  }
  use_headers(options, file_a, file_b);
  need(options.layout_a, "--layout-a", options.a);
  const std::vector<LayoutSource> sources = resolve_all(
      std::array{options.layout_a, options.layout_b}, options.shape);
  const std::optional<ElementType> type =
      common_type(file_a, file_b, options.dtype, sources);
  need(options.shape, "--shape", options.a);
  const TensorPair pair = value_of(bind_pair(
      file_a, sources[0], file_b, sources[1],
      shape_in_files(options.shape, sources,
                     {{file_a, sources[0]}, {file_b, sources[1]}}),
      {type, options.parts.part, tables_of(options.parts.tables, sources)}));
  const Layout& a = pair.a;
  const Layout& b = pair.b;
  const Shape& shape = a.shape();
  check_array(file_a, shape, &a);
  check_array(file_b, shape, &b);
  const FileMemory memory_a =
      memory_of(file_a, a, pair.type_a, options.window_a, "--skip-a");
  const FileMemory memory_b =
      memory_of(file_b, b, pair.type_b, options.window_b, "--skip-b");
  DiffOptions diff_options{
      pair.type_a,         options.tolerance,   {},
      memory_a.first_byte, memory_b.first_byte, pair.type_b};
  std::int64_t told_a = 0;
  diff_options.passed = [&](std::int64_t done_a, std::int64_t) {
    if (done_a == 0) {  // anywhere: all may go
      forget(file_a, 0, static_cast<std::int64_t>(file_a.data().size()));
      forget(file_b, 0, static_cast<std::int64_t>(file_b.data().size()));
      return;
    }
    memory_a.forget(file_a, told_a, done_a - told_a);
    memory_b.forget(file_b, told_a, done_a - told_a);
    told_a = done_a;
  };
  const DiffReport report = value_of(
      diff(a, memory_a.window.bytes, b, memory_b.window.bytes, diff_options));
  const ElementType type_told = plain_type(pair.type_a);
  Json json = report_json(report, shape, type_told);
  json["layout_a"] = print(told(a, sources[0]));
  json["layout_b"] = print(told(b, sources[1]));
  json["shape"] = print(shape);
  json["dtype"] = pair.type_a.name;
  context.answer(json, report_text(report, shape, type_told));
  if (report.differences > 0) context.exit_code = exit_no;
}

}  // namespace

void add_diff(Command app, Context& context) {
  Command command =
      app.add_command("diff", "where two dumps differ, each in its own layout");
  command.footer(
      "Exit code 1 when elements differ; what padding holds does not matter. B "
      "is the\nreference: |a - b| <= atol + rtol * |b|. Two NaNs are equal, a "
      "NaN and a number are\nnot; 0 and -0 are. Layouts default to those of "
      "the files' sidecars (dump.json);\na .npy file of the tensor's extents "
      "without one is the tensor itself.\n"
      "  stridewise diff dump.bin ref.npy --layout-a nChw16c --layout-b nchw "
      "\\\n      --shape 2x17x5x4 --dtype f32 --rtol 1e-3\n"
      "  stridewise diff model.bin codes.npy -a gguf.q4_0 -b 'n k' --part q "
      "--shape n=64,k=256");
  auto options = std::make_shared<Options>();
  command.add_option("A", options->a, "what was written").required();
  command.add_option("B", options->b, "what it should be").required();
  command.add_option("--layout-a,-a", options->layout_a, "layout of A");
  command.add_option("--layout-b,-b", options->layout_b,
                     "layout of B; unless given that of A, or of a .npy "
                     "file of the tensor's\nextents its dims in order");
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command.add_option("--dtype,-t", options->dtype,
                     "element type; needed unless A or B is .npy");
  options->parts.add_to(command);
  options->window_a.add_skip(command, "-a", "A");
  options->window_b.add_skip(command, "-b", "B");
  command.add_option("--rtol", options->tolerance.rtol, "relative tolerance")
      .check(finite_tolerance);
  command.add_option("--atol", options->tolerance.atol, "absolute tolerance")
      .check(finite_tolerance);
  command
      .add_option("--ulp", options->tolerance.ulp,
                  "f16, bf16, f32, f64: floats that may lie between the two")
      .not_negative();
  command.callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
