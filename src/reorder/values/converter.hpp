// Functions that convert contiguous runs of values, one a pair of types and
// instruction set. They know types; layouts and strides they do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "reorder/kernels/isa.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

// Equals convert_values bit for bit, and touches nothing outside the run. Any
// alignment; src and dst do not overlap; count >= 0.
using ConvertRun = void (*)(const std::byte* src, std::byte* dst,
                            std::int64_t count, const Quantisation&);

struct Converter {
  std::string_view name;
  std::string_view src, dst;  // names of element types
  Isa isa;
  ConvertRun run;
};

// Every converter that the machine and STRIDEWISE_ISA allow, the best of a pair
// first.
[[nodiscard]] std::span<const Converter> converters();

// The best converter of the pair; nullptr where the types are the same (a copy)
// or the pair is not supported.
[[nodiscard]] ConvertRun find_converter(const Values& values);

namespace portable {
[[nodiscard]] std::span<const Converter> converters();
}

// Each compiled in a file of its own with its flags. Call what they point to
// only where the machine has the set.
namespace x86 {
[[nodiscard]] std::span<const Converter> avx2_converters();
[[nodiscard]] std::span<const Converter> avx512_converters();
}  // namespace x86

}  // namespace stridewise
