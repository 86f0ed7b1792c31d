// What the processor tells against what the compiler's own library reads of it.
// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.hpp"

#include <gtest/gtest.h>

namespace stridewise {
namespace {

TEST(Processor, HasWhatTheCompilerFinds) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  EXPECT_EQ(processor().sse4, __builtin_cpu_supports("ssse3") != 0 &&
                                  __builtin_cpu_supports("sse4.1") != 0);
  // No processor has AVX2 without F16C.
  EXPECT_EQ(processor().avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(processor().avx512, __builtin_cpu_supports("avx512f") != 0 &&
                                    __builtin_cpu_supports("avx512bw") != 0 &&
                                    __builtin_cpu_supports("avx512dq") != 0 &&
                                    __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(processor().vbmi,
            processor().avx512 && __builtin_cpu_supports("avx512vbmi") != 0);
  EXPECT_EQ(processor().intel, __builtin_cpu_is("intel") != 0);
  EXPECT_EQ(processor().zen3_or_4, __builtin_cpu_is("amdfam19h") != 0);
#else
  EXPECT_FALSE(processor().sse4 || processor().avx2 || processor().intel);
#endif
}

}  // namespace
}  // namespace stridewise
