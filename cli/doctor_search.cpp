// SPDX-License-Identifier: Apache-2.0
#include "doctor_search.hpp"

#include <algorithm>
#include <utility>

namespace stridewise::cli {
namespace {

// Of fewer elements any layout is one.
constexpr std::int64_t least_elements = 8;

const Reading* most_explained(const std::vector<Reading>& readings) {
  const auto most = std::ranges::max_element(readings, {}, &Reading::explained);
  return most == readings.end() ? nullptr : &*most;
}

bool all_match(const DoctorCase& patient, const Reading& reading) {
  return reading.typed.report.matching == patient.elements;
}

// The golden's own order, where it explains more than what was found with faults or within a
// tolerance.
std::optional<Reading> plainer(const DoctorCase& patient,
                               const Reading& found) {
  if (!found.typed.report.fits.empty() && !found.near) return std::nullopt;
  for (Reading& reading : read_in(patient, rows_of(patient), found.near)) {
    if (reading.type == found.type && reading.big_endian == found.big_endian &&
        reading.explained > found.explained) {
      return std::move(reading);
    }
  }
  return std::nullopt;
}

// Where values have changed everywhere, or are all one, no place tells a layout. Compared in
// the golden's own order they may show how.
std::optional<Reading> told_in_order(const DoctorCase& patient) {
  std::optional<Reading> best;
  for (Reading& reading : read_in(patient, rows_of(patient))) {
    const bool known = reading.type == patient.golden_type || patient.dump_type;
    const bool tells =
        reading.findings > 1 || patient.elements < least_elements;
    if (!all_match(patient, reading) && !reading.likely() &&
        !(known && tells && !reading.big_endian)) {
      continue;
    }
    const bool more =
        !best || reading.typed.report.matching > best->typed.report.matching;
    if (more) best = std::move(reading);
  }
  return best;
}

}  // namespace

SearchedReading search_reading(const DoctorCase& patient,
                               const std::function<void(double)>& progress) {
  SearchedReading found;
  if (patient.layout) {
    found.tried = read_in(patient, *patient.layout);
    const Reading* const best = most_explained(found.tried);
    if (best != nullptr) found.best = *best;
    return found;
  }
  if (patient.elements >= least_elements) {
    found.tried = inferred(patient, progress);
    const Reading* const best = most_explained(found.tried);
    if (best != nullptr && best->likely()) {
      found.best = plainer(patient, *best);
      found.in_order = found.best.has_value();
      if (!found.best) found.best = *best;
      return found;
    }
  }
  found.best = told_in_order(patient);
  found.in_order = found.best.has_value();
  return found;
}

}  // namespace stridewise::cli
