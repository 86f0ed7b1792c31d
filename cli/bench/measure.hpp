// Timing that can be believed: competitors take turns, and medians are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace stridewise::cli {

// Does its work that many times over and returns the seconds of one time. Work
// in another process reads its own clock: messages are not timed.
using Timed = std::function<double(int repeats)>;

// Work of this process, timed here; `before`, if there is one, is done before each time and
// not timed.
[[nodiscard]] Timed timed(std::function<void()> work,
                          std::function<void()> before = {});

// Whether work finds in the caches what it left there itself.
enum class Caches : std::uint8_t { warm, cold };

// The median seconds of each over interleaved rounds. Cold work is done once a round.
[[nodiscard]] std::vector<double> measure(std::span<const Timed> work,
                                          int rounds,
                                          Caches caches = Caches::warm);

}  // namespace stridewise::cli
