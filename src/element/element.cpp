// SPDX-License-Identifier: Apache-2.0
#include "stridewise/element.hpp"

#include <algorithm>
#include <array>
#include <cctype>
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
});

struct Alias {
  std::string_view alias, name;
};

// NumPy's, the vendors' and C's names for the same types.
constexpr auto aliases = std::to_array<Alias>({
    {"float16", "f16"},   {"fp16", "f16"},      {"half", "f16"},
    {"bfloat16", "bf16"}, {"float32", "f32"},   {"fp32", "f32"},
    {"float", "f32"},     {"float64", "f64"},   {"fp64", "f64"},
    {"double", "f64"},    {"float128", "f128"}, {"longdouble", "f128"},
    {"int8", "s8"},       {"i8", "s8"},         {"sa8", "s8"},
    {"fx8", "s8"},        {"uint8", "u8"},      {"byte", "u8"},
    {"int16", "s16"},     {"i16", "s16"},       {"fx16", "s16"},
    {"uint16", "u16"},    {"int32", "s32"},     {"i32", "s32"},
    {"int", "s32"},       {"sa32", "s32"},      {"uint32", "u32"},
    {"int64", "s64"},     {"i64", "s64"},       {"uint64", "u64"},
    {"boolean", "bool"},  {"complex64", "c64"}, {"complex128", "c128"},
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
                  " One of: " + known);
}

}  // namespace stridewise
