// SPDX-License-Identifier: Apache-2.0
#include "draw/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/utf8.hpp"
#include "draw/colour.hpp"
#include "draw/grid.hpp"
#include "draw/options.hpp"
#include "draw/panel.hpp"
#include "draw/pieces_cells.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t record_width = 240;    // characters
constexpr std::int64_t few_grains = 1 << 18;  // that may each be asked for
constexpr std::size_t most_dims = 32;         // of a layout

unexpected<Error> unsupported(std::string message) {
  return fail(ErrorCode::unsupported, std::move(message));
}

std::int64_t digits_of(std::int64_t number) {
  return static_cast<std::int64_t>(fmt::format("{}", number).size());
}

class RecordBuilder {
 public:
  RecordBuilder(const Layout& layout, const DrawOptions& options,
                std::span<const std::int64_t> columns)
      : layout_(layout), options_(options), columns_(columns) {
    tensors_.unit = 0;
    for (const Tensor& tensor : layout.tensors()) {
      const Result<Layout> part = layout.part(tensor.name);
      tensors_.parts.push_back(part ? *part : layout);
      const Layout& own = tensors_.parts.back();
      tensors_.bitwise.push_back(tensor.bitwise || bits_lie_apart(own));
      tensors_.unit = std::gcd(tensors_.unit,
                               tensors_.bitwise.back() ? 1 : own.place_bits());
    }
    tensors_.several = layout.tensor() < 0;
  }

  Result<Picture> run() {
    if (auto fine = check(); !fine) return unexpected(fine.error());
    if (auto coloured = choose_colours(); !coloured) {
      return unexpected(coloured.error());
    }
    describe();
    if (auto memory = draw_memory(); !memory) {
      return unexpected(memory.error());
    }
    return std::move(picture_);
  }

 private:
  // Whether a slice of bits lies elsewhere than the rest.
  static bool bits_lie_apart(const Layout& layout) {
    return std::ranges::any_of(layout.pieces(), [&](const LayoutPiece& piece) {
      return piece.tensor == layout.tensor() &&
             std::ranges::find(piece.slices, "#", &Slice::dim) !=
                 piece.slices.end();
    });
  }

  Result<void> check() const {
    if (auto fine = check_sizes(layout_, options_); !fine) return fine;
    if (!tensors_.several && layout_.unreadable()) {
      return unexpected(*layout_.unreadable());
    }
    if (options_.data && !tensors_.several &&
        options_.data->type.bits != layout_.element_bits() &&
        layout_.tensors()[static_cast<std::size_t>(layout_.tensor())]
            .type.empty()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("the data has elements of {} bits, the layout of "
                      "{}",
                      options_.data->type.bits, layout_.element_bits()));
    }
    if (layout_.unfindable()) return unexpected(*layout_.unfindable());
    if (options_.to) {
      return unsupported(
          "a conversion is drawn between layouts of plain digits");
    }
    if (!options_.walk.empty()) {
      return unsupported("a walk is marked in layouts of plain digits");
    }
    if (options_.view == DrawView::image || options_.view == DrawView::banks) {
      return unsupported("a layout of more than plain digits is drawn as rows");
    }
    if (options_.with_logical || !options_.logical.empty()) {
      return unsupported(
          "the logical tensor is drawn beside layouts of plain digits");
    }
    return {};
  }

  Result<void> choose_colours() {
    if (tensors_.several && options_.colour.empty()) {
      picture_.colour = "part";
      picture_.colour_extent = static_cast<std::int64_t>(tensors_.parts.size());
      picture_.colours = colours_of(picture_.colour_extent);
      for (const Tensor& tensor : layout_.tensors()) {
        picture_.colour_names.push_back(tensor.name);
      }
      return {};
    }
    Result<Colouring> colouring = make_colouring(
        tensors_.several ? tensors_.parts.front() : layout_, options_.colour);
    // Of the first tensor that has the dim, where none is chosen.
    for (std::size_t t = 1;
         tensors_.several && !colouring && t < tensors_.parts.size(); ++t) {
      colouring = make_colouring(tensors_.parts[t], options_.colour);
    }
    if (!colouring) return unexpected(colouring.error());
    colouring_ = *std::move(colouring);
    picture_.colour = colouring_.name;
    picture_.colour_extent = colouring_.extent;
    picture_.colours = colouring_.colours;
    picture_.ordered_colours = colouring_.ordered;
    return {};
  }

  void describe() {
    const std::string expression = print(layout_.expression());
    const std::string& named =
        layout_
            .tensors()[static_cast<std::size_t>(std::max(layout_.tensor(), 0))]
            .type;
    const std::string type =
        printable(named.empty() ? options_.type_name : named);
    picture_.title =
        options_.title.empty() ? expression : printable(options_.title);
    picture_.subtitle =
        fmt::format("{}{}{}, {} bytes",
                    options_.title.empty() ? "" : expression + "  \u00b7  ",
                    print(layout_.shape()),
                    tensors_.several || type.empty() ? "" : " of " + type,
                    layout_.size_bytes());
    picture_.shape = layout_.shape();
    picture_.element_bytes = 1;
    picture_.cell_bits = tensors_.unit;
    picture_.label = options_.label;
    picture_.has_data = options_.data.has_value();
    const bool bits =
        std::ranges::find(tensors_.bitwise, true) != tensors_.bitwise.end();
    if (options_.label == DrawLabel::index) {
      picture_.cell_words =
          fmt::format("in a cell of {} bit{}: the index{}", tensors_.unit,
                      tensors_.unit == 1 ? "" : "s", bits ? ":bit" : "");
    }
  }

  // Characters of the longest label.
  [[nodiscard]] std::int64_t label_width() const {
    if (options_.label == DrawLabel::value) return 7;
    if (options_.label == DrawLabel::offset) {
      return digits_of(layout_.size_bits() / tensors_.unit);
    }
    std::int64_t most = 1;
    for (std::size_t t = 0; t < tensors_.parts.size(); ++t) {
      std::int64_t width = tensors_.bitwise[t] ? 3 : 0;
      for (const Dim& dim : tensors_.parts[t].shape()) {
        if (dim.extent > 1) width += digits_of(dim.extent - 1) + 1;
      }
      most = std::max(most, width);
    }
    return most;
  }

  // Cells of a row: a step of the layout's digits that fits, or as many of its fractions
  // as fit.
  [[nodiscard]] std::int64_t row_cells(std::int64_t most) const {
    if (options_.grid_bytes > 0) {
      return std::max<std::int64_t>(1, options_.grid_bytes * 8 / tensors_.unit);
    }
    const std::int64_t all = ceil_div(layout_.size_bits(), tensors_.unit);
    if (all <= most) return std::max<std::int64_t>(all, 1);
    std::int64_t best = 1;
    std::int64_t next = all;  // the smallest step above it
    for (const LayoutPiece& piece : layout_.pieces()) {
      for (const LayoutPiece::Digit& digit : piece.digits) {
        const std::int64_t step = digit.stride_bits / tensors_.unit;
        if (digit.extent < 2 || digit.stride_bits % tensors_.unit != 0)
          continue;
        if (step <= most) best = std::max(best, step);
        if (step > most) next = std::min(next, step);
      }
    }
    for (std::int64_t times = most / best; times > 1; --times) {
      if (next % (times * best) == 0) return times * best;
    }
    return best >= 4 ? best : std::min<std::int64_t>(most, 32);
  }

  Result<void> draw_memory() {
    const std::int64_t cells = ceil_div(layout_.size_bits(), tensors_.unit);
    Expression row;
    row.axes.push_back({.terms = {{.digit = {.dim = "x"}}}});
    const Result<Layout> line = Layout::bind(row, {{"x", cells}}, 1);
    if (!line) return unexpected(line.error());
    const std::int64_t most =
        !columns_.empty() ? columns_.front()
        : options_.max_columns > 0
            ? options_.max_columns
            : std::max<std::int64_t>(8, record_width / (label_width() + 2));
    const std::int64_t across = row_cells(most);
    GridOptions options{.view = DrawView::rows,
                        .grid_bytes = across,
                        .max_cells = options_.max_cells,
                        .max_columns = std::max(most, across)};
    for (const DrawMark& mark : options_.marks) {
      options.forced.push_back(mark.byte * 8 / tensors_.unit);
    }
    Result<Grid> grid = make_grid(*line, options);
    if (!grid) return unexpected(grid.error());
    rulers(*grid);
    PicturePanel panel;
    panel.name = "memory";
    panel.expression = print(layout_.expression());
    count(panel);
    fill(*grid, panel);
    panel.rows = std::move(grid->rows);
    panel.columns = std::move(grid->columns);
    panel.row_bands = std::move(grid->row_bands);
    panel.column_bands = std::move(grid->column_bands);
    panel.row_heading = "byte";
    picture_.panels.push_back(std::move(panel));
    picture_.layouts.push_back(layout_);
    return {};
  }

  // Rulers count bytes, whatever a cell is.
  void rulers(Grid& grid) const {
    const auto in_bytes = [&](std::int64_t cells) {
      const std::int64_t bits = cells * tensors_.unit;
      return bits % 8 == 0 ? fmt::format("{}", bits / 8) : std::string();
    };
    for (std::size_t k = 0; k < grid.rows.size(); ++k) {
      if (grid.rows[k].elided == 0) {
        grid.rows[k].label = in_bytes(grid.rows_at[k].place);
      }
    }
    for (std::size_t k = 0; k < grid.columns.size(); ++k) {
      if (grid.columns[k].elided != 0) continue;
      const std::string bytes = in_bytes(grid.columns_at[k].place);
      grid.columns[k].label = bytes.empty() ? "" : "+" + bytes;
    }
  }

  void count(PicturePanel& panel) {
    panel.size_bytes = layout_.size_bytes();
    for (const Tensor& tensor : layout_.tensors()) {
      panel.elements +=
          tensors_.several || tensor.name == chosen() ? tensor.elements : 0;
    }
    const std::int64_t cells = layout_.size_bits() / tensors_.unit;
    panel.told_apart = cells <= few_grains;
    std::vector<std::int64_t> index(most_dims);
    for (std::int64_t k = 0; panel.told_apart && k < cells; ++k) {
      const Found found = layout_.find(k * tensors_.unit, index);
      const Place place = is_other(found) ? Place::other : found.place;
      panel.padding += place == Place::padding ? 1 : 0;
      panel.gaps += place == Place::gap ? 1 : 0;
    }
  }

  [[nodiscard]] std::string chosen() const {
    return layout_.tensors()[static_cast<std::size_t>(layout_.tensor())].name;
  }

  // Whether it is of another tensor than the one that is drawn.
  [[nodiscard]] bool is_other(const Found& found) const {
    return !tensors_.several && found.tensor >= 0 &&
           found.tensor != layout_.tensor();
  }

  void fill(const Grid& grid, PicturePanel& panel) {
    const PiecedCells cells(layout_, options_, tensors_, colouring_, picture_);
    std::vector<std::int64_t> index(most_dims);
    std::vector<std::int64_t> coordinates(layout_.axes().size());
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      for (std::size_t column = 0; column < grid.columns.size(); ++column) {
        const std::optional<std::int64_t> at = grid.place(row, column);
        if (!at) continue;
        const std::int64_t bit = *at * tensors_.unit;
        if (bit >= layout_.size_bits()) continue;
        const Found found = layout_.find(bit, index);
        PictureCell cell{.row = static_cast<std::int32_t>(row),
                         .column = static_cast<std::int32_t>(column),
                         .kind = found.place,
                         .offset = *at,
                         .byte = bit / 8};
        layout_.coordinates_at(bit, coordinates);
        cell.coords = coordinates;
        if (is_other(found)) {
          cell.kind = Place::other;
        } else if (found.place == Place::padding) {
          if (cells.padding(bit, cell)) ++panel.nonzero_padding;
        } else if (found.place == Place::element) {
          cells.element(found, index, cell);
        }
        for (const DrawMark& mark : options_.marks) {
          if (mark.byte * 8 / tensors_.unit == *at) {
            panel.marks.push_back({printable(mark.name), panel.cells.size()});
          }
        }
        panel.cells.push_back(std::move(cell));
      }
    }
  }

  const Layout& layout_;
  const DrawOptions& options_;
  std::span<const std::int64_t> columns_;
  PiecedTensors tensors_;
  Colouring colouring_;
  Picture picture_;
};

}  // namespace

bool is_pieced(const Layout& layout) {
  return !layout.plain() || layout.element_bits() % 8 != 0 || !layout.valid();
}

Result<Picture> build_pieces(const Layout& layout, const DrawOptions& options,
                             std::span<const std::int64_t> columns) {
  return RecordBuilder(layout, options, columns).run();
}

}  // namespace stridewise::draw
