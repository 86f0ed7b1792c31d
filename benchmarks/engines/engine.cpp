// One engine, through its public headers.
// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include "stridewise/stridewise.hpp"

namespace stridewise {
namespace {

const Plan& plan_of(const void* plan) {
  return *static_cast<const Plan*>(plan);
}

void* make(const Conversion& conversion) {
  auto src_source = resolve_layout(conversion.src);
  auto dst_source = resolve_layout(conversion.dst);
  if (!src_source || !dst_source) return nullptr;
  align_dims(*src_source, *dst_source);
  const auto shape = parse_shape(conversion.shape, dims_of(*src_source));
  if (!shape) return nullptr;
  const auto src = src_source->bind(*shape, conversion.element_bytes);
  const auto dst = dst_source->bind(*shape, conversion.element_bytes);
  if (!src || !dst) return nullptr;
  auto plan = Plan::make(*src, *dst);
  return plan ? new Plan(*std::move(plan)) : nullptr;
}

const Engine engine = {
    .make = make,
    .drop = [](void* plan) { delete static_cast<Plan*>(plan); },
    .run = [](const void* plan, const std::byte* src,
              std::byte* dst) { plan_of(plan).run(src, dst); },
    .src_bytes = [](const void* plan) { return plan_of(plan).src_bytes(); },
    .dst_bytes = [](const void* plan) { return plan_of(plan).dst_bytes(); },
    .moved_bytes = [](const void* plan) { return plan_of(plan).bytes_read(); },
};

}  // namespace

const Engine& this_engine() { return engine; }

}  // namespace stridewise
