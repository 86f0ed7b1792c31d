// SPDX-License-Identifier: Apache-2.0
#include "doctor_commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infer_report.hpp"

namespace stridewise::cli {
namespace {

// diff has no other window than bytes before and after the memory.
std::string skip(const InferFit& fit) {
  if (fit.start_byte >= 0 && fit.trailing_bytes == 0) return "";
  return fmt::format(" --skip-a {}",
                     std::max<std::int64_t>(-fit.start_byte, 0));
}

std::string scale_options(const DoctorSteps& steps) {
  const bool differ =
      steps.reading.type.is_integer() != steps.patient.golden_type.is_integer();
  if (!steps.patient.scale_words.empty()) {
    return differ ? steps.patient.scale_words : "";
  }
  const std::optional<Quantisation> found = steps.reading.quantisation();
  return found ? fmt::format(" --scale {:.9g} --zero-point {}", found->scale,
                             found->zero_point)
               : "";
}

std::string diff_command(const DoctorSteps& steps, const std::string& words) {
  const DoctorCase& patient = steps.patient;
  const std::optional<Tolerance>& tolerance =
      patient.tolerance ? patient.tolerance : steps.reading.near;
  return fmt::format(
      "stridewise diff {} {} -a {} -b {}{} --dtype-a {}{}{}{}{}",
      shell_file(patient.dump_path), shell_file(patient.golden.path.string()),
      shell_word(print(steps.fit.layout.expression())),
      shell_word(print_dims(patient.shape.shape)), words,
      steps.reading.type.name,
      // The header of an array tells its type.
      patient.golden.npy
          ? ""
          : fmt::format(" --dtype-b {}", patient.golden_type.name),
      skip(steps.fit), scale_options(steps),
      tolerance ? tolerance_options(*tolerance) : "");
}

// What all commands have.
std::string common_options(const DoctorCase& patient, const Reading& reading) {
  return " --shape " + shell_word(print(patient.shape.shape)) +
         (reading.big_endian ? " --byte-order big" : "");
}

}  // namespace

std::string infer_command(const DoctorCase& patient, const Reading& reading) {
  return fmt::format("stridewise infer {} {}{}{}{}{}",
                     shell_file(patient.golden.path.string()),
                     shell_file(patient.dump_path),
                     common_options(patient, reading), patient.golden_words,
                     reading.type == patient.golden_type
                         ? ""
                         : fmt::format(" --dump-dtype {}", reading.type.name),
                     reading.near ? tolerance_options(*reading.near) : "");
}

std::string tolerance_options(const Tolerance& tolerance) {
  return fmt::format(" --rtol {:.3g} --atol {:.3g}", tolerance.rtol,
                     tolerance.atol);
}

std::vector<std::string> commands_of(const DoctorSteps& steps) {
  const DoctorCase& patient = steps.patient;
  const Reading& reading = steps.reading;
  const std::string dump = shell_file(patient.dump_path);
  const std::string layout = shell_word(print(steps.fit.layout.expression()));
  const std::string words = common_options(patient, reading);
  std::vector<std::string> commands;
  if (steps.looked_for && patient.scale_words.empty()) {
    commands.push_back(infer_command(patient, reading));
  }
  if (steps.compared.window.missing_elements == 0) {
    commands.push_back(diff_command(steps, words));
  }
  const std::string window = window_option(steps.fit);
  commands.push_back(fmt::format("stridewise check {} {}{} --dtype {}{}", dump,
                                 layout, words, reading.type.name, window));
  commands.push_back(
      fmt::format("stridewise decode {} out.npy --from {}{} --dtype {}{}", dump,
                  layout, words, reading.type.name, window));
  return commands;
}

}  // namespace stridewise::cli
