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

// Set has a class of vectors for each pair of types, and run_one, which converts a
// run by one of them.
template <class Set, class Convert, bool streams>
void run(const ValueRuns& runs, const Quantisation& quantisation) {
  const Convert convert(quantisation);
  each_run(runs, [&](const std::byte* src, std::byte* dst, std::int64_t count,
                     std::ptrdiff_t ahead) {
    Set::template run_one<Convert, streams>(convert, src, dst, count, ahead);
  });
}

template <class Set>
constexpr auto converters_of() {
  const auto row = []<class Convert>(std::string_view src,
                                     std::string_view dst) {
    return Converter{src, dst, Set::isa, &run<Set, Convert, false>,
                     &run<Set, Convert, true>};
  };
  constexpr std::int32_t s8 = -128, u8 = 0;  // the lowest integers
  return std::to_array<Converter>({
      row.template operator()<typename Set::F32ToF16>("f32", "f16"),
      row.template operator()<typename Set::F16ToF32>("f16", "f32"),
      row.template operator()<typename Set::F32ToBf16>("f32", "bf16"),
      row.template operator()<typename Set::Bf16ToF32>("bf16", "f32"),
      row.template operator()<typename Set::template Quantise<s8>>("f32", "s8"),
      row.template operator()<typename Set::template Dequantise<s8>>("s8",
                                                                     "f32"),
      row.template operator()<typename Set::template Quantise<u8>>("f32", "u8"),
      row.template operator()<typename Set::template Dequantise<u8>>("u8",
                                                                     "f32"),
  });
}

}  // namespace
}  // namespace stridewise::x86
