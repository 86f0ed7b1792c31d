// A plan as text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

std::string print_count(const PlanLoop& loop) {
  return loop.zeros == 0
             ? fmt::to_string(loop.count)
             : fmt::format("{} of {}", loop.count, loop.count + loop.zeros);
}

std::string print_loop(const PlanLoop& loop, bool fills) {
  if (fills) return fmt::format("{} x (dst {:+})", loop.count, loop.dst_stride);
  return fmt::format("{} x (src {:+}, dst {:+})", print_count(loop),
                     loop.src_stride, loop.dst_stride);
}

// A line for each loop, so deep, then the kernel's or those of its steps.
std::string print_nest(const PlanNest& nest, std::size_t depth) {
  std::string text;
  for (const PlanLoop& loop : nest.loops) {
    text += fmt::format("{:{}}for {}\n", "", 2 * depth++,
                        print_loop(loop, nest.fills));
  }
  if (!nest.steps.empty()) {
    return text +
           fmt::format("{0:{1}}into a stage:\n{2}{0:{1}}from there:\n{3}", "",
                       2 * depth, print_nest(nest.steps[0], depth + 1),
                       print_nest(nest.steps[1], depth + 1));
  }
  const auto side = [&](const std::vector<PlanLoop>& loops,
                        const PlanLoop& single) {
    std::string printed;
    for (const PlanLoop& loop : loops) {
      printed += (printed.empty() ? "" : " * ") + print_loop(loop, false);
    }
    return printed.empty() ? print_loop(single, nest.fills) : printed;
  };
  return text +
         fmt::format(
             "{:{}}{}: {}, {}{}{}{}\n", "", 2 * depth, nest.kernel,
             side(nest.rows, nest.tile[0]), side(nest.columns, nest.tile[1]),
             nest.zeros > 0 ? fmt::format(", then {} zeros", nest.zeros) : "",
             nest.staged ? ", staged" : "", nest.streams ? ", streaming" : "");
}

}  // namespace

std::int64_t PlanNest::bytes() const {
  std::int64_t bytes = element_bytes * tile[1].count;
  for (const PlanLoop& loop : loops) bytes *= loop.count;
  if (rows.empty()) return bytes * tile[0].count;
  for (const PlanLoop& loop : rows) bytes *= loop.count;
  return bytes;
}

std::string Plan::to_string() const {
  std::string text = fmt::format(
      "{} bytes -> {} bytes, {} task{}{}\n", src_bytes(), dst_bytes(), tasks(),
      tasks() == 1 ? "" : "s",
      uses_threads() ? " for any number of threads" : " on the calling thread");
  text +=
      fmt::format("reads {} bytes, writes {}\n", bytes_read(), bytes_written());
  if (const auto& values = data_->values) {
    text += fmt::format("{} -> {}", values->src.name, values->dst.name);
    if (const Quantisation& q = values->quantisation; q != Quantisation{}) {
      text += fmt::format(", scale {}, zero point {}", q.scale, q.zero_point);
    }
    text += '\n';
  }
  for (const PlanNest& nest : nests()) {
    text += nest.fills ? fmt::format("zero from dst {}\n", nest.dst_offset)
                       : fmt::format("move from src {} to dst {}\n",
                                     nest.src_offset, nest.dst_offset);
    text += print_nest(nest, 1);
  }
  if (data_->sieve) {
    text += "zero the places that hold no element, one by one\n";
  }
  return text;
}

}  // namespace stridewise
