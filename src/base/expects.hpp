// Preconditions ("Pre" of a header). A build with STRIDEWISE_CHECKED checks them, and ends
// the program with a message where one does not hold; any other build checks none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(STRIDEWISE_CHECKED)
#define STRIDEWISE_EXPECTS(holds, precondition) \
  ((holds) ? static_cast<void>(0)               \
           : ::stridewise::end_for_precondition(precondition))
#else
#define STRIDEWISE_EXPECTS(holds, precondition) static_cast<void>(0)
#endif

namespace stridewise {

// Prints it, "Plan::run_task: 0 <= task < tasks()", and aborts: what would follow is
// undefined, and functions that cannot fail have no error to return.
[[noreturn]] void end_for_precondition(const char* precondition);

}  // namespace stridewise
