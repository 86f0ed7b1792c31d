// SPDX-License-Identifier: Apache-2.0
#include "inspect/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// Whether f32 does not hold every number of the type.
bool needs_double(const ElementType& type) {
  return type.name == "f64" || (is_integer(type) && own_bits(type) > 8);
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
  const bool integers = is_integer(a) && is_integer(b);
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
  reading.values_ = {numeric(stored), compared};
  if (stored == compared && scales.each.empty()) return reading;
  // Codes of fewer bits that have whole bytes are numbers of these bytes already.
  const bool whole =
      changes_width(reading.values_) && stored.bits == compared.bits;
  if ((whole || numeric(stored) == compared) && scales.each.empty()) {
    return reading;
  }
  for (const Quantisation& each : scales.each) {
    reading.values_.quantisation = each;
    if (auto fits = check(reading.values_); !fits) {
      return unexpected(fits.error());
    }
  }
  if (auto fits = check(reading.values_); !fits)
    return unexpected(fits.error());
  reading.conversion_ = find_conversion(reading.values_);
  if (!reading.conversion_) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("{} is not compared as {}", stored.name, compared.name));
  }
  if (scales.dim.empty()) return reading;
  const auto dim = std::ranges::find(shape, scales.dim, &Dim::name);
  if (dim == shape.end()) {
    return fail(ErrorCode::unknown_name,
                fmt::format("scales of the dim '{}', which the shape has not",
                            scales.dim));
  }
  if (std::ssize(scales.each) != dim->extent) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} scales for {}={}", scales.each.size(),
                            dim->name, dim->extent));
  }
  reading.dim_ = static_cast<std::size_t>(dim - shape.begin());
  reading.each_ = scales.each;
  return reading;
}

std::optional<Values> Reading::fused() const {
  if (!conversion_ || dim_) return std::nullopt;
  return values_;
}

void Reading::one(const std::byte* stored, std::span<const std::int64_t> x,
                  std::byte* value) const {
  if (!conversion_) {
    std::memcpy(value, stored, static_cast<std::size_t>(values_.src.bytes()));
    return;
  }
  const Quantisation& by =
      dim_ ? each_[static_cast<std::size_t>(x[*dim_])] : values_.quantisation;
  conversion_->run({.src = stored,
                    .dst = value,
                    .count = 1,
                    .runs = 1,
                    .src_pitch = 0,
                    .dst_pitch = 0},
                   by);
}

void Reading::box(const Box& box, const std::byte* stored,
                  std::byte* values) const {
  std::int64_t inner = 1;
  std::int64_t outer = 1;
  const std::size_t dim = dim_.value_or(0);
  for (std::size_t d = 0; d < box.shape.size(); ++d) {
    if (d < dim) outer *= box.shape[d].extent;
    if (d > dim) inner *= box.shape[d].extent;
  }
  const std::int64_t extent = box.shape.empty() ? 1 : box.shape[dim].extent;
  const std::int64_t first = box.begin.empty() ? 0 : box.begin[dim];
  for (std::int64_t k = 0; k < outer * extent; ++k) {
    const Quantisation& by =
        dim_ ? each_[static_cast<std::size_t>(first + k % extent)]
             : values_.quantisation;
    conversion_->run({.src = stored + k * inner * values_.src.bytes(),
                      .dst = values + k * inner * values_.dst.bytes(),
                      .count = inner,
                      .runs = 1,
                      .src_pitch = 0,
                      .dst_pitch = 0},
                     by);
  }
}

}  // namespace stridewise::inspect
