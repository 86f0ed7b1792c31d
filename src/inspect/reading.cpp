// SPDX-License-Identifier: Apache-2.0
#include "inspect/reading.hpp"

#include <fmt/format.h>

#include <cstring>

namespace stridewise::inspect {
namespace {

ElementType named(std::string_view name) { return *parse_element_type(name); }

// Truth values are the numbers 0 and 1.
ElementType numeric(const ElementType& type) {
  return type.kind == ElementKind::boolean ? named("u8") : type;
}

bool is_real(const ElementType& type) {
  return type.kind != ElementKind::complex_floating && type.name != "f128";
}

}  // namespace

Result<ElementType> compared_type(const DiffOptions& options) {
  const ElementType given_b = options.type_b.value_or(options.type);
  const bool scaled =
      !options.scales_a.each.empty() || !options.scales_b.each.empty();
  const ElementType plain_a = plain_type(options.type);
  const ElementType plain_b = plain_type(given_b);
  if (plain_a == plain_b && !scaled) return plain_a;
  const ElementType a = numeric(options.type);
  const ElementType b = numeric(given_b);
  if (!is_real(a) || !is_real(b)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} and {} are compared with their own type alone",
                            a.name, b.name));
  }
  const bool integers = a.is_integer() && b.is_integer();
  if (!integers || scaled) {
    return named(needs_double(a) || needs_double(b) ? "f64" : "f32");
  }
  const bool signs = a.kind != b.kind;
  if (signs && (own_bits(a) == 64 || own_bits(b) == 64) &&
      (a.name == "u64" || b.name == "u64")) {
    return fail(ErrorCode::unsupported,
                "no type of 64 bits holds the numbers of u64 and of integers "
                "with a sign: convert one of them first");
  }
  return named(signs || a.name != "u64" ? "s64" : "u64");
}

Result<Reading> Reading::make(const ElementType& stored,
                              const ElementType& compared, const Scales& scales,
                              const Shape& shape) {
  Reading reading;
  reading.bytes_ = static_cast<std::size_t>(stored.bytes());
  const Values values{numeric(stored), compared};
  // Codes of fewer bits that have whole bytes are numbers of these bytes already.
  const bool whole = changes_width(values) && stored.bits == compared.bits;
  if ((whole || values.src == values.dst) && scales.each.empty()) {
    return reading;
  }
  auto scaled = ScaledConversion::make(values, scales, shape);
  if (!scaled) return unexpected(scaled.error());
  reading.scaled_ = *std::move(scaled);
  return reading;
}

void Reading::one(const std::byte* stored, std::span<const std::int64_t> x,
                  std::byte* value) const {
  if (scaled_) return scaled_->one(x, stored, value);
  std::memcpy(value, stored, bytes_);
}

}  // namespace stridewise::inspect
