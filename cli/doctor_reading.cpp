// SPDX-License-Identifier: Apache-2.0
#include "doctor_reading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "catalogues.hpp"

namespace stridewise::cli {
namespace {

// The types that dumps have, the likeliest first.
constexpr auto usual_types = std::to_array<std::string_view>(
    {"f32", "f16", "bf16", "f64", "s8", "u8", "s32", "s16", "u16", "f8_e4m3fn",
     "f8_e5m2"});
// How much larger than its elements a dump may be: blocks that are hardly filled, a header.
constexpr std::int64_t most_padding = 64;
constexpr std::int64_t most_header_bytes = 4096;
// How far values of one type may be off.
constexpr double near_rtol = 1e-3;

// One after the other, as another type.
template <class To>
std::vector<To> values_as(std::span<const std::byte> values,
                          const Values& types) {
  const auto count = static_cast<std::int64_t>(values.size()) /
                     std::int64_t{types.src.bytes()};
  std::vector<To> to(static_cast<std::size_t>(count * types.dst.bytes()) /
                     sizeof(To));
  convert_values(types, values.data(), reinterpret_cast<std::byte*>(to.data()),
                 count);
  return to;
}

// Elements of the golden from here and there, as the reading's type.
std::vector<double> drawn(const DoctorCase& patient, const Reading& reading) {
  constexpr std::int64_t most = 8192;
  const std::int64_t width = patient.golden_type.bytes();
  std::vector<std::byte> values;
  const std::int64_t count = std::min(patient.elements, most);
  // A step that has no divisor in common with the extents comes by all of them.
  const std::int64_t step = std::max<std::int64_t>(patient.elements / count, 1);
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t element = (k * step + k * k) % patient.elements;
    const auto bytes =
        patient.golden.data().subspan(static_cast<std::size_t>(element * width),
                                      static_cast<std::size_t>(width));
    values.insert(values.end(), bytes.begin(), bytes.end());
  }
  const ElementType f64 = value_of(parse_element_type("f64"));
  if (reading.quantisation()) {
    return values_as<double>(values, {patient.golden_type, f64});
  }
  return values_as<double>(
      values_as<std::byte>(values, {patient.golden_type, reading.type}),
      {reading.type, f64});
}

// How often two elements of the golden would count as equal.
double agreement_by_chance(const DoctorCase& patient, const Reading& reading) {
  const std::vector<double> values = drawn(patient, reading);
  const std::size_t half = values.size() / 2;
  if (half == 0) return 0;
  std::size_t equal = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double a = values[k];
    const double b = values[k + half];
    double allowed = 0;
    if (reading.quantisation()) {
      allowed = 1.5 * double{reading.quantisation()->scale};
    } else if (reading.near) {
      allowed = reading.near->atol + reading.near->rtol * std::abs(a);
    }
    equal += a == b || std::abs(a - b) <= allowed ? 1U : 0U;
  }
  return static_cast<double>(equal) / static_cast<double>(half);
}

double explained_share(const DoctorCase& patient, const Reading& reading,
                       std::int64_t right) {
  const double share =
      static_cast<double>(right) / static_cast<double>(patient.elements);
  const double chance = agreement_by_chance(patient, reading);
  return chance >= 1 ? 0 : (share - chance) / (1 - chance);
}

// The dump in the byte order and width of a reading, from this byte on.
TensorFile dump_of(const DoctorCase& patient, const Reading& reading,
                   std::int64_t first) {
  TensorFile dump = open_dump(patient.dump_path);
  if (!reading.big_endian) return dump;
  return value_of(
      with_bytes_reversed(std::move(dump), reading.type.bytes(), first));
}

// What a type of floats leaves where it was computed in another order.
Tolerance near_tolerance(const DoctorCase& patient) {
  const std::vector<double> values =
      drawn(patient, {.type = patient.golden_type});
  double sum = 0;
  std::int64_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += std::abs(value);
    ++finite;
  }
  // Of sums that come near to zero, the error is that of what was added.
  const double mean = finite == 0 ? 0 : sum / static_cast<double>(finite);
  return {.rtol = near_rtol, .atol = 0.1 * near_rtol * mean};
}

// What infer makes of a reading; no layout where the values cannot be of its type.
void infer_reading(const DoctorCase& patient, Reading& reading,
                   const std::function<void(double)>& progress) {
  const TensorFile dump = dump_of(patient, reading, 0);
  InferOptions options{patient.shape.shape, reading.type.bytes(),
                       patient.shape.positional, progress};
  options.names = known_layouts();
  options.zeros = holes_of(dump);
  const InferPair pair{patient.golden.data(), dump.data()};
  const Tolerance tolerance = reading.near.value_or(Tolerance{});
  Result<TypedReport> found =
      infer_typed({&pair, 1}, {options, patient.golden_type, reading.type,
                               tolerance.rtol, tolerance.atol, false});
  if (!found) {
    reading.typed.report.reason = found.error().message;
    return;
  }
  reading.typed = *std::move(found);
  if (reading.fit() == nullptr) return;
  const InferReport& report = reading.typed.report;
  const bool certain = !report.fits.empty() && !reading.near;
  reading.explained = explained_share(
      patient, reading, certain ? report.present : report.matching);
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
    const std::int64_t least = patient.elements * type.bytes();
    return !changes(patient, type) || patient.dump.data_bytes < least ||
           patient.dump.data_bytes / most_padding > least + most_header_bytes;
  });
  return types;
}

std::vector<Reading> inferred(const DoctorCase& patient,
                              const std::function<void(double)>& progress) {
  std::vector<Reading> readings;
  for (Reading& way : ways_to_read(patient)) {
    if (way.type.bits % 8 != 0) continue;
    infer_reading(patient, way, progress);
    readings.push_back(std::move(way));
    if (readings.back().holds()) break;
    const Reading& last = readings.back();
    if (last.type != patient.golden_type || !last.type.is_float() ||
        last.big_endian) {
      continue;
    }
    Reading near{.type = last.type, .near = near_tolerance(patient)};
    infer_reading(patient, near, progress);
    readings.push_back(std::move(near));
    if (readings.back().holds()) break;
  }
  return readings;
}

std::vector<Reading> read_in(const DoctorCase& patient,
                             const LayoutSource& layout) {
  std::vector<Reading> readings;
  for (Reading& way : ways_to_read(patient)) {
    const Layout bound = value_of(layout.bind(
        patient.shape.shape, Binding{.element_bits = way.type.bits}));
    const std::int64_t bytes = patient.dump.data_bytes;
    const bool ends_early =
        bytes < bound.size_bytes() && 8 * bytes >= bound.used_bits();
    if (bytes != bound.size_bytes() && !ends_early) continue;
    way.typed.report.elements = patient.elements;
    way.typed.report.fits.push_back({bound, {}, 0, 0});
    const DiffReport report = compare(patient, way).report;
    way.typed.report.present = patient.elements;
    way.typed.report.matching = patient.elements - report.differences;
    way.explained = explained_share(patient, way, way.typed.report.matching);
    readings.push_back(std::move(way));
  }
  return readings;
}

Comparison compare(const DoctorCase& patient, const Reading& reading,
                   const Tolerance* tolerance) {
  const InferFit& fit = *reading.fit();
  Comparison both{.dump = dump_of(patient, reading,
                                  std::max<std::int64_t>(-fit.start_byte, 0))};
  const bool whole =
      fit.start_byte == 0 && both.dump.data_bytes == fit.layout.size_bytes();
  both.window = value_of(
      memory_window(both.dump, fit.layout,
                    whole ? std::nullopt : std::optional(fit.start_byte)));
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
