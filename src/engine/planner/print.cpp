// A nest as text: all that decides what runs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/planner/nest.hpp"

namespace stridewise::engine {
namespace {

std::string print(const Loop& loop, bool fills) {
  return fills ? fmt::format("{} x (dst {:+})", loop.count, loop.dst)
               : fmt::format("{} x (src {:+}, dst {:+})", loop.count, loop.src,
                             loop.dst);
}

// Loops that are together rows or columns, the outermost first.
std::string print_side(const std::vector<Loop>& loops, bool fills) {
  std::string text;
  for (const Loop& loop : loops) {
    text = print(loop, fills) + (text.empty() ? "" : " * ") + text;
  }
  return text.empty() ? "1" : text;
}

std::string print_hints(const Step& step) {
  const Hints& hints = step.hints;
  std::string text;
  if (step.streams) text += ", streaming";
  if (hints.ahead != 0)
    text += fmt::format(", asking {} bytes ahead", hints.ahead);
  if (step.kernel->kind != Kind::transpose) return text;
  if (hints.strips > 1)
    text += fmt::format(", {} strips by turns", hints.strips);
  if (hints.whole_lines) text += ", whole lines";
  return text;
}

// The planes of a tile, then its kernel with rows and columns.
std::string print_step(const Step& step, std::size_t depth) {
  const bool fills = step.kernel->kind == Kind::fill;
  std::string text;
  for (std::size_t k = step.tile.planes.size(); k-- > 0;) {
    if (step.tile.planes[k].count == 1) continue;
    text += fmt::format("{:{}}of {}\n", "", 2 * depth++,
                        print(step.tile.planes[k], fills));
  }
  text += fmt::format("{:{}}{}: {}", "", 2 * depth, name_of(step),
                      print_side(step.rows, fills));
  if (of_runs(step.kernel->kind)) {
    text += fmt::format(", runs of {} {}", step.tile.columns,
                        step.converts ? "values" : "bytes");
  } else if (!step.columns.empty()) {
    text += fmt::format(", {}", print_side(step.columns, fills));
  }
  if (step.tile.zeros > 0) {
    text += fmt::format(", then {} zero{}", step.tile.zeros,
                        of_runs(step.kernel->kind) ? " bytes" : "s");
  }
  return text + print_hints(step) + "\n";
}

}  // namespace

std::string name_of(const Step& step) {
  return step.converts ? "convert" : kernel_name(*step.kernel);
}

std::string print(const Nest& nest) {
  const bool fills = nest.steps.front().kernel->kind == Kind::fill;
  std::string text;
  std::size_t depth = 1;
  for (const BlockLoop& over : nest.around) {
    text += fmt::format(
        "{:{}}for {}{}\n", "", 2 * depth++, print(over.loop, fills),
        over.whole == 0
            ? ""
            : fmt::format(" by {}, at last {}", over.whole, over.last));
  }
  if (nest.steps.size() == 1) return text + print_step(nest.steps[0], depth);
  for (std::size_t s = 0; s < nest.steps.size(); ++s) {
    text += fmt::format("{:{}}{}:\n", "", 2 * depth,
                        s == 0                       ? "into a stage"
                        : s + 1 == nest.steps.size() ? "to dst"
                                                     : "into another");
    text += print_step(nest.steps[s], depth + 1);
  }
  return text;
}

}  // namespace stridewise::engine
