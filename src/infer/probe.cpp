// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "element/small_float.hpp"
#include "stridewise/infer.hpp"

namespace stridewise {
namespace {

// Floats of 16 bits: all normal numbers, positive ones first. Zeros, denormals
// and what is not finite may change on the way through a device.
struct Normals {
  std::int64_t first;  // bits of the least positive normal number
  std::int64_t count;  // of one sign
};

constexpr Normals half{0x0400, 0x7800};
constexpr Normals brain{0x0080, 0x7f00};

Normals normals_of(const ElementType& type) {
  return type.kind == ElementKind::brain_floating ? brain : half;
}

bool is_half(const ElementType& type) {
  return type.bits == 16 && (type.kind == ElementKind::floating ||
                             type.kind == ElementKind::brain_floating);
}

// The real part's width: a complex probe has no imaginary part.
std::int64_t part_bits(const ElementType& type) {
  return type.kind == ElementKind::complex_floating ? type.bits / 2 : type.bits;
}

// The codes from 0 on of numbers that are not negative.
std::int64_t finite_codes(const ElementType& type) {
  const SmallFloat& format = small_float_of(type);
  const int bits = format.exponent_bits + format.mantissa_bits;
  std::uint32_t code = 0;
  while (code < 1U << bits && std::isfinite(decode_small_float(format, code))) {
    ++code;
  }
  return code;
}

std::int64_t count_of_values(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::boolean:
      return 2;
    case ElementKind::signed_integer:
      // -128 is left out: quantised kernels clamp to -127.
      return type.bits <= 16 ? (std::int64_t{1} << type.bits) - 1
                             : std::int64_t{1} << 31;
    case ElementKind::small_floating:
      return finite_codes(type);
    case ElementKind::unsigned_integer:
      return type.bits <= 32 ? std::int64_t{1} << type.bits
                             : std::int64_t{1} << 53;
    case ElementKind::floating:
    case ElementKind::brain_floating:
    case ElementKind::complex_floating:
      break;
  }
  if (is_half(type)) return 2 * normals_of(type).count;
  return part_bits(type) == 32 ? (std::int64_t{1} << 24) + 1
                               : (std::int64_t{1} << 53) + 1;
}

template <class T>
void put(std::byte* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

// The value number `digit` of the type.
void write(const ElementType& type, std::int64_t digit, std::byte* out) {
  const auto bytes = static_cast<std::size_t>(type.bytes());
  if (is_half(type)) {
    const auto [first, count] = normals_of(type);
    const std::int64_t bits =
        digit < count ? first + digit : 0x8000 + first + digit - count;
    return put(out, static_cast<std::uint16_t>(bits));
  }
  std::memset(out, 0, bytes);
  switch (type.kind) {
    case ElementKind::floating:
    case ElementKind::brain_floating:
    case ElementKind::complex_floating:
      if (part_bits(type) == 32) return put(out, static_cast<float>(digit));
      if (part_bits(type) == 64) return put(out, static_cast<double>(digit));
      return put(out, static_cast<long double>(digit));
    case ElementKind::boolean:
    case ElementKind::signed_integer:
    case ElementKind::small_floating:
    case ElementKind::unsigned_integer:
      // Two's complement: of s8, 128 .. 254 are the negative ones from -127 on.
      if (type.kind == ElementKind::signed_integer && type.bits <= 16 &&
          digit > count_of_values(type) / 2) {
        digit += 1 - (std::int64_t{1} << type.bits);
      }
      std::memcpy(out, &digit, std::min<std::size_t>(bytes, sizeof digit));
  }
}

}  // namespace

Probe::Probe(const ElementType& type, std::int64_t elements)
    : type_(type), elements_(elements), values_(count_of_values(type)) {
  // Number 0 stays free where it is the value zero, which padding holds too.
  std::int64_t numbers = values_;
  while (numbers - 1 < elements_) {
    ++files_;
    if (__builtin_mul_overflow(numbers, values_, &numbers)) break;
  }
}

Result<Probe> Probe::make(const Shape& shape, const ElementType& type) {
  const Result<std::int64_t> elements = element_count(shape);
  if (!elements) return unexpected(elements.error());
  const Checked bytes = mul(*elements, type.bytes());
  if (!bytes || *bytes > largest) {
    return fail(ErrorCode::overflow,
                "the size of the probe overflows 64 bits; no file is that "
                "large");
  }
  return Probe(type, *elements);
}

void Probe::fill(int file, std::int64_t first, std::int64_t count,
                 std::byte* out) const {
  STRIDEWISE_EXPECTS(file >= 0 && file < files_,
                     "Probe::fill: 0 <= file < files()");
  STRIDEWISE_EXPECTS(first >= 0 && count >= 0 && count <= elements_ - first,
                     "Probe::fill: elements within elements()");
  std::int64_t weight = 1;
  for (int k = file + 1; k < files_; ++k) weight *= values_;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t number = first + k + 1;
    write(type_, number / weight % values_, out + k * type_.bytes());
  }
}

}  // namespace stridewise
