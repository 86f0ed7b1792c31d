// A digit that other dims' digits twist: s * ((a op b op c) mod m). Along the dim of b alone,
// with a = 0, the places are b's plain digits and s * ((0 op b) mod m); without the latter,
// what is left must be a sum of digits again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "base/random.hpp"
#include "infer/digits.hpp"
#include "infer/known.hpp"
#include "infer/offsets.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

constexpr std::int64_t most_values = 256;  // of a digit that is twisted
constexpr int samples = 64;                // of each plane

bool is_power(std::int64_t x) {
  return std::has_single_bit(static_cast<std::uint64_t>(x));
}

// x / div % mod of a dim.
struct TwistedPart {
  std::size_t dim;
  std::int64_t div;
  std::int64_t mod;

  [[nodiscard]] std::int64_t at(std::int64_t x) const { return x / div % mod; }
};

// The digit that is twisted, and how far one step of it goes.
struct Left {
  TwistedPart part;
  std::int64_t stride;
};

// What twists it.
struct Right {
  TwistedPart part;
  Twist::Kind kind;

  [[nodiscard]] std::int64_t value(std::int64_t a, std::int64_t b,
                                   std::int64_t mod) const {
    switch (kind) {
      case Twist::Kind::exclusive_or:
        return a ^ b;
      case Twist::Kind::plus:
        return (a + b) % mod;
      case Twist::Kind::minus:
        return (a - b + mod) % mod;
    }
    return a;
  }
};

// An element whose indices are 0 but for those of two dims.
struct Sample {
  std::int64_t x;
  std::int64_t y;
  std::int64_t place;  // beyond the sum of both lines
};

class TwistedSearch {
 public:
  explicit TwistedSearch(const KnownPlaces& known) : known_(known) {
    for (std::size_t d = 0; d < known.shape().size(); ++d) {
      lines_.push_back(known.line(d));
      chains_.push_back(fit_chain_from_zero(lines_.back()));
    }
  }

  [[nodiscard]] std::optional<InferFit> run() {
    for (std::size_t d = 0; d < chains_.size(); ++d) {
      if (!chains_[d]) continue;
      sample_planes(d);
      for (const Chain::Part& part : chains_[d]->parts) {
        if (auto fit = twist(d, part)) return fit;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::int64_t extent(std::size_t d) const {
    return known_.shape()[d].extent;
  }

  // Those of dim d with each other dim; empty where the places are the sum of both lines.
  void sample_planes(std::size_t d) {
    planes_.assign(lines_.size(), {});
    Sequence random;
    for (std::size_t e = 0; e < lines_.size(); ++e) {
      if (e == d) continue;
      for (int k = 0; k < samples; ++k) {
        const std::int64_t x = random.below(extent(d));
        const std::int64_t y = random.below(extent(e));
        const std::int64_t step =
            known_.step(x * known_.stride(d) + y * known_.stride(e));
        const std::int64_t along_d = at(lines_[d], x);
        const std::int64_t along_e = at(lines_[e], y);
        if (step == unknown || along_d == unknown || along_e == unknown) {
          continue;
        }
        planes_[e].push_back({x, y, step - along_d - along_e});
      }
      const bool sum = std::ranges::all_of(
          planes_[e], [](const Sample& sample) { return sample.place == 0; });
      if (sum) planes_[e].clear();
    }
  }

  static std::int64_t at(const Steps& steps, std::int64_t x) {
    return steps[static_cast<std::size_t>(x)];
  }

  // Each digit within a part of the chain of dim d, as what is twisted.
  [[nodiscard]] std::optional<InferFit> twist(std::size_t d,
                                              const Chain::Part& part) const {
    const std::int64_t end =
        part.mod == 0 ? extent(d) : std::min(extent(d), part.div * part.mod);
    for (std::int64_t div = part.div; div < end; div *= 2) {
      const std::int64_t stride = part.stride * (div / part.div);
      const std::int64_t rest = (end + div - 1) / div;
      if (!is_power(rest) && rest <= most_values) {
        if (auto fit = twist({{d, div, rest}, stride})) return fit;
      }
      for (std::int64_t mod = 2; mod <= most_values && div * mod / 2 < end;
           mod *= 2) {
        if (auto fit = twist({{d, div, mod}, stride})) return fit;
      }
    }
    return std::nullopt;
  }

  // Where every dim that is no sum with this one twists it.
  [[nodiscard]] std::optional<InferFit> twist(const Left& left) const {
    std::vector<Right> rights;
    for (std::size_t d = 0; d < planes_.size(); ++d) {
      if (planes_[d].empty()) continue;
      const std::optional<Right> right = twisting(left, d);
      if (!right) return std::nullopt;
      rights.push_back(*right);
    }
    if (rights.empty()) return std::nullopt;
    return fit(left, rights);
  }

  // The digit of dim d that twists it, and how; nullopt: none does.
  [[nodiscard]] std::optional<Right> twisting(const Left& left,
                                              std::size_t d) const {
    for (std::int64_t div = 1; div < extent(d); div *= 2) {
      std::vector<std::int64_t> mods = {left.part.mod};
      for (std::int64_t mod = 2; mod < left.part.mod; mod *= 2) {
        mods.push_back(mod);
      }
      for (const std::int64_t mod : mods) {
        for (const Twist::Kind kind : {Twist::Kind::exclusive_or,
                                       Twist::Kind::minus, Twist::Kind::plus}) {
          if (kind == Twist::Kind::exclusive_or && !is_power(left.part.mod)) {
            continue;
          }
          const Right right{{d, div, mod}, kind};
          if (explains(left, right)) return right;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool explains(const Left& left, const Right& right) const {
    return std::ranges::all_of(
        planes_[right.part.dim], [&](const Sample& sample) {
          const std::int64_t mod = left.part.mod;
          const std::int64_t a = left.part.at(sample.x);
          const std::int64_t b = right.part.at(sample.y);
          const std::int64_t beyond =
              right.value(a, b, mod) - a - right.value(0, b, mod);
          return sample.place == left.stride * beyond;
        });
  }

  // The layout that this makes, if it explains all elements.
  [[nodiscard]] std::optional<InferFit> fit(
      const Left& left, const std::vector<Right>& rights) const {
    std::vector<Term> terms;
    for (std::size_t d = 0; d < lines_.size(); ++d) {
      Steps rest = lines_[d];
      for (const Right& right : rights) {
        if (right.part.dim != d) continue;
        for (std::size_t x = 0; x < rest.size(); ++x) {
          if (rest[x] == unknown) continue;
          const std::int64_t b = right.part.at(static_cast<std::int64_t>(x));
          rest[x] -= left.stride * right.value(0, b, left.part.mod);
        }
      }
      std::optional<Chain> chain = fit_chain_from_zero(rest);
      if (!chain) return std::nullopt;
      if (d == left.part.dim) {
        chain =
            chain->cut_at(left.part.div).cut_at(left.part.div * left.part.mod);
      }
      add_terms(d, *chain, left, rights, terms);
    }
    return known_.fit(std::move(terms), {});
  }

  void add_terms(std::size_t d, const Chain& chain, const Left& left,
                 const std::vector<Right>& rights,
                 std::vector<Term>& terms) const {
    const std::string& name = known_.shape()[d].name;
    if (chain.parts.empty()) terms.push_back({.digit = {.dim = name}});
    for (const Chain::Part& part : chain.parts) {
      Term term{.digit = {.dim = name, .div = part.div, .mod = part.mod},
                .stride = {Step::Kind::exact, part.stride}};
      if (d == left.part.dim && part.div == left.part.div) {
        // A digit that is twisted goes round all of its values.
        const std::int64_t end = left.part.div * left.part.mod;
        if (end != extent(d)) term.digit.mod = left.part.mod;
        std::vector<Twist> twists;
        for (const Right& right : rights) twists.push_back(twist_of(right));
        term.digit.twists = std::move(twists);
      }
      terms.push_back(std::move(term));
    }
  }

  [[nodiscard]] Twist twist_of(const Right& right) const {
    const TwistedPart& part = right.part;
    const bool rest = part.div * part.mod >= extent(part.dim);
    return {.kind = right.kind,
            .digit = {.dim = known_.shape()[part.dim].name,
                      .div = part.div,
                      .mod = rest ? 0 : part.mod}};
  }

  const KnownPlaces& known_;
  std::vector<Steps> lines_;
  std::vector<std::optional<Chain>> chains_;
  std::vector<std::vector<Sample>> planes_;  // of one dim with each other one
};

}  // namespace

std::optional<InferFit> find_twisted(const KnownPlaces& known) {
  if (known.additive()) return std::nullopt;
  return TwistedSearch(known).run();
}

}  // namespace stridewise::inference
