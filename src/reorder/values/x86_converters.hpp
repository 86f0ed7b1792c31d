// The rows of an instruction set in the table of converters. Included once by each
// file that is compiled with a set's flags: what it makes is local to that file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reorder/values/converter.hpp"

namespace stridewise::x86 {
namespace {

// run_one of the set is found by its argument.
template <class Convert, bool streams>
void run(const ValueRuns& runs, const Quantisation& quantisation) {
  const Convert convert(quantisation);
  each_run(runs, [&](const std::byte* src, std::byte* dst, std::int64_t count,
                     std::ptrdiff_t ahead) {
    run_one<streams>(convert, src, dst, count, ahead);
  });
}

// Of a set's classes for each pair of types.
template <Isa isa, class F32ToF16, class F16ToF32, class F32ToBf16,
          class Bf16ToF32, template <std::int32_t> class Quantise,
          template <std::int32_t> class Dequantise>
constexpr auto converters_of() {
  const auto row = []<class Convert>(std::string_view src,
                                     std::string_view dst) {
    return Converter{src, dst, isa, &run<Convert, false>, &run<Convert, true>};
  };
  constexpr std::int32_t s8 = -128, u8 = 0;  // the lowest integers
  return std::to_array<Converter>({
      row.template operator()<F32ToF16>("f32", "f16"),
      row.template operator()<F16ToF32>("f16", "f32"),
      row.template operator()<F32ToBf16>("f32", "bf16"),
      row.template operator()<Bf16ToF32>("bf16", "f32"),
      row.template operator()<Quantise<s8>>("f32", "s8"),
      row.template operator()<Dequantise<s8>>("s8", "f32"),
      row.template operator()<Quantise<u8>>("f32", "u8"),
      row.template operator()<Dequantise<u8>>("u8", "f32"),
  });
}

}  // namespace
}  // namespace stridewise::x86
