// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

#include "stridewise/threads.hpp"
#include "threads/tasks.hpp"

namespace stridewise {
namespace {

// One arena, and whether the system refused it threads.
struct Pool {
  explicit Pool(int threads) : limit(threads), arena(threads) {}

  const int limit;
  tbb::task_arena arena;
  std::atomic<bool> refused = false;
};

// Whoever of the pool is free takes the next task, so that those are done which no thread
// could be had for. What a task throws ends all and is thrown; what TBB throws is that it
// has no thread.
void run(Pool& pool, std::int64_t count,
         const std::function<void(std::int64_t)>& body) {
  Tasks tasks(count, body);
  if (!pool.refused) {
    try {
      pool.arena.execute([&] {
        tbb::parallel_for(std::int64_t{0},
                          std::min<std::int64_t>(pool.limit, count),
                          [&](std::int64_t) { tasks.work(); });
      });
    } catch (const std::exception&) {
      pool.refused = true;
    }
  }
  tasks.work();
  tasks.finish();
}

}  // namespace

ParallelFor make_parallel_for(int threads) {
  if (threads == 1) return sequential_for;
  // Of more than the machine has TBB warns on stderr.
  const int most = default_thread_count();
  auto pool =
      std::make_shared<Pool>(threads > 0 ? std::min(threads, most) : most);
  return [pool](std::int64_t count,
                const std::function<void(std::int64_t)>& body) {
    if (count <= 1) {
      sequential_for(count, body);
    } else {
      run(*pool, count, body);
    }
  };
}

int default_thread_count() { return tbb::info::default_concurrency(); }

}  // namespace stridewise
