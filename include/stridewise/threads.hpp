// The default ParallelFor, on oneTBB. A library of its own
// (stridewise_threads): who brings a pool needs neither it nor TBB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/parallel.hpp"

namespace stridewise {

// At most `threads` at a time, the caller among them; 0: as many as the machine
// has. The pool is TBB's own and is shared by all callers in the process.
[[nodiscard]] ParallelFor make_parallel_for(int threads = 0);

// What 0 stands for.
[[nodiscard]] int default_thread_count();

}  // namespace stridewise
