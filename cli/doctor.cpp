// SPDX-License-Identifier: Apache-2.0
#include "doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "diff_report.hpp"
#include "doctor_commands.hpp"
#include "doctor_layouts.hpp"
#include "doctor_search.hpp"
#include "doctor_values.hpp"

namespace stridewise::cli {
namespace {

class Doctor {
 public:
  Doctor(const DoctorCase& patient, const std::function<void(double)>& progress)
      : patient_(patient), progress_(progress) {}

  Diagnosis run() && {
    found_ = search_reading(patient_, progress_);
    best_ = found_.best ? &*found_.best : nullptr;
    if (best_ == nullptr) {
      give_up();
    } else {
      tell_reading();
      tell_values();
      tell_plainer();
      tell_padding();
      for (std::string& command :
           commands_of({patient_, *best_, *fit_, compared_,
                        !found_.in_order && !patient_.layout})) {
        commands_.push_back(std::move(command));
      }
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
    } else if (bytes < patient_.elements) {
      wrong("size", fmt::format("{} bytes, too small for {} elements", bytes,
                                patient_.elements));
    } else {
      tell("size", size_words());
      wrong("layout", "none found: " + why_none());
    }
    if (patient_.shape.shape.empty()) return;
    commands_.push_back(infer_command(
        patient_, {.type = patient_.dump_type.value_or(patient_.golden_type)}));
  }

  [[nodiscard]] std::string size_words() const {
    return fmt::format("{} bytes for {} element{}", patient_.dump.data_bytes,
                       patient_.elements, patient_.elements == 1 ? "" : "s");
  }

  // Of what was tried, what came nearest says most.
  [[nodiscard]] std::string why_none() const {
    if (found_.tried.empty()) {
      return "the dump has nothing of the golden in its own order; --dtype "
             "and --layout say what is known";
    }
    const Reading* most = &found_.tried.front();
    for (const Reading& reading : found_.tried) {
      const bool more =
          reading.typed.report.matching > most->typed.report.matching;
      if (more) most = &reading;
    }
    const InferReport& report = most->typed.report;
    if (!report.reason.empty()) return report.reason;
    return "what was found is not that of the golden more often than chance "
           "gives";
  }

  void tell_reading() {
    fit_ = without_frame(*best_->fit());
    tell("size", size_words());
    tell("type", type_words());
    if (best_->big_endian) wrong("order", "big-endian");
    const std::string layout = print(fit_->layout.expression());
    const bool guessed = found_.in_order && !best_->likely() &&
                         best_->typed.report.matching < patient_.elements;
    if (guessed) {
      wrong("layout", "none found; in the golden's own order:");
    } else {
      tell("layout",
           layout + (fit_->names.empty() ? "" : "  (" + fit_->names[0] + ")"));
    }
    const bool looked_for = !patient_.layout && !found_.in_order;
    const std::string assumed = looked_for ? assumed_dims(patient_.shape) : "";
    if (!assumed.empty()) tell("assumed", assumed);
    if (!patient_.scale_words.empty() && !best_->type.is_integer() &&
        !patient_.golden_type.is_integer()) {
      wrong("scale", "of no use: neither side is integers");
    }
    const InferReport& report = best_->typed.report;
    if (report.fits.size() > 1) {
      tell("maybe", fmt::format("{} layouts fit: {}; 'stridewise probe' makes "
                                "values that tell",
                                report.fits.size(), report.reason));
    }
    if (fit_->start_byte < 0) {
      wrong("start",
            fmt::format("{} bytes come before the tensor", -fit_->start_byte));
    } else if (fit_->start_byte > 0) {
      wrong("start", fmt::format("the dump begins with byte {} of it",
                                 fit_->start_byte));
    }
    if (fit_->trailing_bytes > 0) {
      wrong("end", fmt::format("{} bytes come after the tensor",
                               fit_->trailing_bytes));
    }
  }

  // What may be a layout, and may be a fault in a plainer one.
  void tell_plainer() {
    const std::optional<LayoutSource> rows = straightened(*fit_);
    if (patient_.layout || !rows) return;
    InferFit plain = *fit_;
    plain.layout = value_of(rows->bind(
        patient_.shape.shape, Binding{.element_bits = best_->type.bits}));
    const DiffReport report = compare(patient_, *best_, plain).report;
    if (report.findings.empty()) return;
    wrong("or", fmt::format("{}, in which {}", print(plain.layout.expression()),
                            report.findings.front()));
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
    compared_ = compare(patient_, *best_, *fit_);
    if (best_->near && !patient_.tolerance) widen();
    const DiffReport& report = compared_.report;
    const std::int64_t missing = compared_.window.missing_elements;
    diagnosis_.json["diff"] = diff_json(report, fit_->layout.shape());
    if (missing > 0) {
      wrong("missing", fmt::format("{} of {} elements are not in the dump",
                                   missing, report.elements));
    }
    if (report.differences > missing) {
      wrong("values", fmt::format("{} of {} differ{}", report.differences,
                                  report.elements, tolerance_words()));
      also_wrong(report.findings);
    } else if (missing > 0) {
      tell("values", "all others are equal" + tolerance_words());
    } else if (best_->near && !patient_.tolerance) {
      wrong("values", near_words());
    } else {
      tell("values", fmt::format("all {} are equal{}", report.elements,
                                 tolerance_words()));
    }
  }

  // The tolerance that takes all values as equal, if there is one.
  void widen() {
    for (const double rtol : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2}) {
      const Tolerance tolerance = near_tolerance(patient_, rtol);
      Comparison wider = compare(patient_, *best_, *fit_, &tolerance);
      if (wider.report.differences > wider.window.missing_elements) continue;
      compared_ = std::move(wider);
      found_.best->near = tolerance;
      return;
    }
  }

  // ", within 0.001 |golden| + 6e-08"; empty where values are equal to the bit.
  [[nodiscard]] std::string tolerance_words() const {
    const Tolerance& tolerance = compared_.options.tolerance;
    if (tolerance == Tolerance{}) return "";
    return fmt::format(", within {:.3g} |golden| + {:.3g}", tolerance.rtol,
                       tolerance.atol);
  }

  // How far values are off that nobody allowed to be.
  [[nodiscard]] std::string near_words() {
    const Tolerance none;
    const DiffReport exact = compare(patient_, *best_, *fit_, &none).report;
    return fmt::format(
        "{} of {} differ, by at most {:.2g};{} takes them as equal",
        exact.differences, exact.elements, exact.max_abs,
        tolerance_options(compared_.options.tolerance));
  }

  void tell_padding() {
    const CheckReport report = value_of(
        check_memory(fit_->layout, compared_.window.bytes, best_->type));
    if (!report.findings.empty()) {
      wrong("memory", report.findings.front());
      also_wrong(std::span(report.findings).subspan(1));
    } else {
      tell("memory",
           report.padding == 0
               ? "no places without an element"
               : fmt::format("{} places without an element, which are zero",
                             report.padding));
    }
  }

  const DoctorCase& patient_;
  const std::function<void(double)>& progress_;
  SearchedReading found_;
  const Reading* best_ = nullptr;
  std::optional<InferFit> fit_ = {};  // of the best reading
  Comparison compared_;
  Diagnosis diagnosis_;
  std::vector<std::string> commands_;
};

}  // namespace

Diagnosis diagnose(const DoctorCase& patient,
                   const std::function<void(double)>& progress) {
  return Doctor(patient, progress).run();
}

}  // namespace stridewise::cli
