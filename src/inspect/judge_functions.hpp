// What a judge does to many pairs of one type, for each instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/judge.hpp"

namespace stridewise::inspect {

struct JudgeFunctions {
  bool (*all_pass)(const Tolerance&, const std::byte*, const std::byte*,
                   std::int64_t);
  void (*mark)(const Tolerance&, const std::byte*, const std::byte*,
               std::int64_t, Marks&);
};

namespace portable {
[[nodiscard]] const JudgeFunctions* judge_functions(const ElementType& type);
}
// Only where the machine has the set.
namespace avx2 {
[[nodiscard]] const JudgeFunctions* judge_functions(const ElementType& type);
}

}  // namespace stridewise::inspect
