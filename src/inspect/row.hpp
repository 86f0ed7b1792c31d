// A row of pairs, judged in loops that are vectorised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "inspect/judge.hpp"
#include "inspect/near.hpp"
#include "inspect/verdict.hpp"

namespace stridewise::inspect {
namespace {

// Arrays that nothing else points to, so that loops over them are vectorised:
// doubles also for 0 and 1, because SSE2 compares no integers of 64 bits.
struct Row {
  double fail[Marks::most];
  double nan_a[Marks::most];
  double nan_b[Marks::most];
  double abs[Marks::most];
  double size[Marks::most];
  double ulp[Marks::most];  // of 64 bits: rounded
};

template <class Kind>
void judge_row(const Tolerance& tolerance, const std::byte* a,
               const std::byte* b, std::int64_t count, Row& row) {
  using Stored = typename Kind::Stored;
  for (std::int64_t k = 0; k < count; ++k) {
    const Verdict v =
        Kind::judge(tolerance, element<Stored>(a, k), element<Stored>(b, k));
    row.fail[k] = v.passes ? 0 : 1;
    row.nan_a[k] = v.nan_a ? 1 : 0;
    row.nan_b[k] = v.nan_b ? 1 : 0;
    row.abs[k] = v.abs;
    row.size[k] = v.size;
  }
}

// The same as Real::judge(), in loops of one step each.
template <class Kind>
void judge_floats(const Tolerance& tolerance, const std::byte* a,
                  const std::byte* b, std::int64_t count, Row& row) {
  using Stored = typename Kind::Stored;
  using Format = typename Kind::Steps;
  double x[Marks::most];
  double y[Marks::most];
  for (std::int64_t k = 0; k < count; ++k) {
    x[k] = Format::value(element<Stored>(a, k));
    y[k] = Format::value(element<Stored>(b, k));
  }
  const double rtol = tolerance.rtol;
  const double atol = tolerance.atol;
  for (std::int64_t k = 0; k < count; ++k) {
    row.size[k] = std::fabs(y[k]);
    const double away = std::fabs(x[k] - y[k]);
    row.abs[k] = away < infinite ? away : infinite;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const double room = atol + rtol * row.size[k];
    const double far = row.abs[k] <= room ? 0.0 : 1.0;
    row.fail[k] = row.abs[k] < infinite ? far : 1.0;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    row.fail[k] = x[k] == y[k] ? 0.0 : row.fail[k];
    row.nan_a[k] = x[k] == x[k] ? 0.0 : 1.0;
    row.nan_b[k] = y[k] == y[k] ? 0.0 : 1.0;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    row.ulp[k] = Kind::ulp_number(element<Stored>(a, k), element<Stored>(b, k));
  }
  // Of a NaN there is no distance.
  const double most =
      tolerance.ulp < 0 ? -1 : static_cast<double>(tolerance.ulp);
  for (std::int64_t k = 0; k < count; ++k) {
    const double nans = row.nan_a[k] + row.nan_b[k];
    row.ulp[k] = nans > 0 ? infinite : row.ulp[k];
    row.fail[k] = row.ulp[k] <= most ? 0.0 : row.fail[k];
    row.fail[k] = nans > 1 ? 0.0 : row.fail[k];
    row.ulp[k] = nans > 0 ? 0.0 : row.ulp[k];
  }
}

}  // namespace
}  // namespace stridewise::inspect
