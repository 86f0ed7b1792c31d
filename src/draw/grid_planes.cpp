// The logical tensor whole: where its planes are too many to stand beside each
// other, they go on below, and each row of planes says which ones it has.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "draw/grid_parts.hpp"
#include "draw/joined.hpp"

namespace stridewise::draw {
namespace {

// Without holes: each coordinate has its digits.
bool dense(const Joined& axis) {
  std::int64_t space = 1;
  for (std::size_t k = axis.terms.size(); k-- > 0;) {
    if (axis.terms[k].stride != space) return false;
    space *= axis.terms[k].extent;
  }
  return axis.base == 0 && space == axis.extent;
}

class Planes {
 public:
  Planes(const Layout& layout, std::int64_t most)
      : layout_(layout), row_(layout, 0, 1), column_(layout, 1, 2) {
    plane_ = column_.terms.back().extent;
    // Whole planes; else parts of one.
    const std::int64_t unit = plane_ <= most ? plane_ : 1;
    const std::int64_t within = plane_ <= most ? column_.extent : plane_;
    const std::int64_t units = within / unit;
    const std::int64_t shelves =
        ceil_div(units, std::max<std::int64_t>(1, most / unit));
    width_ = ceil_div(units, shelves) * unit;
    for (std::int64_t first = 0; first < column_.extent; first += within) {
      for (std::int64_t at = 0; at < within; at += width_) {
        shelves_.push_back({first + at, std::min(width_, within - at)});
      }
    }
    parts_ = width_ < plane_;
  }

  Grid run() {
    grid_.row_heading = row_.terms.empty() ? "" : row_.terms.back().name;
    grid_.column_heading = column_.terms.back().name;
    for (std::int64_t k = 0; k < width_; ++k) {
      add_track(grid_.columns, grid_.columns_at,
                {.label = fmt::format("{}{}", parts_ ? "+" : "", k % plane_),
                 .space = k > 0 && k % plane_ == 0 ? 2 : 0},
                {.place = k, .along = k});
    }
    grid_.column_bands.assign(column_.terms.size() - (parts_ ? 0U : 1U), {});
    const std::size_t outer = row_.terms.empty() ? 0 : row_.terms.size() - 1;
    grid_.row_bands.assign(outer, {});
    const std::int64_t height =
        row_.terms.empty() ? 1 : row_.terms.back().extent;
    for (std::int64_t first = 0; first < row_.extent; first += height) {
      for (const Shelf& shelf : shelves_) put(shelf, first, height);
    }
    return std::move(grid_);
  }

 private:
  // Columns begin .. begin + count - 1 of the tensor.
  struct Shelf {
    std::int64_t begin, count;
  };

  void put(const Shelf& shelf, std::int64_t first, std::int64_t height) {
    const std::size_t top = grid_.rows.size();
    const bool anew = shelf.begin == 0;
    for (std::int64_t k = 0; k < height; ++k) {
      const std::vector<std::int64_t> values = digits_at(row_, first + k);
      const std::int32_t space = k > 0 || top == 0 ? 0 : anew ? 2 : 1;
      add_track(
          grid_.rows, grid_.rows_at,
          {.label = values.empty() ? "" : fmt::format("{}", values.back()),
           .space = space},
          {.place = row_.place(layout_, first + k) + shelf.begin,
           .limit = shelf.count});
      const std::size_t row = grid_.rows.size() - 1;
      for (std::size_t level = 0; level < grid_.row_bands.size(); ++level) {
        add_band(grid_.row_bands[level], row, row,
                 fmt::format("{}={}", row_.terms[level].name, values[level]));
      }
    }
    name(shelf, top);
  }

  // The digits of each plane, above the row where they begin.
  void name(const Shelf& shelf, std::size_t row) {
    for (std::int64_t k = 0; k < shelf.count; k += plane_) {
      const std::vector<std::int64_t> values =
          digits_at(column_, shelf.begin + k);
      const auto begin = static_cast<std::size_t>(k);
      const auto end =
          static_cast<std::size_t>(std::min(k + plane_, shelf.count)) - 1;
      bool changed = k == 0;
      for (std::size_t level = 0; level + 1 < values.size(); ++level) {
        const std::string text =
            fmt::format("{}={}", column_.terms[level].name, values[level]);
        std::vector<PictureBand>& bands = grid_.column_bands[level];
        changed = changed || bands.back().text != text;
        add_band_above(bands, begin, end, text, row, changed);
      }
      if (!parts_) continue;
      add_band_above(
          grid_.column_bands.back(), begin, end,
          fmt::format("{}={}...{}", column_.terms.back().name, values.back(),
                      values.back() + shelf.count - 1),
          row, true);
    }
  }

  const Layout& layout_;
  Joined row_, column_;
  std::int64_t plane_ = 1;  // columns of one plane
  std::int64_t width_ = 1;  // columns of all
  bool parts_ = false;      // of a plane beside each other, not whole ones
  std::vector<Shelf> shelves_;
  Grid grid_;
};

}  // namespace

std::optional<Grid> grid_of_planes(const Layout& layout,
                                   const GridOptions& options) {
  const Joined column(layout, 1, 2);
  if (!options.logical || layout.places() > options.max_cells ||
      column.extent <= options.max_columns || column.terms.empty() ||
      !dense(column) || !dense(Joined(layout, 0, 1))) {
    return std::nullopt;
  }
  return Planes(layout, options.max_columns).run();
}

}  // namespace stridewise::draw
