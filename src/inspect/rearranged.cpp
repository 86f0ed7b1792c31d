// SPDX-License-Identifier: Apache-2.0
#include "inspect/rearranged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/random.hpp"
#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr int samples = 48;  // asked for one question
constexpr int drawn = 96;
constexpr int drawn_for_axes = 1024;            // a few for each coordinate
constexpr std::int64_t most_shift = 16;         // elements, of a wrong stride
constexpr std::int64_t most_compared = 4096;    // indices of a dim
constexpr std::int64_t most_coordinates = 512;  // of an axis

using Index = std::vector<std::int64_t>;

class Rearranged {
 public:
  Rearranged(const Sides& sides, const std::vector<DiffCounts>& by_dim)
      : sides_(sides),
        by_dim_(by_dim),
        shape_(sides.a.shape()),
        width_(static_cast<std::size_t>(sides.a.element_bytes())) {
    // The same ones for every question: what is read at random stays little.
    const bool axes = sides.a.axes().size() > 1;
    for (int s = 0; s < (axes ? drawn_for_axes : drawn); ++s) {
      samples_.push_back(random_index());
    }
  }

  std::vector<std::string> run() {
    if (std::string text = further(); !text.empty()) return {text};
    std::vector<std::string> sentences;
    for (std::size_t k = 0; k + 1 < sides_.a.axes().size(); ++k) {
      if (std::string text = axis(k); !text.empty()) {
        sentences.push_back(std::move(text));
      }
    }
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (std::string text = dim(d); !text.empty()) {
        sentences.push_back(std::move(text));
      }
    }
    // What holds another index is not written with a wrong stride as well.
    if (sentences.empty()) {
      if (std::string text = stride(); !text.empty()) {
        sentences.push_back(std::move(text));
      }
    }
    return sentences;
  }

 private:
  [[nodiscard]] const std::byte* a(const Index& x) const {
    return sides_.a_bytes.data() +
           static_cast<std::size_t>(sides_.a.offset(x)) * width_;
  }
  [[nodiscard]] const std::byte* b(const Index& x) const {
    return sides_.b_bytes.data() +
           static_cast<std::size_t>(sides_.b.offset(x)) * width_;
  }
  [[nodiscard]] bool same(const std::byte* x, const std::byte* y) const {
    return std::memcmp(x, y, width_) == 0;
  }

  Index random_index() {
    Index x;
    for (const Dim& dim : shape_) x.push_back(sequence_.below(dim.extent));
    return x;
  }

  // The index of dim d whose values A has at index k; -1: none or many.
  std::int64_t holds(std::size_t d, std::int64_t k) {
    std::vector<Index> at;
    bool differs = false;
    std::set<std::string> values;
    for (int s = 0; s < samples; ++s) {
      Index x = samples_[static_cast<std::size_t>(s)];
      x[d] = k;
      differs = differs || !same(a(x), b(x));
      values.emplace(reinterpret_cast<const char*>(a(x)), width_);
      at.push_back(std::move(x));
    }
    if (!differs) return k;
    // Few values would be found anywhere.
    if (values.size() < 2) return -1;
    std::int64_t found = -1;
    for (std::int64_t other = 0; other < shape_[d].extent; ++other) {
      const bool all = std::ranges::all_of(at, [&](const Index& x) {
        Index y = x;
        y[d] = other;
        return same(a(x), b(y));
      });
      if (!all) continue;
      if (found >= 0) return -1;
      found = other;
    }
    return found;
  }

  std::string dim(std::size_t d) {
    const std::int64_t extent = shape_[d].extent;
    const auto& counts = by_dim_[d].counts;
    if (extent < 2 || extent > most_compared || counts.empty()) return "";
    std::vector<std::int64_t> to(static_cast<std::size_t>(extent));
    std::int64_t moved = 0;
    std::int64_t lost = 0;
    for (std::int64_t k = 0; k < extent; ++k) {
      std::int64_t& from = to[static_cast<std::size_t>(k)];
      from = counts[static_cast<std::size_t>(k)] == 0 ? k : holds(d, k);
      moved += from >= 0 && from != k ? 1 : 0;
      lost += from < 0 ? 1 : 0;
      // Nothing like it among the first: nothing is rearranged.
      if (lost > 8 && moved == 0) return "";
    }
    if (moved == 0 || lost > moved) return "";
    return print_rearrangement(shape_[d].name, to);
  }

  // How many of the samples that differ A has `shift` elements further for each
  // step of `d`; of all samples where d is beyond the dims. 0 where that is less
  // than half: rows that overlap lose some of their elements.
  int shifted(std::size_t d, std::int64_t shift) {
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
      if (!whole && same(a(x), b(x))) continue;
      ++usable;
      const std::byte* const at =
          sides_.a_bytes.data() + static_cast<std::size_t>(place) * width_;
      if (!same(at, b(x))) continue;
      ++there;
      values.emplace(reinterpret_cast<const char*>(b(x)), width_);
    }
    const bool enough =
        usable >= samples / 3 && 10 * there >= (whole ? 9 : 5) * usable;
    return enough && values.size() > 2 ? there : 0;
  }

  // The nearest shift of those that explain most.
  std::int64_t best_shift(std::size_t d, int& most) {
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

  std::string further() {
    int most = 0;
    const std::int64_t shift = best_shift(shape_.size(), most);
    if (shift == 0) return "";
    const std::int64_t by = std::abs(shift);
    return fmt::format("everything is {} element{} {}", by, by == 1 ? "" : "s",
                       shift > 0 ? "further on" : "too early");
  }

  std::string stride() {
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

  // ------------------------------------------------------------- axes ------

  // Which coordinate of an axis holds what another one should, such as
  // processors in another order.
  std::string axis(std::size_t k) {
    const BoundAxis& bound = sides_.a.axes()[k];
    if (bound.extent < 2 || bound.extent > most_coordinates) return "";
    const std::int64_t pitch =
        bound.pitch_bytes / static_cast<std::int64_t>(width_);
    std::vector<std::vector<const Index*>> at(
        static_cast<std::size_t>(bound.extent));
    std::vector<std::int64_t> coordinates(sides_.a.axes().size());
    for (const Index& x : samples_) {
      sides_.a.coordinates_of(x, coordinates);
      at[static_cast<std::size_t>(coordinates[k])].push_back(&x);
    }
    std::vector<std::int64_t> to(at.size(), -1);
    std::int64_t moved = 0;
    std::int64_t lost = 0;
    for (std::int64_t should = 0; should < bound.extent; ++should) {
      const auto& all = at[static_cast<std::size_t>(should)];
      if (!telling(all)) continue;
      const std::int64_t is = held_by(all, should, bound.extent, pitch);
      lost += is < 0 ? 1 : 0;
      if (is < 0) continue;
      to[static_cast<std::size_t>(is)] = should;
      moved += is != should ? 1 : 0;
    }
    if (moved == 0 || lost > moved) return "";
    return print_rearrangement(bound.name, to);
  }

  // Few values would be found anywhere.
  [[nodiscard]] bool telling(const std::vector<const Index*>& all) const {
    return std::ssize(all) > 1 && std::ranges::any_of(all, [&](const Index* x) {
             return !same(b(*x), b(*all.front()));
           });
  }

  // The coordinate where these elements are, all of which belong to `should`;
  // -1: none or many.
  [[nodiscard]] std::int64_t held_by(const std::vector<const Index*>& all,
                                     std::int64_t should, std::int64_t extent,
                                     std::int64_t pitch) const {
    std::int64_t found = -1;
    for (std::int64_t is = 0; is < extent; ++is) {
      const bool here = std::ranges::all_of(all, [&](const Index* x) {
        const std::int64_t place = sides_.a.offset(*x) + (is - should) * pitch;
        return place >= 0 && place < sides_.a.places() &&
               same(sides_.a_bytes.data() +
                        static_cast<std::size_t>(place) * width_,
                    b(*x));
      });
      if (!here) continue;
      if (found >= 0) return -1;
      found = is;
    }
    return found;
  }

  const Sides& sides_;
  const std::vector<DiffCounts>& by_dim_;
  const Shape& shape_;
  const std::size_t width_;
  Sequence sequence_;
  std::vector<Index> samples_;
};

}  // namespace

std::vector<std::string> rearrangements(const Sides& sides,
                                        const std::vector<DiffCounts>& by_dim) {
  return Rearranged(sides, by_dim).run();
}

}  // namespace stridewise::inspect
