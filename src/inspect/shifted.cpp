// SPDX-License-Identifier: Apache-2.0
#include "inspect/shifted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <unordered_set>

#include "stridewise/notation.hpp"

namespace stridewise::inspect {
namespace {

constexpr int drawn = 96;
constexpr std::int64_t most_shift = 16;  // elements

}  // namespace

Shifted::Shifted(const Sides& sides) : sides_(sides), shape_(sides.a.shape()) {
  Sequence sequence;
  for (int s = 0; s < drawn; ++s) {
    Index& x = samples_.emplace_back();
    for (const Dim& dim : shape_) x.push_back(sequence.below(dim.extent));
  }
}

// How many of the samples that differ A has `shift` elements further for each
// step of `d`; of all samples where d is beyond the dims. 0 where that is less
// than half: rows that overlap lose some of their elements.
int Shifted::shifted(std::size_t d, std::int64_t shift) const {
  const bool whole = d == shape_.size();
  int usable = 0;
  int there = 0;
  std::set<std::string> values;
  for (const Index& x : samples_) {
    if (usable == samples) break;
    const std::int64_t steps = whole ? 1 : x[d];
    const std::int64_t place = sides_.a.offset(x) + steps * shift;
    if (steps == 0 || place < 0 || place >= sides_.a.places()) continue;
    // Equal where it stands: it tells nothing of another stride.
    if (!whole && sides_.same(sides_.at_a(x), sides_.at_b(x))) continue;
    ++usable;
    if (!sides_.has(place, x)) continue;
    ++there;
    values.emplace(reinterpret_cast<const char*>(sides_.at_b(x)),
                   sides_.width());
  }
  const bool enough =
      usable >= samples / 3 && 10 * there >= (whole ? 9 : 5) * usable;
  return enough && values.size() > 2 ? there : 0;
}

// The nearest shift of those that explain most.
std::int64_t Shifted::best_shift(std::size_t d, int& most) const {
  std::int64_t best = 0;
  for (std::int64_t by = 1; by <= most_shift; ++by) {
    for (const std::int64_t shift : {by, -by}) {
      const int there = shifted(d, shift);
      if (there > most) {
        most = there;
        best = shift;
      }
    }
  }
  return best;
}

std::string Shifted::further() const {
  int most = 0;
  const std::int64_t shift = best_shift(shape_.size(), most);
  if (shift == 0) return "";
  const std::int64_t by = std::abs(shift);
  return fmt::format("everything is {} element{} {}", by, by == 1 ? "" : "s",
                     shift > 0 ? "further on" : "too early");
}

std::string Shifted::stride() const {
  int most = 0;
  std::int64_t shift = 0;
  std::size_t dim = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d].extent < 2) continue;
    const std::int64_t better = best_shift(d, most);
    if (better == 0) continue;
    shift = better;
    dim = d;
  }
  if (shift == 0) return "";
  const std::int64_t by = std::abs(shift);
  return fmt::format("the stride of {} is {} element{} too {}",
                     shape_[dim].name, by, by == 1 ? "" : "s",
                     shift > 0 ? "large" : "small");
}

// Whether A has the elements where this layout would.
bool Shifted::explains(const Layout& other) const {
  int usable = 0;
  int there = 0;
  int elsewhere = 0;
  for (const Index& x : samples_) {
    const std::int64_t place = other.offset(x);
    if (place >= sides_.a.places()) continue;
    ++usable;
    if (!sides_.has(place, x)) continue;
    ++there;
    elsewhere += sides_.has(sides_.a.offset(x), x) ? 0 : 1;
  }
  return usable >= samples / 3 && 10 * there >= 9 * usable &&
         elsewhere >= samples / 4;
}

std::string Shifted::pitch() const {
  // What is read at random stays little where not much differs.
  const auto differ = std::ranges::count_if(samples_, [&](const Index& x) {
    return !sides_.same(sides_.at_a(x), sides_.at_b(x));
  });
  if (differ < samples / 4) return "";
  const Expression& expression = sides_.a.expression();
  std::size_t bound = 0;
  for (std::size_t a = 0; a < expression.axes.size(); ++a) {
    for (std::size_t t = 0; t < expression.axes[a].terms.size(); ++t) {
      const BoundTerm& term = sides_.a.terms()[bound++];
      if (a + 1 < expression.axes.size() || term.extent < 2) continue;
      for (std::int64_t by = -most_shift; by <= most_shift; ++by) {
        if (by == 0 || term.stride + by < 1) continue;
        Expression other = expression;
        other.axes[a].terms[t].stride = {Step::Kind::exact, term.stride + by};
        const Result<Layout> layout =
            Layout::bind(other, shape_, sides_.a.element_bytes());
        if (!layout || !layout->valid() || !explains(*layout)) continue;
        const Digit& digit = expression.axes[a].terms[t].digit;
        return fmt::format("written with {} {} elements apart instead of {}",
                           print(digit), term.stride + by, term.stride);
      }
    }
  }
  return "";
}

std::string Shifted::elsewhere() const {
  constexpr std::size_t most_read = std::size_t{1} << 24;  // bytes of A
  // Narrow values are found anywhere, and of wide ones few are asked for.
  const std::size_t width = sides_.width();
  if ((width != 4 && width != 8) || sides_.a_bytes.size() > most_read)
    return "";
  const auto key = [&](const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width);
    return bits;
  };
  std::unordered_set<std::uint64_t> wanted;
  int differ = 0;
  for (const Index& x : samples_) {
    if (sides_.same(sides_.at_a(x), sides_.at_b(x))) continue;
    ++differ;
    wanted.insert(key(sides_.at_b(x)));
  }
  const std::size_t asked = wanted.size();
  if (2 * differ < drawn || 10 * asked < 9 * static_cast<std::size_t>(differ)) {
    return "";
  }
  for (std::int64_t place = 0; place < sides_.a.places(); ++place) {
    wanted.erase(key(sides_.place_a(place)));
  }
  if (10 * wanted.size() > asked) return "";
  return "A has the values of B in other places: its layout is another one "
         "(infer tells which)";
}

}  // namespace stridewise::inspect
