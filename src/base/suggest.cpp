// SPDX-License-Identifier: Apache-2.0
#include "stridewise/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace stridewise {
namespace {

// Longer texts are no misspelt names; comparing them would only cost time.
constexpr std::size_t longest = 64;

// Edit distance in half edits: two neighbours that changed places are one edit,
// another case of a letter is half of one.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cost[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = 2 * i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto x = static_cast<unsigned char>(a[i - 1]);
      const auto y = static_cast<unsigned char>(b[j - 1]);
      const std::size_t replace =
          x == y ? 0 : (std::tolower(x) == std::tolower(y) ? 1 : 2);
      at(i, j) = std::min(
          {at(i - 1, j) + 2, at(i, j - 1) + 2, at(i - 1, j - 1) + replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 2);
      }
    }
  }
  return at(a.size(), b.size());
}

}  // namespace

std::string nearest(std::string_view name,
                    std::span<const std::string> candidates) {
  std::string best;
  if (name.size() > longest) return best;
  std::size_t least = name.size() + 1;  // half of the letters may be wrong
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(name, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace stridewise
