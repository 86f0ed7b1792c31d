// The types that the format has names for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/containers/safetensors.hpp"
#include "stridewise/container.hpp"

namespace stridewise {
namespace {

struct TypeName {
  std::string_view stored;
  std::string_view name;
};

constexpr auto type_names = std::to_array<TypeName>({
    {"F32", "f32"},
    {"F16", "f16"},
    {"BF16", "bf16"},
    {"F64", "f64"},
    {"I8", "s8"},
    {"U8", "u8"},
    {"I16", "s16"},
    {"U16", "u16"},
    {"I32", "s32"},
    {"U32", "u32"},
    {"I64", "s64"},
    {"U64", "u64"},
    {"BOOL", "bool"},
    {"C64", "c64"},
    {"F8_E4M3", "f8_e4m3fn"},
    {"F8_E5M2", "f8_e5m2"},
    {"F8_E8M0", "e8"},
    {"F8_E4M3FNUZ", "f8_e4m3fnuz"},
    {"F8_E5M2FNUZ", "f8_e5m2fnuz"},
    {"F6_E2M3", "f6_e2m3"},
    {"F6_E3M2", "f6_e3m2"},
    {"F4", "f4"},
});

}  // namespace

std::optional<ElementType> safetensors_type(std::string_view name) {
  const auto known = std::ranges::find(type_names, name, &TypeName::stored);
  if (known == type_names.end()) return std::nullopt;
  return *parse_element_type(known->name);
}

Result<std::string> safetensors_type_name(const ElementType& type) {
  const auto known = std::ranges::find(type_names, type.name, &TypeName::name);
  if (known != type_names.end()) return std::string(known->stored);
  std::string_view instead = "convert its values to a type that it has, as f32";
  if (type.kind == ElementKind::complex_floating) {
    instead = "convert its values to c64";
  } else if (type.kind == ElementKind::floating) {
    instead = "convert its values to f64";
  } else if (type.kind == ElementKind::small_floating) {
    instead = "store its codes as u8, or convert its values to f32";
  } else if (type.bits < 8) {
    instead =
        "store its packed bytes as u8 with the type beside them, or convert "
        "its values to s8 or u8";
  } else if (type.is_integer()) {
    instead = "convert its values to an integer of 8, 16, 32 or 64 bits";
  }
  return fail(
      ErrorCode::unsupported,
      fmt::format("safetensors has no name for {}: {}", type.name, instead));
}

}  // namespace stridewise
