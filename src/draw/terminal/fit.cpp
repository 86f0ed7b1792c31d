// A picture that fits a terminal.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "draw/build.hpp"
#include "draw/terminal/measure.hpp"
#include "stridewise/draw.hpp"

namespace stridewise {

Result<Picture> make_terminal_picture(const Layout& layout,
                                      const DrawOptions& options,
                                      const TerminalStyle& style) {
  using namespace draw;
  // A cell takes two characters or more, and one between.
  std::int64_t columns = std::max<std::int64_t>(4, style.width / 3);
  DrawOptions fitted = options;
  if (options.max_columns == 0 || options.max_columns > columns) {
    fitted.max_columns = columns;
  }
  for (;;) {
    const Result<Picture> draft = build(layout, fitted, Care::cells);
    if (!draft) return unexpected(draft.error());
    const Pen pen(*draft, style);
    columns = fitted.max_columns;
    const auto needs = static_cast<std::int64_t>(terminal_width(*draft, pen));
    const auto has = static_cast<std::int64_t>(pen.width());
    if (needs <= has || columns == 1) break;
    fitted.max_columns =
        std::clamp<std::int64_t>(columns * has / needs, 1, columns - 1);
  }
  Result<Picture> picture = make_picture(layout, fitted);
  if (picture) crop(*picture, style);
  return picture;
}

Result<std::string> draw_terminal(const Layout& layout,
                                  const DrawOptions& options,
                                  const TerminalStyle& style) {
  const Result<Picture> picture = make_terminal_picture(layout, options, style);
  if (!picture) return unexpected(picture.error());
  return to_terminal(*picture, style);
}

}  // namespace stridewise
