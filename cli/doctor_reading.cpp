// SPDX-License-Identifier: Apache-2.0
#include "doctor_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "catalogues.hpp"
#include "doctor_values.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

// The types that dumps have, the likeliest first.
constexpr auto usual_types = std::to_array<std::string_view>(
    {"f32", "f16", "bf16", "f64", "s8", "u8", "s32", "s16", "u16", "f8_e4m3fn",
     "f8_e5m2"});
// How much larger than its elements a dump may be: blocks that are hardly filled, a header.
constexpr std::int64_t most_padding = 64;
constexpr std::int64_t most_header_bytes = 4096;

double explained_share(const DoctorCase& patient, const Reading& reading,
                       std::int64_t right) {
  const double share =
      static_cast<double>(right) / static_cast<double>(patient.elements);
  const double chance = agreement_by_chance(patient, reading);
  return chance >= 1 ? 0 : (share - chance) / (1 - chance);
}

// The dump of a reading with its elements in little-endian order, from this byte on: a copy;
// nullopt: they are so already.
std::optional<TensorFile> reversed_dump(const DoctorCase& patient,
                                        const Reading& reading,
                                        std::int64_t first) {
  if (!reading.big_endian) return std::nullopt;
  return value_of(with_bytes_reversed(open_dump(patient.dump_path),
                                      reading.type.bytes(), first));
}

// The golden as the integers of the dump, by scales that are known.
std::vector<std::byte> quantised(const DoctorCase& patient,
                                 const ElementType& type) {
  const LayoutSource rows = rows_of(patient);
  const auto bound = [&](const ElementType& of) {
    return value_of(
        rows.bind(patient.shape.shape, Binding{.element_bits = of.bits}));
  };
  std::vector<std::byte> integers(
      static_cast<std::size_t>(patient.elements * type.bytes()));
  value_of(convert_scaled(bound(patient.golden_type),
                          patient.golden.data().data(), bound(type),
                          integers.data(), {patient.golden_type, type},
                          patient.scales, make_parallel_for(1)));
  return integers;
}

// Whether a dump of a wider type reads so: of each of its elements the upper half.
bool is_part_of_elements(const DoctorCase& patient, const Reading& reading) {
  if (patient.golden_type.bits <= reading.type.bits) return false;
  std::int64_t step = 0;
  for (const BoundTerm& term : reading.fit()->layout.terms()) {
    if (term.extent > 1) step = std::gcd(step, term.flat_stride);
  }
  return step > 1;
}

// What infer makes of a reading; no layout where the values cannot be of its type.
void infer_reading(const DoctorCase& patient, Reading& reading,
                   const std::function<void(double)>& progress) {
  const std::optional<TensorFile> reversed = reversed_dump(patient, reading, 0);
  const TensorFile& dump = reversed ? *reversed : patient.dump;
  if (!patient.dump_type && !values_occur(patient, reading, dump.data())) {
    reading.typed.report.reason =
        fmt::format("hardly any value of the golden is in the dump, read as {}",
                    reading.type.name);
    return;
  }
  InferOptions options{patient.shape.shape, reading.type.bytes(),
                       patient.shape.positional, progress};
  options.names = known_layouts();
  options.zeros = holes_of(dump);
  // Of several readings, none may take long.
  options.most_looked_at = std::int64_t{1} << 30;
  const bool scaled = !patient.scales.each.empty() &&
                      patient.golden_type.is_float() &&
                      reading.type.is_integer();
  const std::vector<std::byte> integers =
      scaled ? quantised(patient, reading.type) : std::vector<std::byte>{};
  const InferPair pair{
      scaled ? std::span<const std::byte>(integers) : patient.golden.data(),
      dump.data()};
  TypedOptions typed{options, scaled ? reading.type : patient.golden_type,
                     reading.type};
  typed.hints = false;
  if (reading.near) {
    typed.rtol = reading.near->rtol;
    typed.atol = reading.near->atol;
  }
  Result<TypedReport> found = infer_typed({&pair, 1}, typed);
  if (!found) {
    reading.typed.report.reason = found.error().message;
    return;
  }
  reading.typed = *std::move(found);
  if (reading.fit() == nullptr || is_part_of_elements(patient, reading)) return;
  const InferReport& report = reading.typed.report;
  const bool certain = !report.fits.empty() && !reading.near;
  reading.explained = explained_share(
      patient, reading, certain ? report.present : report.matching);
}

// How far values may be off that were computed in another order, or with fewer digits.
std::vector<Tolerance> tolerances_of(const DoctorCase& patient,
                                     const Reading& way) {
  const bool scaled = !patient.scales.each.empty() && way.type.is_integer();
  if (scaled) return {{.rtol = 0, .atol = 1}};
  if (!way.type.is_float() || !patient.golden_type.is_float()) return {};
  if (patient.tolerance) return {*patient.tolerance};
  // Of a narrower type, where the dump has more than twice its elements, chance finds too much.
  if (way.type != patient.golden_type &&
      patient.dump.data_bytes / way.type.bytes() >= 2 * patient.elements) {
    return {};
  }
  // Wide tolerances leave few values: of large tensors that takes its time.
  constexpr std::int64_t most_elements = 1 << 16;
  std::vector<Tolerance> tolerances = {near_tolerance(patient, 1e-3)};
  if (patient.elements <= most_elements) {
    tolerances.push_back(near_tolerance(patient, 3e-2));
  }
  return tolerances;
}

std::vector<Reading> ways_to_read(const DoctorCase& patient) {
  std::vector<Reading> ways;
  for (const ElementType& type : types_of(patient)) {
    for (const bool big_endian : {false, true}) {
      if (big_endian && (type.bytes() == 1 || patient.dump.npy)) continue;
      ways.push_back({.type = type, .big_endian = big_endian});
    }
  }
  return ways;
}

bool changes(const DoctorCase& patient, const ElementType& type) {
  return type == patient.golden_type ||
         check(Values{patient.golden_type, type}).has_value();
}

}  // namespace

LayoutSource rows_of(const DoctorCase& patient) {
  return value_of(resolve_layout(print_dims(patient.shape.shape)));
}

std::optional<Quantisation> Reading::quantisation() const {
  return typed.agreement == TypedReport::Agreement::quantised
             ? std::optional(typed.quantisation)
             : std::nullopt;
}

const InferFit* Reading::fit() const {
  const InferReport& report = typed.report;
  if (!report.fits.empty()) return &report.fits.front();
  return report.best ? &*report.best : nullptr;
}

std::vector<ElementType> types_of(const DoctorCase& patient) {
  if (patient.dump_type) return {*patient.dump_type};
  std::vector<ElementType> types = {patient.golden_type};
  for (const std::string_view name : usual_types) {
    const ElementType type = value_of(parse_element_type(name));
    if (type != patient.golden_type) types.push_back(type);
  }
  std::erase_if(types, [&](const ElementType& type) {
    if (!changes(patient, type)) return true;
    // A dump of the golden's own type may be cut.
    const std::int64_t most = patient.dump.data_bytes / type.bytes();
    return (most < patient.elements && type != patient.golden_type) ||
           most / most_padding > patient.elements + most_header_bytes;
  });
  return types;
}

std::vector<Reading> inferred(const DoctorCase& patient,
                              const std::function<void(double)>& progress) {
  std::vector<Reading> readings;
  const auto settles = [&](Reading reading) {
    infer_reading(patient, reading, progress);
    readings.push_back(std::move(reading));
    return readings.back().holds();
  };
  std::vector<Reading> near;
  for (const Reading& way : ways_to_read(patient)) {
    if (way.type.bits % 8 != 0) continue;
    if (settles(way)) return readings;
    for (const Tolerance& tolerance : tolerances_of(patient, way)) {
      near.push_back(way);
      near.back().near = tolerance;
    }
    // Of the golden's own type this is likelier than another type.
    if (way.type == patient.golden_type && !way.big_endian && !near.empty()) {
      if (settles(near.front())) return readings;
      near.erase(near.begin());
    }
  }
  // The smallest tolerance first.
  std::ranges::stable_sort(near, {},
                           [](const Reading& way) { return way.near->rtol; });
  for (const Reading& way : near) {
    if (settles(way)) return readings;
  }
  return readings;
}

std::vector<Reading> read_in(const DoctorCase& patient,
                             const LayoutSource& layout,
                             const std::optional<Tolerance>& near) {
  std::vector<Reading> readings;
  for (Reading& way : ways_to_read(patient)) {
    way.near = near;
    const Layout bound = value_of(layout.bind(
        patient.shape.shape, Binding{.element_bits = way.type.bits}));
    const std::int64_t bytes = patient.dump.data_bytes;
    const bool ends_early =
        bytes < bound.size_bytes() && 8 * bytes >= bound.used_bits();
    if (bytes != bound.size_bytes() && !ends_early) continue;
    way.typed.report.elements = patient.elements;
    way.typed.report.fits.push_back({bound, {}, 0, 0});
    const DiffReport report =
        compare(patient, way, way.typed.report.fits.front()).report;
    way.findings = report.findings.size();
    way.typed.report.present = patient.elements;
    way.typed.report.matching = patient.elements - report.differences;
    way.explained = explained_share(patient, way, way.typed.report.matching);
    readings.push_back(std::move(way));
  }
  return readings;
}

Comparison compare(const DoctorCase& patient, const Reading& reading,
                   const InferFit& fit, const Tolerance* tolerance) {
  Comparison both{
      .reversed = reversed_dump(patient, reading,
                                std::max<std::int64_t>(-fit.start_byte, 0))};
  const TensorFile& dump = both.reversed ? *both.reversed : patient.dump;
  const bool whole =
      fit.start_byte == 0 && dump.data_bytes == fit.layout.size_bytes();
  both.window = value_of(memory_window(
      dump, fit.layout, whole ? std::nullopt : std::optional(fit.start_byte)));
  const Layout rows = value_of(row_major(fit.layout, patient.golden_type.bits));
  both.options.type = reading.type;
  both.options.type_b = patient.golden_type;
  if (reading.type.is_integer() != patient.golden_type.is_integer()) {
    both.options.scales_a = patient.scales;
    if (reading.quantisation() && patient.scales.each.empty()) {
      both.options.scales_a.each = {*reading.quantisation()};
    }
    if (!reading.type.is_integer()) {
      std::swap(both.options.scales_a, both.options.scales_b);
    }
  }
  both.options.tolerance = tolerance != nullptr ? *tolerance
                           : patient.tolerance  ? *patient.tolerance
                           : reading.near       ? *reading.near
                                          : tolerance_between(both.options);
  both.report = value_of(diff(fit.layout, both.window.bytes, rows,
                              patient.golden.data(), both.options));
  return both;
}

}  // namespace stridewise::cli
