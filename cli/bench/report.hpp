// The same results for people, for programs and for spreadsheets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/result.hpp"

namespace stridewise::cli {

[[nodiscard]] Json results_json(const BenchResult& results);

// One line a case, with a heading, so that they can be shown as they come.
[[nodiscard]] std::string table_heading();
[[nodiscard]] std::string table_row(const CaseResult& result);
// Means and minima; below, what each peer could not do.
[[nodiscard]] std::string table_summary(const BenchResult& results);

// RFC 4180, with a heading. Numbers are those of the JSON, digit for digit.
[[nodiscard]] std::string results_csv(const BenchResult& results);

}  // namespace stridewise::cli
