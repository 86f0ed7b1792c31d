// An entry in a sentence, from what tensors of it would be.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/checked.hpp"
#include "stridewise/advise.hpp"

namespace stridewise {
namespace {

std::optional<Candidate> of_extent(const CatalogueEntry& entry,
                                   const LayoutSource& source,
                                   std::int64_t extent, std::int64_t bits) {
  Shape shape;
  for (const std::string& dim : entry.dims) shape.push_back({dim, extent});
  const Result<Candidate> candidate = assess(source, shape, bits, {});
  if (!candidate) return std::nullopt;
  return *candidate;
}

// The largest that the entry takes and whose places are not too many to be walked.
std::optional<Candidate> large(const CatalogueEntry& entry,
                               const LayoutSource& source, std::int64_t bits) {
  for (const std::int64_t extent : {512, 192, 40, 16, 8, 4, 2}) {
    auto candidate = of_extent(entry, source, extent, bits);
    if (candidate && candidate->facts.runs) return candidate;
  }
  return std::nullopt;
}

std::string side_by_side(const Candidate& candidate) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < candidate.facts.dims.size(); ++d) {
    const DimFacts& dim = candidate.facts.dims[d];
    const std::int64_t extent = candidate.layout.shape()[d].extent;
    if (!dim.run || *dim.run < 2) continue;
    parts.push_back(*dim.run == extent
                        ? fmt::format("all of {}", dim.dim)
                        : fmt::format("{} of {}", *dim.run, dim.dim));
  }
  return parts.empty()
             ? "no neighbours lie side by side"
             : fmt::format("side by side: {}", fmt::join(parts, ", "));
}

// To how many indices one index of each dim is rounded up.
std::string rounded(const LayoutSource& source, const Layout& one,
                    std::int64_t bits) {
  std::vector<std::int64_t> places(one.shape().size(), 1);
  for (const BoundTerm& term : one.terms()) {
    std::int64_t& own = places[static_cast<std::size_t>(term.dim)];
    own = saturated(mul(own, term.extent));
  }
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < places.size(); ++d) {
    if (places[d] < 2) continue;
    Shape shape = one.shape();
    shape[d].extent = places[d];
    // Digits that tell the same of an index multiply to more.
    const auto all = source.bind(shape, Binding{.element_bits = bits});
    if (!all || all->size_bits() != one.size_bits()) continue;
    parts.push_back(fmt::format("{} to {}", one.shape()[d].name, places[d]));
  }
  return parts.empty() ? ""
                       : fmt::format("rounds up {}", fmt::join(parts, ", "));
}

std::string dealt(const Candidate& candidate) {
  const auto& banks = candidate.facts.banks;
  if (!banks || banks->banks < 2) return "";
  std::vector<std::string> dims;
  for (const BoundTerm& term : candidate.layout.terms()) {
    const BoundAxis& axis =
        candidate.layout.axes()[static_cast<std::size_t>(term.axis)];
    if (axis.name != candidate.chip.bank_axis || term.extent < 2) continue;
    dims.push_back(
        candidate.layout.shape()[static_cast<std::size_t>(term.dim)].name);
  }
  return fmt::format("deals {} over {} banks", fmt::join(dims, ", "),
                     banks->banks);
}

}  // namespace

std::string good_for(const CatalogueEntry& entry, const Catalogue& names) {
  if (entry.dims.empty()) return "";
  const Result<LayoutSource> source = resolve_layout(entry.name, {}, names);
  if (!source) return "";
  for (const std::int64_t bits : {32, 16, 8, 4, 64}) {
    const auto candidate = large(entry, *source, bits);
    if (!candidate) continue;
    std::vector<std::string> parts = {side_by_side(*candidate)};
    if (const auto one = of_extent(entry, *source, 1, bits)) {
      if (std::string text = rounded(*source, one->layout, bits);
          !text.empty()) {
        parts.push_back(std::move(text));
      }
    }
    if (std::string text = dealt(*candidate); !text.empty()) {
      parts.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }
  return "";
}

}  // namespace stridewise
