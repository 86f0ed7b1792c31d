// The pass that shares work: tasks of a size that keeps threads busy and the
// cost of handing them out small.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t part_bytes = 128 << 10;
constexpr std::int64_t task_bytes = 512 << 10;
// Parts end on whole blocks of every kernel: 256 elements or bytes.
constexpr std::int64_t part_unit = 256;
constexpr std::int64_t sieve_places = 1 << 16;

}  // namespace

void schedule(PlanData& data, PlanNest nest) {
  const auto& tile = nest.tile;
  const std::int64_t tile_bytes =
      tile[0].count * tile[1].count * nest.element_bytes;
  ScheduledNest scheduled{.nest = {},
                          .kernel = nullptr,
                          .split_dim = 0,
                          .split_count = 0,
                          .parts = 0,
                          .iterations = 1,
                          .per_task = 1,
                          .first_task = data.tasks};
  scheduled.split_dim = tile[0].count >= tile[1].count ? 0 : 1;
  const std::int64_t count = tile[scheduled.split_dim].count;
  const std::int64_t slice_bytes =
      tile_bytes / std::max<std::int64_t>(count, 1);
  const std::int64_t wanted = std::max<std::int64_t>(
      part_bytes / std::max<std::int64_t>(slice_bytes, 1), 1);
  scheduled.split_count =
      std::min(count, ceil_div(wanted, part_unit) * part_unit);
  scheduled.parts = ceil_div(count, scheduled.split_count);
  scheduled.iterations = scheduled.parts;
  for (const PlanLoop& loop : nest.loops) scheduled.iterations *= loop.count;
  const std::int64_t iteration_bytes =
      std::max<std::int64_t>(scheduled.split_count * slice_bytes, 1);
  scheduled.per_task = std::max<std::int64_t>(task_bytes / iteration_bytes, 1);
  data.tasks += ceil_div(scheduled.iterations, scheduled.per_task);
  const auto all = kernels();
  scheduled.kernel =
      &*std::ranges::find(all, std::string_view(nest.kernel), &Kernel::name);
  scheduled.nest = std::move(nest);
  data.nests.push_back(std::move(scheduled));
}

void schedule_sieve(PlanData& data, const Layout& layout) {
  data.sieve = Sieve{layout, sieve_places, data.tasks};
  data.tasks += ceil_div(layout.places(), sieve_places);
}

}  // namespace stridewise::detail
