// Differences in words.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/diff.hpp"

#include <fmt/format.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "inspect/compare.hpp"
#include "inspect/decoded.hpp"
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
                                     std::int64_t first_byte, bool in_memory) {
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
  const bool some = report.differences < report.elements;
  if (in_memory && some && report.differences > 1) {
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

// `in_memory`: bytes of these memories are those of the user.
Result<DiffReport> compare_sides(const Sides& sides, const DiffOptions& options,
                                 bool in_memory) {
  DiffReport report;
  report.elements = sides.a.elements();
  const Result<Extent> extent = inspect::compare(sides, options, report);
  if (!extent) return unexpected(extent.error());
  if (report.differences > 0) {
    report.findings =
        findings_of(sides, report, *extent, options.first_byte_a, in_memory);
  }
  return report;
}

Result<DiffReport> diff_decoded(const Layout& a,
                                std::span<const std::byte> a_bytes,
                                const Layout& b,
                                std::span<const std::byte> b_bytes,
                                const DiffOptions& options) {
  for (const Layout* layout : {&a, &b}) {
    if (layout->unreadable()) return unexpected(*layout->unreadable());
  }
  const Result<inspect::Decoded> from =
      inspect::decode(a, options.type, a_bytes);
  if (!from) return unexpected(from.error());
  const Result<inspect::Decoded> to =
      inspect::decode(b, options.type_b.value_or(options.type), b_bytes);
  if (!to) return unexpected(to.error());
  if (from->type != to->type) {
    return fail(ErrorCode::mismatch,
                fmt::format("A is of {}, B of {}", options.type.name,
                            options.type_b.value_or(options.type).name));
  }
  DiffOptions plain{from->type, options.tolerance};
  Result<DiffReport> report = compare_sides(
      {from->layout, from->bytes(), to->layout, to->bytes()}, plain, false);
  if (!report) return report;
  for (auto* difference : {&report->first, &report->worst}) {
    if (!*difference) continue;
    (*difference)->byte_a = a.bit_of((*difference)->index) / 8;
    (*difference)->byte_b = b.bit_of((*difference)->index) / 8;
  }
  report->by_axis.clear();
  for (std::size_t d = 0; d < report->by_dim.size(); ++d) {
    report->by_dim[d].name = a.shape()[d].name;
  }
  for (std::string& finding : report->findings) {
    finding = inspect::with_own_names(std::move(finding), a.shape());
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
  const ElementType type_b = options.type_b.value_or(options.type);
  const bool as_is = type_b == options.type &&
                     inspect::reads_as_is(a, options.type) &&
                     inspect::reads_as_is(b, options.type);
  Result<DiffReport> report = DiffReport{};
  if (as_is) {
    for (const auto& [layout, bytes, name] :
         {std::tuple{&a, a_bytes, "A"}, std::tuple{&b, b_bytes, "B"}}) {
      auto fits = inspect::check_bytes(*layout, bytes, options.type, name);
      if (!fits) return unexpected(fits.error());
    }
    report = compare_sides({a, a_bytes, b, b_bytes}, options, true);
  } else {
    report = diff_decoded(a, a_bytes, b, b_bytes, options);
  }
  if (!report) return report;
  for (auto* difference : {&report->first, &report->worst}) {
    if (!*difference) continue;
    (*difference)->byte_a += options.first_byte_a;
    (*difference)->byte_b += options.first_byte_b;
  }
  return report;
}

}  // namespace stridewise
