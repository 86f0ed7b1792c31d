// Differences that are elements in wrong places: which index holds what another
// one should, and which stride was taken for which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// Both sides of a comparison; B is the reference.
struct Sides {
  const Layout& a;
  std::span<const std::byte> a_bytes;
  const Layout& b;
  std::span<const std::byte> b_bytes;
};

// Sentences, from samples around what differs. counts: by dim, as in DiffReport;
// axes: by axis of A.
[[nodiscard]] std::vector<std::string> rearrangements(
    const Sides& sides, const std::vector<DiffCounts>& by_dim);

}  // namespace stridewise::inspect
