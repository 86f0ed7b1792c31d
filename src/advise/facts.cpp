// SPDX-License-Identifier: Apache-2.0
#include "advise/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "stridewise/advise.hpp"

namespace stridewise {
namespace {

using advising::Digits;

std::int64_t bytes_of_bits(std::int64_t bits) { return ceil_div(bits, 8); }

// Whether the bits of an element may lie apart: then it is at no one place.
bool bitwise(const Layout& layout) {
  return layout.tensors()[static_cast<std::size_t>(layout.tensor())].bitwise;
}

// Places past the end of each dim: of its combinations of digits, those that are no index.
// Digits that tell the same twice have more combinations than there are places.
void count_padding(const Layout& layout, LayoutFacts& facts) {
  const std::size_t dims = layout.shape().size();
  std::vector<std::int64_t> places(dims, 1);
  std::int64_t all = 1;
  for (const BoundTerm& term : layout.terms()) {
    std::int64_t& own = places[static_cast<std::size_t>(term.dim)];
    own = saturated(mul(own, term.extent));
    all = saturated(mul(all, term.extent));
  }
  if (all > layout.places()) return;
  for (std::size_t d = 0; d < dims; ++d) {
    facts.dims[d].padding_places =
        all / places[d] * (places[d] - layout.shape()[d].extent);
  }
}

void measure_digits(const Layout& layout, const Chip& chip,
                    const Access& access, std::span<const std::int64_t> box,
                    LayoutFacts& facts) {
  const std::optional<std::size_t> axis = advising::bank_axis(layout, chip);
  const Digits digits(layout, axis);
  count_padding(layout, facts);
  for (std::size_t d = 0; d < facts.dims.size(); ++d) {
    const advising::Places& line = digits.line(d);
    if (!line.empty()) facts.dims[d].run = advising::longest_run(line);
    if (facts.dims[d].dim != access.vector_dim || line.empty()) continue;
    const std::int64_t loads = advising::windows_of(line, access.vector_lanes);
    facts.vectors = {loads,
                     static_cast<double>(line.size()) /
                         static_cast<double>(loads * access.vector_lanes)};
  }
  if (axis) facts.banks = advising::bank_facts(layout, digits, chip, *axis);
  if (!box.empty() && (axis || (chip.banks > 0 && chip.bank_width_bytes > 0))) {
    facts.conflicts = advising::conflict_facts(layout, digits, chip, axis, box);
  }
  facts.runs = advising::count_runs(layout, digits);
  if (!facts.runs && layout.elements() <= advising::most_elements) {
    facts.runs = advising::walk_runs(layout);
  }
  if (chip.dma_dims > 0) {
    facts.descriptors =
        advising::count_descriptors(layout, digits, chip.dma_dims);
  }
  facts.row_alignment_bytes = advising::row_alignment(layout, digits);
}

// What a tensor takes of its banks, which all give up as much as the fullest; what it leaves.
void take_room(const Chip& chip, LayoutFacts& facts) {
  if (facts.banks) {
    const std::int64_t row =
        std::max<std::int64_t>(chip.row_alignment_bytes, 1);
    facts.banks->fullest_bytes =
        saturated(round_up(facts.banks->fullest_bytes, row));
    facts.bytes =
        saturated(mul(facts.banks->fullest_bytes, facts.banks->banks));
  }
  if (facts.banks && chip.bank_bytes > 0) {
    facts.left_bytes = chip.bank_bytes - facts.banks->fullest_bytes;
  } else if (chip.memory_bytes > 0) {
    facts.left_bytes = chip.memory_bytes - facts.bytes;
  }
}

}  // namespace

Result<void> advising::check_access(const Shape& shape, const Access& access) {
  const auto known = [&](const std::string& name) -> Result<void> {
    if (std::ranges::find(shape, name, &Dim::name) != shape.end()) return {};
    return fail(ErrorCode::unknown_name,
                fmt::format("the tensor has no dim '{}'", name));
  };
  if (!access.vector_dim.empty()) {
    if (auto checked = known(access.vector_dim); !checked) return checked;
    if (access.vector_lanes < 1 || access.vector_lanes > advising::most_lanes) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("a vector has 1 to {} lanes, not {}",
                              advising::most_lanes, access.vector_lanes));
    }
  }
  for (const Dim& dim : access.box) {
    if (auto checked = known(dim.name); !checked) return checked;
    if (dim.extent < 1) {
      return fail(
          ErrorCode::invalid_value,
          fmt::format("a box of {} indices of {}", dim.extent, dim.name));
    }
  }
  return {};
}

Result<std::vector<std::int64_t>> advising::box_of(const Shape& shape,
                                                   const Access& access) {
  std::vector<std::int64_t> box;
  std::int64_t indices = 1;
  for (const Dim& dim : shape) {
    const auto wanted = std::ranges::find(access.box, dim.name, &Dim::name);
    std::int64_t extent = wanted != access.box.end() ? wanted->extent : 1;
    if (access.box.empty() && dim.name == access.vector_dim) {
      extent = access.vector_lanes;
    }
    box.push_back(std::min(extent, std::max<std::int64_t>(dim.extent, 1)));
    indices = saturated(mul(indices, box.back()));
  }
  if (indices > most_indices_of_box) {
    return fail(ErrorCode::invalid_value,
                fmt::format("an access of {} indices; {} are the most", indices,
                            most_indices_of_box));
  }
  if (access.box.empty() && access.vector_dim.empty()) box.clear();
  return box;
}

Result<LayoutFacts> layout_facts(const Layout& layout, const Chip& chip,
                                 const Access& access) {
  if (auto checked = advising::check_access(layout.shape(), access); !checked) {
    return unexpected(checked.error());
  }
  const auto box = advising::box_of(layout.shape(), access);
  if (!box) return unexpected(box.error());
  LayoutFacts facts{.bytes = layout.size_bytes(),
                    .element_bytes = bytes_of_bits(layout.elements() *
                                                   layout.element_bits())};
  for (const Dim& dim : layout.shape()) facts.dims.push_back({dim.name});
  if (layout.elements() == 0) return facts;
  if (layout.plain()) {
    measure_digits(layout, chip, access, *box, facts);
  } else if (layout.elements() <= advising::most_elements && !bitwise(layout)) {
    advising::walk_places(layout, chip, access, *box, facts);
  }
  take_room(chip, facts);
  return facts;
}

std::vector<MissedLimit> missed_limits(const Layout& layout,
                                       const LayoutFacts& facts,
                                       const Chip& chip) {
  std::vector<MissedLimit> missed;
  const auto limit = [&](const std::string& name, std::int64_t is,
                         std::int64_t most) {
    if (most > 0 && is > most) missed.push_back({name, is, most});
  };
  limit("memory_bytes", facts.bytes, chip.memory_bytes);
  if (facts.banks) {
    limit("banks", facts.banks->banks, chip.banks);
    limit("bank_bytes", facts.banks->fullest_bytes, chip.bank_bytes);
  }
  for (const BoundAxis& axis : layout.axes()) {
    const auto most = chip.axes.find(axis.name);
    if (most != chip.axes.end()) limit(axis.name, axis.extent, most->second);
  }
  return missed;
}

}  // namespace stridewise
