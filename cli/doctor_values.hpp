// What the golden's values say of a reading, without a layout. A part of them is looked at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "doctor_reading.hpp"

namespace stridewise::cli {

// How often two elements of the golden would count as equal: 0 never, 1 always.
[[nodiscard]] double agreement_by_chance(const DoctorCase& patient,
                                         const Reading& reading);

// So much of each value, and a tenth of that of the mean one: of sums that come near to zero,
// the error is that of what was added.
[[nodiscard]] Tolerance near_tolerance(const DoctorCase& patient, double rtol);

// Whether a quarter of the golden's values, or numbers near to them, are in the dump: without
// that no layout holds. True of integers that may have any scale. O(dump).
[[nodiscard]] bool values_occur(const DoctorCase& patient,
                                const Reading& reading,
                                std::span<const std::byte> dump);

}  // namespace stridewise::cli
