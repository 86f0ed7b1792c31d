// What a Plan keeps: nests with the work shared out. Written by the planner,
// read by the executor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "engine/planner/nest.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/values/conversion.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::detail {

// Zeros the places that hold no element by asking the inverse of each: for
// layouts whose digits interleave so that no rectangles describe them.
struct Sieve {
  Layout layout;
  std::int64_t per_task;  // places
  std::int64_t first_task;
};

struct PlanData;

// A part of src that goes to dst by way of a memory.
struct Relay {
  std::int64_t bytes;  // of the memory
  std::shared_ptr<const PlanData> before;
  std::shared_ptr<const PlanData> after;
};

struct PlanData {
  // Not empty: one after the other, as one task, and nothing else. `relayed`: src and dst,
  // between which the reference moves all where there is no memory.
  std::vector<Relay> relays = {};
  std::vector<Layout> relayed = {};
  Fill relayed_fill = Fill::keep;
  // Where places follow no plain strides this is the plan, of one task, and nests are none.
  std::shared_ptr<const FieldPlan> fields;
  std::vector<engine::Nest> nests;
  std::optional<Sieve> sieve;  // its tasks come last
  std::int64_t tasks = 0;
  std::int64_t src_bytes = 0;
  std::int64_t dst_bytes = 0;
  std::int64_t bytes_read = 0;  // by a run
  std::int64_t bytes_written = 0;
  // Where values change: moves are planned as if the elements of both sides had one width.
  std::optional<Values> values;
  std::optional<ValueConversion> conversion = {};  // nullopt without them
  engine::Widths widths = {};

  // Bytes of src and dst together.
  [[nodiscard]] std::int64_t both_bytes() const {
    return saturated(add(src_bytes, dst_bytes));
  }
  // Whether there is so much to move that waking other threads is worth it.
  [[nodiscard]] bool uses_threads() const {
    constexpr std::int64_t min_shared_bytes = 1 << 20;
    return tasks > 1 && both_bytes() >= min_shared_bytes;
  }
};

// What a plan says of itself.
[[nodiscard]] std::vector<PlanNest> nests_of(const PlanData& data);
[[nodiscard]] std::string print(const PlanData& data);
[[nodiscard]] std::string print(const engine::Nest& nest);

}  // namespace stridewise::detail
