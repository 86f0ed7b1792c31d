// SPDX-License-Identifier: Apache-2.0
#include "advise/rank.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "advise/facts.hpp"

namespace stridewise::advising {
namespace {

// What one jump costs: a line of a cache, or the begin of a burst.
constexpr double bytes_of_jump = 64;

double ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) /
         static_cast<double>(std::max<std::int64_t>(b, 1));
}

// How far beyond its limits a candidate is: the product of what each is exceeded by.
double excess(const Candidate& candidate) {
  double excess = 1;
  for (const MissedLimit& missed : candidate.missed) {
    excess *= ratio(missed.is, missed.most);
  }
  return excess;
}

// What counts where a cost is not known: the worst of all.
std::array<double, cost_count> worst_costs(
    const std::vector<Candidate>& candidates) {
  std::array<double, cost_count> worst = {};
  for (const Candidate& candidate : candidates) {
    for (std::size_t k = 0; k < cost_count; ++k) {
      worst[k] = std::max(worst[k], candidate.costs[k].value_or(0));
    }
  }
  return worst;
}

// What is not known counts as the worst; what does not apply counts as nothing.
std::array<double, cost_count> known_costs(
    const Candidate& candidate, const std::array<double, cost_count>& worst,
    const Weights& weights) {
  std::array<double, cost_count> known = {};
  for (std::size_t k = 0; k < cost_count; ++k) {
    const double otherwise = candidate.unknown[k] ? worst[k] : 0;
    known[k] = weights[k] * candidate.costs[k].value_or(otherwise);
  }
  return known;
}

std::optional<double> imbalance(const Candidate& candidate) {
  const auto& banks = candidate.facts.banks;
  if (!banks) return std::nullopt;
  return static_cast<double>(banks->banks) *
             ratio(banks->fullest_elements, candidate.layout.elements()) -
         1;
}

// Banks jump at once; the first run takes no jump.
std::optional<double> jumps(const Candidate& candidate) {
  const LayoutFacts& facts = candidate.facts;
  const auto& runs =
      candidate.chip.dma_dims > 0 ? facts.descriptors : facts.runs;
  if (!runs) return std::nullopt;
  const std::int64_t used = facts.banks ? facts.banks->used : 1;
  return bytes_of_jump * (ratio(*runs, used) - 1) /
         static_cast<double>(facts.element_bytes);
}

// The part of the alignment that rows have not.
std::optional<double> misalignment(const Candidate& candidate) {
  const auto& is = candidate.facts.row_alignment_bytes;
  if (!is) return std::nullopt;
  const std::int64_t wanted = candidate.chip.row_alignment_bytes;
  return *is == 0 ? 0 : 1 - ratio(std::gcd(*is, wanted), wanted);
}

bool dominates(const std::array<double, cost_count>& a,
               const std::array<double, cost_count>& b) {
  bool better = false;
  for (std::size_t k = 0; k < cost_count; ++k) {
    if (a[k] > b[k]) return false;
    better = better || a[k] < b[k];
  }
  return better;
}

}  // namespace

void set_costs(Candidate& candidate, const Access& access) {
  const LayoutFacts& facts = candidate.facts;
  const Chip& chip = candidate.chip;
  candidate.costs = {};
  candidate.unknown = {};
  if (facts.element_bytes == 0) return;
  const auto set = [&](Cost cost, std::optional<double> value) {
    const auto k = static_cast<std::size_t>(cost);
    candidate.unknown[k] = !value;
    if (value) candidate.costs[k] = std::max(*value, 0.0);
  };
  const bool by_axis = bank_axis(candidate.layout, chip).has_value();
  const bool in_turns = chip.banks > 0 && chip.bank_width_bytes > 0;
  const bool reads = !access.box.empty() || !access.vector_dim.empty();
  set(Cost::waste, ratio(facts.waste_bytes(), facts.element_bytes));
  if (by_axis) set(Cost::banks, imbalance(candidate));
  if (reads && (by_axis || in_turns)) {
    set(Cost::conflicts, facts.conflicts
                             ? std::optional(facts.conflicts->mean - 1)
                             : std::nullopt);
  }
  if (!access.vector_dim.empty()) {
    set(Cost::lanes, facts.vectors
                         ? std::optional(1 / facts.vectors->filled - 1)
                         : std::nullopt);
  }
  set(Cost::runs, jumps(candidate));
  if (chip.row_alignment_bytes > 0) set(Cost::rows, misalignment(candidate));
}

double own_score(const Candidate& candidate, const Weights& weights) {
  double score = 0;
  for (const double cost : known_costs(candidate, {}, weights)) score += cost;
  return score;
}

void rank(std::vector<Candidate>& candidates, const Weights& weights) {
  const std::array<double, cost_count> worst = worst_costs(candidates);
  std::vector<std::array<double, cost_count>> known;
  for (Candidate& candidate : candidates) {
    known.push_back(known_costs(candidate, worst, weights));
    candidate.score = 0;
    for (const double cost : known.back()) candidate.score += cost;
  }
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    bool front = candidates[a].missed.empty();
    for (std::size_t b = 0; b < candidates.size() && front; ++b) {
      front = !candidates[b].missed.empty() || !dominates(known[b], known[a]);
    }
    candidates[a].front = front;
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& c) {
    return std::tuple(excess(c), c.score, c.facts.bytes);
  });
}

}  // namespace stridewise::advising
