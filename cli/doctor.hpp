// What is wrong with a dump, step by step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "doctor_reading.hpp"

namespace stridewise::cli {

struct Diagnosis {
  std::string text;
  Json json = Json::object();
  std::vector<std::string> problems;
};

// Size, type, byte order, layout, values and padding, in this order, and the commands that
// repeat each step. Ends the command on files that cannot be read.
[[nodiscard]] Diagnosis diagnose(const DoctorCase& patient,
                                 const std::function<void(double)>& progress);

}  // namespace stridewise::cli
