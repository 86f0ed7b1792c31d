// The commands that repeat what the doctor did.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor_reading.hpp"

namespace stridewise::cli {

struct DoctorSteps {
  const DoctorCase& patient;
  const Reading& reading;
  const InferFit& fit;
  const Comparison& compared;
  bool looked_for = false;  // the layout, by infer
};

// infer, diff, check and decode, as they are to be typed; none that would refuse the dump.
[[nodiscard]] std::vector<std::string> commands_of(const DoctorSteps& steps);

// infer, as the dump was read.
[[nodiscard]] std::string infer_command(const DoctorCase& patient,
                                        const Reading& reading);

// " --rtol 0.001 --atol 1e-06".
[[nodiscard]] std::string tolerance_options(const Tolerance& tolerance);
}  // namespace stridewise::cli
