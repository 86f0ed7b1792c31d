// SPDX-License-Identifier: Apache-2.0
#include "inspect/shifted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_set>

#include "stridewise/notation.hpp"

namespace stridewise::inspect {
namespace {

constexpr int shifted_samples = 192;
constexpr std::int64_t most_shift = 16;  // elements
// Shifts of each dim and digit that are tried: about 2^8.
constexpr double shifted_choice_bits = 8;
// What those that differ must have on their own.
constexpr double least_bits_of_different = 20;

}  // namespace

Shifted::Shifted(const Sides& sides) : sides_(sides), shape_(sides.a.shape()) {
  samples_ = draw(all_indices(shape_), shifted_samples);
  for (const Index& x : samples_) {
    here_.push_back(sides.value_a(x));
    there_.push_back(sides.value_b(x));
    differ_.push_back(!sides.near(here_.back(), there_.back()));
  }
}

double Shifted::bits(const PlaceOf& place_of, double share) const {
  Evidence all, different;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const Index& x = samples_[k];
    const std::optional<std::int64_t> place = place_of(x);
    if (!place || *place < 0 || *place >= sides_.a.places()) continue;
    const Element moved = sides_.value_a(*place, x);
    all.add(sides_, moved, there_[k]);
    if (all.pairs() - all.agree() > (1 - share) * shifted_samples) return 0;
    if (differ_[k]) different.add(sides_, moved, there_[k]);
  }
  if (different.share() < share || all.share() < share) return 0;
  if (different.bits(sides_) < least_bits_of_different + shifted_choice_bits) {
    return 0;
  }
  const double found = all.bits(sides_);
  return found < least_bits + shifted_choice_bits ? 0 : found;
}

// The nearest shift of those that explain most. Rows that overlap lose half of their
// elements at most; what begins further on loses none.
std::int64_t Shifted::best_shift(std::size_t d, double& most) const {
  const bool whole = d == shape_.size();
  std::int64_t best = 0;
  // Where hardly anything differs nothing moved, and not much is to be read at random.
  if (std::ranges::count(differ_, true) < std::ssize(samples_) / 8) return 0;
  for (std::int64_t by = 1; by <= most_shift; ++by) {
    for (const std::int64_t shift : {by, -by}) {
      const auto place_of = [&](const Index& x) -> std::optional<std::int64_t> {
        const std::int64_t steps = whole ? 1 : x[d];
        if (steps == 0) return std::nullopt;
        return sides_.a.offset(x) + steps * shift;
      };
      const double found = bits(place_of, whole ? 0.9 : 0.5);
      if (found > most) {
        most = found;
        best = shift;
      }
    }
  }
  return best;
}

std::string Shifted::further() const {
  double most = 0;
  const std::int64_t shift = best_shift(shape_.size(), most);
  if (shift == 0) return "";
  const std::int64_t by = std::abs(shift);
  return fmt::format("everything is {} element{} {}", by, by == 1 ? "" : "s",
                     shift > 0 ? "further on" : "too early");
}

std::string Shifted::stride() const {
  double most = 0;
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

std::string Shifted::pitch() const {
  // What is read at random stays little where not much differs.
  if (std::ranges::count(differ_, true) < std::ssize(samples_) / 8) return "";
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
        if (!layout || !layout->valid()) continue;
        const auto place_of =
            [&](const Index& x) -> std::optional<std::int64_t> {
          return layout->offset(x);
        };
        if (bits(place_of, 0.9) == 0) continue;
        const Digit& digit = expression.axes[a].terms[t].digit;
        return fmt::format("written with {} {} elements apart instead of {}",
                           print(digit), term.stride + by, term.stride);
      }
    }
  }
  return "";
}

// Values are looked for as A's own type has them, bit by bit: where they are found, what
// lies two and three codes beside them must be rarer.
std::string Shifted::elsewhere() const {
  constexpr std::size_t most_read = std::size_t{1} << 24;  // bytes of A
  constexpr std::size_t few_values = 512;  // any tensor may have so many alike
  const std::int64_t width = sides_.a.element_bytes();
  if (width < 2 || width > 8 || sides_.reading_a.by_index() ||
      sides_.a_bytes.size() > most_read) {
    return "";
  }
  const std::optional<Values> read = sides_.reading_a.fused();
  const auto key = [&](const std::byte* at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, static_cast<std::size_t>(width));
    return bits;
  };
  std::unordered_set<std::uint64_t> wanted, beside;
  int differ = 0;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    if (!differ_[k]) continue;
    ++differ;
    Element stored = there_[k];
    if (read) {
      convert_values({read->dst, read->src, read->quantisation},
                     there_[k].bytes.data(), stored.bytes.data(), 1);
    }
    wanted.insert(key(stored.bytes.data()));
  }
  const std::size_t asked = wanted.size();
  if (2 * differ < std::ssize(samples_) ||
      10 * asked < 9 * static_cast<std::size_t>(differ)) {
    return "";
  }
  for (const std::uint64_t code : wanted) {
    for (const std::uint64_t by : {2U, 3U}) {
      if (!wanted.contains(code + by)) beside.insert(code + by);
    }
  }
  const std::size_t controls = beside.size();
  std::unordered_set<std::uint64_t> values;
  for (std::int64_t place = 0; place < sides_.a.places(); ++place) {
    const std::uint64_t has = key(sides_.a_bytes.data() + place * width);
    if (values.size() <= few_values) values.insert(has);
    wanted.erase(has);
    beside.erase(has);
  }
  if (values.size() <= few_values) return "";
  if (10 * wanted.size() > asked || 2 * beside.size() < controls) return "";
  return "A has the values of B in other places: its layout is another one "
         "(infer tells which)";
}

}  // namespace stridewise::inspect
