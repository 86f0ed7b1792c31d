// A plan as text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

// Where places are looked up in tables.
std::string print_fields(const PlanNest& nest) {
  std::string text = fmt::format("move from src {} to dst {}\n",
                                 nest.src_offset, nest.dst_offset);
  std::size_t depth = 1;
  for (const PlanLoop& loop : nest.loops) {
    text += fmt::format("{:{}}for {} x (src {:+}, dst {:+})\n", "",
                        2 * depth++, loop.count, loop.src_stride,
                        loop.dst_stride);
  }
  return text + fmt::format("{:{}}{}: {} of {} bytes\n", "", 2 * depth,
                            nest.kernel, nest.tile[0].count,
                            nest.element_bytes);
}

}  // namespace

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
  if (data_->fields) {
    for (const PlanNest& nest : nests()) text += print_fields(nest);
  }
  for (const engine::Nest& nest : data_->nests) {
    const bool fills =
        nest.steps.front().kernel->kind == engine::Kind::fill;
    text += fills ? fmt::format("zero from dst {}\n", nest.dst_offset)
                  : fmt::format("move from src {} to dst {}\n",
                                nest.src_offset, nest.dst_offset);
    text += engine::print(nest);
  }
  if (data_->sieve) {
    text += "zero the places that hold no element, one by one\n";
  }
  return text;
}

}  // namespace stridewise
