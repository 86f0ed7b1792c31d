// Timing that can be believed: competitors take turns, and medians are compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace stridewise::cli {

// Does its work that many times over and returns the seconds of one time. Work
// in another process reads its own clock: messages are not timed.
using Timed = std::function<double(int repeats)>;

// Work of this process, timed here.
[[nodiscard]] Timed timed(std::function<void()> work);

// The median seconds of each over interleaved rounds.
[[nodiscard]] std::vector<double> measure(std::span<const Timed> work,
                                          int rounds);

}  // namespace stridewise::cli
