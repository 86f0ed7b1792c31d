// Elements of known types: which of the ways in which values may belong together to try.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "stridewise/infer.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {
namespace {

using Agreement = TypedReport::Agreement;
using Bytes = std::vector<std::byte>;

bool fits(const InferReport& report) { return !report.fits.empty(); }

// Values one after the other as those of another type.
Result<Bytes> values_as(std::span<const std::byte> values,
                        const ElementType& src, const ElementType& dst) {
  if (src == dst) return Bytes(values.begin(), values.end());
  const auto count = static_cast<std::int64_t>(values.size()) / src.bytes();
  const Expression row{{Axis{.terms = {Term{.digit = {.dim = "x"}}}}}};
  const Shape shape{{"x", count}};
  const Result<Layout> from = Layout::bind(row, shape, src.bytes());
  const Result<Layout> to = Layout::bind(row, shape, dst.bytes());
  if (!from || !to) return unexpected((from ? to : from).error());
  PlanOptions options;
  options.values = Values{.src = src, .dst = dst};
  const Result<Plan> plan = Plan::make(*from, *to, options);
  if (!plan) return unexpected(plan.error());
  Bytes bytes(static_cast<std::size_t>(count * dst.bytes()));
  plan->run(values.data(), bytes.data());
  return bytes;
}

Result<std::vector<double>> numbers(std::span<const std::byte> values,
                                    const ElementType& type) {
  const Result<Bytes> wide =
      values_as(values, type, *parse_element_type("f64"));
  if (!wide) return unexpected(wide.error());
  std::vector<double> all(wide->size() / sizeof(double));
  if (!all.empty()) std::memcpy(all.data(), wide->data(), wide->size());
  return all;
}

// What a type of floats rounds away: from 1 to its next number, and its least number.
Result<std::array<double, 2>> step_of(const ElementType& type) {
  const double one = 1;
  const Result<Bytes> in_type = values_as(std::as_bytes(std::span(&one, 1)),
                                          *parse_element_type("f64"), type);
  if (!in_type) return unexpected(in_type.error());
  std::uint64_t code = 0;
  std::memcpy(&code, in_type->data(), in_type->size());
  std::array<double, 2> step{};
  for (const auto& [k, next] : {std::pair{std::size_t{0}, code + 1},
                                std::pair{std::size_t{1}, std::uint64_t{1}}}) {
    const auto bytes = std::as_bytes(std::span(&next, 1));
    const auto number =
        numbers(bytes.first(static_cast<std::size_t>(type.bytes())), type);
    if (!number) return unexpected(number.error());
    step[k] = number->front();
  }
  step[0] -= one;
  return step;
}

NearOptions::Range range_of(const ElementType& integer) {
  const double half = std::ldexp(1.0, integer.bits - 1);
  if (integer.kind == ElementKind::signed_integer) return {-half, half - 1};
  return {0, 2 * half - 1};
}

class Typed {
 public:
  Typed(std::span<const InferPair> pairs, const TypedOptions& options)
      : pairs_(pairs), options_(options) {}

  Result<TypedReport> run() const {
    if (auto possible = check(); !possible) {
      return unexpected(possible.error());
    }
    if (tolerant()) return near();
    Result<TypedReport> found = equal();
    if (!found || fits(found->report)) return found;
    if (same()) {
      const bool hints = options_.hints && pairs_.size() == 1 &&
                         options_.infer.packed_bits == 0 &&
                         !options_.infer.record;
      if (hints) add_hint(found->report);
      return found;
    }
    Result<TypedReport> nearer = near();
    if (!nearer) return nearer;
    const bool more = nearer->report.matching > found->report.matching;
    return fits(nearer->report) || more || quantised() ? nearer : found;
  }

 private:
  // Also of what is no tolerance, which infer_near() refuses.
  [[nodiscard]] bool tolerant() const {
    return !(options_.rtol == 0 && options_.atol == 0);
  }
  [[nodiscard]] bool same() const {
    return options_.reference == options_.dump;
  }
  [[nodiscard]] bool quantised() const {
    return options_.reference.is_float() && options_.dump.is_integer();
  }

  [[nodiscard]] Result<void> check() const {
    if ((tolerant() || !same()) && pairs_.size() != 1) {
      return fail(ErrorCode::unsupported,
                  "tolerances and two types are for one reference and one "
                  "dump, no series");
    }
    if (same() ||
        (options_.reference.bits % 8 == 0 && options_.dump.bits % 8 == 0)) {
      return {};
    }
    return fail(ErrorCode::unsupported,
                fmt::format("a dump of {} beside a reference of {}: of two "
                            "types both are of whole bytes",
                            options_.dump.name, options_.reference.name));
  }

  // By bytes that are equal.
  [[nodiscard]] Result<TypedReport> equal() const {
    TypedReport typed;
    Result<InferReport> found = InferReport{};
    if (same()) {
      found = infer(pairs_, options_.infer);
    } else if (!quantised()) {
      typed.agreement = Agreement::rounded;
      const Result<Bytes> reference = values_as(
          pairs_.front().reference, options_.reference, options_.dump);
      if (!reference) return unexpected(reference.error());
      const InferPair pair{*reference, pairs_.front().dump};
      found = infer({&pair, 1}, options_.infer);
    } else if (options_.reference.bits == options_.dump.bits) {
      typed.agreement = Agreement::bits;
      found = infer(pairs_, options_.infer);
    }
    if (!found) return unexpected(found.error());
    typed.report = *std::move(found);
    typed.equal = typed.report.matching;
    return typed;
  }

  // By numbers that are near, or quantised by a scale that is looked for.
  [[nodiscard]] Result<TypedReport> near() const {
    const ElementType& type = options_.dump;
    NearOptions near{
        .infer = options_.infer, .rtol = options_.rtol, .atol = options_.atol};
    near.infer.zeros.clear();
    if (quantised()) {
      near.quantised = range_of(type);
    } else if (!same() && type.is_float() && near.rtol >= 0 && near.atol >= 0) {
      const auto step = step_of(type);
      if (!step) return unexpected(step.error());
      near.rtol += (*step)[0];
      near.atol += (*step)[1];
    }
    const InferPair& pair = pairs_.front();
    const auto width = static_cast<std::size_t>(type.bytes());
    const auto reference = numbers(pair.reference, options_.reference);
    const auto dump =
        numbers(pair.dump.first(pair.dump.size() / width * width), type);
    if (!reference || !dump)
      return unexpected((reference ? dump : reference).error());
    Result<NearReport> found = infer_near(*reference, *dump, near);
    if (!found) return unexpected(found.error());
    return TypedReport{
        .report = std::move(found->report),
        .agreement = quantised() ? Agreement::quantised : Agreement::near,
        .equal = found->equal,
        .rtol = near.rtol,
        .atol = near.atol,
        .quantisation = {static_cast<float>(found->scale),
                         static_cast<std::int32_t>(found->zero_point)}};
  }

  // The same with another type of the dump, or a tolerance.
  [[nodiscard]] bool would_fit(const ElementType& dump, double rtol,
                               double atol) const {
    TypedOptions other = options_;
    other.dump = dump;
    other.infer.element_bytes = dump.bytes();
    other.rtol = rtol;
    other.atol = atol;
    other.hints = false;
    other.infer.most_looked_at =
        std::min(options_.infer.most_looked_at, std::int64_t{1} << 29);
    const Typed typed(pairs_, other);
    const bool by_number = rtol > 0 || typed.quantised();
    const auto found = by_number ? typed.near() : typed.equal();
    return found && fits(found->report);
  }

  // What to ask next, where floats of no layout are those of the dump.
  void add_hint(InferReport& report) const {
    constexpr std::int64_t most_elements = 1 << 16;
    constexpr std::size_t most_bytes = std::size_t{1} << 24;
    if (!options_.reference.is_float() || report.elements > most_elements ||
        pairs_.front().dump.size() > most_bytes ||
        2 * report.matching > report.elements) {
      return;
    }
    if (would_fit(options_.dump, 1e-3, 1e-6)) {
      report.reason +=
          "; values are near: --rtol 1e-3 --atol 1e-6 finds a layout";
      return;
    }
    // As few as chance gives: the size may be that of another type.
    if (report.best && 50 * report.matching > report.elements) return;
    for (const char* name : {"f16", "bf16", "f32", "f64", "s8", "u8"}) {
      const ElementType type = *parse_element_type(name);
      if (type == options_.reference || !would_fit(type, 0, 0)) continue;
      report.reason +=
          fmt::format("; as {} it would fit: --dump-dtype {}", name, name);
      return;
    }
  }

  std::span<const InferPair> pairs_;
  const TypedOptions& options_;
};

}  // namespace

Result<TypedReport> infer_typed(std::span<const InferPair> pairs,
                                const TypedOptions& given) {
  TypedOptions options = given;
  // A boolean is a byte.
  for (ElementType* type : {&options.reference, &options.dump}) {
    if (type->kind == ElementKind::boolean) *type = *parse_element_type("u8");
  }
  return Typed(pairs, options).run();
}

}  // namespace stridewise
