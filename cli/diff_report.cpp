// SPDX-License-Identifier: Apache-2.0
#include "diff_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace stridewise::cli {
namespace {

// JSON has no infinities and no NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

bool has_digits(const ElementType& type) {
  return type.is_integer() || type.kind == ElementKind::boolean;
}

// Integers in all their digits, also those that are no double.
Json number(const ElementType& type, const std::string& text, double value) {
  return has_digits(type) ? Json::parse(text).value_or(nullptr) : number(value);
}

// The largest error: of integers it is the worst one's.
std::string largest(const DiffReport& report, const ElementType& type) {
  return has_digits(type) ? report.worst->abs_text
                          : fmt::format("{:.6g}", report.max_abs);
}

Json difference_json(const Shape& shape, const ElementType& type,
                     const std::optional<Difference>& difference) {
  if (!difference) return nullptr;
  return {{"index", named(shape, difference->index)},
          {"byte_a", difference->byte_a},
          {"byte_b", difference->byte_b},
          {"a", number(type, difference->a_text, difference->a)},
          {"b", number(type, difference->b_text, difference->b)},
          {"abs", number(type, difference->abs_text, difference->abs)},
          {"rel", number(difference->rel)},
          {"ulp", difference->ulp}};
}

std::string difference_text(const char* what, const Shape& shape,
                            const Difference& difference) {
  return fmt::format("  {:<9} {}: {} and {}, at byte {} of A and {} of B\n",
                     what, print_index(shape, difference.index),
                     difference.a_text, difference.b_text, difference.byte_a,
                     difference.byte_b);
}

Json counts_json(const std::vector<DiffCounts>& all) {
  // A long dim is told by its indices that differ, as far as they are few.
  constexpr std::size_t most = 4096;
  Json json = Json::object();
  for (const DiffCounts& dim : all) {
    Json counts = Json::object();
    for (std::size_t k = 0; k < dim.counts.size(); ++k) {
      if (dim.counts[k] == 0) continue;
      if (counts.size() >= most) break;
      const std::int64_t first = static_cast<std::int64_t>(k) * dim.step;
      const std::int64_t last = std::min(first + dim.step, dim.extent) - 1;
      counts[first == last ? std::to_string(first)
                           : fmt::format("{}..{}", first, last)] =
          dim.counts[k];
    }
    json[dim.name] = std::move(counts);
  }
  return json;
}

std::string summary(const DiffReport& report) {
  if (report.differences == 0) return "equal";
  return fmt::format("{}", fmt::join(report.findings, "; "));
}

double share_of(const DiffReport& report) {
  return report.elements == 0 ? 0
                              : static_cast<double>(report.differences) /
                                    static_cast<double>(report.elements);
}

}  // namespace

std::string diff_text(const DiffReport& report, const Shape& shape,
                      const std::string& note) {
  const ElementType& type = report.compared;
  if (report.differences == 0) {
    return fmt::format("equal: {} elements{}\n", report.elements,
                       note.empty() ? "" : " (" + note + ")");
  }
  std::string text = fmt::format(
      "{} of {} elements differ ({:.3g} %{})\n", report.differences,
      report.elements, 100 * share_of(report), note.empty() ? "" : "; " + note);
  for (const std::string& finding : report.findings) {
    text += "  " + finding + "\n";
  }
  text += difference_text("first", shape, *report.first);
  text += report.worst->index == report.first->index
              ? "  worst     the first\n"
              : difference_text("worst", shape, *report.worst);
  const bool finite = report.infinite + report.nan_a + report.nan_b == 0;
  text += fmt::format(
      "  largest   |a-b| {}, |a-b|/|b| {:.6g}{}{}\n", largest(report, type),
      report.max_rel,
      report.max_ulp > 0 ? fmt::format(", {} ulp", report.max_ulp) : "",
      finite ? "" : ", where both are finite");
  return text;
}

// What was found, without what it was found in.
Json diff_json(const DiffReport& report, const Shape& shape) {
  const ElementType& type = report.compared;
  return {
      {"equal", report.differences == 0},
      {"elements", report.elements},
      {"differences", report.differences},
      {"share", share_of(report)},
      {"max_abs", report.worst && has_digits(type)
                      ? Json::parse(report.worst->abs_text).value_or(nullptr)
                      : Json(report.max_abs)},
      {"max_rel", report.max_rel},
      {"max_ulp", report.max_ulp},
      {"nan_a", report.nan_a},
      {"nan_b", report.nan_b},
      {"infinite", report.infinite},
      {"compared_as", report.compared.name},
      {"first", difference_json(shape, type, report.first)},
      {"worst", difference_json(shape, type, report.worst)},
      {"by_dim", counts_json(report.by_dim)},
      {"by_axis", counts_json(report.by_axis)},
      {"findings", report.findings},
      {"summary", summary(report)}};
}

}  // namespace stridewise::cli
