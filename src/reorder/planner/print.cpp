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
    text += fmt::format("{:{}}for {} x (src {:+}, dst {:+})\n", "", 2 * depth++,
                        loop.count, loop.src_stride, loop.dst_stride);
  }
  return text + fmt::format("{:{}}{}: {} of {} bytes\n", "", 2 * depth,
                            nest.kernel, nest.tile[0].count,
                            nest.element_bytes);
}

std::string print_values(const Values& values) {
  std::string text = fmt::format("{} -> {}", values.src.name, values.dst.name);
  if (const Quantisation& q = values.quantisation; q != Quantisation{}) {
    text += fmt::format(", scale {}, zero point {}", q.scale, q.zero_point);
  }
  return text + "\n";
}

}  // namespace

std::string detail::print(const engine::Nest& nest) {
  const bool fills = nest.steps.front().kernel->kind == engine::Kind::fill;
  return (fills ? fmt::format("zero from dst {}\n", nest.dst_offset)
                : fmt::format("move from src {} to dst {}\n", nest.src_offset,
                              nest.dst_offset)) +
         engine::print(nest);
}

namespace {

std::string print_moves(const detail::PlanData& data) {
  std::string text;
  if (data.fields) {
    for (const PlanNest& nest : detail::nests_of(data))
      text += print_fields(nest);
  }
  for (const engine::Nest& nest : data.nests) text += detail::print(nest);
  if (data.sieve) {
    text += "zero the places that hold no element, one by one\n";
  }
  return text;
}

}  // namespace

std::string detail::print(const PlanData& data) {
  std::string text =
      fmt::format("{} bytes -> {} bytes, {} task{}{}\n", data.src_bytes,
                  data.dst_bytes, data.tasks, data.tasks == 1 ? "" : "s",
                  data.uses_threads() ? " for any number of threads"
                                      : " on the calling thread");
  text += fmt::format("reads {} bytes, writes {}\n", data.bytes_read,
                      data.bytes_written);
  if (data.values) text += print_values(*data.values);
  if (data.relays.empty()) return text + print_moves(data);
  // The others differ in where they begin, and the last one may be shorter.
  const Relay& first = data.relays.front();
  text += fmt::format("{} times by way of a memory of {} bytes\n",
                      data.relays.size(), first.bytes);
  return text + print_moves(*first.before) + print_moves(*first.after);
}

std::string Plan::to_string() const { return detail::print(data()); }

}  // namespace stridewise
