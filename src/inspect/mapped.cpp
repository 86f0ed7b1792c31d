// SPDX-License-Identifier: Apache-2.0
#include "inspect/mapped.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "inspect/evidence.hpp"

namespace stridewise::inspect {
namespace {

constexpr int samples = 192;
constexpr std::size_t most_dims = 6;

// A has at an index what B has at another one: two dims exchanged, then some of them
// counted from their ends.
struct Map {
  std::size_t one = 0;
  std::size_t other = 0;  // the same: no exchange
  std::uint32_t reversed = 0;

  [[nodiscard]] Index of(const Index& x, const Shape& shape) const {
    Index y = x;
    std::swap(y[one], y[other]);
    for (std::size_t d = 0; d < y.size(); ++d) {
      if ((reversed >> d & 1) != 0) y[d] = shape[d].extent - 1 - y[d];
    }
    return y;
  }

  [[nodiscard]] std::string print(const Shape& shape) const {
    std::vector<std::string> parts;
    if (one != other) {
      parts.push_back(fmt::format("{} and {} are exchanged", shape[one].name,
                                  shape[other].name));
    }
    std::vector<std::string> names;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if ((reversed >> d & 1) != 0) names.push_back(shape[d].name);
    }
    if (!names.empty()) {
      parts.push_back(fmt::format("{} {} in reverse order",
                                  fmt::join(names, " and "),
                                  names.size() > 1 ? "are" : "is"));
    }
    return fmt::format("{}", fmt::join(parts, ", and "));
  }
};

std::vector<Map> maps_of(const Shape& shape) {
  std::vector<Map> maps;
  const auto reversals = [&](std::size_t one, std::size_t other) {
    for (std::uint32_t some = 0; some < 1U << shape.size(); ++some) {
      bool useful = one != other || some != 0;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        useful = useful && ((some >> d & 1) == 0 || shape[d].extent > 1);
      }
      if (useful) maps.push_back({one, other, some});
    }
  };
  reversals(0, 0);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (std::size_t e = d + 1; e < shape.size(); ++e) {
      if (shape[d].extent == shape[e].extent && shape[d].extent > 1) {
        reversals(d, e);
      }
    }
  }
  return maps;
}

}  // namespace

std::string mapped(const Sides& sides) {
  const Shape& shape = sides.a.shape();
  if (shape.empty() || shape.size() > most_dims) return "";
  const std::vector<Index> drawn = draw(all_indices(shape), samples);
  std::vector<Element> here;
  std::int64_t differ = 0;
  for (const Index& x : drawn) {
    here.push_back(sides.value_a(x));
    differ += sides.near(here.back(), sides.value_b(x)) ? 0 : 1;
  }
  // Where hardly anything differs nothing moved.
  if (8 * differ < std::ssize(drawn)) return "";
  std::string text;
  double most = least_bits + 8;  // of about 2^8 maps
  for (const Map& map : maps_of(shape)) {
    std::int64_t misses = 0;
    Evidence evidence;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const Index y = map.of(drawn[k], shape);
      if (y == drawn[k]) continue;
      const int before = evidence.agree();
      evidence.add(sides, here[k], sides.value_b(y));
      misses += evidence.agree() > before ? 0 : 1;
      if (10 * misses > std::ssize(drawn)) break;
    }
    if (evidence.share() < 0.9) continue;
    const double bits = evidence.bits(sides);
    if (bits <= most) continue;
    most = bits;
    text = map.print(shape);
  }
  return text;
}

}  // namespace stridewise::inspect
