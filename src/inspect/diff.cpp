// Differences in words.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inspect/compare.hpp"
#include "inspect/decoded.hpp"
#include "inspect/rearranged.hpp"
#include "inspect/sizes.hpp"
#include "inspect/value_faults.hpp"
#include "inspect/words.hpp"

namespace stridewise {
namespace {

using inspect::Extent;
using inspect::Judge;
using inspect::Reading;
using inspect::Sides;

// Beyond this, elements behind a byte are not counted one by one.
constexpr std::int64_t most_places = std::int64_t{1} << 24;

// How many elements lie in this range of bytes.
std::int64_t elements_between(const Layout& layout, std::int64_t first,
                              std::int64_t end) {
  std::vector<std::int64_t> index(layout.shape().size());
  std::int64_t count = 0;
  const std::int64_t width = layout.element_bytes();
  for (std::int64_t place = first / width; place < end / width; ++place) {
    count += layout.element_at(place, index) == Place::element ? 1 : 0;
  }
  return count;
}

// Axes tell what dims do not: which processor, which row of pixels.
void add_axes(const DiffReport& report, std::vector<std::string>& findings) {
  for (std::size_t k = 0; k + 1 < report.by_axis.size(); ++k) {
    const DiffCounts& axis = report.by_axis[k];
    const inspect::CountedSet wrong = inspect::print_counts(axis);
    // A set that takes many words is no finding.
    if (wrong.text.empty() || 2 * wrong.size > axis.extent) continue;
    findings.push_back("only on " + wrong.text);
  }
}

void add_bytes(const Sides& sides, const DiffReport& report,
               const Extent& extent, std::int64_t first_byte,
               std::vector<std::string>& findings) {
  const std::int64_t size = sides.a.size_bytes();
  if (extent.first_byte_a <= 0 ||
      size - extent.first_byte_a > most_places * sides.a.element_bytes()) {
    return;
  }
  const std::int64_t behind =
      elements_between(sides.a, extent.first_byte_a, size);
  if (behind == report.differences) {
    findings.push_back(fmt::format("everything after byte {}",
                                   first_byte + extent.first_byte_a));
  } else if (10 * report.differences >= 9 * behind && behind > 16) {
    findings.push_back(fmt::format("nearly everything after byte {} ({} of {})",
                                   first_byte + extent.first_byte_a,
                                   report.differences, behind));
  }
}

std::string nan_text(std::int64_t count, const char* here, const char* there) {
  return count == 1
             ? fmt::format("1 is NaN in {} and a number in {}", here, there)
             : fmt::format("{} are NaN in {} and numbers in {}", count, here,
                           there);
}

std::vector<std::string> findings_of(const Sides& sides,
                                     const DiffReport& report,
                                     const Extent& extent,
                                     std::int64_t first_byte, bool in_memory) {
  std::vector<std::string> findings;
  if (report.differences > 1) {
    findings = inspect::rearrangements(sides, report.by_dim);
    if (findings.empty()) {
      std::string text =
          inspect::value_fault(sides, extent.examples, report.by_dim);
      if (!text.empty()) findings.push_back(std::move(text));
    }
  }
  std::string where =
      inspect::print_where(report.by_dim, report.differences, report.elements);
  if (!where.empty()) findings.push_back(std::move(where));
  const bool some = report.differences < report.elements;
  if (in_memory && some && report.differences > 1) {
    add_bytes(sides, report, extent, first_byte, findings);
  }
  add_axes(report, findings);
  if (report.infinite > 0) {
    findings.push_back(fmt::format("{} differ{} by an infinity",
                                   report.infinite,
                                   report.infinite == 1 ? "s" : ""));
  }
  if (report.nan_a > 0) {
    findings.push_back(nan_text(report.nan_a, "A", "B"));
  }
  if (report.nan_b > 0) {
    findings.push_back(nan_text(report.nan_b, "B", "A"));
  }
  return findings;
}

Result<void> check_tolerance(const Tolerance& tolerance) {
  for (const double limit : {tolerance.rtol, tolerance.atol}) {
    if (std::isfinite(limit) && limit >= 0) continue;
    return fail(ErrorCode::invalid_value,
                fmt::format("a tolerance of {}: it is a finite number, 0 or "
                            "more",
                            limit));
  }
  return {};
}

// A memory, and what its elements are.
struct Side {
  const Layout& layout;
  std::span<const std::byte> bytes;
  ElementType type;
  const Scales& scales;
};

// What is to be called after looks here and there.
std::function<void()> looked_at(const DiffOptions& options, std::size_t bytes) {
  constexpr std::size_t large = std::size_t{1} << 28;
  if (!options.passed || bytes < large) return {};
  return [&options] { options.passed(0, 0); };
}

// `in_memory`: bytes of these memories are those of the user.
Result<DiffReport> compare_sides(const Side& a, const Side& b,
                                 const ElementType& compared,
                                 const DiffOptions& options, bool in_memory) {
  const Shape& shape = a.layout.shape();
  const auto reading_a = Reading::make(a.type, compared, a.scales, shape);
  if (!reading_a) return unexpected(reading_a.error());
  const auto reading_b = Reading::make(b.type, compared, b.scales, shape);
  if (!reading_b) return unexpected(reading_b.error());
  const Sides sides{a.layout,
                    a.bytes,
                    b.layout,
                    b.bytes,
                    compared,
                    *reading_a,
                    *reading_b,
                    Judge(compared, options.tolerance),
                    looked_at(options, a.bytes.size() + b.bytes.size())};
  DiffReport report;
  report.compared = compared;
  report.elements = sides.a.elements();
  const Result<Extent> extent = inspect::compare(sides, options, report);
  if (!extent) return unexpected(extent.error());
  if (report.differences > 0) {
    report.findings =
        findings_of(sides, report, *extent, options.first_byte_a, in_memory);
  }
  return report;
}

Result<DiffReport> diff_decoded(const Side& a, const Side& b,
                                const ElementType& compared,
                                const DiffOptions& options) {
  for (const Side* side : {&a, &b}) {
    if (side->layout.unreadable())
      return unexpected(*side->layout.unreadable());
  }
  const auto decoded_a = inspect::decode(a.layout, a.type, a.bytes);
  if (!decoded_a) return unexpected(decoded_a.error());
  const auto decoded_b = inspect::decode(b.layout, b.type, b.bytes);
  if (!decoded_b) return unexpected(decoded_b.error());
  const auto scales_of = [](Scales scales) {
    scales.dim = inspect::plain_name(std::move(scales.dim));
    return scales;
  };
  const Scales scales_a = scales_of(a.scales);
  const Scales scales_b = scales_of(b.scales);
  DiffOptions plain{decoded_a->type, options.tolerance};
  Result<DiffReport> report = compare_sides(
      {decoded_a->layout, decoded_a->bytes(), decoded_a->type, scales_a},
      {decoded_b->layout, decoded_b->bytes(), decoded_b->type, scales_b},
      compared, plain, false);
  if (!report) return report;
  for (auto* difference : {&report->first, &report->worst}) {
    if (!*difference) continue;
    (*difference)->byte_a = a.layout.bit_of((*difference)->index) / 8;
    (*difference)->byte_b = b.layout.bit_of((*difference)->index) / 8;
  }
  report->by_axis.clear();
  for (std::size_t d = 0; d < report->by_dim.size(); ++d) {
    report->by_dim[d].name = a.layout.shape()[d].name;
  }
  for (std::string& finding : report->findings) {
    finding = inspect::with_own_names(std::move(finding), a.layout.shape());
  }
  return report;
}

}  // namespace

Result<DiffReport> diff(const Layout& a, std::span<const std::byte> a_bytes,
                        const Layout& b, std::span<const std::byte> b_bytes,
                        const DiffOptions& options) {
  if (a.shape() != b.shape()) {
    return fail(ErrorCode::mismatch, "A and B are not of one shape");
  }
  if (auto finite = check_tolerance(options.tolerance); !finite) {
    return unexpected(finite.error());
  }
  const Result<ElementType> compared = inspect::compared_type(options);
  if (!compared) return unexpected(compared.error());
  const Side side_a{a, a_bytes, options.type, options.scales_a};
  const Side side_b{b, b_bytes, options.type_b.value_or(options.type),
                    options.scales_b};
  bool as_is = true;
  for (const auto& [side, name] :
       {std::pair{&side_a, "A"}, std::pair{&side_b, "B"}}) {
    if (!inspect::reads_as_is(side->layout)) {
      as_is = false;
      continue;
    }
    auto fits =
        inspect::check_bytes(side->layout, side->bytes, side->type, name);
    if (!fits) return unexpected(fits.error());
  }
  Result<DiffReport> report =
      as_is ? compare_sides(side_a, side_b, *compared, options, true)
            : diff_decoded(side_a, side_b, *compared, options);
  if (!report) return report;
  for (auto* difference : {&report->first, &report->worst}) {
    if (!*difference) continue;
    (*difference)->byte_a += options.first_byte_a;
    (*difference)->byte_b += options.first_byte_b;
  }
  return report;
}

}  // namespace stridewise
