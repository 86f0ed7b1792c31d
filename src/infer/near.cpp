// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "infer/codes.hpp"
#include "infer/told.hpp"
#include "layout/index.hpp"
#include "stridewise/infer.hpp"

namespace stridewise {
namespace {

using inference::Coded;
using inference::Scale;

// The share of elements within a step that a layout of a quantised dump has.
constexpr double least_quantised = 0.99;

// What a layout's places hold, beside the reference.
struct Compared {
  std::int64_t present = 0;
  std::int64_t near = 0;
  std::int64_t equal = 0;
};

class Near {
 public:
  Near(std::span<const double> reference, std::span<const double> dump,
       const NearOptions& options)
      : reference_(reference), dump_(dump), options_(options) {}

  Result<NearReport> run() {
    return options_.quantised ? run_quantised() : run_tolerant();
  }

 private:
  Result<NearReport> run_tolerant() {
    return judged(inference::code_numbers(reference_, dump_, options_), 1);
  }

  Result<NearReport> run_quantised() {
    std::optional<Scale> scale =
        inference::scale_by_rank(reference_, dump_, *options_.quantised);
    if (!scale) {
      NearReport none;
      none.report.elements = static_cast<std::int64_t>(reference_.size());
      none.report.reason =
          dump_.size() < reference_.size()
              ? "the dump has fewer integers than the reference has elements"
              : "no scale and zero point make the dump's integers of the "
                "reference";
      tell_values(none.report);
      return none;
    }
    Result<NearReport> report = by_scale(*scale);
    if (!report || !refine(*report)) return report;
    // Of the better scale, another layout may fit, or have a name.
    return report->report.fits.empty() ? by_scale(scale_) : std::move(report);
  }

  // Pairs that belong together tell the scale better than their order, without those that
  // are too far from each other to be right. Returns whether the layout fits with it.
  bool refine(NearReport& near) {
    InferReport& report = near.report;
    const std::optional<InferFit> fit =
        report.fits.empty() ? report.best : report.fits.front();
    if (!fit) return false;
    Compared before = compare(*fit);
    for (const double steps_off : {8.0, 4.0, 2.0, 2.0}) {
      const std::optional<Scale> refined = scale_of(*fit, steps_off);
      if (!refined) break;
      const Scale old = std::exchange(scale_, *refined);
      const Compared now = compare(*fit);
      if (std::pair(now.near, now.equal) <=
          std::pair(before.near, before.equal)) {
        scale_ = old;
        break;
      }
      before = now;
    }
    near.equal = before.equal;
    near.scale = scale_.scale;
    near.zero_point = scale_.zero_point;
    report.matching = before.near;
    return suffices(before, least_quantised);
  }

  Result<NearReport> by_scale(const Scale& scale) {
    scale_ = scale;
    // Padding of integers is zero, whatever the zero point is.
    std::vector<double> integers;
    integers.reserve(reference_.size());
    for (const double real : reference_) {
      integers.push_back(scale.quantise(real, *options_.quantised));
    }
    NearOptions exact = options_;
    exact.rtol = 0;
    exact.atol = 0.25;
    Result<NearReport> report = judged(
        inference::code_numbers(integers, dump_, exact), least_quantised);
    if (report) {
      report->scale = scale.scale;
      report->zero_point = scale.zero_point;
    }
    return report;
  }

  // The layouts that the codes tell, by the numbers themselves.
  Result<NearReport> judged(const Coded& coded, double least) {
    const InferPair pair{coded.reference, coded.dump};
    Result<InferReport> found = infer({&pair, 1}, options_.infer);
    if (!found) return unexpected(found.error());
    NearReport near{.report = *std::move(found)};
    InferReport& report = near.report;
    std::vector<InferFit> fits = std::exchange(report.fits, {});
    if (fits.empty() && report.best) {
      fits.push_back(*report.best);
      if (suffices(compare(fits.front()), least)) name(coded, fits);
    }
    for (InferFit& fit : fits) {
      const Compared compared = compare(fit);
      if (!suffices(compared, least)) {
        if (report.best && report.fits.empty()) tell_none(compared, report);
        continue;
      }
      if (report.fits.empty()) {
        report.present = compared.present;
        report.matching = compared.near;
        near.equal = compared.equal;
      }
      report.fits.push_back(std::move(fit));
    }
    settle(report);
    if (report.outcome == InferReport::Outcome::none) tell_values(report);
    return near;
  }

  // Of the numbers themselves, not of their codes.
  void tell_values(InferReport& report) const {
    std::vector<double> numbers(reference_.begin(), reference_.end());
    std::erase_if(numbers, [](double x) { return std::isnan(x); });
    std::ranges::sort(numbers);
    const auto repeated = std::unique(numbers.begin(), numbers.end());
    report.distinct = repeated - numbers.begin();
    // What is said of codes goes.
    report.reason = report.reason.substr(0, report.reason.find("; "));
    report.reason +=
        "; " + inference::about_values({report.distinct, report.elements},
                                       report.elements);
  }

  static void tell_none(const Compared& compared, InferReport& report) {
    report.present = compared.present;
    report.matching = compared.near;
    report.first_break.reset();
    report.reason = fmt::format(
        "none fits: the nearest has {} of {} elements within the tolerance",
        compared.near, report.elements);
  }

  [[nodiscard]] static bool suffices(const Compared& compared, double least) {
    return compared.present > 0 &&
           static_cast<double>(compared.near) >=
               least * static_cast<double>(compared.present);
  }

  // The names of a layout that explains all but a few: of a dump without these few.
  void name(const Coded& coded, std::vector<InferFit>& fits) const {
    const auto width = static_cast<std::size_t>(options_.infer.element_bytes);
    std::vector<std::byte> mended = coded.dump;
    for_each_place(fits.front(), [&](std::size_t element, std::size_t place) {
      std::memcpy(mended.data() + place * width,
                  coded.reference.data() + element * width, width);
    });
    const InferPair pair{coded.reference, mended};
    Result<InferReport> found = infer({&pair, 1}, options_.infer);
    if (found && !found->fits.empty()) fits = std::move(found->fits);
  }

  // The outcome, now that the numbers have been looked at.
  static void settle(InferReport& report) {
    using Outcome = InferReport::Outcome;
    if (report.outcome == Outcome::unknowable) return;
    if (report.fits.empty()) {
      report.outcome = Outcome::none;
      if (report.reason.empty()) {
        report.reason =
            "none fits: what comes nearest is not within the "
            "tolerance";
      }
      return;
    }
    report.outcome =
        report.fits.size() == 1 ? Outcome::unproven : Outcome::several;
    report.reason = "values are equal within a tolerance alone";
    report.best.reset();
    report.first_break.reset();
  }

  // Calls visit(reference, dump) with both numbers of each element that the dump has.
  template <class Visit>
  void for_each_element(const InferFit& fit, Visit visit) const {
    for_each_place(fit, [&](std::size_t element, std::size_t place) {
      visit(reference_[element], dump_[place]);
    });
  }

  // Calls visit(element, place) of each element that the dump has.
  template <class Visit>
  void for_each_place(const InferFit& fit, Visit visit) const {
    const Shape& shape = fit.layout.shape();
    const std::int64_t bits = 8 * options_.infer.element_bytes;
    std::vector<std::int64_t> index(shape.size(), 0);
    for (std::size_t e = 0; e < reference_.size(); ++e) {
      const std::int64_t bit = fit.layout.bit_of(index) - 8 * fit.start_byte;
      const std::int64_t place = bit / bits;
      if (bit >= 0 && bit % bits == 0 &&
          place < static_cast<std::int64_t>(dump_.size())) {
        visit(e, static_cast<std::size_t>(place));
      }
      advance(index, shape);
    }
  }

  [[nodiscard]] Compared compare(const InferFit& fit) const {
    Compared compared;
    for_each_element(fit, [&](double expected, double found) {
      ++compared.present;
      double allowed = options_.atol + options_.rtol * std::abs(expected);
      if (options_.quantised) {
        expected = scale_.quantise(expected, *options_.quantised);
        allowed = 1;
      }
      const bool same =
          expected == found || (std::isnan(expected) && std::isnan(found));
      compared.equal += same ? 1 : 0;
      compared.near += same || std::abs(found - expected) <= allowed ? 1 : 0;
    });
    return compared;
  }

  // By elements that are at most so many steps off.
  [[nodiscard]] std::optional<Scale> scale_of(const InferFit& fit,
                                              double steps_off) const {
    std::vector<double> reals;
    std::vector<double> integers;
    for_each_element(fit, [&](double real, double integer) {
      const double expected = scale_.quantise(real, *options_.quantised);
      if (std::abs(expected - integer) > steps_off) return;
      reals.push_back(real);
      integers.push_back(integer);
    });
    return inference::scale_of_pairs(reals, integers, *options_.quantised);
  }

  std::span<const double> reference_;
  std::span<const double> dump_;
  const NearOptions& options_;
  Scale scale_;
};

}  // namespace

Result<NearReport> infer_near(std::span<const double> reference,
                              std::span<const double> dump,
                              const NearOptions& options) {
  for (const double tolerance : {options.rtol, options.atol}) {
    if (tolerance >= 0 && std::isfinite(tolerance)) continue;
    return fail(ErrorCode::invalid_value,
                fmt::format("a tolerance is a finite number of 0 or more, not "
                            "{}",
                            tolerance));
  }
  const std::int64_t width = options.infer.element_bytes;
  if (width < 1 || width > 16) {
    return fail(ErrorCode::invalid_value,
                fmt::format("elements of {} bytes", width));
  }
  const Result<std::int64_t> elements = element_count(options.infer.shape);
  if (!elements) return unexpected(elements.error());
  if (*elements != static_cast<std::int64_t>(reference.size())) {
    return fail(ErrorCode::mismatch,
                fmt::format("the reference has {} numbers, the shape {}",
                            reference.size(), *elements));
  }
  if (options.infer.packed_bits != 0 || options.infer.record) {
    return fail(ErrorCode::unsupported,
                "numbers that are near are those of whole elements, which are "
                "no part of records");
  }
  return Near(reference, dump, options).run();
}

}  // namespace stridewise
