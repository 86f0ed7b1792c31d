// The default ParallelFor without oneTBB: threads that live for one call, so that a
// process may fork between any two.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "stridewise/threads.hpp"
#include "threads/tasks.hpp"

namespace stridewise {

ParallelFor make_parallel_for(int threads) {
  if (threads == 1) return sequential_for;
  const int limit = threads > 0 ? threads : default_thread_count();
  return [limit](std::int64_t count,
                 const std::function<void(std::int64_t)>& body) {
    Tasks tasks(count, body);
    const std::int64_t wanted = std::min<std::int64_t>(limit, count);
    {
      std::vector<std::jthread> others;
      try {
        for (std::int64_t k = 1; k < wanted; ++k) {
          others.emplace_back([&tasks] { tasks.work(); });
        }
      } catch (const std::exception&) {
        // The system has no more threads: those that it has do the work.
      }
      tasks.work();
    }
    tasks.finish();
  };
}

int default_thread_count() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace stridewise
