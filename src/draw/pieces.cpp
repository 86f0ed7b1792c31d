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
#include "draw/labels.hpp"
#include "draw/options.hpp"
#include "draw/panel.hpp"
#include "draw/value.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/values.hpp"

namespace stridewise::draw {
namespace {

constexpr std::int64_t page_width = 240;      // characters
constexpr std::int64_t few_places = 1 << 18;  // that may each be asked for
constexpr std::size_t most_dims = 32;         // of a layout

unexpected<Error> unsupported(std::string message) {
  return fail(ErrorCode::unsupported, std::move(message));
}

std::int64_t digits_of(std::int64_t number) {
  return static_cast<std::int64_t>(fmt::format("{}", number).size());
}

class Builder {
 public:
  Builder(const Layout& layout, const DrawOptions& options,
          std::span<const std::int64_t> columns)
      : layout_(layout), options_(options), columns_(columns) {
    unit_ = 0;
    for (const Tensor& tensor : layout.tensors()) {
      const Result<Layout> part = layout.part(tensor.name);
      parts_.push_back(part ? *part : layout);
      bitwise_.push_back(tensor.bitwise || bits_lie_apart(parts_.back()));
      unit_ = std::gcd(unit_, bitwise_.back() ? 1 : parts_.back().place_bits());
    }
    several_ = layout.tensor() < 0;
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
    if (!several_ && layout_.unreadable()) {
      return unexpected(*layout_.unreadable());
    }
    if (options_.data && !several_ &&
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
    if (several_ && options_.colour.empty()) {
      picture_.colour = "part";
      picture_.colour_extent = static_cast<std::int64_t>(parts_.size());
      picture_.colours = colours_of(picture_.colour_extent);
      for (const Tensor& tensor : layout_.tensors()) {
        picture_.colour_names.push_back(tensor.name);
      }
      return {};
    }
    Result<Colouring> colouring =
        make_colouring(several_ ? parts_.front() : layout_, options_.colour);
    // Of the first tensor that has the dim, where none is chosen.
    for (std::size_t t = 1; several_ && !colouring && t < parts_.size(); ++t) {
      colouring = make_colouring(parts_[t], options_.colour);
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
    picture_.subtitle = fmt::format(
        "{}{}{}, {} bytes",
        options_.title.empty() ? "" : expression + "  \u00b7  ",
        print(layout_.shape()), several_ || type.empty() ? "" : " of " + type,
        layout_.size_bytes());
    picture_.shape = layout_.shape();
    picture_.element_bytes = 1;
    picture_.cell_bits = unit_;
    picture_.label = options_.label;
    picture_.has_data = options_.data.has_value();
    const bool bits = std::ranges::find(bitwise_, true) != bitwise_.end();
    if (options_.label == DrawLabel::index) {
      picture_.cell_words =
          fmt::format("in a cell of {} bit{}: the index{}", unit_,
                      unit_ == 1 ? "" : "s", bits ? ":bit" : "");
    }
  }

  // Characters of the longest label.
  [[nodiscard]] std::int64_t label_width() const {
    if (options_.label == DrawLabel::value) return 7;
    if (options_.label == DrawLabel::offset) {
      return digits_of(layout_.size_bits() / unit_);
    }
    std::int64_t most = 1;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      std::int64_t width = bitwise_[t] ? 3 : 0;
      for (const Dim& dim : parts_[t].shape()) {
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
      return std::max<std::int64_t>(1, options_.grid_bytes * 8 / unit_);
    }
    const std::int64_t all = ceil_div(layout_.size_bits(), unit_);
    if (all <= most) return std::max<std::int64_t>(all, 1);
    std::int64_t best = 1;
    std::int64_t next = all;  // the smallest step above it
    for (const LayoutPiece& piece : layout_.pieces()) {
      for (const LayoutPiece::Digit& digit : piece.digits) {
        const std::int64_t step = digit.stride_bits / unit_;
        if (digit.extent < 2 || digit.stride_bits % unit_ != 0) continue;
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
    const std::int64_t cells = ceil_div(layout_.size_bits(), unit_);
    Expression row;
    row.axes.push_back({.terms = {{.digit = {.dim = "x"}}}});
    const Result<Layout> line = Layout::bind(row, {{"x", cells}}, 1);
    if (!line) return unexpected(line.error());
    const std::int64_t most =
        !columns_.empty() ? columns_.front()
        : options_.max_columns > 0
            ? options_.max_columns
            : std::max<std::int64_t>(8, page_width / (label_width() + 2));
    const std::int64_t across = row_cells(most);
    GridOptions options{.view = DrawView::rows,
                        .grid_bytes = across,
                        .max_cells = options_.max_cells,
                        .max_columns = std::max(most, across)};
    for (const DrawMark& mark : options_.marks) {
      options.forced.push_back(mark.byte * 8 / unit_);
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
      const std::int64_t bits = cells * unit_;
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
          several_ || tensor.name == chosen() ? tensor.elements : 0;
    }
    const std::int64_t cells = layout_.size_bits() / unit_;
    panel.told_apart = cells <= few_places;
    std::vector<std::int64_t> index(most_dims);
    for (std::int64_t k = 0; panel.told_apart && k < cells; ++k) {
      const Found found = layout_.find(k * unit_, index);
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
    return !several_ && found.tensor >= 0 && found.tensor != layout_.tensor();
  }

  void fill(const Grid& grid, PicturePanel& panel) {
    std::vector<std::int64_t> index(most_dims);
    std::vector<std::int64_t> coordinates(layout_.axes().size());
    for (std::size_t row = 0; row < grid.rows.size(); ++row) {
      for (std::size_t column = 0; column < grid.columns.size(); ++column) {
        const std::optional<std::int64_t> at = grid.place(row, column);
        if (!at) continue;
        const std::int64_t bit = *at * unit_;
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
          padding(bit, cell, panel);
        } else if (found.place == Place::element) {
          element(found, index, cell);
        }
        for (const DrawMark& mark : options_.marks) {
          if (mark.byte * 8 / unit_ == *at) {
            panel.marks.push_back({printable(mark.name), panel.cells.size()});
          }
        }
        panel.cells.push_back(std::move(cell));
      }
    }
  }

  // Padding that is not zero is told.
  void padding(std::int64_t bit, PictureCell& cell, PicturePanel& panel) const {
    if (!options_.data) return;
    std::int64_t held = 0;
    const std::int64_t end = std::min(bit + unit_, layout_.size_bits());
    for (std::int64_t at = bit; at < end; ++at) {
      const auto byte = static_cast<unsigned>(
          options_.data->bytes[static_cast<std::size_t>(at / 8)]);
      held |= byte >> (at % 8) & 1U;
    }
    if (held == 0) return;
    cell.nonzero = true;
    cell.label = cell.value = "not 0";
    ++panel.nonzero_padding;
  }

  void element(const Found& found, std::span<const std::int64_t> index,
               PictureCell& cell) {
    const auto t = static_cast<std::size_t>(found.tensor);
    const Shape& shape = parts_[t].shape();
    const auto own = index.first(shape.size());
    if (!several_) cell.index.assign(own.begin(), own.end());
    if (!picture_.colour_names.empty()) {
      cell.colour =
          static_cast<std::int32_t>(std::min(t, picture_.colours.size() - 1));
    } else if (colouring_.dim < own.size() &&
               shape[colouring_.dim].name == colouring_.digit.dim) {
      cell.colour = colouring_.of(own);
    }
    std::string numbers;
    for (std::size_t d = 0; d < own.size(); ++d) {
      const bool first = cell.words.empty();
      cell.words +=
          fmt::format("{}{}={}", first ? "" : ",", shape[d].name, own[d]);
      if (shape[d].extent == 1 && own.size() > 1) continue;
      numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", own[d]);
    }
    const std::string& name = layout_.tensors()[t].name;
    if (!name.empty()) cell.words = name + " " + cell.words;
    if (bitwise_[t]) {
      cell.words += fmt::format(" bit {}", found.bit);
      numbers += fmt::format(":{}", found.bit);
    }
    if (found.copy > 0) {
      cell.words += fmt::format(" copy {}", found.copy);
      numbers = "=" + numbers;
    }
    // An element of several cells is told once.
    const bool begins = bitwise_[t] || found.bit == 0;
    if (options_.data && begins) cell.value = value(t, own);
    if (begins) cell.label = label(cell, numbers, t, own);
  }

  [[nodiscard]] std::string label(const PictureCell& cell,
                                  const std::string& numbers, std::size_t t,
                                  std::span<const std::int64_t> index) const {
    if (auto number = number_label(cell, options_, parts_[t].shape(), index)) {
      return *std::move(number);
    }
    return numbers.empty() ? layout_.tensors()[t].name : numbers;
  }

  // The number that the element's bits are.
  [[nodiscard]] std::string value(std::size_t t,
                                  std::span<const std::int64_t> index) const {
    const Tensor& tensor = layout_.tensors()[t];
    const ElementType type =
        tensor.type.empty()
            ? options_.data->type
            : parse_element_type(tensor.type).value_or(options_.data->type);
    std::vector<std::byte> code(16);
    for (std::int64_t b = 0;
         b < std::min<std::int64_t>(tensor.element_bits, 128); ++b) {
      const std::int64_t at = parts_[t].bit_of(index, b);
      const auto byte = static_cast<unsigned>(
          options_.data->bytes[static_cast<std::size_t>(at / 8)]);
      code[static_cast<std::size_t>(b / 8)] |=
          static_cast<std::byte>((byte >> (at % 8) & 1U) << (b % 8));
    }
    if (options_.data->big_endian && type.bits % 8 == 0) {
      std::reverse(code.begin(), code.begin() + type.bits / 8);
    }
    const ElementType plain = printed_type(type);
    std::vector<std::byte> shown(16);
    if (plain == type) {
      shown = code;
    } else {
      convert_values({type, plain}, code.data(), shown.data(), 1);
    }
    return print_value(
        plain, std::span(shown).first(static_cast<std::size_t>(plain.bytes())),
        false);
  }

  // What a value of the type is printed as: integers as s64, small floats as f32.
  static ElementType printed_type(const ElementType& type) {
    if (type.kind == ElementKind::small_floating) {
      return *parse_element_type("f32");
    }
    if (type.kind == ElementKind::unsigned_integer && type.bits < 64) {
      return *parse_element_type("u64");
    }
    if (type.kind == ElementKind::signed_integer && type.bits < 64) {
      return *parse_element_type("s64");
    }
    return type;
  }

  const Layout& layout_;
  const DrawOptions& options_;
  std::span<const std::int64_t> columns_;
  std::vector<Layout> parts_;  // one a tensor
  std::vector<bool> bitwise_;  // whether cells are of its bits
  bool several_ = false;       // no tensor is chosen: all are drawn
  std::int64_t unit_ = 1;      // bits of a cell
  Colouring colouring_;
  Picture picture_;
};

}  // namespace

bool is_pieced(const Layout& layout) {
  return !layout.plain() || layout.element_bits() % 8 != 0 || !layout.valid();
}

Result<Picture> build_pieces(const Layout& layout, const DrawOptions& options,
                             std::span<const std::int64_t> columns) {
  return Builder(layout, options, columns).run();
}

}  // namespace stridewise::draw
