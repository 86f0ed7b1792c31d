// Digits of several dims that count as one index f, which is cut into blocks. With f in
// their place the tensor has other dims, and if f is right, its places are plain digits of
// those: one line of places for each, and their sum for every element.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "infer/digits.hpp"
#include "infer/known.hpp"
#include "infer/offsets.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

constexpr std::int64_t most_fused_values = 1 << 18;  // of a fused index
// Of all candidates together: values that are looked at.
constexpr std::int64_t most_looked_at = 1 << 22;
constexpr int most_fused_dims =
    6;  // of more than one index: all orders are tried
constexpr std::array<std::int64_t, 5> blocks = {4, 8, 16, 32, 2};

// x / div % mod of a dim; mod 0: the rest of it.
struct FusedPart {
  std::size_t dim;
  std::int64_t div = 1;
  std::int64_t mod = 0;
};

// What counts as one index, slowest first, and what is left of the tensor.
struct Candidate {
  std::vector<FusedPart> fused;
  std::vector<FusedPart> rest;
};

class FusedSearch {
 public:
  explicit FusedSearch(const KnownPlaces& known) : known_(known) {}

  [[nodiscard]] std::optional<InferFit> run() {
    const auto several = [](const Dim& dim) { return dim.extent > 1; };
    if (std::ranges::count_if(known_.shape(), several) > most_fused_dims) {
      return std::nullopt;
    }
    std::vector<std::size_t> order;
    return extend(order, 1);
  }

 private:
  // Each order of two dims or more, as far as their product is not too large.
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of dims
  [[nodiscard]] std::optional<InferFit> extend(std::vector<std::size_t>& order,
                                               std::int64_t values) {
    for (std::size_t d = 0; d < known_.shape().size(); ++d) {
      if (std::ranges::find(order, d) != order.end()) continue;
      const std::int64_t extent = known_.shape()[d].extent;
      if (extent == 1 || extent > most_fused_values / values) continue;
      order.push_back(d);
      if (order.size() > 1) {
        if (auto fit = blocked(order)) return fit;
      }
      if (auto fit = extend(order, values * extent)) return fit;
      order.pop_back();
    }
    return std::nullopt;
  }

  // These dims whole; one of them with its block innermost; tiles of all of them.
  [[nodiscard]] std::optional<InferFit> blocked(
      const std::vector<std::size_t>& order) {
    if (auto fit = try_out(whole(order))) return fit;
    for (const std::int64_t block : blocks) {
      for (std::size_t k = 0; k < order.size(); ++k) {
        Candidate candidate = whole(order);
        candidate.fused[k].div = block;
        candidate.fused.push_back({order[k], 1, block});
        if (auto fit = try_out(candidate)) return fit;
      }
      Candidate tiles = whole(order);
      for (FusedPart& part : tiles.fused) {
        part.div = block;
        tiles.rest.push_back({part.dim, 1, block});
      }
      if (auto fit = try_out(tiles)) return fit;
    }
    return std::nullopt;
  }

  [[nodiscard]] Candidate whole(const std::vector<std::size_t>& order) const {
    Candidate candidate;
    for (const std::size_t d : order) candidate.fused.push_back({d});
    for (std::size_t d = 0; d < known_.shape().size(); ++d) {
      if (std::ranges::find(order, d) == order.end()) {
        candidate.rest.push_back({d});
      }
    }
    return candidate;
  }

  [[nodiscard]] std::int64_t extent(const FusedPart& part) const {
    return part.mod != 0 ? part.mod
                         : ceil_div(known_.shape()[part.dim].extent, part.div);
  }
  [[nodiscard]] std::int64_t value(const FusedPart& part,
                                   std::int64_t element) const {
    const std::int64_t v = known_.index(element, part.dim) / part.div;
    return part.mod == 0 ? v : v % part.mod;
  }
  // The element whose digit is this and whose others are 0; -1: there is none.
  [[nodiscard]] std::int64_t element_at(const FusedPart& part,
                                        std::int64_t value) const {
    const std::int64_t index = value * part.div;
    return index < known_.shape()[part.dim].extent
               ? index * known_.stride(part.dim)
               : -1;
  }
  [[nodiscard]] std::int64_t values(const Candidate& candidate) const {
    std::int64_t values = 1;
    for (const FusedPart& part : candidate.fused) {
      values *= extent(part);
      if (values > most_fused_values) return 0;
    }
    return values;
  }

  // The element of fused index f whose other digits are 0; -1 where f is padding.
  [[nodiscard]] std::int64_t element_of(const Candidate& candidate,
                                        std::int64_t f) const {
    std::vector<std::int64_t> index(known_.shape().size(), 0);
    for (std::size_t k = candidate.fused.size(); k-- > 0;) {
      const FusedPart& part = candidate.fused[k];
      index[part.dim] += f % extent(part) * part.div;
      f /= extent(part);
    }
    std::int64_t element = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (index[d] >= known_.shape()[d].extent) return -1;
      element += index[d] * known_.stride(d);
    }
    return element;
  }

  // Whether places are a sum of one function of f and one of each other digit.
  [[nodiscard]] bool plausible(const Candidate& candidate) const {
    return std::ranges::all_of(known_.samples(), [&](std::int64_t element) {
      std::int64_t f = 0;
      for (const FusedPart& part : candidate.fused) {
        f = f * extent(part) + value(part, element);
      }
      std::int64_t sum = known_.step(element_of(candidate, f));
      if (sum == unknown) return true;
      for (const FusedPart& part : candidate.rest) {
        const std::int64_t along =
            known_.step(element_at(part, value(part, element)));
        if (along == unknown) return true;
        sum += along;
      }
      return known_.step(element) == sum;
    });
  }

  [[nodiscard]] std::optional<InferFit> try_out(const Candidate& candidate) {
    const std::int64_t count = values(candidate);
    if (count == 0 || looked_at_ > most_looked_at || !plausible(candidate)) {
      return std::nullopt;
    }
    looked_at_ += count;
    std::vector<Term> terms;
    Steps steps;
    for (std::int64_t f = 0; f < count; ++f) {
      steps.push_back(step(element_of(candidate, f)));
    }
    const std::string name = known_.free_name("f");
    if (!add_terms({.dim = name}, steps, terms)) return std::nullopt;
    for (const FusedPart& part : candidate.rest) {
      steps.clear();
      for (std::int64_t v = 0; v < extent(part); ++v) {
        steps.push_back(step(element_at(part, v)));
      }
      const Digit digit{.dim = known_.shape()[part.dim].name,
                        .div = part.div,
                        .mod = part.mod};
      if (!add_terms(digit, steps, terms)) return std::nullopt;
    }
    return known_.fit(std::move(terms), {{name, body_of(candidate)}});
  }

  [[nodiscard]] std::int64_t step(std::int64_t element) const {
    return element < 0 ? unknown : known_.step(element);
  }

  // The digits of a digit whose values have these places.
  static bool add_terms(const Digit& digit, const Steps& steps,
                        std::vector<Term>& terms) {
    const std::optional<Chain> chain = fit_chain_from_zero(steps);
    if (!chain) return false;
    if (chain->parts.empty()) terms.push_back({.digit = digit});
    for (const Chain::Part& part : chain->parts) {
      Digit within = digit;
      within.div *= part.div;
      within.mod = part.mod != 0    ? part.mod
                   : digit.mod != 0 ? digit.mod / part.div
                                    : 0;
      terms.push_back({.digit = std::move(within),
                       .stride = {Step::Kind::exact, part.stride}});
    }
    return true;
  }

  [[nodiscard]] Body body_of(const Candidate& candidate) const {
    Body body;
    for (const FusedPart& part : candidate.fused) {
      body.terms.push_back({.digit = {.dim = known_.shape()[part.dim].name,
                                      .div = part.div,
                                      .mod = part.mod}});
    }
    return body;
  }

  const KnownPlaces& known_;
  std::int64_t looked_at_ = 0;
};

}  // namespace

std::optional<InferFit> find_fused(const KnownPlaces& known) {
  if (known.additive()) return std::nullopt;
  return FusedSearch(known).run();
}

}  // namespace stridewise::inference
