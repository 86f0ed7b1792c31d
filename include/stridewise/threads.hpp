// The default ParallelFor, on oneTBB or, built without it, on threads that live for one
// call. A library of its own (stridewise_threads): who brings a pool needs neither.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/parallel.hpp"

namespace stridewise {

// At most `threads` at a time, the caller among them; 0: as many as the machine
// has, which is the most that TBB starts. Its pool is shared by all callers in the process. Where the system refuses
// threads, those that there are do the work, the caller alone at last. What a task throws
// is thrown once the others have ended, those that had not begun left out.
[[nodiscard]] ParallelFor make_parallel_for(int threads = 0);

// What 0 stands for.
[[nodiscard]] int default_thread_count();

}  // namespace stridewise
