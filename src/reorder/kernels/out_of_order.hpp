// The order in which what lies in the L2 cache is gone through, line by line or
// block by block.
//
// Where each step is as long as the one before, the L1 cache's prefetchers ask for
// lines that loads and stores ask for too, and those of the L2 cache come twice:
// 4 cycles a line that is read and written on Zen 5, of 2 that it can do. They find
// no step to learn in 2 3 0 1 6 7 4 5, which is never far from the order of memory.
// Less than half a line must not be taken apart so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stridewise {
namespace {

// Which of `count` comes i-th.
inline std::int64_t out_of_order(std::int64_t i, std::int64_t count) {
  return i ^ (((i - count / 4 * 4) >> 63) & 2);
}

}  // namespace
}  // namespace stridewise
