// SPDX-License-Identifier: Apache-2.0
#include "check_report.hpp"

#include <fmt/format.h>

namespace stridewise::cli {
namespace {

Json leaks_json(const std::vector<LeakReport>& leaks) {
  Json json = Json::array();
  for (const LeakReport& leak : leaks) {
    Json one = {{"byte", leak.byte},
                {"count", leak.count},
                {"holds", leak.holds.empty() ? Json() : Json(leak.holds)}};
    if (!leak.indices.empty()) one["indices"] = leak.indices;
    json.push_back(std::move(one));
  }
  return json;
}

Json sets_json(const std::vector<LeakSet>& sets) {
  Json json = Json::array();
  for (const LeakSet& set : sets) {
    json.push_back({{"indices", set.indices},
                    {"byte", set.byte},
                    {"count", set.count},
                    {"of", set.of},
                    {"runs", set.runs}});
  }
  return json;
}

Json index_json(const Shape& shape,
                const std::optional<std::vector<std::int64_t>>& index) {
  return index ? named(shape, *index) : Json(nullptr);
}

Json indices_json(const std::string& indices) {
  return indices.empty() ? Json(nullptr) : Json(indices);
}

// Leaks by the indices that their places would have.
std::string sets_text(const CheckReport& report) {
  std::string text;
  std::int64_t told = 0;  // places
  for (const LeakSet& set : report.leak_sets) {
    told += set.count;
    text += fmt::format(
        "  {}: {}{} place{}, {} byte {}\n", set.indices, set.count,
        set.count == set.of ? "" : fmt::format(" of {}", set.of),
        set.of == 1 ? "" : "s", set.count == 1 ? "at" : "from", set.byte);
  }
  const std::int64_t more = report.padding_nonzero - told;
  if (more > 0) {
    text += fmt::format("  and {} more place{} elsewhere\n", more,
                        more == 1 ? "" : "s");
  }
  return text;
}

// Leaks by their bytes, where no index tells more.
std::string runs_text(const CheckReport& report) {
  std::string text;
  for (const LeakReport& leak : report.leaks) {
    text += fmt::format("  byte {}: {} {}{}{}\n", leak.byte, leak.count,
                        report.in_bits ? "byte" : "place",
                        leak.count == 1 ? "" : "s",
                        leak.holds.empty() ? "" : ", holds " + leak.holds);
  }
  const auto more =
      report.leak_runs - static_cast<std::int64_t>(report.leaks.size());
  if (more > 0) {
    text += fmt::format("  and {} more run{}\n", more, more == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

std::string check_text(const CheckReport& report, const Shape& shape,
                       std::int64_t missing) {
  std::string text;
  if (report.findings.empty() && missing > 0) {
    text = "nothing found in what the file has\n";
  } else if (report.findings.empty()) {
    text = fmt::format("nothing found: {} element{}", report.elements,
                       report.elements == 1 ? "" : "s");
    if (report.padding_looked_at && report.padding > 0) {
      text += fmt::format(", and {} {} without one, which are zero",
                          report.padding, report.in_bits ? "bits" : "places");
    }
    text += "\n";
  }
  for (const std::string& finding : report.findings) text += finding + "\n";
  text += report.leak_sets.empty() ? runs_text(report) : sets_text(report);
  // Of one alone the sentence has told the index.
  if (report.nan > 1) {
    text += "  first NaN at " + print_index(shape, *report.first_nan) + "\n";
  }
  if (report.inf > 1) {
    text += "  first Inf at " + print_index(shape, *report.first_inf) + "\n";
  }
  return text;
}

Json check_json(const CheckReport& report, const Shape& shape) {
  return {{"ok", report.findings.empty()},
          {"elements", report.elements},
          {"padding", report.padding},
          {"padding_unit", report.in_bits ? "bit" : "place"},
          {"padding_nonzero", report.padding_nonzero},
          {"padding_not_finite", report.padding_not_finite},
          {"nan", report.nan},
          {"inf", report.inf},
          {"nan_indices", indices_json(report.nan_indices)},
          {"inf_indices", indices_json(report.inf_indices)},
          {"first_nan", index_json(shape, report.first_nan)},
          {"first_inf", index_json(shape, report.first_inf)},
          {"leaks", leaks_json(report.leaks)},
          {"leak_runs", report.leak_runs},
          {"leak_sets", sets_json(report.leak_sets)},
          {"findings", report.findings}};
}

}  // namespace stridewise::cli
