// Numbers that look random and are the same in every run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stridewise {

class Sequence {
 public:
  // The next number, 0 <= number < end. Pre: end > 0.
  std::int64_t below(std::int64_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    // The low bits of such a sequence repeat soon.
    return static_cast<std::int64_t>((state_ >> 11) %
                                     static_cast<std::uint64_t>(end));
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace stridewise
