// SPDX-License-Identifier: Apache-2.0
#include "catalogue/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace stridewise {
namespace {

// Longer texts are no misspelt names; comparing them would only cost time.
constexpr std::size_t longest = 64;

// Levenshtein distance in half edits: another case of a letter costs one half.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t& cost : row) cost *= 2;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto x = static_cast<unsigned char>(a[i - 1]);
      const auto y = static_cast<unsigned char>(b[j - 1]);
      const std::size_t replace =
          x == y ? 0 : (std::tolower(x) == std::tolower(y) ? 1 : 2);
      const std::size_t best =
          std::min({row[j] + 2, row[j - 1] + 2, diagonal + replace});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row.back();
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
