// Differences in words.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/diff.hpp"

#include <fmt/format.h>

#include <cmath>

#include "inspect/compare.hpp"
#include "inspect/sizes.hpp"
#include "inspect/words.hpp"

namespace stridewise {
namespace {

using inspect::Extent;
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
                                     std::int64_t first_byte) {
  std::vector<std::string> findings;
  if (report.differences > 1) {
    findings = inspect::rearrangements(sides, report.by_dim);
  }
  // The indices where something differs, as a box: "c=8..15, h odd".
  const std::string box = inspect::print_all_counts(report.by_dim);
  std::int64_t elements = 1;
  for (const DiffCounts& counts : report.by_dim) {
    elements *= inspect::print_counts(counts).size;
  }
  if (report.differences == report.elements) {
    findings.emplace_back("all elements");
  } else if (elements == report.differences && !box.empty()) {
    findings.push_back("all of " + box);
  } else if (!box.empty()) {
    findings.push_back(fmt::format("only {} ({} of its {} elements)", box,
                                   report.differences, elements));
  }
  if (report.differences < report.elements && report.differences > 1) {
    add_bytes(sides, report, extent, first_byte, findings);
  }
  add_axes(report, findings);
  if (report.nan_a > 0) {
    findings.push_back(nan_text(report.nan_a, "A", "B"));
  }
  if (report.nan_b > 0) {
    findings.push_back(nan_text(report.nan_b, "B", "A"));
  }
  return findings;
}

}  // namespace

Result<DiffReport> diff(const Layout& a, std::span<const std::byte> a_bytes,
                        const Layout& b, std::span<const std::byte> b_bytes,
                        const DiffOptions& options) {
  if (auto fits = inspect::check_bytes(a, a_bytes, options.type, "A"); !fits) {
    return unexpected(fits.error());
  }
  if (auto fits = inspect::check_bytes(b, b_bytes, options.type, "B"); !fits) {
    return unexpected(fits.error());
  }
  if (a.shape() != b.shape()) {
    return fail(ErrorCode::mismatch, "A and B are not of one shape");
  }
  const Tolerance& tolerance = options.tolerance;
  for (const double limit : {tolerance.rtol, tolerance.atol}) {
    if (std::isfinite(limit) && limit >= 0) continue;
    return fail(ErrorCode::invalid_value,
                fmt::format("a tolerance of {}: it is a finite number, 0 or "
                            "more",
                            limit));
  }
  DiffReport report;
  report.elements = a.elements();
  const Sides sides{a, a_bytes, b, b_bytes};
  const Result<Extent> extent = inspect::compare(sides, options, report);
  if (!extent) return unexpected(extent.error());
  if (report.differences > 0) {
    report.findings = findings_of(sides, report, *extent, options.first_byte_a);
  }
  for (auto* difference : {&report.first, &report.worst}) {
    if (!*difference) continue;
    (*difference)->byte_a += options.first_byte_a;
    (*difference)->byte_b += options.first_byte_b;
  }
  return report;
}

}  // namespace stridewise
