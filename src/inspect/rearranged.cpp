// SPDX-License-Identifier: Apache-2.0
#include "inspect/rearranged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "inspect/orders.hpp"
#include "inspect/shifted.hpp"
#include "inspect/words.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inspect {
namespace {

constexpr int samples_for_coordinates = 1024;   // a few for each
constexpr std::int64_t most_compared = 4096;    // indices of a dim
constexpr std::int64_t most_coordinates = 512;  // of an axis, values of a digit

using Order = std::vector<std::int64_t>;

class Rearranged {
 public:
  Rearranged(const Sides& sides, const std::vector<DiffCounts>& by_dim)
      : sides_(sides), by_dim_(by_dim), shape_(sides.a.shape()) {
    for (const DiffCounts& counts : by_dim) {
      std::vector<std::int64_t>& some = wrong_.emplace_back();
      for (std::size_t k = 0; k < counts.counts.size(); ++k) {
        if (counts.counts[k] > 0) some.push_back(static_cast<std::int64_t>(k));
      }
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
  // Elements among the indices that differ; of `free` dims any index. The same
  // ones for every question, but for that: what is read at random stays little.
  [[nodiscard]] std::vector<Index> draw(const std::vector<bool>& free,
                                        int count) const {
    Sequence sequence;
    std::vector<Index> drawn(static_cast<std::size_t>(count));
    for (Index& x : drawn) {
      for (std::size_t d = 0; d < shape_.size(); ++d) {
        const auto& some = wrong_[d];
        const bool any = free[d] || some.empty();
        const std::int64_t step = any ? shape_[d].extent : by_dim_[d].step;
        const std::int64_t range = sequence.below(any ? 1 : std::ssize(some));
        const std::int64_t first =
            any ? 0 : some[static_cast<std::size_t>(range)] * step;
        x.push_back(first +
                    sequence.below(std::min(step, shape_[d].extent - first)));
      }
    }
    return drawn;
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

  // What is known of an order in words; empty where most of it is lost.
  std::string say(const std::string& name, const Order& to,
                  const std::vector<bool>& told) {
    std::int64_t moved = 0;
    for (std::int64_t k = 0; k < std::ssize(to); ++k) {
      const std::int64_t from = to[static_cast<std::size_t>(k)];
      moved += from >= 0 && from != k ? 1 : 0;
    }
    if (moved == 0 || std::ranges::count(to, held_by_none) > moved) return "";
    const std::string others = where(told);
    whole_ = whole_ || others.empty();
    return print_rearrangement(name, to) + others;
  }

  // ------------------------------------------------------------- dims ------

  // The index of dim d whose values A has at index k.
  std::int64_t holds(std::size_t d, std::int64_t k,
                     const std::vector<Index>& drawn) {
    std::vector<Index> at;
    bool differs = false;
    std::set<std::string> values;
    for (Index x : drawn) {
      x[d] = k;
      const std::byte* const here = sides_.at_a(x);
      differs = differs || !sides_.same(here, sides_.at_b(x));
      values.emplace(reinterpret_cast<const char*>(here), sides_.width());
      at.push_back(std::move(x));
    }
    if (!differs) return k;
    // Few values would be found anywhere.
    if (values.size() < 2) return held_by_none;
    std::int64_t found = held_by_none;
    for (std::int64_t other = 0; other < shape_[d].extent; ++other) {
      const bool all = std::ranges::all_of(at, [&](const Index& x) {
        Index y = x;
        y[d] = other;
        return sides_.same(sides_.at_a(x), sides_.at_b(y));
      });
      if (!all) continue;
      if (found >= 0) return held_by_none;
      found = other;
    }
    return found;
  }

  std::string dim(std::size_t d) {
    const std::int64_t extent = shape_[d].extent;
    const auto& counts = by_dim_[d].counts;
    if (extent < 2 || extent > most_compared || counts.empty()) return "";
    std::vector<bool> told(shape_.size());
    told[d] = true;
    const std::vector<Index> drawn = draw(told, samples);
    Order to;
    std::int64_t lost = 0;
    bool moved = false;
    for (std::int64_t k = 0; k < extent; ++k) {
      to.push_back(
          counts[static_cast<std::size_t>(k)] == 0 ? k : holds(d, k, drawn));
      moved = moved || (to.back() >= 0 && to.back() != k);
      lost += to.back() < 0 ? 1 : 0;
      // Nothing like it among the first: nothing is rearranged.
      if (lost > 8 && !moved) break;
    }
    // Where a part of a block is padding, its digit tells more than the dim.
    std::string text;
    if (lost > 0) text = digits(d);
    if (!text.empty() || std::ssize(to) < extent) return text;
    return say(shape_[d].name, to, told);
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
    for (Index& x : draw(told, samples_for_coordinates)) {
      at[static_cast<std::size_t>(value(x))].push_back(std::move(x));
    }
    Order to(at.size(), not_known);
    for (std::int64_t should = 0; should < extent; ++should) {
      const auto& all = at[static_cast<std::size_t>(should)];
      if (!telling(all)) continue;
      std::int64_t& own = to[static_cast<std::size_t>(should)];
      if (own == not_known) own = held_by_none;
      const std::int64_t is = held_by(all, should, extent, step);
      if (is >= 0) to[static_cast<std::size_t>(is)] = should;
    }
    return say(name, to, told);
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
             return !sides_.same(sides_.at_b(x), sides_.at_b(all.front()));
           });
  }

  // Where these elements are, all of which belong to `should`.
  [[nodiscard]] std::int64_t held_by(const std::vector<Index>& all,
                                     std::int64_t should, std::int64_t extent,
                                     std::int64_t step) const {
    std::int64_t found = held_by_none;
    for (std::int64_t is = 0; is < extent; ++is) {
      const bool here = std::ranges::all_of(all, [&](const Index& x) {
        return sides_.has(sides_.a.offset(x) + (is - should) * step, x);
      });
      if (!here) continue;
      if (found >= 0) return held_by_none;
      found = is;
    }
    return found;
  }

  const Sides& sides_;
  const std::vector<DiffCounts>& by_dim_;
  const Shape& shape_;
  std::vector<std::vector<std::int64_t>> wrong_;  // by dim: ranges that differ
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
  std::string text = shifted.pitch();
  if (text.empty()) text = shifted.elsewhere();
  if (!text.empty()) sentences.push_back(std::move(text));
  return sentences;
}

}  // namespace stridewise::inspect
