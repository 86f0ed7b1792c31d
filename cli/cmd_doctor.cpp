// stridewise doctor REFERENCE DUMP
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "catalogues.hpp"
#include "diff_report.hpp"
#include "dump_files.hpp"
#include "dump_window.hpp"
#include "layout_options.hpp"
#include "progress.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {
namespace {

struct Options {
  std::string reference, dump, layout, shape, dtype;
};

// The types that dumps have, the likeliest first.
constexpr auto usual_types = std::to_array<std::string_view>(
    {"f32", "f16", "bf16", "f64", "s8", "u8", "s32", "s16", "u16", "f8_e4m3fn",
     "f8_e5m2"});
// What a dump may take beside its elements: blocks that are hardly filled.
constexpr std::int64_t most_padding = 64;

// What the dump may be: a type, in a byte order, and what infer makes of it.
struct Reading {
  ElementType type;
  bool big_endian = false;
  InferReport report = {};

  [[nodiscard]] const InferFit* fit() const {
    if (!report.fits.empty()) return &report.fits.front();
    return report.best ? &*report.best : nullptr;
  }
  // Elements that are where the layout says.
  [[nodiscard]] std::int64_t right() const {
    return report.fits.empty() ? report.matching : report.present;
  }
  // Whether it is the answer: of a few elements at an end of the dump any layout is one.
  [[nodiscard]] bool certain() const {
    return !report.fits.empty() && 2 * report.present > report.elements;
  }
};

// The golden's values as another type, one after the other.
std::vector<std::byte> values_as(const TensorFile& golden,
                                 const ElementType& from,
                                 const ElementType& to) {
  const std::int64_t count = golden.data_bytes / from.bytes();
  std::vector<std::byte> values(static_cast<std::size_t>(count * to.bytes()));
  const Shape shape{{"x", count}};
  const LayoutSource rows = value_of(resolve_layout("x"));
  PlanOptions options;
  if (from != to) options.values = Values{from, to};
  const Plan plan =
      value_of(Plan::make(value_of(rows.bind(shape, from.bytes())),
                          value_of(rows.bind(shape, to.bytes())), options));
  plan.run(golden.data().data(), values.data());
  return values;
}

std::vector<std::byte> reversed(std::span<const std::byte> bytes,
                                std::int64_t width) {
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  const auto size = static_cast<std::int64_t>(copy.size());
  for (std::int64_t at = 0; at + width <= size; at += width) {
    std::reverse(copy.begin() + at, copy.begin() + at + width);
  }
  return copy;
}

class Doctor {
 public:
  explicit Doctor(const Options& options)
      : options_(options),
        golden_(open_dump(options.reference)),
        dump_(open_dump(options.dump)) {
    if (!golden_.npy && options.dtype.empty()) {
      throw Failure{
          {ErrorCode::mismatch,
           options.reference +
               ": a raw golden needs --dtype, which is that of both"}};
    }
    golden_type_ = value_of(
        type_of(golden_, golden_.npy ? std::nullopt : dtype_of(options.dtype)));
    shape_ = options.shape.empty() && golden_.npy
                 ? tensor_shape(print_extents(golden_.npy->shape))
                 : tensor_shape(options.shape);
    elements_ = 1;
    for (const Dim& dim : shape_.shape) elements_ *= dim.extent;
    if (elements_ * golden_type_.bytes() != golden_.data_bytes) {
      throw Failure{{ErrorCode::mismatch,
                     fmt::format("{}: {} bytes for {} of {}", options.reference,
                                 golden_.data_bytes, print(shape_.shape),
                                 golden_type_.name)}};
    }
  }

  void run(Context& context) {
    ProgressBar bar(!context.json);
    look_for_layout(bar);
    if (best_ == nullptr) {
      tell("layout", "none found: " + why_none());
      answer(context);
      return;
    }
    tell_reading();
    compare();
    look_at_padding();
    answer(context);
  }

 private:
  void tell(const std::string& what, const std::string& text) {
    text_ += fmt::format("{:<9} {}\n", what, text);
    json_[what] = text;
  }
  void wrong(const std::string& what, const std::string& text) {
    tell(what, text);
    problems_.push_back(text);
  }

  // ------------------------------------------------------ type and layout ------

  [[nodiscard]] std::vector<ElementType> types() const {
    if (dump_.npy) {
      return {value_of(type_of(dump_, dtype_of(options_.dtype)))};
    }
    if (!options_.dtype.empty()) {
      return {value_of(parse_element_type(options_.dtype))};
    }
    std::vector<ElementType> types = {golden_type_};
    for (const std::string_view name : usual_types) {
      const ElementType type = value_of(parse_element_type(name));
      if (type != golden_type_) types.push_back(type);
    }
    return types;
  }

  // Whether a dump of this type may hold all elements.
  [[nodiscard]] bool has_room(const ElementType& type) const {
    const std::int64_t least = elements_ * type.bytes();
    return type.bits % 8 == 0 && dump_.data_bytes >= least &&
           dump_.data_bytes / most_padding <= least + 4096;
  }

  void look_for_layout(ProgressBar& bar) {
    for (const ElementType& type : types()) {
      if (!has_room(type)) continue;
      const bool same = type == golden_type_;
      if (!same && !check(Values{golden_type_, type})) continue;
      for (const bool big_endian : {false, true}) {
        if (big_endian && (type.bytes() == 1 || dump_.npy)) continue;
        Reading reading{type, big_endian};
        reading.report = infer_as(reading, bar);
        readings_.push_back(std::move(reading));
        if (readings_.back().certain()) break;
      }
      if (!readings_.empty() && readings_.back().certain()) break;
    }
    for (const Reading& reading : readings_) {
      if (reading.fit() == nullptr || reading.right() * 2 < elements_) continue;
      if (best_ == nullptr || reading.right() > best_->right()) {
        best_ = &reading;
      }
    }
  }

  [[nodiscard]] InferReport infer_as(const Reading& reading,
                                     ProgressBar& bar) const {
    const std::vector<std::byte> values =
        values_as(golden_, golden_type_, reading.type);
    std::vector<std::byte> swapped;
    std::span<const std::byte> bytes = dump_.data();
    if (reading.big_endian) {
      swapped = reversed(bytes, reading.type.bytes());
      bytes = swapped;
    }
    InferOptions options{shape_.shape, reading.type.bytes(), shape_.positional,
                         [&bar](double done) { bar.update(done); }};
    options.names = known_layouts();
    const InferPair pair{values, bytes};
    return value_of(infer(std::span(&pair, 1), options));
  }

  [[nodiscard]] std::string why_none() const {
    if (readings_.empty()) {
      return fmt::format(
          "{} bytes are no room for {} elements of any usual "
          "type; --dtype names another one",
          dump_.data_bytes, elements_);
    }
    return readings_.front().report.reason;
  }

  void tell_reading() {
    const Reading& reading = *best_;
    tell("size",
         fmt::format("{} bytes for {} elements", dump_.data_bytes, elements_));
    tell("type", reading.type == golden_type_
                     ? std::string(reading.type.name)
                     : fmt::format("{}, of a golden of {}", reading.type.name,
                                   golden_type_.name));
    if (reading.big_endian) wrong("order", "big-endian");
    const InferFit& fit = *reading.fit();
    layout_ = print(fit.layout.expression());
    tell("layout",
         layout_ + (fit.names.empty() ? "" : "  (" + fit.names[0] + ")"));
    if (reading.report.fits.size() > 1) {
      tell("maybe", fmt::format("{} layouts fit, because values repeat: "
                                "'stridewise probe' makes values that do not",
                                reading.report.fits.size()));
    }
    if (fit.start_byte != 0) {
      wrong("start", fit.start_byte < 0
                         ? fmt::format("{} bytes come before the tensor",
                                       -fit.start_byte)
                         : fmt::format("the dump begins with byte {} of it",
                                       fit.start_byte));
    }
    const std::string words = common_words();
    commands_.push_back(fmt::format(
        "stridewise diff {} {} -a {} -b {}{} --dtype-a {} --dtype-b {}{}",
        shell_file(options_.dump), shell_file(options_.reference),
        shell_word(layout_), shell_word(print_dims(shape_.shape)), words,
        reading.type.name, golden_type_.name, skip_words("--skip-a")));
    commands_.push_back(fmt::format(
        "stridewise check {} {}{} --dtype {}{}", shell_file(options_.dump),
        shell_word(layout_), words, reading.type.name, skip_words("--skip")));
    commands_.push_back(
        fmt::format("stridewise decode {} out.npy --from {}{} --dtype {}{}",
                    shell_file(options_.dump), shell_word(layout_), words,
                    reading.type.name, skip_words("--skip")));
  }

  [[nodiscard]] std::string common_words() const {
    return " --shape " + shell_word(print(shape_.shape)) +
           (best_->big_endian ? " --byte-order big" : "");
  }
  [[nodiscard]] std::string skip_words(const char* option) const {
    const std::int64_t start = best_->fit()->start_byte;
    return start < 0 ? fmt::format(" {} {}", option, -start) : "";
  }

  // --------------------------------------------------- values and padding ------

  // The layout's memory within the dump, in little-endian order.
  void compare() {
    const InferFit& fit = *best_->fit();
    dump_ = best_->big_endian ? value_of(with_bytes_reversed(
                                    std::move(dump_), best_->type.bytes(),
                                    std::max<std::int64_t>(-fit.start_byte, 0)))
                              : std::move(dump_);
    const bool whole =
        fit.start_byte == 0 && dump_.data_bytes == fit.layout.size_bytes();
    window_ = value_of(
        memory_window(dump_, fit.layout,
                      whole ? std::nullopt : std::optional(fit.start_byte)));
    const Layout rows = value_of(row_major(fit.layout, golden_type_.bits));
    DiffOptions options{.type = best_->type, .type_b = golden_type_};
    options.tolerance = tolerance_between(options);
    const DiffReport report = value_of(
        diff(fit.layout, window_.bytes, rows, golden_.data(), options));
    if (report.differences == 0) {
      tell("values", options.tolerance == Tolerance{}
                         ? fmt::format("all {} are equal", report.elements)
                         : fmt::format("all {} are equal, as near as {} allows",
                                       report.elements, best_->type.name));
    } else {
      wrong("values", fmt::format("{} of {} differ", report.differences,
                                  report.elements));
      for (const std::string& finding : report.findings) {
        text_ += "          " + finding + "\n";
        problems_.push_back(finding);
      }
    }
    json_["diff"] = diff_json(report, fit.layout.shape());
  }

  void look_at_padding() {
    const InferFit& fit = *best_->fit();
    const CheckReport report =
        value_of(check_memory(fit.layout, window_.bytes, best_->type));
    if (report.findings.empty()) {
      tell("padding",
           report.padding == 0
               ? "none"
               : fmt::format("{} places, which are zero", report.padding));
      return;
    }
    wrong("padding", report.findings.front());
    for (const std::string& finding : std::span(report.findings).subspan(1)) {
      text_ += "          " + finding + "\n";
      problems_.push_back(finding);
    }
  }

  void answer(Context& context) {
    if (best_ == nullptr) {
      problems_.push_back("no layout found");
      commands_.push_back(fmt::format("stridewise infer {} {}",
                                      shell_file(options_.reference),
                                      shell_file(options_.dump)));
    }
    text_ += problems_.empty() ? "nothing is wrong\n" : "";
    text_ += "each step again:\n";
    for (const std::string& command : commands_) text_ += "  " + command + "\n";
    json_["ok"] = problems_.empty();
    json_["problems"] = problems_;
    json_["commands"] = commands_;
    context.answer(json_, text_);
    if (!problems_.empty()) context.exit_code = exit_no;
  }

  const Options& options_;
  TensorFile golden_;
  TensorFile dump_;
  ElementType golden_type_ = {};
  TensorShape shape_;
  std::int64_t elements_ = 0;
  std::vector<Reading> readings_;
  const Reading* best_ = nullptr;
  std::string layout_;
  MemoryWindow window_;
  std::string text_;
  Json json_ = Json::object();
  std::vector<std::string> problems_;
  std::vector<std::string> commands_;
};

void run(Context& context, const Options& options) {
  turn_signals_into_errors();
  Doctor(options).run(context);
}

}  // namespace

void add_doctor(Command app, Context& context) {
  Command command = app.add_command(
      "doctor", "a golden and a dump: what is wrong, step by step");
  command.footer(
      "Tries in order what a person would: the dump's size, its type, its byte "
      "order, its\nlayout (infer), the values in it (diff), its padding "
      "(check); "
      "ends with the commands\nthat repeat each step. Exit code 0 only when "
      "nothing is wrong.\n"
      "  stridewise doctor golden.npy dump.bin");
  auto options = std::make_shared<Options>();
  command.add_option("REFERENCE", options->reference, "the golden, as .npy")
      .required();
  command.add_option("DUMP", options->dump, "what was written").required();
  command.add_option("--shape,-s", options->shape,
                     "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4; needed "
                     "unless REFERENCE is .npy");
  command.add_option("--dtype,-t", options->dtype,
                     "element type of DUMP, where it is known");
  command.callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
