// The pass that shares work: tasks of a size that keeps threads busy and the
// cost of handing them out small.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t part_bytes = 128 << 10;
constexpr std::int64_t task_bytes = 512 << 10;
// Parts end on whole blocks of every kernel: 256 elements or bytes.
constexpr std::int64_t part_unit = 256;
constexpr std::int64_t sieve_places = 1 << 16;

// Where each combination of the loops begins in src, the last loop fastest.
std::vector<std::int64_t> src_offsets(const std::vector<PlanLoop>& loops) {
  std::vector<std::int64_t> offsets = {0};
  if (loops.empty()) return {};
  for (const PlanLoop& loop : loops) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * static_cast<std::size_t>(loop.count));
    for (const std::int64_t offset : offsets) {
      for (std::int64_t k = 0; k < loop.count; ++k) {
        next.push_back(offset + k * loop.src_stride);
      }
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace

void schedule(PlanData& data, PlanNest nest, bool streams) {
  const auto all = kernels();
  const Kernel& kernel =
      *std::ranges::find(all, std::string_view(nest.kernel), &Kernel::name);
  nest.streams = streams && kernel.stream != nullptr;

  const auto& tile = nest.tile;
  const std::size_t split_dim = tile[0].count >= tile[1].count ? 0 : 1;
  const std::int64_t count = std::max<std::int64_t>(tile[split_dim].count, 1);
  const std::int64_t slice_bytes =
      std::max<std::int64_t>(tile[1 - split_dim].count * nest.element_bytes, 1);
  const std::int64_t wanted =
      std::max<std::int64_t>(part_bytes / slice_bytes, 1);
  const std::int64_t split_count =
      std::min(count, ceil_div(wanted, part_unit) * part_unit);
  const std::int64_t parts = ceil_div(count, split_count);
  std::int64_t iterations = parts;
  for (const PlanLoop& loop : nest.loops) iterations *= loop.count;
  const std::int64_t per_task =
      std::max<std::int64_t>(task_bytes / (split_count * slice_bytes), 1);
  auto* const run = nest.streams ? kernel.stream : kernel.run;
  const bool runs = kernel.kind == KernelKind::copy;
  std::vector<std::int64_t> row_offsets = src_offsets(nest.rows);
  data.nests.push_back(ScheduledNest{.nest = std::move(nest),
                                     .kernel = &kernel,
                                     .run = run,
                                     .row_offsets = std::move(row_offsets),
                                     .split_dim = split_dim,
                                     .zeros_dim = runs ? 1U : 0U,
                                     .split_count = split_count,
                                     .parts = parts,
                                     .iterations = iterations,
                                     .per_task = per_task,
                                     .first_task = data.tasks});
  data.tasks += ceil_div(iterations, per_task);
}

void schedule_sieve(PlanData& data, const Layout& layout) {
  data.sieve = Sieve{layout, sieve_places, data.tasks};
  data.tasks += ceil_div(layout.places(), sieve_places);
}

}  // namespace stridewise::detail
