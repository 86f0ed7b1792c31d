// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>

#include "stridewise/threads.hpp"

namespace stridewise {

ParallelFor make_parallel_for(int threads) {
  if (threads == 1) return sequential_for;
  const int limit = threads > 0 ? threads : default_thread_count();
  auto arena = std::make_shared<tbb::task_arena>(limit);
  return [arena](std::int64_t count,
                 const std::function<void(std::int64_t)>& body) {
    if (count <= 1) {
      sequential_for(count, body);
      return;
    }
    arena->execute([&] {
      tbb::parallel_for(std::int64_t{0}, count,
                        [&](std::int64_t k) { body(k); });
    });
  };
}

int default_thread_count() { return tbb::info::default_concurrency(); }

}  // namespace stridewise
