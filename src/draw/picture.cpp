// A layout and options become a picture.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/checked.hpp"
#include "draw/axis.hpp"
#include "draw/colour.hpp"
#include "draw/panel.hpp"
#include "draw/tile.hpp"
#include "draw/value.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {

namespace {

using namespace draw;

constexpr std::int64_t page_width = 240;    // characters, in labels and spaces
constexpr std::int64_t widest_grid = 1024;  // cells
constexpr std::int64_t most_cells = 1'000'000;
constexpr std::int64_t searched_places = 1 << 24;  // for non-zero padding

std::int64_t digits(std::int64_t number) {
  return static_cast<std::int64_t>(fmt::format("{}", number).size());
}

// The logical tensor as memory of its own: planes of the last two dims, the
// dims before them by turns across and down.
Expression logical_expression(const Shape& shape) {
  Expression expression;
  Axis row{.name = "row"};
  Axis column{.name = "column"};
  for (std::size_t back = 0; back < shape.size(); ++back) {
    const std::size_t d = shape.size() - 1 - back;
    const bool across = back == 0 || (back > 1 && back % 2 == 0);
    Axis& axis = across ? column : row;
    axis.terms.insert(axis.terms.begin(), Term{{.dim = shape[d].name}});
  }
  expression.axes = {std::move(row), std::move(column)};
  return expression;
}

// What is told of an element: its index without dims of one, or a number.
class Labels {
 public:
  Labels(const Layout& layout, const DrawOptions& options)
      : options_(options), shape_(layout.shape()) {
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (shape_[d].extent > 1) dims_.push_back(d);
    }
    if (dims_.empty()) {
      for (std::size_t d = 0; d < shape_.size(); ++d) dims_.push_back(d);
    }
  }

  [[nodiscard]] std::vector<std::string> dims() const {
    std::vector<std::string> names;
    for (const std::size_t d : dims_) names.push_back(shape_[d].name);
    return names;
  }

  [[nodiscard]] std::string of(const PictureCell& cell) const {
    if (cell.kind != Place::element) return "";
    switch (options_.label) {
      case DrawLabel::offset:
        return fmt::format("{}", cell.offset);
      case DrawLabel::value: {
        if (options_.data) return cell.value;
        std::int64_t number = 0;
        for (std::size_t d = 0; d < shape_.size(); ++d) {
          number = number * shape_[d].extent + cell.index[d];
        }
        return fmt::format("{}", number);
      }
      case DrawLabel::index:
        break;
    }
    std::string text;
    for (const std::size_t d : dims_) {
      text += fmt::format("{}{}", text.empty() ? "" : ",", cell.index[d]);
    }
    return text;
  }

  // Characters of the longest one, about.
  [[nodiscard]] std::int64_t width(const Layout& layout) const {
    switch (options_.label) {
      case DrawLabel::offset:
        return digits(layout.places());
      case DrawLabel::value:
        return options_.data ? 7 : digits(layout.elements());
      case DrawLabel::index:
        break;
    }
    std::int64_t sum = static_cast<std::int64_t>(dims_.size()) - 1;
    for (const std::size_t d : dims_) sum += digits(shape_[d].extent - 1);
    return std::max<std::int64_t>(1, sum);
  }

 private:
  const DrawOptions& options_;
  Shape shape_;
  std::vector<std::size_t> dims_;
};

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
  Builder(const Layout& layout, const DrawOptions& options)
      : layout_(layout), options_(options), labels_(layout, options) {}

  Result<Picture> run() {
    if (Result<void> fine = check(); !fine) return unexpected(fine.error());
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
  Result<void> check() const {
    if (!layout_.valid()) return unexpected(*layout_.defect());
    if (options_.max_cells < 1 || options_.max_cells > most_cells) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("a picture of {} cells; between 1 and {} can be "
                              "drawn",
                              options_.max_cells, grouped(most_cells)));
    }
    if (options_.max_columns < 0 || options_.max_columns > most_cells) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("a picture of {} columns; between 1 and {} can "
                              "be drawn",
                              options_.max_columns, grouped(most_cells)));
    }
    if (options_.grid_bytes < 0 ||
        options_.grid_bytes / layout_.element_bytes() > widest_grid) {
      return fail(
          ErrorCode::invalid_value,
          fmt::format("a grid of {} bytes; a row holds 1 to {} elements",
                      options_.grid_bytes, widest_grid));
    }
    if (options_.data &&
        static_cast<std::int64_t>(options_.data->bytes.size()) !=
            layout_.size_bytes()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("the data has {} bytes, the layout takes {}",
                      options_.data->bytes.size(), layout_.size_bytes()));
    }
    if (options_.data &&
        options_.data->type.bytes() != layout_.element_bytes()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("the data has elements of {} bytes, the layout "
                      "of {}",
                      options_.data->type.bytes(), layout_.element_bytes()));
    }
    for (const DrawMark& mark : options_.marks) {
      if (mark.byte < 0 || mark.byte >= layout_.size_bytes()) {
        return fail(ErrorCode::invalid_value,
                    fmt::format("mark '{}' at byte {} is outside the tensor's "
                                "{} bytes",
                                mark.name, mark.byte, layout_.size_bytes()));
      }
    }
    return {};
  }

  void describe() {
    std::string expression = print(layout_.expression());
    if (options_.to) {
      expression += "  \u2192  " + print(options_.to->expression());
    }
    const std::string type =
        !options_.type_name.empty()
            ? options_.type_name
            : fmt::format("{}-byte elements", layout_.element_bytes());
    picture_.title = options_.title.empty() ? expression : options_.title;
    picture_.subtitle = fmt::format(
        "{}{} of {}, {}{}",
        options_.title.empty() ? "" : expression + "  \u00b7  ",
        print(layout_.shape()), type, size_text(layout_.size_bytes()),
        options_.to ? " \u2192 " + size_text(options_.to->size_bytes()) : "");
    picture_.shape = layout_.shape();
    picture_.element_bytes = layout_.element_bytes();
    picture_.label_dims = labels_.dims();
    picture_.label = options_.label;
    picture_.has_data = options_.data.has_value();
    picture_.colour = colouring_.name;
    picture_.colour_extent = colouring_.extent;
    picture_.colours = colouring_.colours;
    picture_.ordered_colours = colouring_.ordered;
    picture_.walk = options_.walk;
    for (const WalkStep& step : walk_)
      picture_.walk_steps.push_back(step.digit);
  }

  [[nodiscard]] std::int64_t columns(const Layout& layout) const {
    return options_.max_columns > 0
               ? options_.max_columns
               : std::max<std::int64_t>(
                     8, page_width / (labels_.width(layout) + 2));
  }

  Result<void> memory(const Layout& layout, const char* name) {
    const bool first = picture_.panels.empty();
    GridOptions grid{.view = options_.view,
                     .grid_bytes = options_.grid_bytes,
                     .max_cells = options_.max_cells,
                     .max_columns = columns(layout)};
    // A second memory may have other axes: what cannot be drawn as asked is
    // drawn as it asks for itself.
    if (!first && layout.axes().size() < 2) grid.view = DrawView::automatic;
    if (first) {
      for (const DrawMark& mark : options_.marks) {
        grid.forced.push_back(mark.byte / layout.element_bytes());
      }
    }
    for (const WalkStep& step : walk_) {
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
    Expression expression = logical_expression(layout_.shape());
    if (!options_.logical.empty()) {
      Result<Expression> given = parse_expression(options_.logical);
      if (!given) return unexpected(given.error());
      expression = *std::move(given);
    }
    const Result<Layout> layout =
        Layout::bind(expression, layout_.shape(), layout_.element_bytes());
    if (!layout) return unexpected(layout.error());
    if (!layout->valid()) return unexpected(*layout->defect());
    if (layout->axes().size() != 2) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("the logical tensor is drawn in two axes, rows "
                              "and columns, as in 'n h | c w'; not '{}'",
                              print(expression)));
    }
    GridOptions grid{.view = DrawView::image,
                     .max_cells = options_.max_cells,
                     .max_columns = columns(*layout),
                     .logical = true};
    for (const WalkStep& step : walk_) {
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
    if (options_.data && which == 0) search_padding(panel);
    const auto at = [&](std::span<const std::int64_t> index) {
      return cell_at.find(layout.offset(index));
    };
    for (std::size_t level = 0; level < walk_.size(); ++level) {
      const auto from = at(walk_[level].from_index);
      const auto to = at(walk_[level].to_index);
      if (from == cell_at.end() || to == cell_at.end()) continue;
      panel.jumps.push_back({fmt::format("{}:{}", options_.walk, level),
                             from->second, to->second});
    }
    if (which != 0) return;
    for (const DrawMark& mark : options_.marks) {
      const auto cell = cell_at.find(mark.byte / layout.element_bytes());
      if (cell != cell_at.end()) {
        panel.marks.push_back({mark.name, cell->second});
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
  Labels labels_;
  Colouring colouring_;
  std::vector<WalkStep> walk_;
  Picture picture_;
};

}  // namespace

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
  return Builder(layout, options).run();
}

std::int64_t terminal_columns(const Layout& layout, const DrawOptions& options,
                              const TerminalStyle& style) {
  const Labels labels(layout, options);
  const std::int64_t ruler = digits(layout.size_bytes()) + 3;
  return std::max<std::int64_t>(
      4, (style.width - ruler) / (labels.width(layout) + 1));
}

Result<std::string> draw_svg(const Layout& layout, const DrawOptions& options) {
  return make_picture(layout, options).map(to_svg);
}

Result<std::string> draw_html(const Layout& layout,
                              const DrawOptions& options) {
  return make_picture(layout, options).map(to_html);
}

Result<std::string> draw_terminal(const Layout& layout,
                                  const DrawOptions& options,
                                  const TerminalStyle& style) {
  DrawOptions fitted = options;
  if (fitted.max_columns == 0) {
    fitted.max_columns = terminal_columns(layout, options, style);
  }
  const Result<Picture> picture = make_picture(layout, fitted);
  if (!picture) return unexpected(picture.error());
  return to_terminal(*picture, style);
}

}  // namespace stridewise
