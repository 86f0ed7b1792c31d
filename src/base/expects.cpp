// Of builds with STRIDEWISE_CHECKED alone: no other one prints or aborts.
// SPDX-License-Identifier: Apache-2.0
#include "base/expects.hpp"

#include <cstdio>
#include <cstdlib>

namespace stridewise {

void end_for_precondition(const char* precondition) {
  std::fprintf(stderr, "stridewise: a precondition does not hold: %s\n",
               precondition);
  std::abort();
}

}  // namespace stridewise
