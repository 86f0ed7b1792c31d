// Profiles of machines as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "machine/machine.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// A line for the name, one for the instruction set, and one for each number of the profile,
// "transpose_kib_cycles = 70".
[[nodiscard]] std::string print(const Machine& machine);

// What print() writes; '#' begins a comment. Numbers that are left out are those of the
// machine that `like` names, or of the one that runs this. Errors: a line that is no
// setting, an unknown name or value, a number out of its range.
[[nodiscard]] Result<Machine> read_machine(std::string_view text);

}  // namespace stridewise
