// The processor, as it tells itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stridewise {

// Instructions that the processor has and the system lets programs use. On other machines
// than x86-64 all are false.
struct Processor {
  bool sse4 = false;    // SSSE3 and SSE4.1
  bool avx2 = false;    // and F16C
  bool avx512 = false;  // F, BW, DQ and VL
  bool vbmi = false;    // of AVX-512
  bool intel = false;
  bool zen3_or_4 = false;  // AMD's family 19h
};

// Asked once.
[[nodiscard]] const Processor& processor();

}  // namespace stridewise
