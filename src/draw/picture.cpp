// A layout and options become a picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/expects.hpp"
#include "base/utf8.hpp"
#include "draw/axis.hpp"
#include "draw/build.hpp"
#include "draw/colour.hpp"
#include "draw/labels.hpp"
#include "draw/options.hpp"
#include "draw/panel.hpp"
#include "draw/pieces.hpp"
#include "draw/tile.hpp"
#include "draw/value.hpp"
#include "draw/walk.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t page_width = 240;  // characters, in labels and spaces
constexpr std::int64_t searched_places = 1 << 24;  // for non-zero padding

std::string size_text(std::int64_t bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, units[unit]);
}

class Builder {
 public:
  Builder(const Layout& layout, const DrawOptions& options, Care care,
          std::span<const std::int64_t> columns)
      : layout_(layout),
        options_(options),
        care_(care),
        columns_(columns),
        labels_(layout, options) {}

  Result<Picture> run() {
    if (options_.to && is_pieced(*options_.to)) {
      return fail(ErrorCode::unsupported,
                  "a conversion is drawn between layouts of plain digits");
    }
    if (Result<void> fine = check_options(layout_, options_); !fine) {
      return unexpected(fine.error());
    }
    const bool any_rows =
        view(layout_, true) != DrawView::image ||
        (options_.to && view(*options_.to, false) != DrawView::image);
    if (Result<void> fine = check_grid(layout_, options_, any_rows); !fine) {
      return unexpected(fine.error());
    }
    Result<Colouring> colouring = make_colouring(layout_, options_.colour);
    if (!colouring) return unexpected(colouring.error());
    colouring_ = *std::move(colouring);
    if (!options_.walk.empty()) walk_ = walk_of(layout_);
    describe();
    Result<void> done = memory(layout_, options_.to ? "from" : "memory");
    if (done && options_.to) done = memory(*options_.to, "to");
    if (done && (options_.with_logical || !options_.logical.empty())) {
      done = logical();
    }
    if (done && options_.to) done = tile();
    if (!done) return unexpected(done.error());
    for (std::size_t k = 0; k < picture_.panels.size(); ++k) finish(k);
    return std::move(picture_);
  }

 private:
  void describe() {
    std::string expression = print(layout_.expression());
    if (options_.to) {
      expression += "  \u2192  " + print(options_.to->expression());
    }
    const std::string type =
        !options_.type_name.empty()
            ? printable(options_.type_name)
            : fmt::format("{}-byte elements", layout_.element_bytes());
    // Only a title, a type, marks and the walk are not from this library.
    picture_.title =
        options_.title.empty() ? expression : printable(options_.title);
    picture_.subtitle = fmt::format(
        "{}{} of {}, {}{}",
        options_.title.empty() ? "" : expression + "  \u00b7  ",
        print(layout_.shape()), type, size_text(layout_.size_bytes()),
        options_.to ? " \u2192 " + size_text(options_.to->size_bytes()) : "");
    picture_.shape = layout_.shape();
    picture_.element_bytes = layout_.element_bytes();
    picture_.cell_bits = layout_.element_bits();
    picture_.label_dims = labels_.dims();
    picture_.label = options_.label;
    picture_.has_data = options_.data.has_value();
    picture_.colour = colouring_.name;
    picture_.colour_extent = colouring_.extent;
    picture_.colours = colouring_.colours;
    picture_.ordered_colours = colouring_.ordered;
    picture_.walk = printable(options_.walk);
    picture_.walk_steps = walk_.digits;
  }

  // Of the panel that comes next.
  [[nodiscard]] std::int64_t columns(const Layout& layout) const {
    const std::size_t panel = picture_.panels.size();
    if (panel < columns_.size()) return columns_[panel];
    return options_.max_columns > 0
               ? options_.max_columns
               : std::max<std::int64_t>(
                     8, page_width / (labels_.width(layout) + 2));
  }

  // A second memory may have other axes: what cannot be drawn as asked is drawn
  // as it asks for itself.
  [[nodiscard]] DrawView view(const Layout& layout, bool first) const {
    const bool own = !first && layout.axes().size() < 2;
    return view_of(layout, own ? DrawView::automatic : options_.view);
  }

  Result<void> memory(const Layout& layout, const char* name) {
    const bool first = picture_.panels.empty();
    GridOptions grid{.view = view(layout, first),
                     .grid_bytes = options_.grid_bytes,
                     .max_cells = options_.max_cells,
                     .max_columns = columns(layout)};
    if (first) {
      for (const DrawMark& mark : options_.marks) {
        grid.forced.push_back(mark.byte / layout.element_bytes());
      }
    }
    for (const WalkStep& step : walk_.steps) {
      grid.forced.push_back(layout.offset(step.from_index));
      grid.forced.push_back(layout.offset(step.to_index));
    }
    Result<PicturePanel> panel = make_panel(layout, grid);
    if (!panel) return unexpected(panel.error());
    panel->name = name;
    picture_.panels.push_back(*std::move(panel));
    picture_.layouts.push_back(layout);
    return {};
  }

  Result<void> logical() {
    const Result<Layout> layout = logical_layout(layout_, options_.logical);
    if (!layout) return unexpected(layout.error());
    GridOptions grid{.view = DrawView::image,
                     .max_cells = options_.max_cells,
                     .max_columns = columns(*layout),
                     .logical = true};
    for (const WalkStep& step : walk_.steps) {
      grid.forced.push_back(layout->offset(step.from_index));
      grid.forced.push_back(layout->offset(step.to_index));
    }
    Result<PicturePanel> panel = make_panel(*layout, grid);
    if (!panel) return unexpected(panel.error());
    panel->name = "logical";
    panel->logical = true;
    picture_.panels.push_back(*std::move(panel));
    picture_.layouts.push_back(*layout);
    return {};
  }

  // What one call of the largest nest's kernel moves, in both memories.
  Result<void> tile() {
    const Result<Tile> tile = make_tile(layout_, *options_.to);
    if (!tile) return unexpected(tile.error());
    picture_.kernel = tile->kernel;
    for (PicturePanel& panel : picture_.panels) {
      for (PictureCell& cell : panel.cells) {
        cell.in_tile =
            cell.kind == Place::element &&
            tile->holds(layout_.offset(cell.index) * layout_.element_bytes());
      }
    }
    return {};
  }

  // Labels, colours, values, walk and marks of a panel that has its cells.
  void finish(std::size_t which) {
    PicturePanel& panel = picture_.panels[which];
    const Layout& layout = picture_.layouts[which];
    std::map<std::int64_t, std::size_t> cell_at;
    for (std::size_t k = 0; k < panel.cells.size(); ++k) {
      PictureCell& cell = panel.cells[k];
      cell_at[cell.offset] = k;
      if (cell.kind == Place::element) cell.colour = colouring_.of(cell.index);
      if (options_.data) value(panel, cell, which == 0);
      cell.label = labels_.of(cell);
      if (cell.nonzero) cell.label = cell.value;
    }
    if (options_.data && which == 0 && care_ == Care::all) {
      search_padding(panel);
    }
    const auto at = [&](std::span<const std::int64_t> index) {
      return cell_at.find(layout.offset(index));
    };
    for (const WalkStep& step : walk_.steps) {
      const auto from = at(step.from_index);
      const auto to = at(step.to_index);
      if (from == cell_at.end() || to == cell_at.end()) continue;
      panel.jumps.push_back({fmt::format("{}:{}", picture_.walk, step.level),
                             from->second, to->second});
    }
    if (which != 0) return;
    for (const DrawMark& mark : options_.marks) {
      const auto cell = cell_at.find(mark.byte / layout.element_bytes());
      if (cell != cell_at.end()) {
        panel.marks.push_back({printable(mark.name), cell->second});
      }
    }
  }

  [[nodiscard]] std::span<const std::byte> bytes_at(std::int64_t place) const {
    const std::int64_t width = layout_.element_bytes();
    return options_.data->bytes.subspan(static_cast<std::size_t>(place * width),
                                        static_cast<std::size_t>(width));
  }

  // Only the memory that the data is of has values beside its elements.
  void value(PicturePanel& panel, PictureCell& cell, bool own) const {
    const bool element = cell.kind == Place::element;
    if (!element && !own) return;
    const std::int64_t place =
        element ? layout_.offset(cell.index) : cell.offset;
    const std::span<const std::byte> bytes = bytes_at(place);
    cell.value =
        print_value(options_.data->type, bytes, options_.data->big_endian);
    if (cell.kind == Place::padding && nonzero(bytes)) {
      cell.nonzero = true;
      ++panel.nonzero_padding;
    }
  }

  // Also where the picture leaves places out.
  void search_padding(PicturePanel& panel) const {
    const auto drawn = static_cast<std::int64_t>(panel.cells.size());
    panel.searched = drawn == layout_.places();
    if (panel.searched || layout_.places() > searched_places) return;
    panel.searched = true;
    panel.nonzero_padding = 0;
    std::vector<std::int64_t> index(layout_.shape().size());
    for (std::int64_t at = 0; at < layout_.places(); ++at) {
      // Zeros need no question of where they lie.
      if (nonzero(bytes_at(at)) &&
          layout_.element_at(at, index) == Place::padding) {
        ++panel.nonzero_padding;
      }
    }
  }

  const Layout& layout_;
  const DrawOptions& options_;
  Care care_;
  std::span<const std::int64_t> columns_;
  Labels labels_;
  Colouring colouring_;
  Walk walk_;
  Picture picture_;
};

}  // namespace

Result<Picture> build(const Layout& layout, const DrawOptions& options,
                      Care care, std::span<const std::int64_t> columns) {
  STRIDEWISE_EXPECTS(
      options.label <= DrawLabel::offset && options.view <= DrawView::banks,
      "make_picture: a valid label and view");
  if (is_pieced(layout)) return build_pieces(layout, options, columns);
  return Builder(layout, options, care, columns).run();
}

}  // namespace stridewise::draw

namespace stridewise {

std::int64_t Picture::cells() const {
  std::int64_t count = 0;
  for (const PicturePanel& panel : panels) {
    count += static_cast<std::int64_t>(panel.cells.size());
  }
  return count;
}

bool Picture::elided() const {
  const auto left_out = [](const PictureTrack& track) {
    return track.elided != 0;
  };
  return std::ranges::any_of(panels, [&](const PicturePanel& panel) {
    return std::ranges::any_of(panel.rows, left_out) ||
           std::ranges::any_of(panel.columns, left_out);
  });
}

Result<Picture> make_picture(const Layout& layout, const DrawOptions& options) {
  return draw::build(layout, options, draw::Care::all);
}

Result<std::string> draw_svg(const Layout& layout, const DrawOptions& options) {
  return make_picture(layout, options).map(to_svg);
}

Result<std::string> draw_html(const Layout& layout,
                              const DrawOptions& options) {
  return make_picture(layout, options).map(to_html);
}

}  // namespace stridewise
