// SPDX-License-Identifier: Apache-2.0
#include "doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "diff_report.hpp"
#include "infer_report.hpp"

namespace stridewise::cli {
namespace {

class Doctor {
 public:
  Doctor(const DoctorCase& patient, const std::function<void(double)>& progress)
      : patient_(patient), progress_(progress) {}

  Diagnosis run() && {
    if (!find_reading()) {
      give_up();
    } else {
      tell_reading();
      tell_values();
      tell_padding();
      add_commands();
    }
    Diagnosis& told = diagnosis_;
    if (told.problems.empty()) told.text += "nothing is wrong\n";
    told.text += "each step again:\n";
    for (const std::string& command : commands_) {
      told.text += "  " + command + "\n";
    }
    told.json["ok"] = told.problems.empty();
    told.json["problems"] = told.problems;
    told.json["commands"] = commands_;
    return std::move(told);
  }

 private:
  void tell(const std::string& what, const std::string& text) {
    diagnosis_.text += fmt::format("{:<9} {}\n", what, text);
    diagnosis_.json[what] = text;
  }
  void wrong(const std::string& what, const std::string& text) {
    tell(what, text);
    diagnosis_.problems.push_back(text);
  }
  void also_wrong(std::span<const std::string> findings) {
    for (const std::string& finding : findings) {
      diagnosis_.text += "          " + finding + "\n";
      diagnosis_.problems.push_back(finding);
    }
  }

  // ------------------------------------------------------------- reading ------

  // The reading that explains most, if it is the answer.
  bool find_reading() {
    const auto better = [](const Reading& a, const Reading& b) {
      return a.explained < b.explained;
    };
    if (patient_.layout) {
      readings_ = read_in(patient_, *patient_.layout);
      if (readings_.empty()) return false;
      best_ = &*std::ranges::max_element(readings_, better);
      return true;
    }
    readings_ = inferred(patient_, progress_);
    const auto best = std::ranges::max_element(readings_, better);
    if (best != readings_.end() && best->holds()) {
      best_ = &*best;
      return true;
    }
    return in_order();
  }

  // Where values have changed everywhere no place tells a layout. Compared in the golden's
  // own order they may show how.
  bool in_order() {
    const LayoutSource rows =
        value_of(resolve_layout(print_dims(patient_.shape.shape)));
    in_order_ = read_in(patient_, rows);
    for (const Reading& reading : in_order_) {
      if (compare(patient_, reading).report.findings.empty()) continue;
      best_ = &reading;
      return true;
    }
    return false;
  }

  void give_up() {
    const std::int64_t bytes = patient_.dump.data_bytes;
    if (patient_.layout) {
      const ElementType type =
          patient_.dump_type.value_or(patient_.golden_type);
      const Layout bound = value_of(patient_.layout->bind(
          patient_.shape.shape, Binding{.element_bits = type.bits}));
      wrong("size", fmt::format("{} bytes, but the layout takes {} of {}",
                                bytes, bound.size_bytes(), type.name));
      also_wrong(explain_size(bound, type, bytes));
    } else if (readings_.empty()) {
      wrong("size",
            fmt::format("{} bytes are no room for {} elements of any usual "
                        "type; --dtype names another one",
                        bytes, patient_.elements));
    } else {
      tell("size",
           fmt::format("{} bytes for {} elements", bytes, patient_.elements));
      wrong("layout", "none found: " + readings_.front().typed.report.reason);
    }
    commands_.push_back(fmt::format("stridewise infer {} {}",
                                    shell_file(patient_.golden.path.string()),
                                    shell_file(patient_.dump_path)));
  }

  void tell_reading() {
    const InferFit& fit = *best_->fit();
    tell("size", fmt::format("{} bytes for {} elements",
                             patient_.dump.data_bytes, patient_.elements));
    tell("type", type_words());
    if (best_->big_endian) wrong("order", "big-endian");
    layout_ = print(fit.layout.expression());
    if (!in_order_.empty()) {
      wrong("layout", "none found; in the golden's own order:");
    } else {
      tell("layout",
           layout_ + (fit.names.empty() ? "" : "  (" + fit.names[0] + ")"));
    }
    const std::size_t fits = best_->typed.report.fits.size();
    if (fits > 1) {
      tell("maybe", fmt::format("{} layouts fit, because values repeat: "
                                "'stridewise probe' makes values that do not",
                                fits));
    }
    if (fit.start_byte < 0) {
      wrong("start",
            fmt::format("{} bytes come before the tensor", -fit.start_byte));
    } else if (fit.start_byte > 0) {
      wrong("start",
            fmt::format("the dump begins with byte {} of it", fit.start_byte));
    }
    if (fit.trailing_bytes > 0) {
      wrong("end",
            fmt::format("{} bytes come after the tensor", fit.trailing_bytes));
    }
  }

  [[nodiscard]] std::string type_words() const {
    std::string words(best_->type.name);
    if (best_->type != patient_.golden_type) {
      words += fmt::format(", of a golden of {}", patient_.golden_type.name);
    }
    if (best_->quantisation() && patient_.scales.each.empty()) {
      words += fmt::format(": scale {:.6g}, zero point {}",
                           best_->quantisation()->scale,
                           best_->quantisation()->zero_point);
    }
    return words;
  }

  // -------------------------------------------------- values and padding ------

  void tell_values() {
    compared_ = compare(patient_, *best_);
    const DiffReport& report = compared_.report;
    diagnosis_.json["diff"] = diff_json(report, best_->fit()->layout.shape());
    if (report.differences > 0) {
      wrong("values", fmt::format("{} of {} differ", report.differences,
                                  report.elements));
      also_wrong(report.findings);
    } else if (best_->near && !patient_.tolerance) {
      wrong("values", near_words());
    } else {
      tell("values", compared_.options.tolerance == Tolerance{}
                         ? fmt::format("all {} are equal", report.elements)
                         : fmt::format("all {} are equal, within {}",
                                       report.elements, tolerance_words()));
    }
  }

  [[nodiscard]] std::string tolerance_words() const {
    const Tolerance& tolerance = compared_.options.tolerance;
    return patient_.tolerance ? fmt::format("{:.3g} |golden| + {:.3g}",
                                            tolerance.rtol, tolerance.atol)
                              : fmt::format("what {} leaves", best_->type.name);
  }

  // How far values are off that nobody allowed to be.
  [[nodiscard]] std::string near_words() {
    const Tolerance none;
    const DiffReport exact = compare(patient_, *best_, &none).report;
    // The next power of ten that takes all of them.
    const double digits = std::ceil(std::log10(exact.max_rel));
    return fmt::format(
        "{} of {} differ by at most {:.2g} of the value, {:.2g} in all; --rtol "
        "{:.0e} takes them as equal",
        exact.differences, exact.elements, exact.max_rel, exact.max_abs,
        std::pow(10.0, digits));
  }

  void tell_padding() {
    const CheckReport report = value_of(check_memory(
        best_->fit()->layout, compared_.window.bytes, best_->type));
    if (!report.findings.empty()) {
      wrong("padding", report.findings.front());
      also_wrong(std::span(report.findings).subspan(1));
    } else {
      tell("padding",
           report.padding == 0
               ? "none"
               : fmt::format("{} places, which are zero", report.padding));
    }
  }

  // ------------------------------------------------------------ commands ------

  void add_commands() {
    const std::string dump = shell_file(patient_.dump_path);
    const std::string golden = shell_file(patient_.golden.path.string());
    const std::string layout = shell_word(layout_);
    const std::string type(best_->type.name);
    const std::string shape =
        " --shape " + shell_word(print(patient_.shape.shape));
    const std::string order = best_->big_endian ? " --byte-order big" : "";
    const bool same = best_->type == patient_.golden_type;
    if (in_order_.empty() && !patient_.layout) {
      commands_.push_back(
          fmt::format("stridewise infer {} {}{}{}{}{}", golden, dump, shape,
                      same ? "" : " --dump-dtype " + type, order,
                      best_->near ? tolerance_option(*best_->near) : ""));
    }
    commands_.push_back(fmt::format(
        "stridewise diff {} {} -a {} -b {}{}{} --dtype-a {} --dtype-b {}{}{}{}",
        dump, golden, layout, shell_word(print_dims(patient_.shape.shape)),
        shape, order, type, patient_.golden_type.name, skip(), scale_option(),
        patient_.tolerance ? tolerance_option(*patient_.tolerance) : ""));
    commands_.push_back(fmt::format("stridewise check {} {}{}{} --dtype {}{}",
                                    dump, layout, shape, order, type,
                                    window_option(*best_->fit())));
    commands_.push_back(fmt::format(
        "stridewise decode {} out.npy --from {}{}{} --dtype {}{}", dump, layout,
        shape, order, type, window_option(*best_->fit())));
  }

  // diff has no other window than bytes before and after the memory.
  [[nodiscard]] std::string skip() const {
    const InferFit& fit = *best_->fit();
    if (fit.start_byte >= 0 && fit.trailing_bytes == 0) return "";
    return fmt::format(" --skip-a {}",
                       std::max<std::int64_t>(-fit.start_byte, 0));
  }
  [[nodiscard]] static std::string tolerance_option(
      const Tolerance& tolerance) {
    return fmt::format(" --rtol {:.3g} --atol {:.3g}", tolerance.rtol,
                       tolerance.atol);
  }
  [[nodiscard]] std::string scale_option() const {
    if (!patient_.scales.each.empty() || !best_->quantisation()) return "";
    return fmt::format(" --scale {:.9g} --zero-point {}",
                       best_->quantisation()->scale,
                       best_->quantisation()->zero_point);
  }

  const DoctorCase& patient_;
  const std::function<void(double)>& progress_;
  std::vector<Reading> readings_;
  std::vector<Reading> in_order_;
  const Reading* best_ = nullptr;
  Comparison compared_;
  std::string layout_;
  Diagnosis diagnosis_;
  std::vector<std::string> commands_;
};

}  // namespace

Diagnosis diagnose(const DoctorCase& patient,
                   const std::function<void(double)>& progress) {
  return Doctor(patient, progress).run();
}

}  // namespace stridewise::cli
