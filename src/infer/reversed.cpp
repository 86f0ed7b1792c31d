// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "infer/digits.hpp"
#include "infer/known.hpp"
#include "infer/offsets.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

// The values x / div % mod of a dim, the last one first. mod 0: none.
struct Turn {
  std::int64_t div = 1;
  std::int64_t mod = 0;

  [[nodiscard]] std::int64_t of(std::int64_t x) const {
    if (mod == 0) return x;
    const std::int64_t digit = x / div % mod;
    return x + (mod - 1 - 2 * digit) * div;
  }
  // Whether it turns this digit round.
  [[nodiscard]] bool turns(const Chain::Part& part, std::int64_t extent) const {
    const std::int64_t end =
        part.mod == 0 ? extent : std::min(extent, part.div * part.mod);
    return mod != 0 && part.div >= div && end <= div * mod;
  }
};

// A dim whose steps are digits once it is turned.
struct Turned {
  Turn turn;
  Chain chain;
};

constexpr std::int64_t most_values = 256;  // of a digit that is turned
constexpr std::size_t most_choices = 6;    // of one dim

// Nothing turned; all of the dim; then each power of two as divisor and values.
std::vector<Turn> turns_of(std::int64_t extent) {
  std::vector<Turn> turns = {{}, {1, extent}};
  for (std::int64_t div = 1; div < extent; div *= 2) {
    for (std::int64_t mod = 2; mod <= most_values && div * mod <= extent;
         mod *= 2) {
      if (div != 1 || mod != extent) turns.push_back({div, mod});
    }
  }
  return turns;
}

// The steps of the dim that is turned round: unknown where that has no such index.
Steps turned(const Steps& steps, const Turn& turn) {
  Steps result(steps.size(), unknown);
  for (std::size_t x = 0; x < steps.size(); ++x) {
    const auto from =
        static_cast<std::size_t>(turn.of(static_cast<std::int64_t>(x)));
    if (from < steps.size()) result[x] = steps[from];
  }
  return result;
}

std::vector<Turned> choices_of(const Steps& steps) {
  const auto extent = static_cast<std::int64_t>(steps.size());
  std::vector<Turned> choices;
  for (const Turn& turn : turns_of(extent)) {
    std::optional<Chain> chain = fit_chain_from_zero(turned(steps, turn));
    if (!chain) continue;
    const bool digit = turn.mod != 0 && turn.mod != extent;
    if (digit) {
      chain = chain->cut_at(turn.div).cut_at(turn.div * turn.mod);
      const bool told = std::ranges::any_of(
          chain->parts,
          [&](const Chain::Part& part) { return turn.turns(part, extent); });
      if (!told) continue;
    }
    choices.push_back({turn, *std::move(chain)});
    if (choices.size() == most_choices) break;
  }
  return choices;
}

// The digits of a dim that is turned. All of it turned is a fused index of its own where
// it has several digits, because their blocks begin at the other end.
void add_terms(const Dim& dim, const Turned& turned, std::vector<Term>& terms,
               std::vector<FusedIndex>& fused) {
  const bool whole = turned.turn.mod == dim.extent && dim.extent > 1;
  std::string name = dim.name;
  if (whole && turned.chain.parts.size() > 1) {
    name += "_back";
    Body body;
    body.terms.push_back({.digit = {.dim = dim.name, .reversed = true}});
    fused.push_back({name, std::move(body)});
  }
  for (const Chain::Part& part : turned.chain.parts) {
    Term term{.digit = {.dim = name, .div = part.div, .mod = part.mod},
              .stride = {Step::Kind::exact, part.stride}};
    term.digit.reversed =
        whole ? name == dim.name : turned.turn.turns(part, dim.extent);
    terms.push_back(std::move(term));
  }
  // A dim of one index has a digit all the same.
  if (turned.chain.parts.empty()) terms.push_back({.digit = {.dim = dim.name}});
}

}  // namespace

std::optional<InferFit> find_reversed(const KnownPlaces& known) {
  const Shape& shape = known.shape();
  std::vector<std::vector<Turned>> choices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    choices.push_back(choices_of(known.line(d)));
    if (choices.back().empty()) return std::nullopt;
  }
  std::vector<std::size_t> chosen(shape.size(), 0);
  for (;;) {
    std::vector<Term> terms;
    std::vector<FusedIndex> fused;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      add_terms(shape[d], choices[d][chosen[d]], terms, fused);
    }
    if (auto fit = known.fit(std::move(terms), std::move(fused))) return fit;
    std::size_t d = 0;
    while (d < shape.size() && ++chosen[d] == choices[d].size()) {
      chosen[d++] = 0;
    }
    if (d == shape.size()) return std::nullopt;
  }
}

}  // namespace stridewise::inference
