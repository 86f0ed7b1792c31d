// SPDX-License-Identifier: Apache-2.0
#define STRIDEWISE_VALUES_ISA x86
#include "reorder/values/wide_loops.hpp"

namespace stridewise {

const WideConverters& x86::avx2_wide_converters() {
  static const WideConverters all = all_wide(Isa::avx2);
  return all;
}

}  // namespace stridewise
