// Sets of numbers in words: what a person says of the rows that are wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stridewise::inspect {

// The numbers k of 0 .. in.size()-1 with in[k], of something called `name`:
// "c=8..15", "c=5", "h odd", "c=4k+1 and 4k+2", "c=1, 5, 9". Empty for all and
// for none.
[[nodiscard]] std::string print_set(const std::string& name,
                                    const std::vector<bool>& in);

// A permutation in words: "c=4k+1 and 4k+2 are swapped", "c is in reverse
// order", "n is one late: n=1 holds n=0". to[k] is what k holds, -1 unknown.
// Empty for the identity, and where there is no short way to say it.
[[nodiscard]] std::string print_rearrangement(
    const std::string& name, const std::vector<std::int64_t>& to);

}  // namespace stridewise::inspect
