// Profiles of machines as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "machine/machine.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// Of a file with a profile: more is none.
inline constexpr std::size_t most_profile_bytes = 1 << 16;

// A line for the name, one for the instruction set, and one for each number of the profile,
// "transpose_kib_cycles = 70".
[[nodiscard]] std::string print(const Machine& machine);

// The machine that a plan is to be made for: "" for the one that runs this, a name, or the
// text of a profile, which has a '='. Errors: a name that is not known; those of
// read_machine().
[[nodiscard]] Result<Machine> machine_of(std::string_view text);

// What print() writes; '#' begins a comment. Numbers that are left out are those of the
// machine that `like` names, or of `base`. Errors: a line that is no
// setting, an unknown name or value, a number out of its range.
[[nodiscard]] Result<Machine> read_machine(std::string_view text, Machine base);

}  // namespace stridewise
