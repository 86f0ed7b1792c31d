// A nest as text: all that decides what runs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/planner/nest.hpp"

namespace stridewise::engine {
namespace {

std::string print(const Loop& loop) {
  return fmt::format("{} x (src {:+}, dst {:+})", loop.count, loop.src,
                     loop.dst);
}

std::string print_side(const std::vector<Loop>& loops) {
  std::string text;
  for (const Loop& loop : loops)
    text = print(loop) + (text.empty() ? "" : " * ") + text;
  return text;
}

std::string print_step(const Step& step, std::size_t depth) {
  std::string text;
  for (std::size_t k = step.tile.planes.size(); k-- > 0;) {
    if (step.tile.planes[k].count == 1) continue;
    text += fmt::format("{:{}}of {}\n", "", 2 * depth++,
                        print(step.tile.planes[k]));
  }
  text += fmt::format("{:{}}{}", "", 2 * depth, kind_name(step.kernel->kind));
  if (step.kernel->element_bytes > 1)
    text += fmt::format(".b{}", 8 * step.kernel->element_bytes);
  text += fmt::format(" {} {} x {}", isa_name(step.kernel->isa), step.tile.rows,
                      step.tile.columns);
  text +=
      fmt::format(": {} | {}", print_side(step.rows), print_side(step.columns));
  if (step.tile.zeros > 0) text += fmt::format(", {} zeros", step.tile.zeros);
  if (step.streams) text += ", streaming";
  return text + "\n";
}

}  // namespace

bool same(const Nest& a, const Nest& b) {
  return a.src_offset == b.src_offset && a.dst_offset == b.dst_offset &&
         print(a) == print(b);
}

std::string print(const Nest& nest) {
  std::string text;
  std::size_t depth = 1;
  for (const BlockLoop& loop : nest.around) {
    text += fmt::format("{:{}}for {}{}\n", "", 2 * depth++, print(loop.loop),
                        loop.whole == 0 ? ""
                                        : fmt::format(" of {}, last {}",
                                                      loop.whole, loop.last));
  }
  for (const Step& step : nest.steps) text += print_step(step, depth);
  return text;
}

}  // namespace stridewise::engine
