// The one table of converters: whoever converts, and the tests, read it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "reorder/values/converter.hpp"

namespace stridewise {
namespace {

std::vector<Converter> allowed_converters() {
  std::vector<Converter> all;
  const auto add = [&all](std::span<const Converter> some) {
    all.insert(all.begin(), some.begin(), some.end());
  };
  add(portable::small_converters());
#if !defined(STRIDEWISE_LEAST_AVX2)
  add(portable::wide_converters().converters);
#endif
  add(portable::converters());
#if defined(STRIDEWISE_AVX2)
  if (best_isa() >= Isa::avx2) {
    add(x86::avx2_wide_converters().converters);
    add(x86::avx2_converters());
  }
#endif
#if defined(STRIDEWISE_AVX512)
  if (best_isa() >= Isa::avx512) add(x86::avx512_converters());
#endif
  static std::deque<std::string> names;  // called once
  for (Converter& c : all) {
    c.name = names.emplace_back(
        fmt::format("{}_to_{}.{}", c.src, c.dst, isa_name(c.isa)));
  }
  return all;
}

}  // namespace

std::span<const Converter> converters() {
  static const std::vector<Converter> all = allowed_converters();
  return all;
}

const WideConverters& wide_converters() {
#if defined(STRIDEWISE_LEAST_AVX2)
  return x86::avx2_wide_converters();
#else
#if defined(STRIDEWISE_AVX2)
  if (best_isa() >= Isa::avx2) return x86::avx2_wide_converters();
#endif
  return portable::wide_converters();
#endif
}

const Converter* find_converter(std::string_view src, std::string_view dst) {
  const auto all = converters();
  const auto found = std::ranges::find_if(
      all, [&](const Converter& c) { return c.src == src && c.dst == dst; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace stridewise
