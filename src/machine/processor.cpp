// By CPUID itself: what compilers offer for it is not in every compiler's own library.
// Numbers of leaves and bits: Intel 64 Software Developer's Manual, volume 2, CPUID.
// SPDX-License-Identifier: Apache-2.0
#include "machine/processor.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stridewise {
#if defined(__x86_64__)
namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers leaf(unsigned number) {
  Registers r;
  // Zeros where there is no such leaf.
  if (__get_cpuid_count(number, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) {
    return {};
  }
  return r;
}

constexpr bool all(unsigned bits, unsigned wanted) {
  return (bits & wanted) == wanted;
}

template <class... Bit>
constexpr unsigned mask(Bit... bit) {
  return ((1U << static_cast<unsigned>(bit)) | ...);
}

// The registers that the system keeps for programs: XCR0.
unsigned kept_registers() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

Processor ask() {
  const Registers basic = leaf(1);
  const Registers extended = leaf(7);
  Processor found;
  found.sse4 = all(basic.ecx, mask(9, 19));
  const bool tells_kept = all(basic.ecx, mask(27));
  const unsigned kept = tells_kept ? kept_registers() : 0;
  found.avx2 = found.sse4 && all(kept, mask(1, 2)) &&
               all(basic.ecx, mask(28, 29)) && all(extended.ebx, mask(5));
  found.avx512 = found.avx2 && all(kept, mask(5, 6, 7)) &&
                 all(extended.ebx, mask(16, 17, 30, 31));
  found.vbmi = found.avx512 && all(extended.ecx, mask(1));

  const Registers maker = leaf(0);
  constexpr unsigned genu = 0x756e6547, auth = 0x68747541;  // of ebx
  found.intel = maker.ebx == genu;
  const unsigned family = (basic.eax >> 8) & 0xf;
  const unsigned more_family = (basic.eax >> 20) & 0xff;
  found.zen3_or_4 =
      maker.ebx == auth && family == 0xf && family + more_family == 0x19;
  return found;
}

}  // namespace

const Processor& processor() {
  static const Processor found = ask();
  return found;
}
#else
const Processor& processor() {
  static constexpr Processor none;
  return none;
}
#endif

}  // namespace stridewise
