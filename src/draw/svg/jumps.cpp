// The walk through memory order, and marks.
//
// Marks, arrows and their tags have lanes of their own above the labels of their
// rows, and arrows go from row to row between columns: none crosses a label.
// Levels take turns between three lanes, because one jump ends where the next
// begins, and the one after that may land in the row where the first began.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "draw/svg/sheet.hpp"
#include "draw/walk.hpp"

namespace stridewise::draw {
namespace {

constexpr int lane_height = 9;
constexpr int tag_gap = 2;
constexpr int wide_apart = 4;
constexpr int narrow = 2;  // beside a border, no label is so near

enum class Way : std::uint8_t {
  none,    // from a cell to itself
  along,   // within a row
  on,      // memory goes on in the next row of its column, or of the picture
  across,  // to another row
};

// The columns that memory goes through without a break around this one.
std::size_t line_begin(const PicturePanel& panel, std::size_t column) {
  while (column > 0 && panel.columns[column].space == 0 &&
         panel.columns[column - 1].elided == 0) {
    --column;
  }
  return column;
}

std::size_t line_end(const PicturePanel& panel, std::size_t column) {
  while (column + 1 < panel.columns.size() &&
         panel.columns[column + 1].space == 0 &&
         panel.columns[column + 1].elided == 0) {
    ++column;
  }
  return column;
}

// Do the elements between lie next to each other?
bool contiguous(const PictureCell& from, const PictureCell& to) {
  std::int64_t steps = 0;
  for (std::size_t d = 0; d < from.index.size(); ++d) {
    steps += std::abs(to.index[d] - from.index[d]);
  }
  return to.offset - from.offset == steps;
}

Way way_of(const PicturePanel& panel, const PictureJump& jump) {
  const PictureCell& from = panel.cells[jump.from];
  const PictureCell& to = panel.cells[jump.to];
  if (jump.from == jump.to) return Way::none;
  if (from.row == to.row) return Way::along;
  if (panel.logical) return Way::across;
  const auto source = static_cast<std::size_t>(from.column);
  const auto target = static_cast<std::size_t>(to.column);
  const std::size_t begin = line_begin(panel, source);
  const std::size_t end = line_end(panel, source);
  const bool goes_on =
      is_run(jump) ? source < end && begin <= target && target <= end &&
                         contiguous(from, to)
                   : source == end && target == begin && to.row == from.row + 1;
  return goes_on ? Way::on : Way::across;
}

std::size_t lane_of(const PicturePanel& panel, const PictureJump& jump) {
  return static_cast<std::size_t>(&jump - panel.jumps.data()) % 3;
}

int tag_width(const std::string& text) { return mono_width(text, 8) + 4; }

std::string tag(const char* style, const std::string& text, int x, int y) {
  const int width = tag_width(text);
  return fmt::format(
      "<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"9\" "
      "rx=\"2\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
      style, x, y, width, x + width / 2, y + 7, escaped(text));
}

// The lanes of jumps that each row has, a bit each.
std::vector<unsigned> jump_lanes(const PicturePanel& panel) {
  std::vector<unsigned> used(panel.rows.size(), 0);
  for (const PictureJump& jump : panel.jumps) {
    const PictureCell& from = panel.cells[jump.from];
    const PictureCell& to = panel.cells[jump.to];
    const Way way = way_of(panel, jump);
    const unsigned lane = 1U << lane_of(panel, jump);
    const bool first = is_run(jump);
    if (first || way == Way::along || way == Way::across) {
      used[static_cast<std::size_t>(from.row)] |= lane;
    }
    if (!first || way == Way::along || way == Way::across) {
      used[static_cast<std::size_t>(to.row)] |= lane;
    }
  }
  return used;
}

// A mark has a lane of its own, above these.
std::vector<int> mark_lanes(const PicturePanel& panel) {
  std::vector<int> lanes(panel.rows.size(), 0);
  for (const PictureMark& mark : panel.marks) {
    lanes[static_cast<std::size_t>(panel.cells[mark.cell].row)] = 1;
  }
  return lanes;
}

class Jumps {
 public:
  Jumps(const PicturePanel& panel, const PanelSheet& sheet)
      : panel_(panel),
        sheet_(sheet),
        lanes_(jump_lanes(panel)),
        marks_(mark_lanes(panel)) {}

  std::string run() const {
    std::string arrows;
    std::string tags;
    for (const PictureJump& jump : panel_.jumps) {
      const std::string path = path_of(jump);
      if (!path.empty()) {
        arrows += fmt::format(
            "<path class=\"halo\" d=\"{0}\"/><path class=\"jump\" "
            "d=\"{0}\"/>\n",
            path);
      }
      const PictureCell& at = panel_.cells[tagged_cell(jump)];
      tags += tag("tag", jump.name, column(at).at + tag_gap,
                  lane(jump, at) - lane_height / 2);
    }
    return arrows + tags;
  }

 private:
  [[nodiscard]] Span column(const PictureCell& cell) const {
    return sheet_.columns[static_cast<std::size_t>(cell.column)];
  }

  // The middle of the jump's lane in the row of a cell.
  [[nodiscard]] int lane(const PictureJump& jump,
                         const PictureCell& cell) const {
    const auto row = static_cast<std::size_t>(cell.row);
    const unsigned before = lanes_[row] & ((1U << lane_of(panel_, jump)) - 1);
    return sheet_.rows[row].at + 2 + lane_height / 2 +
           lanes_height(marks_[row] + std::popcount(before));
  }

  [[nodiscard]] std::string path_of(const PictureJump& jump) const {
    const PictureCell& from = panel_.cells[jump.from];
    const PictureCell& to = panel_.cells[jump.to];
    const Span source = column(from);
    const Span target = column(to);
    const bool first = is_run(jump);
    const int past_tag = tag_gap + tag_width(jump.name);
    const int begin =
        first ? source.at + past_tag : source.at + source.size / 2;
    const int y = lane(jump, from);
    switch (way_of(panel_, jump)) {
      case Way::none:
        return "";
      case Way::on: {
        if (!first) return "";
        const Span last = sheet_.columns[line_end(
            panel_, static_cast<std::size_t>(from.column))];
        return fmt::format("M{} {}H{}", begin, y, last.at + last.size);
      }
      case Way::along:
        return fmt::format("M{} {}H{}", begin, y,
                           end_of(jump, begin, target, past_tag));
      case Way::across:
        break;
    }
    const int channel = channel_of(jump, from);
    const int landing = lane(jump, to);
    // Beside the tag's left edge there may be no room for a tip.
    if (!first && std::abs(channel - target.at) <= narrow) {
      return fmt::format("M{} {}H{}V{}", begin, y, target.at + narrow,
                         landing > y ? landing - 5 : landing + 5);
    }
    return fmt::format("M{} {}H{}V{}H{}", begin, y, channel, landing,
                       end_of(jump, channel, target, past_tag));
  }

  // Where an arrow ends that comes from `x`: the middle of the cell, or the tag.
  [[nodiscard]] int end_of(const PictureJump& jump, int x, Span target,
                           int past_tag) const {
    if (is_run(jump)) return target.at + target.size / 2;
    return x < target.at + past_tag ? target.at + tag_gap
                                    : target.at + past_tag;
  }

  // Between the column that a jump leaves and the next one.
  [[nodiscard]] int channel_of(const PictureJump& jump,
                               const PictureCell& from) const {
    const auto k = static_cast<std::size_t>(from.column);
    const int right = sheet_.columns[k].at + sheet_.columns[k].size;
    const bool open =
        k + 1 == sheet_.columns.size() || panel_.columns[k + 1].elided != 0;
    const int gap = open ? 12 : sheet_.columns[k + 1].at - right;
    const bool wide = gap >= 3 * wide_apart;
    const std::array<int, 3> beside =
        wide ? std::array<int, 3>{-wide_apart, wide_apart, 0}
             : std::array<int, 3>{-narrow, narrow, -narrow};
    return right + gap / 2 + beside[lane_of(panel_, jump)];
  }

  const PicturePanel& panel_;
  const PanelSheet& sheet_;
  std::vector<unsigned> lanes_;  // of each row
  std::vector<int> marks_;
};

}  // namespace

std::vector<int> row_lanes(const PicturePanel& panel) {
  std::vector<int> lanes = mark_lanes(panel);
  const std::vector<unsigned> jumps = jump_lanes(panel);
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    lanes[k] += std::popcount(jumps[k]);
  }
  return lanes;
}

int lanes_height(int lanes) { return lanes * (lane_height + 1); }

std::string svg_jumps(const PicturePanel& panel, const PanelSheet& sheet) {
  if (panel.jumps.empty()) return "";
  return Jumps(panel, sheet).run();
}

std::string svg_marks(const PicturePanel& panel, const PanelSheet& sheet) {
  std::string text;
  for (const PictureMark& mark : panel.marks) {
    const PictureCell& cell = panel.cells[mark.cell];
    const Span x = sheet.columns[static_cast<std::size_t>(cell.column)];
    const Span y = sheet.rows[static_cast<std::size_t>(cell.row)];
    text += fmt::format(
        "<rect class=\"marked\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"/>\n",
        x.at, y.at, x.size, y.size);
    text += tag("mark", mark.name, x.at + tag_gap, y.at + 2);
  }
  return text;
}

}  // namespace stridewise::draw
