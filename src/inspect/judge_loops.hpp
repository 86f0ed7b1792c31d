// Pairs of values compared by plain loops that compilers turn into vectors. Included by the
// file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "inspect/judge_functions.hpp"
#include "inspect/near.hpp"
#include "inspect/row.hpp"
#include "inspect/verdict.hpp"

namespace stridewise::inspect {
namespace {

// ----------------------------------------------------------------- loops ---

// Whether a pair fails, with the rule for floats between as well.
template <class Kind, bool Ulp>
std::int64_t fails(const Tolerance& t, const Verdict& v,
                   typename Kind::Stored x, typename Kind::Stored y) {
  if constexpr (Ulp) {
    const bool near = (Kind::ulp(x, y) <= static_cast<std::uint64_t>(t.ulp)) &
                      !v.nan_a & !v.nan_b;
    return (v.passes | near) ? 0 : 1;
  } else {
    return v.passes ? 0 : 1;
  }
}

template <class Kind, bool Ulp>
bool none_fails(const Tolerance& tolerance, const std::byte* a,
                const std::byte* b, std::int64_t count) {
  using Stored = typename Kind::Stored;
  std::int64_t some = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto x = element<Stored>(a, k);
    const auto y = element<Stored>(b, k);
    some |= fails<Kind, Ulp>(tolerance, Kind::judge(tolerance, x, y), x, y);
  }
  return some == 0;
}

template <class Kind>
bool all_near(const Tolerance& tolerance, const std::byte* a,
              const std::byte* b, std::int64_t count) {
  if constexpr (Kind::has_ulp && sizeof(typename Kind::Stored) <= 4) {
    using Format = typename Kind::Steps;
    if (tolerance.ulp >= 0 &&
        surely_few_steps<Format>(tolerance, a, b, count)) {
      return true;
    }
    if (surely_near<Format>(tolerance, a, b, count)) return true;
  }
  if constexpr (Kind::has_ulp) {
    if (tolerance.ulp >= 0) {
      return none_fails<Kind, true>(tolerance, a, b, count);
    }
  }
  return none_fails<Kind, false>(tolerance, a, b, count);
}

// In pieces: where much differs, the first one tells.
template <class Kind>
bool all_pass(const Tolerance& tolerance, const std::byte* a,
              const std::byte* b, std::int64_t count) {
  constexpr auto width =
      static_cast<std::int64_t>(sizeof(typename Kind::Stored));
  for (std::int64_t first = 0; first < count; first += Marks::most) {
    if (!all_near<Kind>(tolerance, a + first * width, b + first * width,
                        std::min(Marks::most, count - first))) {
      return false;
    }
  }
  return true;
}

// All numbers joined, in four rows that do not wait for each other.
template <class Join>
double fold(const double* values, std::int64_t count, Join join) {
  double row0 = 0;
  double row1 = 0;
  double row2 = 0;
  double row3 = 0;
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    row0 = join(row0, values[k]);
    row1 = join(row1, values[k + 1]);
    row2 = join(row2, values[k + 2]);
    row3 = join(row3, values[k + 3]);
  }
  for (; k < count; ++k) row0 = join(row0, values[k]);
  return join(join(row0, row1), join(row2, row3));
}

// The largest of numbers that are 0 or more.
inline double largest(const double* values, std::int64_t count) {
  return fold(values, count, [](double most, double value) {
    return value > most ? value : most;
  });
}

// How many are 1, of numbers that are 0 or 1.
inline std::int64_t total(const double* values, std::int64_t count) {
  return static_cast<std::int64_t>(fold(
      values, count, [](double sum, double value) { return sum + value; }));
}

// The largest of those that are `rounded` as doubles, where 64 bits hold it.
template <class Kind>
std::int64_t exact_ulp(const std::byte* a, const std::byte* b,
                       const double* ulp, double rounded, std::int64_t count) {
  using Stored = typename Kind::Stored;
  std::uint64_t most = 0;
  for (std::int64_t k = 0; k < count && rounded > 0; ++k) {
    if (ulp[k] < rounded) continue;
    most =
        std::max(most, Kind::ulp(element<Stored>(a, k), element<Stored>(b, k)));
  }
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(most, largest));
}

template <class Kind>
void mark(const Tolerance& tolerance, const std::byte* a, const std::byte* b,
          std::int64_t count, Marks& marks) {
  Row row;
  if constexpr (Kind::has_ulp) {
    judge_floats<Kind>(tolerance, a, b, count, row);
  } else {
    judge_row<Kind>(tolerance, a, b, count, row);
    std::fill_n(row.ulp, count, 0.0);
  }
  double finite[Marks::most];
  double rel[Marks::most];
  std::copy_n(row.abs, count, marks.abs.begin());
  // What passes, and what is infinite, is no largest one.
  for (std::int64_t k = 0; k < count; ++k) {
    row.abs[k] = row.fail[k] > 0 ? row.abs[k] : 0;
    row.ulp[k] = row.fail[k] > 0 ? row.ulp[k] : 0;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    finite[k] = row.abs[k] < infinite ? row.abs[k] : 0;
    const double quotient = finite[k] / row.size[k];
    rel[k] = quotient < infinite ? quotient : 0;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const double nan_a = row.nan_a[k];
    row.nan_a[k] = nan_a * (1 - row.nan_b[k]);
    row.nan_b[k] = row.nan_b[k] * (1 - nan_a);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    marks.fails[k] = static_cast<std::int64_t>(row.fail[k]);
  }
  marks.count = total(row.fail, count);
  marks.nan_a = total(row.nan_a, count);
  marks.nan_b = total(row.nan_b, count);
  if (marks.count == 0) return;
  marks.max_abs = largest(row.abs, count);
  marks.max_finite_abs = largest(finite, count);
  marks.max_rel = largest(rel, count);
  const double ulp = largest(row.ulp, count);
  marks.max_ulp = static_cast<std::int64_t>(ulp < 0x1p62 ? ulp : 0x1p62);
  if constexpr (Kind::has_ulp && sizeof(typename Kind::Stored) == 8) {
    marks.max_ulp = exact_ulp<Kind>(a, b, row.ulp, ulp, count);
  }
}

template <class Kind>
const JudgeFunctions* functions() {
  static constexpr JudgeFunctions functions{all_pass<Kind>, mark<Kind>};
  return &functions;
}

inline const JudgeFunctions* functions_of(const ElementType& type) {
  const int bits = type.bits;
  switch (type.kind) {
    case ElementKind::floating:
      return bits == 16   ? functions<Real<Half>>()
             : bits == 32 ? functions<Real<Single>>()
             : bits == 64 ? functions<Real<Double>>()
                          : functions<Real<Extended>>();
    case ElementKind::brain_floating:
      return functions<Real<Brain>>();
    case ElementKind::complex_floating:
      return bits == 64 ? functions<Complex<Single>>()
                        : functions<Complex<Double>>();
    case ElementKind::signed_integer:
      return bits == 8    ? functions<Integer<std::int8_t>>()
             : bits == 16 ? functions<Integer<std::int16_t>>()
             : bits == 32 ? functions<Integer<std::int32_t>>()
                          : functions<Integer<std::int64_t>>();
    case ElementKind::boolean:
    case ElementKind::small_floating:
    case ElementKind::unsigned_integer:
      break;
  }
  return bits == 8    ? functions<Integer<std::uint8_t>>()
         : bits == 16 ? functions<Integer<std::uint16_t>>()
         : bits == 32 ? functions<Integer<std::uint32_t>>()
                      : functions<Integer<std::uint64_t>>();
}

}  // namespace
}  // namespace stridewise::inspect
