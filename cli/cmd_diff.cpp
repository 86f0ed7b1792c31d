// stridewise diff A B --layout-a LA --layout-b LB --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "diff_report.hpp"
#include "dump_files.hpp"
#include "dump_window.hpp"
#include "layout_options.hpp"
#include "scales.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {
namespace {

struct DiffCommand {
  std::string a, b, layout_a, layout_b, shape, dtype, dtype_a, dtype_b;
  std::string byte_order;
  PartOptions parts;
  ScaleOptions scales;
  std::optional<double> rtol, atol;
  std::optional<std::int64_t> ulp;
  WindowOptions window_a, window_b;
  std::string assumed;  // of the shape
};

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

void use_sidecars(DiffCommand& options) {
  const bool open = options.shape.empty() ||
                    ((options.dtype_a.empty() || options.dtype_b.empty()) &&
                     options.dtype.empty());
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
  for (auto [own, beside] : {std::pair{&options.dtype_a, &a.dtype},
                             std::pair{&options.dtype_b, &b.dtype}}) {
    if (own->empty()) *own = options.dtype.empty() ? *beside : options.dtype;
  }
}

// The types of both sides: what is asked for, or what headers and sidecars tell. Of a side
// of which nothing is known, that of the other one.
struct Types {
  std::optional<ElementType> a, b;  // nullopt: parts name theirs
};
Types types_of(const TensorFile& a, const TensorFile& b,
               const DiffCommand& options,
               std::span<const LayoutSource> layouts) {
  Types types{dtype_of(options.dtype_a), dtype_of(options.dtype_b)};
  const bool parts = std::ranges::any_of(layouts, [](const auto& layout) {
    return !layout.expression.parts().empty();
  });
  if (parts) {
    if (!types.a) types.a = types.b;
    return types;
  }
  const auto told = [](const TensorFile& file,
                       const std::optional<ElementType>& asked) {
    return asked || file.npy ? std::optional(value_of(type_of(file, asked)))
                             : std::nullopt;
  };
  types.a = told(a, types.a);
  types.b = told(b, types.b);
  if (!types.a) types.a = types.b;
  if (!types.a) static_cast<void>(value_of(type_of(a, types.a)));
  if (!types.b) types.b = types.a;
  return types;
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
Shape shape_of_tensor(const DiffCommand& options, const std::string& layout,
                      const TensorFile& array) {
  const std::vector<LayoutSource> source =
      resolve_all(std::array{layout}, options.shape);
  const Shape shape = value_of(read_shape(options.shape, source)).logical;
  const bool told =
      std::ranges::equal(array.npy->shape, shape, {}, {}, &Dim::extent);
  return told ? shape : shape_for(options.shape, source);
}

// The golden's extents are those of A's layout in its logical order.
void shape_of_golden(DiffCommand& options, const TensorFile& b) {
  const std::vector<LayoutSource> source =
      resolve_all(std::array{options.layout_a}, "");
  const std::vector<std::string> dims = dims_of(source[0]);
  const std::optional<Shape> shape = shape_in_order(source[0], b.npy->shape);
  if (!shape) return;
  options.shape = print(*shape);
  if (source[0].spelled_dims != dims) {
    options.assumed =
        fmt::format("B's dims are {}; else say --layout-b or --shape {}=...",
                    fmt::join(dims, ", "), dims.front());
  }
}

// An array of which nobody says otherwise is the tensor itself.
void use_headers(DiffCommand& options, const TensorFile& a,
                 const TensorFile& b) {
  if (options.layout_a.empty() && a.npy) {
    if (options.shape.empty()) options.shape = print_extents(a.npy->shape);
    const Shape shape = options.layout_b.empty()
                            ? tensor_shape(options.shape).shape
                            : shape_of_tensor(options, options.layout_b, a);
    options.shape = print(shape);
    options.layout_a = print_dims(shape);
  }
  if (!options.layout_b.empty() || options.layout_a.empty()) return;
  options.layout_b = options.layout_a;
  if (!b.npy) return;
  // Two arrays of one shape were written alike.
  if (a.npy && a.npy->shape == b.npy->shape && !options.shape.empty()) return;
  if (options.shape.empty()) shape_of_golden(options, b);
  if (options.shape.empty()) return;
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

// What the user allows, else what the types leave.
Tolerance tolerance_of(const DiffCommand& options, const DiffOptions& types) {
  if (!options.rtol && !options.atol && !options.ulp) {
    return tolerance_between(types);
  }
  return {options.rtol.value_or(0), options.atol.value_or(0),
          options.ulp.value_or(-1)};
}

// "f16 and f32, within 0.000977 |b| + 6e-08": where the types say what is allowed.
std::string note_of(const DiffCommand& options, const TensorPair& pair,
                    const DiffOptions& types) {
  if (options.rtol || options.atol || options.ulp) return "";
  const Tolerance& tolerance = types.tolerance;
  if (tolerance == Tolerance{}) return "";
  return fmt::format(
      "{} and {}, within {}{:.3g}", pair.type_a.name, pair.type_b.name,
      tolerance.rtol == 0 ? "" : fmt::format("{:.3g} |b| + ", tolerance.rtol),
      tolerance.atol);
}

// Both files, as far as options, sidecars and headers tell what they are.
struct Opened {
  TensorFile a, b;
};
Opened open_both(DiffCommand& options) {
  const Unchanged a(options.a), b(options.b);
  use_sidecars(options);
  Opened files{open_dump(options.a), open_dump(options.b)};
  value_of(a.check());
  value_of(b.check());
  if (!options.layout_a.empty()) {
    take_told(options.shape,
              resolve_all(std::array{options.layout_a}, options.shape));
  }
  use_headers(options, files.a, files.b);
  need(options.layout_a, "--layout-a", options.a);
  return files;
}

void run_diff(Context& context, const DiffCommand& given) {
  DiffCommand options = given;
  Opened files = open_both(options);
  const std::vector<LayoutSource> sources = resolve_all(
      std::array{options.layout_a, options.layout_b}, options.shape);
  const Types types = types_of(files.a, files.b, options, sources);
  need_shape(options.shape, sources, options.a);
  const TensorPair pair = value_of(
      bind_pair(files.a, sources[0], files.b, sources[1],
                shape_in_files(options.shape, sources,
                               {{files.a, sources[0]}, {files.b, sources[1]}}),
                {types.a, types.b, options.parts.part,
                 tables_of(options.parts.tables, sources)}));
  const Shape& shape = pair.a.shape();
  check_array(files.a, shape, &pair.a);
  check_array(files.b, shape, &pair.b);
  swap_raw(files.a, options.byte_order, pair.type_a, options.window_a);
  swap_raw(files.b, options.byte_order, pair.type_b, options.window_b);
  const FileMemory memory_a =
      memory_of(files.a, pair.a, pair.type_a, options.window_a, "--skip-a");
  const FileMemory memory_b =
      memory_of(files.b, pair.b, pair.type_b, options.window_b, "--skip-b");
  DiffOptions diff_options{
      pair.type_a,         {},          {}, memory_a.first_byte,
      memory_b.first_byte, pair.type_b, {}, {}};
  options.scales.use_in(diff_options);
  diff_options.tolerance = tolerance_of(options, diff_options);
  std::int64_t told_a = 0;
  diff_options.passed = [&](std::int64_t done_a, std::int64_t) {
    if (done_a == 0) {  // anywhere: all may go
      forget(files.a, 0, files.a.data_bytes);
      forget(files.b, 0, files.b.data_bytes);
      return;
    }
    memory_a.forget(files.a, told_a, done_a - told_a);
    memory_b.forget(files.b, told_a, done_a - told_a);
    told_a = done_a;
  };
  const DiffReport report = value_of(diff(pair.a, memory_a.window.bytes, pair.b,
                                          memory_b.window.bytes, diff_options));
  Json json = diff_json(report, shape);
  json["layout_a"] = print(told(pair.a, sources[0]));
  json["layout_b"] = print(told(pair.b, sources[1]));
  json["shape"] = print(shape);
  json["dtype"] = pair.type_a.name;
  json["dtype_a"] = pair.type_a.name;
  json["dtype_b"] = pair.type_b.name;
  json["rtol"] = diff_options.tolerance.rtol;
  json["atol"] = diff_options.tolerance.atol;
  json["assumed"] = options.assumed.empty() ? Json() : Json(options.assumed);
  context.answer(
      json,
      diff_text(report, shape, note_of(options, pair, diff_options)) +
          (options.assumed.empty() ? ""
                                   : "  assumed   " + options.assumed + "\n"));
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
      "  stridewise diff half.bin golden.npy -a nChw16c --dtype-a f16\n"
      "  stridewise diff model.bin codes.npy -a gguf.q4_0 -b 'n k' --part q "
      "--shape n=64,k=256");
  auto options = std::make_shared<DiffCommand>();
  command.add_option("A", options->a, "what was written").required();
  command.add_option("B", options->b, "what it should be").required();
  command.add_option("--layout-a,-a", options->layout_a, "layout of A");
  command.add_option("--layout-b,-b", options->layout_b,
                     "layout of B; unless given that of A, or of a .npy "
                     "file of the tensor's\nextents its dims in order");
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command.add_option("--dtype,-t", options->dtype,
                     "element type of both; needed unless A or B is .npy");
  command.add_option("--dtype-a", options->dtype_a,
                     "element type of A, where B has another one");
  command.add_option("--dtype-b", options->dtype_b, "element type of B");
  options->scales.add_to(command);
  add_byte_order(command, options->byte_order);
  options->parts.add_to(command);
  options->window_a.add_skip(command, "-a", "A");
  options->window_b.add_skip(command, "-b", "B");
  command
      .add_option("--rtol", options->rtol,
                  "relative tolerance; of two types, unless any tolerance is "
                  "given, what the\ncoarser one rounds by")
      .check(finite_tolerance);
  command.add_option("--atol", options->atol, "absolute tolerance")
      .check(finite_tolerance);
  command
      .add_option("--ulp", options->ulp,
                  "f16, bf16, f32, f64: floats that may lie between the two")
      .not_negative();
  command.callback([&context, options] { run_diff(context, *options); });
}

}  // namespace stridewise::cli
