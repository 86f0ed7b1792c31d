// SPDX-License-Identifier: Apache-2.0
#include "inspect/judge_loops.hpp"

namespace stridewise::inspect {

const JudgeFunctions* avx2::judge_functions(const ElementType& type) {
  return functions_of(type);
}

}  // namespace stridewise::inspect
