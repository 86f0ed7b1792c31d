// SPDX-License-Identifier: Apache-2.0
#include "draw/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "draw/axis.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

// Places that may each be asked for: a few milliseconds.
constexpr std::int64_t few_places = 1 << 18;

}  // namespace

void count_places(const Layout& layout, PicturePanel& panel) {
  panel.elements = layout.elements();
  panel.size_bytes = layout.size_bytes();
  const std::int64_t rest = layout.places() - layout.elements();
  if (all_nested(layout)) {
    // Each combination of digits has a place of its own.
    Checked reached = layout.places() == 0 ? 0 : 1;
    for (const BoundTerm& term : layout.terms()) {
      reached = mul(reached, term.extent);
    }
    panel.padding = reached.value_or(layout.places()) - layout.elements();
    panel.gaps = rest - panel.padding;
    return;
  }
  if (layout.places() <= few_places) {
    std::vector<std::int64_t> index(layout.shape().size());
    for (std::int64_t at = 0; at < layout.places(); ++at) {
      const Place kind = layout.element_at(at, index);
      panel.padding += kind == Place::padding ? 1 : 0;
      panel.gaps += kind == Place::gap ? 1 : 0;
    }
    return;
  }
  panel.told_apart = false;
  panel.gaps = rest;
}

std::int64_t Block::of(std::int64_t place, std::int64_t along) const {
  if (name.empty() || along < base) return -1;
  std::int64_t rest = along - base;
  for (const BoundTerm& term : outer) {
    const std::int64_t value = rest / term.stride;
    if (value >= term.extent) return -1;
    rest -= value * term.stride;
  }
  return rest < span ? place - rest : -1;
}

Block block_of(const Layout& layout) {
  Block block;
  const auto last = static_cast<std::int32_t>(layout.axes().size()) - 1;
  std::vector<BoundTerm> terms;  // of the last axis, as written
  bool blocked = false;
  for (const BoundTerm& term : layout.terms()) {
    blocked = blocked || term.mod != 0 || term.div != 1;
    if (term.axis == last) terms.push_back(term);
  }
  if (!nested(axis_terms(layout, static_cast<std::size_t>(last)))) return block;
  const auto whole = [](const BoundTerm& term) {
    return term.mod == 0 && term.div == 1;
  };
  const auto varies = [](const BoundTerm& term) { return term.extent > 1; };
  const auto first_of = [&](auto belongs) {
    std::size_t first = terms.size();
    while (first > 0 && belongs(terms[first - 1])) --first;
    return first;
  };
  const auto varies_from = [&](std::size_t first) {
    return std::any_of(terms.begin() + static_cast<std::ptrdiff_t>(first),
                       terms.end(), varies);
  };
  // Inner blocks at the end; or, after an outer block, the whole dims in it; or
  // the innermost digit.
  std::size_t first = first_of([](const BoundTerm& t) { return t.mod != 0; });
  if (!varies_from(first) && blocked) first = first_of(whole);
  if (!varies_from(first)) {
    first = first_of([&](const BoundTerm& t) { return !varies(t); });
    if (first == 0) return block;
    --first;
  }
  std::vector<BoundTerm> kept(
      terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(first));
  std::erase_if(kept, std::not_fn(varies));
  if (kept.empty() && layout.axes().size() == 1) return block;  // all of memory
  std::int64_t reach = 0;
  for (std::size_t k = first; k < terms.size(); ++k) {
    if (!varies(terms[k])) continue;
    block.name += fmt::format("{}{}", block.name.empty() ? "" : " ",
                              print(digit_of(layout, terms[k])));
    reach += (terms[k].extent - 1) * terms[k].stride;
  }
  block.span = reach + 1;
  block.outer = std::move(kept);
  std::ranges::stable_sort(block.outer, std::ranges::greater{},
                           &BoundTerm::stride);
  // Other digits between those of the block: it does not lie together.
  if (!block.outer.empty() && block.outer.back().stride < block.span) {
    return {};
  }
  block.base = layout.axes()[static_cast<std::size_t>(last)].base;
  return block;
}

Result<PicturePanel> make_panel(const Layout& layout,
                                const GridOptions& options) {
  Result<Grid> made = make_grid(layout, options);
  if (!made) return unexpected(made.error());
  Grid& grid = *made;
  PicturePanel panel;
  panel.expression = print(layout.expression());
  count_places(layout, panel);
  const Block block = options.logical ? Block{} : block_of(layout);
  panel.block = block.name;
  std::vector<std::int64_t> index(layout.shape().size());
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    for (std::size_t column = 0; column < grid.columns.size(); ++column) {
      const std::optional<std::int64_t> at = grid.place(row, column);
      if (!at) continue;
      PictureCell cell{.row = static_cast<std::int32_t>(row),
                       .column = static_cast<std::int32_t>(column),
                       .kind = layout.element_at(*at, index),
                       .offset = *at,
                       .byte = *at * layout.element_bytes()};
      if (cell.kind == Place::element) cell.index = index;
      std::int64_t bytes = *at * layout.element_bytes();
      for (const BoundAxis& axis : layout.axes()) {
        cell.coords.push_back(bytes / axis.pitch_bytes);
        bytes %= axis.pitch_bytes;
      }
      cell.block = block.of(*at, cell.coords.back());
      panel.cells.push_back(std::move(cell));
    }
  }
  // What is all gaps is no block.
  std::set<std::int64_t> blocks;
  for (const PictureCell& cell : panel.cells) {
    if (cell.kind != Place::gap) blocks.insert(cell.block);
  }
  for (PictureCell& cell : panel.cells) {
    if (!blocks.contains(cell.block)) cell.block = -1;
  }
  panel.rows = std::move(grid.rows);
  panel.columns = std::move(grid.columns);
  panel.row_bands = std::move(grid.row_bands);
  panel.column_bands = std::move(grid.column_bands);
  panel.row_heading = std::move(grid.row_heading);
  panel.column_heading = std::move(grid.column_heading);
  return panel;
}

}  // namespace stridewise::draw
