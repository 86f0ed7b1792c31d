// Lines around blocks and tiles.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "draw/svg/sheet.hpp"

namespace stridewise::draw {
namespace {

// From .. to along each line, in pixels, by where the line lies.
using UnitLines = std::map<int, std::set<std::pair<int, int>>>;

bool apart(const std::vector<PictureTrack>& tracks, std::int32_t k) {
  return k >= 0 && static_cast<std::size_t>(k) < tracks.size() &&
         tracks[static_cast<std::size_t>(k)].space != 0;
}

template <class Visit>
void each_joined(const std::set<std::pair<int, int>>& lines, Visit visit) {
  auto next = lines.begin();
  while (next != lines.end()) {
    const int begin = next->first;
    int end = next->second;
    for (++next; next != lines.end() && next->first <= end; ++next) {
      end = std::max(end, next->second);
    }
    visit(begin, end);
  }
}

class Outline {
 public:
  Outline(const PicturePanel& panel, const PanelSheet& sheet)
      : panel_(panel), sheet_(sheet) {
    for (std::size_t k = 0; k < panel.cells.size(); ++k) {
      at_[{panel.cells[k].row, panel.cells[k].column}] = k;
    }
  }

  // Lines between cells of different groups; a group is a number from 0.
  template <class Group>
  std::string around(const char* style, Group group) const {
    const auto group_at = [&](std::int32_t r, std::int32_t c) {
      const auto found = at_.find({r, c});
      return found == at_.end() ? -1 : group(panel_.cells[found->second]);
    };
    UnitLines across;
    UnitLines down;
    for (const PictureCell& cell : panel_.cells) {
      const std::int64_t own = group(cell);
      if (own < 0) continue;
      const Span x = sheet_.columns[static_cast<std::size_t>(cell.column)];
      const Span y = sheet_.rows[static_cast<std::size_t>(cell.row)];
      const int right = x.at + x.size;
      const int bottom = y.at + y.size;
      if (group_at(cell.row - 1, cell.column) != own ||
          apart(panel_.rows, cell.row)) {
        across[y.at].insert({x.at, right});
      }
      if (group_at(cell.row + 1, cell.column) != own ||
          apart(panel_.rows, cell.row + 1)) {
        across[bottom].insert({x.at, right});
      }
      if (group_at(cell.row, cell.column - 1) != own ||
          apart(panel_.columns, cell.column)) {
        down[x.at].insert({y.at, bottom});
      }
      if (group_at(cell.row, cell.column + 1) != own ||
          apart(panel_.columns, cell.column + 1)) {
        down[right].insert({y.at, bottom});
      }
    }
    std::string path;
    for (const auto& line : across) {
      each_joined(line.second, [&](int begin, int end) {
        path += fmt::format("M{} {}h{}", begin, line.first, end - begin);
      });
    }
    for (const auto& line : down) {
      each_joined(line.second, [&](int begin, int end) {
        path += fmt::format("M{} {}v{}", line.first, begin, end - begin);
      });
    }
    return path.empty()
               ? ""
               : fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, path);
  }

 private:
  const PicturePanel& panel_;
  const PanelSheet& sheet_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> at_;
};

}  // namespace

std::string svg_outlines(const PicturePanel& panel, const PanelSheet& sheet) {
  const Outline outline(panel, sheet);
  return outline.around("block", [](const PictureCell& cell) {
    return cell.block;
  }) + outline.around("tile", [](const PictureCell& cell) -> std::int64_t {
    return cell.in_tile ? 0 : -1;
  });
}

}  // namespace stridewise::draw
