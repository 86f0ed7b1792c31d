// SPDX-License-Identifier: Apache-2.0
#include "infer_values.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "common.hpp"
#include "stridewise/values.hpp"

namespace stridewise::cli {
namespace {

using Bytes = std::vector<std::byte>;

bool is_integer(const ElementType& type) {
  return type.kind == ElementKind::signed_integer ||
         type.kind == ElementKind::unsigned_integer;
}
bool is_float(const ElementType& type) {
  return type.kind == ElementKind::floating ||
         type.kind == ElementKind::brain_floating ||
         type.kind == ElementKind::small_floating;
}

ElementType f64() { return value_of(parse_element_type("f64")); }

Bytes converted(std::span<const std::byte> from, const ElementType& src,
                const ElementType& dst) {
  const Values values{.src = src, .dst = dst};
  if (auto can = check(values); !can) throw Failure{can.error()};
  const auto count =
      static_cast<std::int64_t>(from.size()) / std::int64_t{src.bytes()};
  Bytes to(static_cast<std::size_t>(count * dst.bytes()));
  convert_values(values, from.data(), to.data(), count);
  return to;
}

std::vector<double> numbers(std::span<const std::byte> bytes,
                            const ElementType& type) {
  const Bytes wide = type == f64() ? Bytes(bytes.begin(), bytes.end())
                                   : converted(bytes, type, f64());
  std::vector<double> all(wide.size() / sizeof(double));
  std::memcpy(all.data(), wide.data(), all.size() * sizeof(double));
  return all;
}

// The number whose code is this one.
double decoded(const ElementType& type, std::uint64_t code) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &code, bytes.size());
  return numbers(std::span(bytes).first(static_cast<std::size_t>(type.bytes())),
                 type)
      .front();
}

// What the dump's type rounds away: from 1 to its next number, and its least number.
ValueOptions with_step(ValueOptions values) {
  if (values.reference == values.dump || !is_float(values.dump)) return values;
  const double one = 1;
  Bytes of_one(sizeof one);
  std::memcpy(of_one.data(), &one, sizeof one);
  const Bytes in_type =
      values.dump == f64() ? of_one : converted(of_one, f64(), values.dump);
  std::uint64_t code = 0;
  std::memcpy(&code, in_type.data(), in_type.size());
  values.rtol += decoded(values.dump, code + 1) - 1;
  values.atol += decoded(values.dump, 1);
  return values;
}

bool fits(const InferReport& report) { return !report.fits.empty(); }

std::string types_of(const ValueOptions& values) {
  return values.reference == values.dump
             ? std::string(values.dump.name)
             : fmt::format("{} of the reference as {}", values.reference.name,
                           values.dump.name);
}

// Whole elements of the dump.
std::span<const std::byte> whole(std::span<const std::byte> dump,
                                 const ElementType& type) {
  return dump.first(dump.size() / static_cast<std::size_t>(type.bytes()) *
                    static_cast<std::size_t>(type.bytes()));
}

InferAnswer nearly(const InferPair& pair, const InferOptions& inference,
                   const ValueOptions& told) {
  const bool quantised = is_float(told.reference) && is_integer(told.dump);
  const ValueOptions values = quantised ? told : with_step(told);
  NearOptions options{
      .infer = inference, .rtol = values.rtol, .atol = values.atol};
  options.infer.zeros.clear();
  if (quantised) {
    const bool has_sign = told.dump.kind == ElementKind::signed_integer;
    const double half = std::ldexp(1.0, told.dump.bits - 1);
    options.quantised = has_sign ? NearOptions::Range{-half, half - 1}
                                 : NearOptions::Range{0, 2 * half - 1};
  }
  const NearReport near = value_of(
      infer_near(numbers(pair.reference, values.reference),
                 numbers(whole(pair.dump, values.dump), values.dump), options));
  InferAnswer answer{.report = near.report};
  if (!fits(near.report)) return answer;
  answer.values_json = {{"equal", near.equal},
                        {"reference_dtype", values.reference.name}};
  const std::string counts =
      fmt::format("{} of {} equal, {} within ", near.equal, near.report.present,
                  near.report.matching);
  if (quantised) {
    answer.values_json["scale"] = near.scale;
    answer.values_json["zero_point"] = near.zero_point;
    answer.values =
        fmt::format("{}: scale {:.6g}, zero point {}; {}a step",
                    types_of(values), near.scale, near.zero_point, counts);
  } else {
    answer.values_json["rtol"] = values.rtol;
    answer.values_json["atol"] = values.atol;
    answer.values =
        fmt::format("{}: {}{:.3g} + {:.3g} * |reference|", types_of(values),
                    counts, values.atol, values.rtol);
  }
  return answer;
}

// Whether the dump fits as elements of another type.
bool fits_as(const ElementType& type, const InferPair& pair,
             const InferOptions& inference, ValueOptions values) {
  InferOptions other = inference;
  other.element_bytes = type.bytes();
  values.dump = type;
  if (is_integer(type)) {
    try {
      return fits(nearly(pair, other, values).report);
    } catch (const Failure&) {
      return false;
    }
  }
  const Bytes reference = converted(pair.reference, values.reference, type);
  const InferPair narrow{reference, pair.dump};
  const Result<InferReport> report = infer({&narrow, 1}, other);
  return report && fits(*report);
}

// What to ask next, where floats of no layout are those of the dump: another type, or a
// tolerance.
void add_hint(const InferPair& pair, const InferOptions& inference,
              const ValueOptions& values, InferReport& report) {
  constexpr std::int64_t most_elements = 1 << 20;
  constexpr std::size_t most_bytes = std::size_t{1} << 24;
  if (!is_float(values.reference) || report.elements > most_elements ||
      pair.dump.size() > most_bytes) {
    return;
  }
  if (2 * report.matching > report.elements) return;
  ValueOptions near = values;
  near.rtol = 1e-3;
  near.atol = 1e-6;
  if (fits(nearly(pair, inference, near).report)) {
    report.reason +=
        "; values are near: --rtol 1e-3 --atol 1e-6 finds a layout";
    return;
  }
  // As few as chance gives: the size may be that of another type.
  if (report.best && 50 * report.matching > report.elements) return;
  for (const char* name : {"f16", "bf16", "f32", "f64", "s8", "u8"}) {
    const ElementType type = value_of(parse_element_type(name));
    if (type == values.reference) continue;
    if (!fits_as(type, pair, inference, values)) continue;
    report.reason +=
        fmt::format("; as {} it would fit: --dump-dtype {}", name, name);
    return;
  }
}

}  // namespace

InferAnswer infer_values(std::span<const InferPair> pairs,
                         const InferOptions& inference,
                         const ValueOptions& values) {
  const bool same = values.reference == values.dump;
  // What is no tolerance is refused there.
  const bool near = !(values.rtol == 0 && values.atol == 0);
  const bool quantised = is_float(values.reference) && is_integer(values.dump);
  if ((near || !same) && pairs.size() != 1) {
    throw Failure{{ErrorCode::unsupported,
                   "tolerances and two types are for one reference and one "
                   "dump, no series"}};
  }
  InferAnswer answer;
  if (near) return nearly(pairs.front(), inference, values);
  if (same) {
    answer.report = value_of(infer(pairs, inference));
    if (fits(answer.report)) return answer;
  } else if (!quantised) {
    const Bytes reference =
        converted(pairs.front().reference, values.reference, values.dump);
    const InferPair pair{reference, pairs.front().dump};
    answer.report = value_of(infer({&pair, 1}, inference));
    if (fits(answer.report)) {
      answer.values = types_of(values) + ": all equal";
      answer.values_json = {{"equal", answer.report.matching},
                            {"reference_dtype", values.reference.name}};
      return answer;
    }
  }
  if (!same) {
    InferAnswer nearer = nearly(pairs.front(), inference, values);
    const bool more = nearer.report.matching > answer.report.matching;
    if (more || quantised) return nearer;
  } else if (pairs.size() == 1 && inference.packed_bits == 0 &&
             !inference.record) {
    add_hint(pairs.front(), inference, values, answer.report);
  }
  return answer;
}

}  // namespace stridewise::cli
