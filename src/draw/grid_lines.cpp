// Memory as rows of cells; and banks, of which each has such rows.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "draw/grid_parts.hpp"
#include "draw/joined.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t bank_columns = 8;  // cells beside each other in a bank

class Lines {
 public:
  Lines(const Layout& layout, const GridOptions& options)
      : layout_(layout), options_(options) {}

  Grid take() { return std::move(grid_); }

  // All of memory along one line that is broken into rows.
  void rows() {
    std::int64_t across = options_.grid_bytes / layout_.element_bytes();
    if (across == 0) {
      across = std::max<std::int64_t>(1, line_bytes / layout_.element_bytes());
      while (across > options_.max_columns && across > 1) across /= 2;
    }
    std::vector<AxisTerm> terms;
    for (std::size_t a = 0; a < layout_.axes().size(); ++a) {
      const std::int64_t step =
          layout_.axes()[a].pitch_bytes / layout_.element_bytes();
      for (AxisTerm& term : axis_terms(layout_, a)) {
        term.stride *= step;
        terms.push_back(std::move(term));
      }
    }
    std::ranges::stable_sort(terms, std::ranges::greater{}, &AxisTerm::stride);
    const std::int64_t places = layout_.places();
    across = std::min(across, places);
    columns_of_line(across, {.limit = places});
    lines(terms,
          {.base = layout_.base_offset(), .extent = places, .unit = across},
          options_.forced);
  }

  void banks() {
    const std::size_t last = layout_.axes().size() - 1;
    const BoundAxis& axis = layout_.axes()[last];
    const Joined bank(layout_, 0, last);
    const std::vector<AxisTerm> terms = axis_terms(layout_, last);
    const std::int64_t extent = axis_room(layout_, last);
    const std::int64_t width = bank_width(
        terms, extent,
        std::max<std::int64_t>(
            1, options_.max_columns / std::min<std::int64_t>(4, bank.extent)));
    std::vector<std::int64_t> forced_banks;
    std::vector<std::int64_t> forced;
    const Joined within(layout_, last, last + 1);
    for (const std::int64_t place : options_.forced) {
      forced_banks.push_back(bank.joined_of(layout_, place));
      forced.push_back(within.joined_of(layout_, place));
    }
    const AxisView view{
        .base = bank.base,
        .extent = bank.extent,
        .used = bank.used,
        .budget = std::max<std::int64_t>(3, options_.max_columns / width),
        .unit_name = layout_.axes()[last - 1].name};
    grid_.column_bands.assign(bank.axes.size(), {});
    for (const AxisRun& run : shown_runs(bank.terms, view, forced_banks)) {
      if (run.elided) {
        elide(grid_.columns, grid_.columns_at, run,
              run.gaps
                  ? run.text
                  : fmt::format("{} more {}{}", grouped(run.count),
                                view.unit_name, run.count == 1 ? "" : "s"));
        continue;
      }
      for (std::int64_t b = run.begin; b < run.begin + run.count; ++b) {
        const std::size_t first = grid_.columns.size();
        columns_of_line(
            std::min(width, extent),
            {.place = bank.place(layout_, b), .limit = bank.room(layout_, b)});
        if (width == 1) grid_.columns[first].label = "";
        if (first > 0) grid_.columns[first].space = 2;
        const std::vector<std::int64_t> at = bank.coordinates(layout_, b);
        for (std::size_t k = 0; k < at.size(); ++k) {
          add_band(grid_.column_bands[k], first, grid_.columns.size() - 1,
                   fmt::format("{} {}", layout_.axes()[k].name, at[k]),
                   k + 1 == at.size());
        }
      }
    }
    lines(terms,
          {.base = axis.base,
           .extent = extent,
           .used = axis.extent,
           .unit = std::min(width, extent)},
          forced);
  }

 private:
  [[nodiscard]] std::string byte_label(std::int64_t elements) const {
    return fmt::format("{}", elements * layout_.element_bytes());
  }

  void columns_of_line(std::int64_t across, TrackAt at) {
    for (std::int64_t k = 0; k < across; ++k) {
      add_track(grid_.columns, grid_.columns_at, {.label = "+" + byte_label(k)},
                {.place = at.place + k, .along = k, .limit = at.limit});
    }
  }

  // Rows of `view.unit` cells for each group of columns.
  void lines(std::span<const AxisTerm> terms, AxisView view,
             std::span<const std::int64_t> forced) {
    const std::int64_t across = view.unit;
    std::vector<std::int64_t> units;
    for (const std::int64_t at : forced) units.push_back(at / across);
    view.budget =
        rows_for(options_, static_cast<std::int64_t>(grid_.columns.size()));
    view.unit_name = "row";
    for (const AxisRun& run : shown_runs(terms, view, units)) {
      if (run.elided) {
        add_track(grid_.rows, grid_.rows_at,
                  {.label = run.text, .elided = run.count}, {});
        continue;
      }
      for (std::int64_t row = run.begin; row < run.begin + run.count; ++row) {
        const std::int64_t at = row * across;
        add_track(grid_.rows, grid_.rows_at, {.label = byte_label(at)},
                  {.place = at, .along = at});
      }
    }
    grid_.row_heading = "byte";
  }

  // How many cells of a bank lie beside each other: as many as divide the steps
  // of the outer digits, so that these begin with a row.
  [[nodiscard]] std::int64_t bank_width(std::span<const AxisTerm> terms,
                                        std::int64_t extent,
                                        std::int64_t most) const {
    if (options_.grid_bytes != 0) {
      return options_.grid_bytes / layout_.element_bytes();
    }
    if (extent <= bank_columns) return 1;
    const std::int64_t most_wide = std::min(most, bank_columns);
    std::int64_t common = 0;
    for (const AxisTerm& term : terms) {
      const std::int64_t next = std::gcd(common, term.stride);
      if (next < 4) break;
      common = next;
    }
    if (common == 0) common = bank_columns;
    for (std::int64_t width = most_wide; width > 1; --width) {
      if (common % width == 0) return width;
    }
    // A step of odd cells is one row, or else rows are cut anywhere: a single
    // column of cells would be long and thin.
    if (extent <= 2 * bank_columns || most < 2) return 1;
    return common <= most ? common : most_wide;
  }

  const Layout& layout_;
  const GridOptions& options_;
  Grid grid_;
};

}  // namespace

Grid grid_of_rows(const Layout& layout, const GridOptions& options) {
  Lines lines(layout, options);
  lines.rows();
  return lines.take();
}

Grid grid_of_banks(const Layout& layout, const GridOptions& options) {
  Lines lines(layout, options);
  lines.banks();
  return lines.take();
}

}  // namespace stridewise::draw
