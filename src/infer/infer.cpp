// SPDX-License-Identifier: Apache-2.0
#include "stridewise/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "infer/build.hpp"
#include "infer/data.hpp"
#include "infer/names.hpp"
#include "infer/offsets.hpp"
#include "infer/search.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using inference::Built;
using inference::Dims;
using inference::Explained;
using inference::InferData;
using inference::Offsets;

// Beyond this, layouts are tried only where places tell nothing.
constexpr std::int64_t search_limit = 1 << 22;

Result<std::int64_t> check_sizes(std::span<const InferPair> pairs,
                                 const InferOptions& options) {
  const Result<std::int64_t> elements = element_count(options.shape);
  if (!elements) return elements;
  const Checked bytes = mul(*elements, options.element_bytes);
  if (!bytes)
    return fail(ErrorCode::overflow, "the reference overflows 64 bits");
  if (pairs.empty()) {
    return fail(ErrorCode::mismatch, "there is no reference");
  }
  for (const InferPair& pair : pairs) {
    if (static_cast<std::int64_t>(pair.reference.size()) != *bytes) {
      return fail(ErrorCode::mismatch,
                  fmt::format("the reference has {} bytes, but {} of {} bytes "
                              "each takes {}",
                              pair.reference.size(), print(options.shape),
                              options.element_bytes, *bytes));
    }
    if (pair.dump.size() != pairs.front().dump.size()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("dumps of one series have one size; these have {} "
                      "and {} bytes",
                      pairs.front().dump.size(), pair.dump.size()));
    }
  }
  if (*elements == 0) {
    return fail(ErrorCode::mismatch,
                "a tensor without elements tells nothing of its layout");
  }
  if (static_cast<std::int64_t>(pairs.front().dump.size()) <
      options.element_bytes) {
    return fail(ErrorCode::mismatch,
                fmt::format("the dump has {} bytes, less than one element",
                            pairs.front().dump.size()));
  }
  return elements;
}

bool all_equal(const InferData& data, std::int64_t elements) {
  const std::uint64_t first = data.reference_key(0);
  for (std::int64_t k = 1; k < elements; ++k) {
    if (data.reference_key(k) != first) return false;
  }
  return elements > 1;
}

std::vector<std::int64_t> index_of(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = element % shape[d].extent;
    element /= shape[d].extent;
  }
  return index;
}

// A fit as it is told: with its names, and the best name's own expression.
InferFit finish(const Built& built, const Dims& dims, std::int64_t dump_bytes) {
  InferFit fit{built.layout, {}, built.start_byte, 0};
  const bool whole =
      built.start_byte == 0 && built.layout.size_bytes() == dump_bytes;
  const Offsets function = inference::offsets_of(built.layout);
  const std::vector<inference::Named> names =
      inference::names_of(function, built.chains, dims, whole ? dump_bytes : -1,
                          built.start_byte != 0);
  for (const inference::Named& named : names) fit.names.push_back(named.name);
  // A name says more than digits do, unless it adds blocks that nothing shows.
  const bool telling =
      !names.empty() && names[0].name.find("stride=") == std::string::npos &&
      (!inference::is_rare_tag(names[0].name) ||
       names[0].layout.terms().size() <= built.layout.terms().size());
  if (telling) {
    const Offsets theirs = inference::offsets_of(names[0].layout);
    fit.start_byte += theirs.origin - function.origin;
    fit.layout = names[0].layout;
  }
  fit.trailing_bytes = std::max<std::int64_t>(
      dump_bytes + fit.start_byte - fit.layout.size_bytes(), 0);
  return fit;
}

std::string print_steps(const Shape& shape, std::size_t d,
                        const std::vector<std::int64_t>& steps) {
  std::string text;
  for (std::size_t x = 0; x < std::min<std::size_t>(steps.size(), 6); ++x) {
    const std::int64_t step = steps[x];
    text +=
        fmt::format("{}{}", x == 0 ? "" : ", ",
                    step == inference::unknown ? "?" : std::to_string(step));
  }
  return fmt::format(
      "the places along {} are no sum of digits: from {}=0 on, bytes {}{}",
      shape[d].name, shape[d].name, text, steps.size() > 6 ? ", ..." : "");
}

// What is known when nothing fits.
void explain_none(const InferData& data, const InferOptions& options,
                  InferReport& report) {
  if (!report.best) {
    if (report.reason.empty()) {
      report.reason = "no layout that was tried has the dump's size";
    }
    return;
  }
  Offsets offsets = inference::offsets_of(report.best->layout);
  offsets.origin -= report.best->start_byte;
  const Explained explained =
      inference::explain(data, options.shape, offsets, true);
  report.present = explained.present;
  report.matching = explained.matching;
  if (explained.first_break >= 0) {
    report.first_break = index_of(options.shape, explained.first_break);
  }
  report.reason =
      fmt::format("none fits: the nearest explains {} of {} elements",
                  explained.matching, report.elements);
}

// What the search found, which explains every element.
InferReport searched(inference::SearchResult found, InferReport report) {
  report.outcome = found.fits.size() == 1 ? InferReport::Outcome::one
                                          : InferReport::Outcome::several;
  report.present = report.matching = report.elements;
  report.fits = std::move(found.fits);
  report.best.reset();
  report.reason.clear();
  return report;
}

}  // namespace

Result<InferReport> infer(std::span<const InferPair> pairs,
                          const InferOptions& options) {
  const Result<std::int64_t> elements = check_sizes(pairs, options);
  if (!elements) return unexpected(elements.error());
  const InferData data(pairs, options.element_bytes);
  const Dims dims{options.shape, options.positional, options.element_bytes};
  InferReport report;
  report.elements = *elements;
  if (all_equal(data, *elements)) {
    report.outcome = InferReport::Outcome::unknowable;
    report.reason =
        "all elements of the reference are equal: they tell nothing of where "
        "each one went; use stridewise probe";
    return report;
  }
  std::int64_t built_matching = 0;
  const std::optional<Offsets> located =
      inference::locate(data, options.shape, *elements);
  if (located) {
    std::size_t stuck = 0;
    const std::optional<Built> built =
        inference::build(*located, options.shape, options.element_bytes,
                         data.dump_bytes(), stuck);
    if (built) {
      Offsets offsets = inference::offsets_of(built->layout);
      offsets.origin -= built->start_byte;
      const Explained explained =
          inference::explain(data, options.shape, offsets, true);
      if (explained.present > 0 && explained.matching == explained.present) {
        // A layout of which a part of the tensor would be missing is none where
        // another one explains all of it.
        if (explained.present < *elements && *elements <= search_limit) {
          inference::SearchResult found =
              inference::search_layouts(data, dims, *elements);
          if (!found.fits.empty()) return searched(std::move(found), report);
        }
        report.outcome = InferReport::Outcome::one;
        report.present = explained.present;
        report.matching = explained.matching;
        report.fits.push_back(finish(*built, dims, data.dump_bytes()));
        return report;
      }
      built_matching = explained.matching;
      report.best = InferFit{built->layout, {}, built->start_byte, 0};
    } else if (stuck < options.shape.size()) {
      report.reason = print_steps(options.shape, stuck, located->steps[stuck]);
    }
  }
  if (!located || *elements <= search_limit) {
    inference::SearchResult found =
        inference::search_layouts(data, dims, *elements);
    if (!found.fits.empty()) return searched(std::move(found), report);
    // Half of the elements is no chance.
    if (found.best && 2 * built_matching < *elements) report.best = found.best;
  }
  report.outcome = InferReport::Outcome::none;
  explain_none(data, options, report);
  return report;
}

}  // namespace stridewise
