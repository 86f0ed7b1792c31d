// Plans for who asks for the same ones again: a bounded cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "stridewise/reorder.hpp"

namespace stridewise {

// Keeps the plans that were asked for last. Safe to use from several threads at
// once. A plan that is found costs a hash and a comparison of both layouts, no
// allocation; plans that the cache has dropped stay good for who holds them.
class PlanCache {
 public:
  // Keeps at most so many plans; 0 keeps none.
  explicit PlanCache(std::size_t capacity = 256);
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  // What Plan::make gives for the same arguments. Errors are not kept. Two
  // threads that miss at once may both make the plan; they get equal ones.
  [[nodiscard]] Result<Plan> get(const Layout& src, const Layout& dst,
                                 const PlanOptions& options = {});

  [[nodiscard]] std::size_t size() const;
  void clear();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace stridewise
