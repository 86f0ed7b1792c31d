// Numbers that hold what others should, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stridewise::inspect {

// What to[k] does not say, because nothing that is right or wrong is known of k.
inline constexpr std::int64_t not_known = -1;
// k holds something that is none of the others'.
inline constexpr std::int64_t held_by_none = -2;

// A rearrangement in words: "c=4k+1 and 4k+2 are swapped", "c is in reverse
// order", "n is one late: n=1 holds n=0". to[k] is what k holds. What is said of
// many numbers is so of each; the others are told one by one. Empty for the
// identity.
[[nodiscard]] std::string print_rearrangement(
    const std::string& name, const std::vector<std::int64_t>& to);

}  // namespace stridewise::inspect
