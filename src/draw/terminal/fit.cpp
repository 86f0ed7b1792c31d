// A picture that fits a terminal.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "draw/build.hpp"
#include "draw/terminal/measure.hpp"
#include "stridewise/draw.hpp"

namespace stridewise {

Result<Picture> make_terminal_picture(const Layout& layout,
                                      const DrawOptions& options,
                                      const TerminalStyle& style) {
  using namespace draw;
  // A cell takes two characters or more, and one between.
  std::int64_t most = std::max<std::int64_t>(4, style.width / 3);
  if (options.max_columns > 0) most = std::min(most, options.max_columns);
  // Each panel as wide as it can be: memory, a second one, the logical tensor.
  std::vector<std::int64_t> columns(3, most);
  for (bool fits = false; !fits;) {
    const Result<Picture> draft = build(layout, options, Care::cells, columns);
    if (!draft) return unexpected(draft.error());
    const Pen pen(*draft, style);
    const auto has = static_cast<std::int64_t>(pen.width());
    fits = true;
    for (std::size_t k = 0; k < draft->panels.size(); ++k) {
      const auto needs =
          static_cast<std::int64_t>(measure(draft->panels[k], pen).width());
      if (needs <= has || columns[k] == 1) continue;
      columns[k] =
          std::clamp<std::int64_t>(columns[k] * has / needs, 1, columns[k] - 1);
      fits = false;
    }
  }
  Result<Picture> picture = build(layout, options, Care::all, columns);
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
