// SPDX-License-Identifier: Apache-2.0
#define STRIDEWISE_JUDGE_ISA portable
#include "inspect/judge_loops.hpp"

namespace stridewise::inspect {

const JudgeFunctions* portable::judge_functions(const ElementType& type) {
  return functions_of(type);
}

}  // namespace stridewise::inspect
