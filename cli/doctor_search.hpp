// Which reading of the dump is the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "doctor_reading.hpp"

namespace stridewise::cli {

struct SearchedReading {
  // nullopt: none is.
  std::optional<Reading> best = {};
  // Whether it is the golden's own order, and no layout that was looked for.
  bool in_order = false;
  std::vector<Reading> tried = {};
};

// In the layout that is known, or by infer; else in the golden's own order, where diff has
// something to say of it.
[[nodiscard]] SearchedReading search_reading(
    const DoctorCase& patient, const std::function<void(double)>& progress);

}  // namespace stridewise::cli
