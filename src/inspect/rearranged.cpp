// SPDX-License-Identifier: Apache-2.0
#include "inspect/rearranged.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr int samples = 48;
constexpr std::int64_t most_shift = 16;       // elements, of a wrong stride
constexpr std::int64_t most_compared = 4096;  // indices of a dim

using Index = std::vector<std::int64_t>;

class Rearranged {
 public:
  Rearranged(const Sides& sides, const std::vector<DiffCounts>& by_dim)
      : sides_(sides),
        by_dim_(by_dim),
        shape_(sides.a.shape()),
        width_(static_cast<std::size_t>(sides.a.element_bytes())) {
    // The same ones for every question: what is read at random stays little.
    for (int s = 0; s < 4 * samples; ++s) samples_.push_back(random_index());
  }

  std::vector<std::string> run() {
    if (std::string text = further(); !text.empty()) return {text};
    std::vector<std::string> sentences;
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

  // A fixed sequence: the same answer each time.
  std::int64_t random(std::int64_t end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state_ >> 17) %
                                     static_cast<std::uint64_t>(end));
  }
  Index random_index() {
    Index x;
    for (const Dim& dim : shape_) x.push_back(random(dim.extent));
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

  // Whether A has each sampled value `shift` elements further for each step of
  // `d`; of the whole tensor with d beyond the dims.
  bool shifted(std::size_t d, std::int64_t shift) {
    int usable = 0;
    std::set<std::string> values;
    for (const Index& x : samples_) {
      if (usable == samples) break;
      const std::int64_t steps = d < shape_.size() ? x[d] : 1;
      const std::int64_t place = sides_.a.offset(x) + steps * shift;
      if (steps == 0 || place < 0 || place >= sides_.a.places()) continue;
      if (!same(
              sides_.a_bytes.data() + static_cast<std::size_t>(place) * width_,
              b(x))) {
        return false;
      }
      values.emplace(reinterpret_cast<const char*>(b(x)), width_);
      ++usable;
    }
    return usable >= samples / 3 && values.size() > 2;
  }

  std::string further() {
    for (std::int64_t by = 1; by <= most_shift; ++by) {
      for (const std::int64_t shift : {by, -by}) {
        if (!shifted(shape_.size(), shift)) continue;
        return fmt::format("everything is {} element{} {}", by,
                           by == 1 ? "" : "s",
                           shift > 0 ? "further on" : "too early");
      }
    }
    return "";
  }

  std::string stride() {
    for (std::int64_t by = 1; by <= most_shift; ++by) {
      for (const std::int64_t shift : {by, -by}) {
        for (std::size_t d = 0; d < shape_.size(); ++d) {
          if (shape_[d].extent < 2 || !shifted(d, shift)) continue;
          return fmt::format("the stride of {} is {} element{} too {}",
                             shape_[d].name, by, by == 1 ? "" : "s",
                             shift > 0 ? "large" : "small");
        }
      }
    }
    return "";
  }

  const Sides& sides_;
  const std::vector<DiffCounts>& by_dim_;
  const Shape& shape_;
  const std::size_t width_;
  std::uint64_t state_ = 1;
  std::vector<Index> samples_;
};

}  // namespace

std::vector<std::string> rearrangements(const Sides& sides,
                                        const std::vector<DiffCounts>& by_dim) {
  return Rearranged(sides, by_dim).run();
}

}  // namespace stridewise::inspect
