// SPDX-License-Identifier: Apache-2.0
#define STRIDEWISE_VALUES_ISA portable
#include "reorder/values/wide_loops.hpp"

namespace stridewise {

const WideConverters& portable::wide_converters() {
  static const WideConverters all = all_wide(Isa::portable);
  return all;
}

}  // namespace stridewise
