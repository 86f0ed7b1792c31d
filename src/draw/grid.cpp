// SPDX-License-Identifier: Apache-2.0
#include "draw/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/checked.hpp"
#include "draw/axis.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t most_lanes = 8;
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t bank_columns = 8;  // cells beside each other in a bank
constexpr std::int64_t least_rows = 6;

// Several axes as one: coordinates in mixed radix, the last axis fastest.
struct Joined {
  std::vector<std::size_t> axes;
  std::vector<AxisTerm> terms;
  std::int64_t base = 0;
  std::int64_t extent = 1;

  Joined(const Layout& layout, std::size_t first, std::size_t last) {
    for (std::size_t a = first; a < last; ++a) {
      const BoundAxis& axis = layout.axes()[a];
      for (AxisTerm& term : terms) term.stride *= axis.extent;
      base = base * axis.extent + axis.base;
      extent *= axis.extent;
      for (AxisTerm& term : axis_terms(layout, a)) {
        terms.push_back(std::move(term));
      }
      axes.push_back(a);
    }
  }

  [[nodiscard]] std::vector<std::int64_t> coordinates(
      const Layout& layout, std::int64_t joined) const {
    std::vector<std::int64_t> at(axes.size());
    for (std::size_t k = axes.size(); k-- > 0;) {
      const std::int64_t extent_k = layout.axes()[axes[k]].extent;
      at[k] = joined % extent_k;
      joined /= extent_k;
    }
    return at;
  }

  [[nodiscard]] std::int64_t place(const Layout& layout,
                                   std::int64_t joined) const {
    std::int64_t bytes = 0;
    const std::vector<std::int64_t> at = coordinates(layout, joined);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      bytes += at[k] * layout.axes()[axes[k]].pitch_bytes;
    }
    return bytes / layout.element_bytes();
  }

  // Of a place in the whole memory.
  [[nodiscard]] std::int64_t joined_of(const Layout& layout,
                                       std::int64_t place) const {
    std::int64_t bytes = place * layout.element_bytes();
    std::int64_t joined = 0;
    for (std::size_t a = 0; a < layout.axes().size(); ++a) {
      const BoundAxis& axis = layout.axes()[a];
      const std::int64_t at = bytes / axis.pitch_bytes;
      bytes %= axis.pitch_bytes;
      if (std::ranges::find(axes, a) != axes.end()) {
        joined = joined * axis.extent + std::min(at, axis.extent - 1);
      }
    }
    return joined;
  }
};

// Values of the digits at a coordinate; empty where the terms do not nest, or
// the coordinate is none of theirs.
std::vector<std::int64_t> digits_at(const Joined& axis, std::int64_t at) {
  if (!nested(axis.terms)) return {};
  std::vector<std::int64_t> values;
  std::int64_t rest = at - axis.base;
  for (const AxisTerm& term : axis.terms) {
    const std::int64_t value = rest / term.stride;
    if (rest < 0 || value >= term.extent) return {};
    values.push_back(value);
    rest %= term.stride;
  }
  return values;
}

class Builder {
 public:
  Builder(const Layout& layout, const GridOptions& options)
      : layout_(layout), options_(options) {}

  Result<Grid> run() {
    const std::size_t axes = layout_.axes().size();
    const DrawView view =
        options_.view == DrawView::automatic ? view_of(layout_) : options_.view;
    if (view != DrawView::rows && axes < 2) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the layout has one axis; only rows of cells can "
                              "show it ('{}')",
                              print(layout_.expression())));
    }
    if (options_.grid_bytes % layout_.element_bytes() != 0) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("a grid of {} bytes does not hold whole elements "
                              "of {} bytes",
                              options_.grid_bytes, layout_.element_bytes()));
    }
    if (layout_.places() == 0) return grid_;
    if (view == DrawView::rows) rows();
    if (view == DrawView::banks) banks();
    if (view == DrawView::image) image();
    return std::move(grid_);
  }

 private:
  [[nodiscard]] std::int64_t rows_for(std::int64_t columns) const {
    return std::max(least_rows,
                    options_.max_cells / std::max<std::int64_t>(1, columns));
  }

  [[nodiscard]] std::string byte_label(std::int64_t elements) const {
    return fmt::format("{}", elements * layout_.element_bytes());
  }

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
    grid_.limit = layout_.places();
    across = std::min(across, grid_.limit);
    columns_of_line(across, 0);
    lines(terms, layout_.base_offset(), across, rows_for(across),
          options_.forced);
  }

  void columns_of_line(std::int64_t across, std::int64_t place) {
    for (std::int64_t k = 0; k < across; ++k) {
      add(grid_.columns, grid_.columns_at, {.label = "+" + byte_label(k)},
          {.place = place + k, .along = k});
    }
  }

  void lines(std::span<const AxisTerm> terms, std::int64_t base,
             std::int64_t across, std::int64_t budget,
             std::span<const std::int64_t> forced) {
    std::vector<std::int64_t> units;
    for (const std::int64_t at : forced) units.push_back(at / across);
    const AxisView view{.base = base,
                        .extent = grid_.limit,
                        .unit = across,
                        .budget = budget,
                        .unit_name = "row"};
    for (const AxisRun& run : shown_runs(terms, view, units)) {
      if (run.elided) {
        add(grid_.rows, grid_.rows_at, {.label = run.text, .elided = run.count},
            {});
        continue;
      }
      for (std::int64_t row = run.begin; row < run.begin + run.count; ++row) {
        const std::int64_t at = row * across;
        add(grid_.rows, grid_.rows_at, {.label = byte_label(at)},
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
    std::int64_t common = 0;
    for (const AxisTerm& term : terms) {
      const std::int64_t next = std::gcd(common, term.stride);
      if (next < 4) break;
      common = next;
    }
    if (common == 0) common = bank_columns;
    for (std::int64_t width = std::min(most, bank_columns); width > 1;
         --width) {
      if (common % width == 0) return width;
    }
    return 1;
  }

  void banks() {
    const std::size_t last = layout_.axes().size() - 1;
    const BoundAxis& axis = layout_.axes()[last];
    const Joined bank(layout_, 0, last);
    const std::vector<AxisTerm> terms = axis_terms(layout_, last);
    const std::int64_t width = bank_width(
        terms, axis.extent,
        std::max<std::int64_t>(
            1, options_.max_columns / std::min<std::int64_t>(4, bank.extent)));
    grid_.limit = axis.extent;
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
        .budget = std::max<std::int64_t>(3, options_.max_columns / width),
        .unit_name = layout_.axes()[last - 1].name};
    grid_.column_bands.assign(bank.axes.size(), {});
    for (const AxisRun& run : shown_runs(bank.terms, view, forced_banks)) {
      if (run.elided) {
        elide(grid_.columns, grid_.columns_at, run,
              fmt::format("{} more {}{}", grouped(run.count), view.unit_name,
                          run.count == 1 ? "" : "s"));
        continue;
      }
      for (std::int64_t b = run.begin; b < run.begin + run.count; ++b) {
        const std::size_t first = grid_.columns.size();
        columns_of_line(std::min(width, grid_.limit), bank.place(layout_, b));
        if (width == 1) grid_.columns[first].label = "";
        if (first > 0) grid_.columns[first].space = 2;
        const std::vector<std::int64_t> at = bank.coordinates(layout_, b);
        for (std::size_t k = 0; k < at.size(); ++k) {
          band(grid_.column_bands[k], first, grid_.columns.size() - 1,
               fmt::format("{} {}", layout_.axes()[k].name, at[k]),
               k + 1 == at.size());
        }
      }
    }
    lines(terms, axis.base, std::min(width, grid_.limit),
          rows_for(static_cast<std::int64_t>(grid_.columns.size())), forced);
  }

  // Rows, columns, and lanes below each other within a place.
  void image() {
    const std::size_t axes = layout_.axes().size();
    const bool has_lanes =
        axes > 2 && layout_.axes()[axes - 1].extent <= most_lanes;
    const std::size_t column_axis = has_lanes ? axes - 2 : axes - 1;
    const Joined row(layout_, 0, column_axis);
    const Joined column(layout_, column_axis, column_axis + 1);
    const std::int64_t lanes = has_lanes ? layout_.axes()[axes - 1].extent : 1;
    std::vector<std::int64_t> forced_rows;
    std::vector<std::int64_t> forced_columns;
    for (const std::int64_t place : options_.forced) {
      forced_rows.push_back(row.joined_of(layout_, place));
      forced_columns.push_back(column.joined_of(layout_, place));
    }
    AxisView view{.base = column.base,
                  .extent = column.extent,
                  .budget = std::max<std::int64_t>(4, options_.max_columns),
                  .unit_name = layout_.axes()[column_axis].name};
    const std::vector<AxisRun> across =
        shown_runs(column.terms, view, forced_columns);
    grid_.column_bands.assign(band_levels(column), {});
    grid_.column_heading = heading(column);
    std::int64_t shown = 0;
    for_each_step(across, [&](std::int64_t at, const AxisRun* left) {
      if (left != nullptr) {
        elide(grid_.columns, grid_.columns_at, *left, left->text);
        return;
      }
      ++shown;
      const std::size_t track = grid_.columns.size();
      add(grid_.columns, grid_.columns_at,
          {.label = label(column, at), .space = has_lanes ? 1 : 0},
          {.place = column.place(layout_, at)});
      bands(grid_.column_bands, grid_.columns, column, at, track, track);
    });
    view = {.base = row.base,
            .extent = row.extent,
            .budget = std::max<std::int64_t>(4, rows_for(shown * lanes)),
            .unit_name = layout_.axes()[column_axis - 1].name};
    const std::size_t own = has_lanes ? 1 : 0;
    grid_.row_bands.assign(band_levels(row) + own, {});
    grid_.row_heading =
        has_lanes ? layout_.axes()[axes - 1].name : heading(row);
    for_each_step(
        shown_runs(row.terms, view, forced_rows),
        [&](std::int64_t at, const AxisRun* left) {
          if (left != nullptr) {
            elide(grid_.rows, grid_.rows_at, *left, left->text);
            return;
          }
          const std::size_t first = grid_.rows.size();
          for (std::int64_t lane = 0; lane < lanes; ++lane) {
            add(grid_.rows, grid_.rows_at,
                {.label = has_lanes ? fmt::format("{}", lane) : label(row, at),
                 .space = has_lanes && lane == 0 ? 1 : 0},
                {.place = row.place(layout_, at) + lane});
          }
          const std::size_t last = grid_.rows.size() - 1;
          if (has_lanes) {
            band(grid_.row_bands.back(), first, last,
                 fmt::format("{} {}", view.unit_name,
                             row.coordinates(layout_, at).back()),
                 true);
          }
          bands(grid_.row_bands, grid_.rows, row, at, first, last);
        });
    grid_.limit = 1;
  }

  template <class Visit>
  static void for_each_step(const std::vector<AxisRun>& runs, Visit visit) {
    for (const AxisRun& run : runs) {
      if (run.elided) {
        visit(run.begin, &run);
        continue;
      }
      for (std::int64_t at = run.begin; at < run.begin + run.count; ++at) {
        visit(at, nullptr);
      }
    }
  }

  // All digits but the innermost have a band of their own.
  static std::size_t band_levels(const Joined& axis) {
    return nested(axis.terms) && !axis.terms.empty() ? axis.terms.size() - 1
                                                     : 0;
  }

  // An axis without a name of its own is told by its digits.
  [[nodiscard]] bool by_digit(const Joined& axis) const {
    return options_.logical ||
           layout_.expression().axes[axis.axes.back()].name.empty();
  }

  [[nodiscard]] std::string heading(const Joined& axis) const {
    if (by_digit(axis)) {
      return axis.terms.empty() ? "" : axis.terms.back().name;
    }
    return layout_.axes()[axis.axes.back()].name;
  }

  [[nodiscard]] std::string label(const Joined& axis, std::int64_t at) const {
    const std::vector<std::int64_t> values = digits_at(axis, at);
    if (by_digit(axis) && !values.empty()) {
      return fmt::format("{}", values.back());
    }
    return fmt::format("{}", axis.coordinates(layout_, at).back());
  }

  // The bands of one step, and the space where an outer digit begins anew.
  static void bands(std::vector<std::vector<PictureBand>>& levels,
                    std::vector<PictureTrack>& tracks, const Joined& axis,
                    std::int64_t at, std::size_t first, std::size_t last) {
    const std::vector<std::int64_t> values = digits_at(axis, at);
    for (std::size_t k = 0; k + 1 < values.size(); ++k) {
      const std::string text =
          fmt::format("{}={}", axis.terms[k].name, values[k]);
      const bool began = levels[k].empty() || levels[k].back().text != text;
      band(levels[k], first, last, text, k > 0 && began);
      if (began && first > 0) {
        tracks[first].space = std::max(tracks[first].space, k == 0 ? 2 : 1);
        // Inner digits begin with it.
        for (std::size_t inner = k + 1; inner + 1 < values.size(); ++inner) {
          band(levels[inner], first, last,
               fmt::format("{}={}", axis.terms[inner].name, values[inner]),
               true);
        }
        return;
      }
    }
  }

  static void band(std::vector<PictureBand>& level, std::size_t first,
                   std::size_t last, const std::string& text,
                   bool anew = false) {
    const auto begin = static_cast<std::int32_t>(first);
    const auto end = static_cast<std::int32_t>(last);
    if (!anew && !level.empty() && level.back().text == text &&
        level.back().last + 1 == begin) {
      level.back().last = end;
    } else {
      level.push_back({begin, end, text});
    }
  }

  static void add(std::vector<PictureTrack>& tracks,
                  std::vector<TrackAt>& places, PictureTrack track,
                  TrackAt at) {
    tracks.push_back(std::move(track));
    places.push_back(at);
  }

  static void elide(std::vector<PictureTrack>& tracks,
                    std::vector<TrackAt>& places, const AxisRun& run,
                    const std::string& text) {
    add(tracks, places, {.label = text, .elided = run.count}, {});
  }

  const Layout& layout_;
  const GridOptions& options_;
  Grid grid_;
};

}  // namespace

std::optional<std::int64_t> Grid::place(std::size_t row,
                                        std::size_t column) const {
  if (rows[row].elided != 0 || columns[column].elided != 0) return std::nullopt;
  if (rows_at[row].along + columns_at[column].along >= limit) {
    return std::nullopt;
  }
  return rows_at[row].place + columns_at[column].place;
}

DrawView view_of(const Layout& layout) {
  const std::size_t axes = layout.axes().size();
  if (axes < 2) return DrawView::rows;
  return axes > 2 && layout.axes()[axes - 1].extent <= most_lanes
             ? DrawView::image
             : DrawView::banks;
}

Result<Grid> make_grid(const Layout& layout, const GridOptions& options) {
  return Builder(layout, options).run();
}

}  // namespace stridewise::draw
