// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "infer/digits.hpp"
#include "infer/known.hpp"

namespace stridewise::inference {
namespace {

using Steps = std::vector<std::int64_t>;

constexpr int most_choices = 64;  // choices of all dims at once

// The digits of a dim, counted from its other end or not.
struct Choice {
  bool back = false;
  Chain chain;  // negative strides: digits that run backwards
};

std::vector<Choice> choices_of(Steps steps) {
  std::vector<Choice> choices;
  if (auto chain = fit_chain_from_zero(steps, true)) {
    choices.push_back({false, *std::move(chain)});
  }
  // Blocks that begin at the other end, where the last one is not full.
  if (steps.size() > 2) {
    std::ranges::reverse(steps);
    if (auto chain = fit_chain_from_zero(steps, true)) {
      // Of few indices, nearly any order is two digits.
      if (chain->parts.size() > 1 && steps.size() > 3 * chain->parts.size()) {
        choices.push_back({true, *std::move(chain)});
      }
    }
  }
  return choices;
}

void add_terms(const std::string& dim, const Choice& choice,
               const std::string& back, std::vector<Term>& terms,
               std::vector<FusedIndex>& fused) {
  if (choice.back) {
    Body body;
    body.terms.push_back({.digit = {.dim = dim, .reversed = true}});
    fused.push_back({back, std::move(body)});
  }
  for (const Chain::Part& part : choice.chain.parts) {
    Term term{.digit = {.dim = choice.back ? back : dim,
                        .div = part.div,
                        .mod = part.mod},
              .stride = {Step::Kind::exact, std::abs(part.stride)}};
    term.digit.reversed = part.stride < 0;
    terms.push_back(std::move(term));
  }
  // A dim of one index has a digit all the same.
  if (choice.chain.parts.empty()) terms.push_back({.digit = {.dim = dim}});
}

}  // namespace

std::optional<InferFit> find_reversed(const KnownPlaces& known) {
  if (!known.additive()) return std::nullopt;
  const Shape& shape = known.shape();
  std::vector<std::vector<Choice>> choices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    choices.push_back(choices_of(known.voted_line(d)));
    if (choices.back().empty()) return std::nullopt;
  }
  std::vector<std::size_t> chosen(shape.size(), 0);
  for (int tried = 0; tried < most_choices; ++tried) {
    std::vector<Term> terms;
    std::vector<FusedIndex> fused;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      add_terms(shape[d].name, choices[d][chosen[d]],
                known.free_name(shape[d].name + "_back"), terms, fused);
    }
    if (auto fit = known.fit(std::move(terms), std::move(fused))) return fit;
    std::size_t d = 0;
    while (d < shape.size() && ++chosen[d] == choices[d].size()) {
      chosen[d++] = 0;
    }
    if (d == shape.size()) break;
  }
  return std::nullopt;
}

}  // namespace stridewise::inference
