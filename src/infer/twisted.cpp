// A digit that another dim's digit twists: s * ((a op b) mod m). Along the dim of b alone,
// with a = 0, the places are b's plain digits and s * ((0 op b) mod m); without the latter,
// what is left must be a sum of digits again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "infer/digits.hpp"
#include "infer/known.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

constexpr std::int64_t most_values = 256;  // of a digit that is twisted

// x / div % mod of a dim.
struct Part {
  std::size_t dim;
  std::int64_t div;
  std::int64_t mod;

  [[nodiscard]] std::int64_t at(std::int64_t x) const { return x / div % mod; }
};

struct Candidate {
  Part left;
  std::int64_t stride;  // of the left digit
  Part right;
  Twist::Kind kind;

  [[nodiscard]] std::int64_t value(std::int64_t left_value,
                                   std::int64_t right_value) const {
    switch (kind) {
      case Twist::Kind::exclusive_or:
        return left_value ^ right_value;
      case Twist::Kind::plus:
        return (left_value + right_value) % left.mod;
      case Twist::Kind::minus:
        return (left_value - right_value + left.mod) % left.mod;
    }
    return 0;
  }
};

class Search {
 public:
  explicit Search(const KnownPlaces& known) : known_(known) {
    for (std::size_t d = 0; d < known.shape().size(); ++d) {
      lines_.push_back(known.line(d));
      chains_.push_back(fit_chain_from_zero(lines_.back()));
    }
  }

  [[nodiscard]] std::optional<InferFit> run() const {
    for (std::size_t d = 0; d < chains_.size(); ++d) {
      if (!chains_[d]) continue;
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

  // Each digit within a part of the chain of dim d, as what is twisted.
  [[nodiscard]] std::optional<InferFit> twist(std::size_t d,
                                              const Chain::Part& part) const {
    const std::int64_t end =
        part.mod == 0 ? extent(d) : std::min(extent(d), part.div * part.mod);
    for (std::int64_t div = part.div; div < end; div *= 2) {
      const std::int64_t stride = part.stride * (div / part.div);
      std::int64_t rest = (end + div - 1) / div;
      if (!std::has_single_bit(static_cast<std::uint64_t>(rest)) &&
          rest <= most_values) {
        if (auto fit = twist({d, div, rest}, stride)) return fit;
      }
      for (std::int64_t mod = 2; mod <= most_values && div * mod / 2 < end;
           mod *= 2) {
        if (auto fit = twist({d, div, mod}, stride)) return fit;
      }
    }
    return std::nullopt;
  }

  // Each digit of other dims, and each way to combine both.
  [[nodiscard]] std::optional<InferFit> twist(const Part& left,
                                              std::int64_t stride) const {
    for (std::size_t d = 0; d < lines_.size(); ++d) {
      if (d == left.dim) continue;
      for (std::int64_t div = 1; div < extent(d); div *= 2) {
        for (std::int64_t mod = left.mod; mod >= 2; mod /= 2) {
          if (left.mod % mod != 0) break;
          for (const Twist::Kind kind :
               {Twist::Kind::exclusive_or, Twist::Kind::minus,
                Twist::Kind::plus}) {
            if (auto fit = try_out({left, stride, {d, div, mod}, kind})) {
              return fit;
            }
          }
        }
      }
    }
    return std::nullopt;
  }

  // Whether the places of elements here and there are the sum that this says.
  [[nodiscard]] bool plausible(const Candidate& c) const {
    return std::ranges::all_of(known_.samples(), [&](std::int64_t element) {
      std::int64_t place = known_.place(0);
      for (std::size_t d = 0; d < lines_.size(); ++d) {
        place += lines_[d][static_cast<std::size_t>(known_.index(element, d))];
      }
      const std::int64_t a = c.left.at(known_.index(element, c.left.dim));
      const std::int64_t b = c.right.at(known_.index(element, c.right.dim));
      const std::int64_t apart = a + c.value(0, b);
      return known_.place(element) ==
             place + c.stride * (c.value(a, b) - apart);
    });
  }

  [[nodiscard]] std::optional<InferFit> try_out(const Candidate& c) const {
    const bool bits =
        std::has_single_bit(static_cast<std::uint64_t>(c.left.mod));
    if (c.kind == Twist::Kind::exclusive_or && !bits) return std::nullopt;
    if (!plausible(c)) return std::nullopt;
    std::vector<Term> terms;
    for (std::size_t d = 0; d < lines_.size(); ++d) {
      std::optional<Chain> chain = chains_[d];
      if (d == c.right.dim) {
        Steps rest = lines_[d];
        for (std::size_t x = 0; x < rest.size(); ++x) {
          const std::int64_t b = c.right.at(static_cast<std::int64_t>(x));
          rest[x] -= c.stride * c.value(0, b);
        }
        chain = fit_chain_from_zero(rest);
      }
      if (!chain) return std::nullopt;
      if (d == c.left.dim) {
        chain = chain->cut_at(c.left.div).cut_at(c.left.div * c.left.mod);
      }
      add_terms(d, *chain, c, terms);
    }
    return known_.fit(std::move(terms), {});
  }

  void add_terms(std::size_t d, const Chain& chain, const Candidate& c,
                 std::vector<Term>& terms) const {
    const std::string& name = known_.shape()[d].name;
    if (chain.parts.empty()) terms.push_back({.digit = {.dim = name}});
    for (const Chain::Part& part : chain.parts) {
      Term term{.digit = {.dim = name, .div = part.div, .mod = part.mod},
                .stride = {Step::Kind::exact, part.stride}};
      if (d == c.left.dim && part.div == c.left.div) {
        // A digit that is twisted goes round all of its values.
        if (c.left.div * c.left.mod != extent(d)) term.digit.mod = c.left.mod;
        Twist twist{.kind = c.kind,
                    .digit = {.dim = known_.shape()[c.right.dim].name,
                              .div = c.right.div,
                              .mod = c.right.mod}};
        if (c.right.div * c.right.mod >= extent(c.right.dim)) {
          twist.digit.mod = 0;
        }
        term.digit.twists = std::vector<Twist>{std::move(twist)};
      }
      terms.push_back(std::move(term));
    }
  }

  const KnownPlaces& known_;
  std::vector<Steps> lines_;
  std::vector<std::optional<Chain>> chains_;
};

}  // namespace

std::optional<InferFit> find_twisted(const KnownPlaces& known) {
  if (known.additive()) return std::nullopt;
  return Search(known).run();
}

}  // namespace stridewise::inference
