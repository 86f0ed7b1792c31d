// How the library runs independent tasks: by a function that the caller gives.
// The library itself starts no threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace stridewise {

// Calls body(0) .. body(count-1), each once, in any order, possibly at the same
// time, and returns when all have returned. `body` does not throw.
//
// A ParallelFor that throws must do so after each body that it began has returned. The
// exception goes through the function that called it. A file that was to be written is then
// as it was before; memory that was to be written holds any bytes within its size; layouts,
// plans and caches are as good as before.
using ParallelFor = std::function<void(
    std::int64_t count, const std::function<void(std::int64_t)>& body)>;

// One after the other, on the calling thread.
inline void sequential_for(std::int64_t count,
                           const std::function<void(std::int64_t)>& body) {
  for (std::int64_t k = 0; k < count; ++k) body(k);
}

}  // namespace stridewise
