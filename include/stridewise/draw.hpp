// Pictures of a tensor in memory, for any layout: SVG, HTML, text.
//
//   Layout (mathematics) -> Picture (a value) -> SVG, HTML or text
//
// How memory is drawn follows from its axes alone. One axis becomes rows of
// cells; an axis of few steps at the end becomes the lanes of the places before
// it; else the last axis fills one column of cells for each step of the axis
// before it. All that can fail fails before a Picture exists.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// -------------------------------------------------------------- options ---

enum class DrawLabel : std::uint8_t {
  index,   // of the dims that have more than one index
  value,   // from DrawOptions::data, else the element's number in logical order
  offset,  // element offset from the start of memory
};

enum class DrawView : std::uint8_t {
  automatic,
  rows,   // all of memory as rows of cells, whatever its axes
  image,  // (row, column) or (row, column, lane); axes before: more rows
  banks,  // the last axis downwards, one column of cells a step of the others
};

// What memory holds. bytes.size() == size_bytes() of the layout drawn.
struct DrawData {
  ElementType type;
  std::span<const std::byte> bytes;
  bool big_endian = false;
};

// A name for one byte of memory, written at its cell.
struct DrawMark {
  std::string name;
  std::int64_t byte = 0;
};

struct DrawOptions {
  DrawLabel label = DrawLabel::index;
  DrawView view = DrawView::automatic;
  // A dim ("c") or a digit ("c/16", "c%4") that gives cells their colour;
  // empty: a dim in blocks if there is one.
  std::string colour = {};
  // Bytes in one row of cells (rows and banks); 0: 64 or what fits and suits.
  std::int64_t grid_bytes = 0;
  // Beyond these the regular middle of memory is left out, and the picture says
  // so. For each panel; a picture keeps at least its outline.
  std::int64_t max_cells = 2048;
  std::int64_t max_columns = 0;  // 0: what is about a page wide
  // The logical tensor beside memory. Its expression has two axes, rows and
  // columns ("n h | c w"); empty: planes of the last two dims.
  bool with_logical = false;
  std::string logical = {};
  // A second memory of the same tensor: the picture of a conversion.
  std::optional<Layout> to = {};
  // Where memory order leaves its run, step by step, from its first element on:
  // jumps marked [walk:0], [walk:1] ... from the innermost. Empty: not marked.
  std::string walk = {};
  std::optional<DrawData> data = {};
  std::vector<DrawMark> marks = {};
  std::string title = {};      // empty: the expression
  std::string type_name = {};  // of an element, for the title
};

// -------------------------------------------------------------- picture ---

struct PictureCell {
  std::int32_t row = 0;     // into PicturePanel::rows
  std::int32_t column = 0;  // into PicturePanel::columns
  Place kind = Place::gap;
  // In this panel's memory: in elements; where a layout is more than plain digits, in cells.
  std::int64_t offset = 0;
  std::int64_t byte = 0;                 // that it begins in
  std::vector<std::int64_t> index = {};  // of an element; else empty
  std::vector<std::int64_t> coords =
      {};                    // along the axes of this panel's layout
  std::int32_t colour = -1;  // into Picture::colours; -1: none
  std::int64_t block = -1;   // equal within a block; -1: in none
  std::string label = {};
  std::string value = {};  // what memory holds here, if data was given
  // "q n=0,k=3 bit 2": of an element of a part, a bit or a copy; else empty.
  std::string words = {};
  bool nonzero = false;  // padding that holds something else than zeros
  bool in_tile = false;  // moved by the first call of the kernel
};

// A row or a column of cells, or a place where some are left out.
struct PictureTrack {
  std::string label;        // at the ruler; what is left out
  std::int64_t elided = 0;  // tracks left out here; 0: this is one of cells
  std::int32_t space = 0;   // before it: 0 none, 1 some, 2 more
};

// What tracks first .. last have in common: "npu 0", "n=1".
struct PictureBand {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::string text;
  // Of columns: of the rows from this one on, up to where others begin. Planes
  // of the logical tensor that are not all beside each other have several.
  std::int32_t row = 0;
};

// A step of the walk: between two cells, by their place in `cells`. The innermost
// one is the whole run from its first to its last element.
struct PictureJump {
  std::string name;  // "a:1": of Picture::walk_steps[1]
  std::size_t from = 0;
  std::size_t to = 0;
};

struct PictureMark {
  std::string name;
  std::size_t cell = 0;
};

struct PicturePanel {
  std::string name;        // "memory", "from", "to", "logical"
  std::string expression;  // of the layout drawn
  std::string row_heading, column_heading;
  std::vector<PictureTrack> rows, columns;
  // From the outermost; each level covers what it has in common.
  std::vector<std::vector<PictureBand>> row_bands, column_bands;
  std::vector<PictureCell> cells;  // row by row
  std::vector<PictureJump> jumps;
  std::vector<PictureMark> marks;
  bool logical = false;  // offsets are numbers in logical order, not memory
  std::string block;     // the digits of one block; empty: none outlined
  std::int64_t size_bytes = 0;
  // Of all places, drawn or not. Where too many places would have to be asked
  // for, padding and gaps are counted together, as gaps.
  std::int64_t elements = 0, padding = 0, gaps = 0;
  bool told_apart = true;
  std::int64_t nonzero_padding = 0;  // of what was looked at: see `searched`
  bool searched = false;             // all places, not the drawn ones alone
};

// A colour as 0xRRGGBB, and that of the text on it; on paper and light screens,
// on dark screens.
struct PictureColour {
  std::uint32_t fill, text;
  std::uint32_t dark_fill, dark_text;
};

struct Picture {
  std::string title, subtitle;
  Shape shape;
  std::int64_t element_bytes = 0;
  std::int64_t cell_bits = 0;           // of memory that a cell is
  std::vector<std::string> label_dims;  // what index labels name, in order
  DrawLabel label = DrawLabel::index;
  bool has_data = false;
  std::string colour;  // the digit that colours stand for; empty: none
  std::int64_t colour_extent = 0;
  std::vector<PictureColour> colours;
  bool ordered_colours = false;  // a scale; else one colour a value
  std::vector<std::string>
      colour_names;        // of the values; empty: they are numbers
  std::string cell_words;  // what cells show; empty: what `label` says
  std::vector<PicturePanel> panels;
  std::string walk;  // as in the options
  // The digit of each jump, innermost first; empty where digits interleave.
  std::vector<std::string> walk_steps;
  std::string kernel;           // that moves the tile
  std::vector<Layout> layouts;  // of the panels

  [[nodiscard]] std::int64_t cells() const;  // drawn, in all panels
  [[nodiscard]] bool elided() const;         // is anything left out
};

// A layout that is more than plain digits, or whose elements are no whole bytes, is drawn as
// rows of cells of as many bits as all elements lie at multiples of: nibbles, or single bits
// where these lie apart. Its parts have colours, unless one is chosen; copies are marked
// with "=". It need not be one-to-one.
//
// Errors: a layout of which it cannot be told what lies at a place (its reason); a colour, grid, mark or
// logical expression that does not fit the layout; data of another size; `to`
// of another tensor; axes of more steps than 64 bits count. Time and size grow with the cells drawn, not with the
// tensor.
[[nodiscard]] Result<Picture> make_picture(const Layout& layout,
                                           const DrawOptions& options = {});

// ------------------------------------------------------------ renderers ---

// A document that stands on its own, UTF-8. Each cell is a <g> with data-kind
// (element, padding, gap), data-offset and data-byte in its panel's memory, and
// data-index ("n=0,c=1") where it holds an element.
[[nodiscard]] std::string to_svg(const Picture& picture);

// What a script needs to know of the layouts behind an SVG, as JSON: the shape, and for each
// panel its axes and digits.
[[nodiscard]] std::string picture_model(const Picture& picture);

// One page without network: the SVG, and a script that links its panels.
[[nodiscard]] std::string to_html(const Picture& picture);

struct TerminalStyle {
  std::int32_t width = 80;  // characters
  bool colours = false;     // ANSI escape sequences, 256 colours
  bool unicode = false;     // box drawing; else ASCII
};

// A picture that fits the terminal: of so few columns, at most
// DrawOptions::max_columns, as it takes; where even the fewest are too many, the
// last ones are left out, which the picture says. Errors: as make_picture.
[[nodiscard]] Result<Picture> make_terminal_picture(const Layout& layout,
                                                    const DrawOptions& options,
                                                    const TerminalStyle& style);

// Lines of text. Of a picture that is wider than the terminal the last columns
// are left out, and the text says so.
[[nodiscard]] std::string to_terminal(const Picture& picture,
                                      const TerminalStyle& style);

// make_picture and a renderer in one.
[[nodiscard]] Result<std::string> draw_svg(const Layout& layout,
                                           const DrawOptions& options = {});
[[nodiscard]] Result<std::string> draw_html(const Layout& layout,
                                            const DrawOptions& options = {});
[[nodiscard]] Result<std::string> draw_terminal(
    const Layout& layout, const DrawOptions& options = {},
    const TerminalStyle& style = {});

}  // namespace stridewise
