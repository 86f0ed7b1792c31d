// Whether many floats are near enough for sure: most that are compared are, and
// single precision tells in half the time of double.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "inspect/value.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {
namespace {

template <class T>
T element(const std::byte* at, std::int64_t k) {
  return load<T>(at + k * static_cast<std::int64_t>(sizeof(T)));
}

// Floats of up to 32 bits, in half the time: single precision, with room for what
// it rounds. True is sure, false is not.
template <class Format>
bool surely_near(const Tolerance& tolerance, const std::byte* a,
                 const std::byte* b, std::int64_t count) {
  using Stored = typename Format::Stored;
  constexpr double room = 1 - 0x1p-20;
  const auto rtol = static_cast<float>(tolerance.rtol * room);
  const auto atol = static_cast<float>(tolerance.atol * room);
  std::int32_t some = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const float x = Format::single(element<Stored>(a, k));
    const float y = Format::single(element<Stored>(b, k));
    const float limit = atol + rtol * std::fabs(y);
    // A denormal limit is rounded by more.
    const bool near = (std::fabs(x - y) <= limit) & (limit >= 0x1p-120F) &
                      (limit <= 0x1p120F);
    some |= (near | (x == y)) ? 0 : 1;
  }
  return some == 0;
}

template <class Format>
bool surely_few_steps(const Tolerance& tolerance, const std::byte* a,
                      const std::byte* b, std::int64_t count) {
  using Stored = typename Format::Stored;
  constexpr std::int32_t most = 1 << 24;
  const auto limit =
      static_cast<std::int32_t>(std::min<std::int64_t>(tolerance.ulp, most));
  constexpr int top = 8 * static_cast<int>(sizeof(Stored)) - 1;
  constexpr auto magnitude = static_cast<std::int32_t>((1U << top) - 1);
  const std::int32_t infinity = static_cast<std::int32_t>(Format::infinity);
  std::int32_t some = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    // Of one sign, bits count up as their floats do.
    const auto x = static_cast<std::int32_t>(element<Stored>(a, k));
    const auto y = static_cast<std::int32_t>(element<Stored>(b, k));
    const std::int32_t low = x & magnitude;
    const std::int32_t high = y & magnitude;
    const std::int32_t away = low > high ? low - high : high - low;
    const bool near = (((x ^ y) >> top & 1) == 0) & (away <= limit) &
                      (low <= infinity) & (high <= infinity);
    some |= near ? 0 : 1;
  }
  return some == 0;
}

}  // namespace
}  // namespace stridewise::inspect
