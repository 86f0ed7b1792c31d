// SPDX-License-Identifier: Apache-2.0
#include "inspect/rearranged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "inspect/evidence.hpp"
#include "inspect/mapped.hpp"
#include "inspect/orders.hpp"
#include "inspect/shifted.hpp"
#include "inspect/words.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inspect {
namespace {

constexpr int samples_for_dims = 64;            // of each index
constexpr int samples_for_coordinates = 1024;   // a few for each
constexpr std::int64_t most_compared = 4096;    // indices of a dim
constexpr std::int64_t most_coordinates = 512;  // of an axis, values of a digit
// Pairs that are kept of one finding: more would prove what is proven.
constexpr int most_pairs = 4096;

using Ranks = std::vector<std::int64_t>;

// How many of so many samples may disagree: another fault may be there as well.
std::int64_t most_misses(std::size_t pairs) {
  return static_cast<std::int64_t>(pairs) / 10;
}

class Rearranged {
 public:
  Rearranged(const Sides& sides, const std::vector<DiffCounts>& by_dim)
      : sides_(sides), by_dim_(by_dim), shape_(sides.a.shape()) {
    for (const DiffCounts& counts : by_dim) {
      wrong_.push_back(counted_indices(counts));
    }
  }

  std::vector<std::string> run() {
    std::vector<std::string> sentences;
    const auto add = [&](std::string text) {
      if (!text.empty()) sentences.push_back(std::move(text));
    };
    for (std::size_t k = 0; k + 1 < sides_.a.axes().size(); ++k) add(axis(k));
    for (std::size_t d = 0; d < shape_.size(); ++d) add(dim(d));
    return sentences;
  }

  // Whether a sentence is of all that differs, not of a part of the tensor.
  [[nodiscard]] bool tells_all() const { return whole_; }

 private:
  // What was found of one number, and what speaks for it.
  struct Held {
    std::int64_t number = held_by_none;
    Evidence evidence = {};
  };
  // A finding about numbers 0 .. extent - 1 of something.
  struct Finding {
    Ranks to;
    std::vector<Evidence> each = {};  // of the numbers that moved
    Evidence all = {};

    void add(Held held) {
      if (held.evidence.pairs() == 0 || all.pairs() > most_pairs) return;
      all.join(held.evidence);
      each.push_back(std::move(held.evidence));
    }
    // Each number's values count for themselves: where most of them are one value, others
    // have it as well. Which number each one holds is chosen among all of them.
    [[nodiscard]] bool significant(const Sides& sides) const {
      const double prior = all.chance(sides);
      const double choices = std::log2(static_cast<double>(to.size())) + 1;
      double bits = 0;
      for (const Evidence& evidence : each) {
        bits += evidence.bits(sides, prior) - choices;
      }
      return bits > least_bits;
    }
  };

  // Elements among the indices that differ; of `free` dims any index. The same
  // ones for every question, but for that: what is read at random stays little.
  [[nodiscard]] std::vector<Index> drawn(const std::vector<bool>& free,
                                         int count) const {
    std::vector<Offer> offers = wrong_;
    const std::vector<Offer> all = all_indices(shape_);
    for (std::size_t d = 0; d < offers.size(); ++d) {
      if (free[d] || offers[d].ranges.empty()) offers[d] = all[d];
    }
    return draw(offers, count);
  }
  // The same with index 0 of a dim, for who puts in others.
  [[nodiscard]] std::vector<Index> drawn_around(std::size_t d,
                                                int count) const {
    std::vector<Offer> offers = wrong_;
    offers[d] = {.ranges = {0}};
    return draw(offers, count);
  }

  // ", where n=1": what else all that differs has in common.
  [[nodiscard]] std::string where(const std::vector<bool>& told) const {
    std::vector<DiffCounts> others;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (!told[d]) others.push_back(by_dim_[d]);
    }
    const std::string text = print_all_counts(others);
    return text.empty() ? "" : ", where " + text;
  }

  // What is known of an order in words; empty where most of it is lost, or where
  // values are so few that chance may have made it.
  std::string say(const std::string& name, const Finding& finding,
                  const std::vector<bool>& told) {
    const Ranks& to = finding.to;
    std::int64_t moved = 0;
    for (std::int64_t k = 0; k < std::ssize(to); ++k) {
      const std::int64_t from = to[static_cast<std::size_t>(k)];
      moved += from >= 0 && from != k ? 1 : 0;
    }
    if (moved == 0 || std::ranges::count(to, held_by_none) > moved) return "";
    if (!finding.significant(sides_)) return "";
    const std::string others = where(told);
    whole_ = whole_ || others.empty();
    return print_rearrangement(name, to) + others;
  }

  // ------------------------------------------------------------- dims ------

  // Whether A has in these elements what B has where dim d is `other`.
  bool agrees(const std::vector<Index>& at, const std::vector<Element>& here,
              std::size_t d, std::int64_t other) const {
    std::int64_t misses = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      Index y = at[k];
      y[d] = other;
      misses += sides_.near(here[k], sides_.value_b(y)) ? 0 : 1;
      if (misses > most_misses(at.size())) return false;
    }
    return true;
  }

  // The index of dim d whose values A has at index k.
  Held holds(std::size_t d, std::int64_t k,
             const std::vector<Index>& drawn) const {
    std::vector<Index> at;
    std::vector<Element> here;
    bool differs = false;
    for (Index x : drawn) {
      x[d] = k;
      here.push_back(sides_.value_a(x));
      differs = differs || !sides_.near(here.back(), sides_.value_b(x));
      at.push_back(std::move(x));
    }
    Held held;
    if (!differs) held.number = k;
    if (!differs || agrees(at, here, d, k)) return held;
    for (std::int64_t other = 0; other < shape_[d].extent; ++other) {
      if (other == k || !agrees(at, here, d, other)) continue;
      // Two that agree tell nothing of either.
      if (held.number >= 0) return {};
      held.number = other;
    }
    for (std::size_t j = 0; j < at.size() && held.number >= 0; ++j) {
      Index y = at[j];
      y[d] = held.number;
      held.evidence.add(sides_, here[j], sides_.value_b(y));
    }
    return held;
  }

  std::string dim(std::size_t d) {
    const std::int64_t extent = shape_[d].extent;
    const auto& counts = by_dim_[d].counts;
    if (extent < 2 || extent > most_compared || counts.empty()) return "";
    std::vector<bool> told(shape_.size());
    told[d] = true;
    const std::vector<Index> asked = drawn_around(d, samples_for_dims);
    Finding finding;
    std::int64_t lost = 0;
    bool moved = false;
    for (std::int64_t k = 0; k < extent; ++k) {
      Held held{.number = k};
      if (counts[static_cast<std::size_t>(k)] > 0) held = holds(d, k, asked);
      finding.to.push_back(held.number);
      moved = moved || (held.number >= 0 && held.number != k);
      lost += held.number < 0 ? 1 : 0;
      finding.add(std::move(held));
      // Nothing like it among the first: nothing is rearranged.
      if (lost > 8 && !moved) break;
    }
    // Where a part of a block is padding, its digit tells more than the dim.
    std::string text;
    if (lost > 0) text = digits(d);
    if (!text.empty() || std::ssize(finding.to) < extent) return text;
    return say(shape_[d].name, finding, told);
  }

  // ------------------------------------------------------- coordinates ------

  // Which value of a digit, or coordinate of an axis, holds what another one
  // should: `value` of an element, `step` places from each to the next.
  std::string coordinates(
      const std::string& name, std::int64_t extent, std::int64_t step,
      const std::vector<bool>& told,
      const std::function<std::int64_t(const Index&)>& value) {
    if (extent < 2 || extent > most_coordinates) return "";
    std::vector<std::vector<Index>> at(static_cast<std::size_t>(extent));
    for (Index& x : drawn(told, samples_for_coordinates)) {
      at[static_cast<std::size_t>(value(x))].push_back(std::move(x));
    }
    Finding finding;
    finding.to.assign(at.size(), not_known);
    for (std::int64_t should = 0; should < extent; ++should) {
      const auto& all = at[static_cast<std::size_t>(should)];
      if (!telling(all)) continue;
      std::int64_t& own = finding.to[static_cast<std::size_t>(should)];
      if (own == not_known) own = held_by_none;
      Held held = held_by(all, should, extent, step);
      if (held.number < 0) continue;
      finding.to[static_cast<std::size_t>(held.number)] = should;
      if (held.number != should) finding.add(std::move(held));
    }
    return say(name, finding, told);
  }

  // Such as processors in another order.
  std::string axis(std::size_t k) {
    const BoundAxis& bound = sides_.a.axes()[k];
    std::vector<bool> told(shape_.size());
    for (const BoundTerm& term : sides_.a.terms()) {
      if (term.axis == static_cast<std::int32_t>(k)) {
        told[static_cast<std::size_t>(term.dim)] = true;
      }
    }
    std::vector<std::int64_t> all(sides_.a.axes().size());
    return coordinates(bound.name, bound.extent,
                       bound.pitch_bytes / sides_.a.element_bytes(), told,
                       [&](const Index& x) {
                         sides_.a.coordinates_of(x, all);
                         return all[k];
                       });
  }

  // Such as the four of a word: those of a dim that is in blocks.
  std::string digits(std::size_t d) {
    std::vector<bool> told(shape_.size());
    told[d] = true;
    for (const BoundTerm& term : sides_.a.terms()) {
      // Outer axes have sentences of their own.
      const bool inner =
          term.axis + 1 == static_cast<std::int32_t>(sides_.a.axes().size());
      if (term.dim != static_cast<std::int32_t>(d) || term.mod == 0 || !inner) {
        continue;
      }
      const std::string name =
          print(Digit{shape_[d].name, term.bias, term.div, term.mod});
      const auto value = [&](const Index& x) {
        return (x[d] + term.bias) / term.div % term.mod;
      };
      std::string text =
          coordinates(name, term.extent, term.flat_stride, told, value);
      if (!text.empty()) return text;
    }
    return "";
  }

  // Few values would be found anywhere.
  [[nodiscard]] bool telling(const std::vector<Index>& all) const {
    return std::ssize(all) > 1 && std::ranges::any_of(all, [&](const Index& x) {
             return !sides_.near(sides_.value_b(x),
                                 sides_.value_b(all.front()));
           });
  }

  // Where these elements are, all of which belong to `should`.
  [[nodiscard]] Held held_by(const std::vector<Index>& all, std::int64_t should,
                             std::int64_t extent, std::int64_t step) const {
    Held held;
    for (std::int64_t is = 0; is < extent; ++is) {
      Evidence evidence;
      std::int64_t misses = 0;
      for (const Index& x : all) {
        const std::int64_t place = sides_.a.offset(x) + (is - should) * step;
        if (place < 0 || place >= sides_.a.places()) {
          ++misses;
        } else {
          const int before = evidence.agree();
          evidence.add(sides_, sides_.value_a(place, x), sides_.value_b(x));
          misses += evidence.agree() > before ? 0 : 1;
        }
        if (misses > most_misses(all.size())) break;
      }
      if (misses > most_misses(all.size())) continue;
      if (held.number >= 0) return {};
      held = {is, std::move(evidence)};
    }
    return held;
  }

  const Sides& sides_;
  const std::vector<DiffCounts>& by_dim_;
  const Shape& shape_;
  std::vector<Offer> wrong_;  // by dim: ranges that differ
  bool whole_ = false;
};

}  // namespace

std::vector<std::string> rearrangements(const Sides& sides,
                                        const std::vector<DiffCounts>& by_dim) {
  const Shifted shifted(sides);
  if (std::string text = shifted.further(); !text.empty()) return {text};
  Rearranged rearranged(sides, by_dim);
  std::vector<std::string> sentences = rearranged.run();
  // What holds another index is not written with a wrong stride as well; but what
  // does so in a part of the tensor may be.
  if (rearranged.tells_all()) return sentences;
  if (std::string text = shifted.stride(); !text.empty()) return {text};
  if (!sentences.empty()) return sentences;
  std::string text = mapped(sides);
  if (text.empty()) text = shifted.pitch();
  if (text.empty()) text = shifted.elsewhere();
  if (!text.empty()) sentences.push_back(std::move(text));
  return sentences;
}

}  // namespace stridewise::inspect
