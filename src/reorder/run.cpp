// Runs a plan's tasks; nothing here can fail.
// SPDX-License-Identifier: Apache-2.0
#include "engine/executor/run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <span>

#include "base/expects.hpp"
#include "layout/data.hpp"
#include "reorder/plan_data.hpp"

namespace stridewise {
namespace {

using detail::PlanData;
using detail::Sieve;

void run_sieve(const Sieve& sieve, std::int64_t task, std::byte* dst) {
  const std::int64_t begin = task * sieve.per_task;
  const std::int64_t end =
      std::min(begin + sieve.per_task, sieve.layout.places());
  const std::int64_t width = sieve.layout.element_bytes();
  std::array<std::int64_t, detail::max_dims>
      storage;  // NOLINT: written before read
  const std::span<std::int64_t> index(storage.data(),
                                      sieve.layout.shape().size());
  for (std::int64_t place = begin; place < end; ++place) {
    if (sieve.layout.element_at(place, index) != Place::element) {
      std::memset(dst + place * width, 0, static_cast<std::size_t>(width));
    }
  }
}

void run_relays(const PlanData& data, const std::byte* src, std::byte* dst);

// NOLINTBEGIN(misc-no-recursion): relays have none themselves
void run_one(const PlanData& data, std::int64_t task, const std::byte* src,
             std::byte* dst) {
  if (!data.relays.empty()) return run_relays(data, src, dst);
  if (data.fields) return data.fields->run(src, dst);
  if (data.sieve && task >= data.sieve->first_task) {
    return run_sieve(*data.sieve, task - data.sieve->first_task, dst);
  }
  const engine::Nest& nest = *std::prev(std::ranges::upper_bound(
      data.nests, task, {}, &engine::Nest::first_task));
  const engine::Source from{src, src + data.src_bytes};
  if (!data.conversion) {
    return engine::run_task(nest, task - nest.first_task, from, dst);
  }
  const engine::Conversion conversion{*data.conversion,
                                      data.values->quantisation};
  engine::run_task(nest, task - nest.first_task, from, dst, &conversion);
}

void run_all(const PlanData& data, const std::byte* src, std::byte* dst) {
  for (std::int64_t t = 0; t < data.tasks; ++t) run_one(data, t, src, dst);
}

void run_relays(const PlanData& data, const std::byte* src, std::byte* dst) {
  const std::int64_t most =
      std::ranges::max(data.relays, {}, &detail::Relay::bytes).bytes;
  const std::unique_ptr<std::byte[]> memory(
      new (std::nothrow) std::byte[static_cast<std::size_t>(most)]);
  if (memory == nullptr) {
    return reorder_reference(data.relayed[0], data.relayed[1], src, dst,
                             data.relayed_fill);
  }
  for (const detail::Relay& relay : data.relays) {
    run_all(*relay.before, src, memory.get());
    run_all(*relay.after, memory.get(), dst);
  }
}
// NOLINTEND(misc-no-recursion)

// Memory without bytes may be nowhere.
[[maybe_unused]] bool lie_apart(const std::byte* src, std::int64_t src_bytes,
                                const std::byte* dst, std::int64_t dst_bytes) {
  if ((src == nullptr && src_bytes > 0) || (dst == nullptr && dst_bytes > 0)) {
    return false;
  }
  if (src_bytes == 0 || dst_bytes == 0) return true;
  const std::less_equal<const std::byte*> before;
  return before(src + src_bytes, dst) || before(dst + dst_bytes, src);
}

}  // namespace

void Plan::run_task(std::int64_t task, const std::byte* src,
                    std::byte* dst) const noexcept {
  STRIDEWISE_EXPECTS(task >= 0 && task < tasks(),
                     "Plan::run_task: 0 <= task < tasks()");
  STRIDEWISE_EXPECTS(lie_apart(src, src_bytes(), dst, dst_bytes()),
                     "Plan::run_task: src and dst do not overlap");
  run_one(data(), task, src, dst);
}

void Plan::run(const std::byte* src, std::byte* dst) const {
  const std::int64_t count = tasks();
  for (std::int64_t task = 0; task < count; ++task) run_task(task, src, dst);
}

void Plan::run(const std::byte* src, std::byte* dst,
               const ParallelFor& parallel_for) const {
  STRIDEWISE_EXPECTS(parallel_for != nullptr,
                     "Plan::run: a parallel_for that is not empty");
  if (!uses_threads()) return run(src, dst);
  parallel_for(tasks(), [&](std::int64_t task) { run_task(task, src, dst); });
}

}  // namespace stridewise
