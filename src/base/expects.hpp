// What callers promise. A build with STRIDEWISE_CHECKED asks, and ends the program with a
// message where a promise is broken; any other build asks nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(STRIDEWISE_CHECKED)
#define STRIDEWISE_EXPECTS(holds, promise) \
  ((holds) ? static_cast<void>(0)          \
           : ::stridewise::end_for_broken_promise(promise))
#else
#define STRIDEWISE_EXPECTS(holds, promise) static_cast<void>(0)
#endif

namespace stridewise {

// Prints the promise, "Plan::run_task: 0 <= task < tasks()", and aborts: what would follow
// is undefined, and functions that cannot fail have no error to return.
[[noreturn]] void end_for_broken_promise(const char* promise);

}  // namespace stridewise
