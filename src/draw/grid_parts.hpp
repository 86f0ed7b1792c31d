// What the views of memory are built from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draw/axis.hpp"
#include "draw/grid.hpp"

namespace stridewise::draw {

inline constexpr std::int64_t most_lanes = 8;

// Is the last axis drawn as lanes of the places before it?
[[nodiscard]] bool has_lanes(const Layout& layout);

// How many rows of so many cells the options leave room for.
[[nodiscard]] std::int64_t rows_for(const GridOptions& options,
                                    std::int64_t columns);

void add_track(std::vector<PictureTrack>& tracks, std::vector<TrackAt>& places,
               PictureTrack track, TrackAt at);
void elide(std::vector<PictureTrack>& tracks, std::vector<TrackAt>& places,
           const AxisRun& run, const std::string& text);

// Tracks first .. last have `text` in common, with those before them unless they
// begin anew.
void add_band(std::vector<PictureBand>& level, std::size_t first,
              std::size_t last, const std::string& text, bool anew = false);
// The same of columns, above one row.
void add_band_above(std::vector<PictureBand>& level, std::size_t first,
                    std::size_t last, const std::string& text, std::size_t row,
                    bool anew = false);

// Each fills an empty grid.
[[nodiscard]] Grid grid_of_rows(const Layout& layout,
                                const GridOptions& options);
[[nodiscard]] Grid grid_of_banks(const Layout& layout,
                                 const GridOptions& options);
[[nodiscard]] Grid grid_of_image(const Layout& layout,
                                 const GridOptions& options);
// Of the logical tensor, where it may be drawn whole but is too wide; else none.
[[nodiscard]] std::optional<Grid> grid_of_planes(const Layout& layout,
                                                 const GridOptions& options);

}  // namespace stridewise::draw
