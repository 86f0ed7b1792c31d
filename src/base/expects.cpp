// Of builds with STRIDEWISE_CHECKED alone: no other one prints or aborts.
// SPDX-License-Identifier: Apache-2.0
#include "base/expects.hpp"

#include <cstdio>
#include <cstdlib>

namespace stridewise {

void end_for_broken_promise(const char* promise) {
  std::fprintf(stderr, "stridewise: a caller breaks a promise: %s\n", promise);
  std::abort();
}

}  // namespace stridewise
