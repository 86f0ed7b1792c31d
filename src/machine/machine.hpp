// What plans know of a machine: a value, so that a plan can be made for one that is not
// there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/isa.hpp"
#include "machine/profile.hpp"

namespace stridewise {

// Ways to move bytes that plans can be made without, to see what each is worth. Copies do
// all that is left.
enum class Way : std::uint8_t { transpose, zip, unzip, program, stages };
inline constexpr std::size_t ways = 5;
inline constexpr std::array<std::string_view, ways> way_names = {
    "transpose", "zip", "unzip", "program", "stages"};

struct Machine {
  std::string name;
  Isa isa = Isa::portable;  // the best that it has
  Profile profile = {};
  std::array<bool, ways> lacks = {};

  [[nodiscard]] bool has(Way way) const {
    return !lacks[static_cast<std::size_t>(way)];
  }
};

// The machine that this runs on, with no more than best_isa() allows. Asked once.
[[nodiscard]] const Machine& this_machine();

// Every machine that is known by name, and the one of that name; nullopt where there is
// none.
[[nodiscard]] std::span<const Machine> known_machines();
[[nodiscard]] std::optional<Machine> named_machine(std::string_view name);

}  // namespace stridewise
