// SPDX-License-Identifier: Apache-2.0
#include "stridewise/element.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

using enum ElementKind;

constexpr auto types = std::to_array<ElementType>({
    {"f16", floating, 16},
    {"bf16", brain_floating, 16},
    {"f32", floating, 32},
    {"f64", floating, 64},
    {"f128", floating, 128},
    {"s8", signed_integer, 8},
    {"u8", unsigned_integer, 8},
    {"s16", signed_integer, 16},
    {"u16", unsigned_integer, 16},
    {"s32", signed_integer, 32},
    {"u32", unsigned_integer, 32},
    {"s64", signed_integer, 64},
    {"u64", unsigned_integer, 64},
    {"bool", boolean, 8},
    {"c64", complex_floating, 64},
    {"c128", complex_floating, 128},
    {"f8_e4m3fn", small_floating, 8},
    {"f8_e5m2", small_floating, 8},
    {"f8_e4m3", small_floating, 8},
    {"f8_e3m4", small_floating, 8},
    {"f8_e4m3fnuz", small_floating, 8},
    {"f8_e5m2fnuz", small_floating, 8},
    {"f8_e4m3b11fnuz", small_floating, 8},
    {"e8", small_floating, 8},
    {"f6_e2m3", small_floating, 6},
    {"f6_e3m2", small_floating, 6},
    {"f4", small_floating, 4},
});

// Integers of every width: "u1" .. "u64" and "s2" .. "s64".
constexpr int most_bits = 64;
struct IntegerName {
  std::array<char, 4> text{};
  std::size_t size = 0;
};
constexpr std::array<IntegerName, 2 * (most_bits + 1)> integer_names = [] {
  std::array<IntegerName, 2 * (most_bits + 1)> names{};
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::size_t bits = k / 2;
    IntegerName& name = names[k];
    name.text[name.size++] = k % 2 == 0 ? 'u' : 's';
    if (bits >= 10) name.text[name.size++] = static_cast<char>('0' + bits / 10);
    name.text[name.size++] = static_cast<char>('0' + bits % 10);
  }
  return names;
}();

std::optional<ElementType> integer_of(std::string_view name) {
  for (int bits = 1; bits <= most_bits; ++bits) {
    for (const bool is_signed : {false, true}) {
      if (is_signed && bits == 1) continue;
      const IntegerName& known = integer_names[static_cast<std::size_t>(
          2 * bits + (is_signed ? 1 : 0))];
      const std::string_view text(known.text.data(), known.size);
      if (text != name) continue;
      return ElementType{text, is_signed ? signed_integer : unsigned_integer,
                         bits};
    }
  }
  return std::nullopt;
}

struct Alias {
  std::string_view alias, name;
};

// NumPy's, the vendors' and C's names for the same types.
constexpr auto aliases = std::to_array<Alias>({
    {"float16", "f16"},
    {"fp16", "f16"},
    {"half", "f16"},
    {"bfloat16", "bf16"},
    {"float32", "f32"},
    {"fp32", "f32"},
    {"float", "f32"},
    {"float64", "f64"},
    {"fp64", "f64"},
    {"double", "f64"},
    {"float128", "f128"},
    {"longdouble", "f128"},
    {"int8", "s8"},
    {"i8", "s8"},
    {"sa8", "s8"},
    {"fx8", "s8"},
    {"uint8", "u8"},
    {"byte", "u8"},
    {"int16", "s16"},
    {"i16", "s16"},
    {"fx16", "s16"},
    {"uint16", "u16"},
    {"int32", "s32"},
    {"i32", "s32"},
    {"int", "s32"},
    {"sa32", "s32"},
    {"uint32", "u32"},
    {"int64", "s64"},
    {"i64", "s64"},
    {"uint64", "u64"},
    {"boolean", "bool"},
    {"complex64", "c64"},
    {"complex128", "c128"},
    // OCP's 8 bits unless a kind is named.
    {"f8", "f8_e4m3fn"},
    {"fp8", "f8_e4m3fn"},
    {"float8", "f8_e4m3fn"},
    {"bf8", "f8_e5m2"},
    {"e4m3", "f8_e4m3fn"},
    {"e4m3fn", "f8_e4m3fn"},
    {"e5m2", "f8_e5m2"},
    {"f8e4m3", "f8_e4m3fn"},
    {"fp8_e4m3", "f8_e4m3fn"},
    {"fp8_e5m2", "f8_e5m2"},
    {"float8_e4m3fn", "f8_e4m3fn"},
    {"float8_e5m2", "f8_e5m2"},
    {"float8_e4m3", "f8_e4m3"},
    {"float8_e3m4", "f8_e3m4"},
    {"float8_e4m3fnuz", "f8_e4m3fnuz"},
    {"float8_e5m2fnuz", "f8_e5m2fnuz"},
    {"float8_e4m3b11fnuz", "f8_e4m3b11fnuz"},
    {"e8m0", "e8"},
    {"ue8m0", "e8"},
    {"f8_e8m0", "e8"},
    {"f8_e8m0fnu", "e8"},
    {"float8_e8m0fnu", "e8"},
    {"f6", "f6_e2m3"},
    {"fp6", "f6_e2m3"},
    {"bf6", "f6_e3m2"},
    {"e2m3", "f6_e2m3"},
    {"e3m2", "f6_e3m2"},
    {"float6_e2m3fn", "f6_e2m3"},
    {"float6_e3m2fn", "f6_e3m2"},
    {"fp4", "f4"},
    {"e2m1", "f4"},
    {"f4_e2m1", "f4"},
    {"float4_e2m1fn", "f4"},
    {"int4", "s4"},
    {"i4", "s4"},
    {"uint4", "u4"},
    {"int2", "s2"},
    {"i2", "s2"},
    {"uint2", "u2"},
    {"bit", "u1"},
    // NumPy's, of little-endian elements.
    {"<f2", "f16"},
    {"<f4", "f32"},
    {"<f8", "f64"},
    {"|i1", "s8"},
    {"<i2", "s16"},
    {"<i4", "s32"},
    {"<i8", "s64"},
    {"|u1", "u8"},
    {"<u2", "u16"},
    {"<u4", "u32"},
    {"<u8", "u64"},
    {"|b1", "bool"},
    {"<c8", "c64"},
    {"<c16", "c128"},
});

}  // namespace

std::span<const ElementType> element_types() { return types; }

Result<ElementType> parse_element_type(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  std::string_view canonical = lower;
  if (const auto a = std::ranges::find(aliases, canonical, &Alias::alias);
      a != aliases.end()) {
    canonical = a->name;
  }
  if (const auto t = std::ranges::find(types, canonical, &ElementType::name);
      t != types.end()) {
    return *t;
  }
  if (const auto integer = integer_of(canonical)) return *integer;
  if (lower.starts_with('>')) {
    const std::string little = "<" + lower.substr(1);
    if (const auto a = std::ranges::find(aliases, little, &Alias::alias);
        a != aliases.end()) {
      return fail(ErrorCode::unknown_name,
                  "'" + std::string(name) + "' is big-endian " +
                      std::string(a->name) +
                      ": say that, and --byte-order big "
                      "of the file");
    }
  }
  std::string known;
  std::vector<std::string> names;
  for (const ElementType& t : types) {
    known += known.empty() ? "" : " ";
    known += t.name;
    names.emplace_back(t.name);
  }
  for (const Alias& a : aliases) names.emplace_back(a.alias);
  const std::string hint = nearest(lower, names);
  return fail(ErrorCode::unknown_name,
              "unknown dtype '" + std::string(name) + "'" +
                  (hint.empty() ? "" : "; did you mean '" + hint + "'?") +
                  " One of: " + known +
                  ", or an integer of 1 to 64 bits: u4, s3");
}

}  // namespace stridewise
