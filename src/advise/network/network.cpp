// SPDX-License-Identifier: Apache-2.0
#include "stridewise/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "advise/network/model.hpp"

namespace stridewise {
namespace {

using advising::BoundTensor;
using advising::NetworkModel;

// Who does not agree on a tensor that nobody converts.
unexpected<Error> torn(const Network& network, const BoundTensor& bound) {
  std::vector<std::string> who;
  for (const BoundTensor::Touch& touch : bound.touches) {
    who.push_back(network.operations[touch.operation].name);
  }
  return fail(
      ErrorCode::mismatch,
      fmt::format("no choices of {} agree on tensor '{}'{}",
                  fmt::join(who, ", "), bound.tensor->name,
                  bound.tensor->converts ? ", and it cannot be converted"
                                         : ", which is not converted"));
}

// What the tensors that an operation touches cost, of all operations so far.
double cost_so_far(const NetworkModel& model, std::size_t operation,
                   const std::vector<std::size_t>& choices) {
  double cost = 0;
  for (const BoundTensor& bound : model.tensors()) {
    BoundTensor known = {};
    bool touches = false;
    for (const BoundTensor::Touch& touch : bound.touches) {
      touches = touches || touch.operation == operation;
    }
    if (!touches) continue;
    known = bound;
    std::erase_if(known.touches, [&](const BoundTensor::Touch& touch) {
      return touch.operation > operation;
    });
    const advising::Keeping keeping = known.keep(choices);
    if (!keeping.allowed) return advising::infinite;
    cost += keeping.cost();
  }
  return cost;
}

Result<NetworkAdvice> finished(const Network& network,
                               const NetworkModel& model,
                               const std::vector<std::size_t>& choices) {
  if (const BoundTensor* const bound = model.torn(choices)) {
    return torn(network, *bound);
  }
  return model.advice(choices);
}

}  // namespace

Result<NetworkAdvice> advise_network(const Network& network,
                                     const NetworkOptions& options,
                                     const Catalogue& names) {
  const Result<NetworkModel> model =
      NetworkModel::make(network, options, names);
  if (!model) return unexpected(model.error());
  const Result<advising::Problem> problem = model->problem();
  if (!problem) return unexpected(problem.error());
  const advising::Solution solution =
      advising::least(*problem, options.most_entries);
  std::vector<std::size_t> choices = solution.values;
  choices.resize(network.operations.size());
  const bool bounded = solution.bound < solution.cost;
  if (bounded && solution.cost == advising::infinite) {
    return fail(ErrorCode::unsupported,
                fmt::format("no choices were found that are allowed; tables of "
                            "{} entries are too small to tell whether there "
                            "are any",
                            options.most_entries));
  }
  Result<NetworkAdvice> advice = finished(network, *model, choices);
  if (!advice) return advice;
  // Sums in another order must not tell of a gap where there is none.
  const bool exact = solution.bound == solution.cost;
  advice->bound = exact ? advice->cost : std::min(solution.bound, advice->cost);
  return advice;
}

Result<NetworkAdvice> assess_network(const Network& network,
                                     const std::vector<std::size_t>& choices,
                                     const NetworkOptions& options,
                                     const Catalogue& names) {
  const Result<NetworkModel> model =
      NetworkModel::make(network, options, names);
  if (!model) return unexpected(model.error());
  return finished(network, *model, choices);
}

Result<NetworkAdvice> greedy_network(const Network& network,
                                     const NetworkOptions& options,
                                     const Catalogue& names) {
  const Result<NetworkModel> model =
      NetworkModel::make(network, options, names);
  if (!model) return unexpected(model.error());
  std::vector<std::size_t> choices(network.operations.size(), 0);
  for (std::size_t o = 0; o < choices.size(); ++o) {
    std::size_t best = 0;
    double least = advising::infinite;
    const auto& all = network.operations[o].choices;
    for (choices[o] = 0; choices[o] < all.size(); ++choices[o]) {
      const double cost =
          all[choices[o]].cost + cost_so_far(*model, o, choices);
      if (cost < least) {
        least = cost;
        best = choices[o];
      }
    }
    choices[o] = best;
  }
  return finished(network, *model, choices);
}

Result<NetworkAdvice> uniform_network(const Network& network,
                                      const std::string& layout,
                                      const NetworkOptions& options,
                                      const Catalogue& names) {
  const Result<NetworkModel> model =
      NetworkModel::make(network, options, names);
  if (!model) return unexpected(model.error());
  std::vector<std::size_t> choices;
  for (const NetworkOperation& operation : network.operations) {
    const auto rank = [&](const NetworkChoice& choice) {
      const auto same = std::ranges::count_if(
          choice.layouts,
          [&](const auto& one) { return one.second == layout; });
      return std::pair(-same, choice.cost);
    };
    const auto best = std::ranges::min_element(operation.choices, {}, rank);
    choices.push_back(
        static_cast<std::size_t>(best - operation.choices.begin()));
  }
  return finished(network, *model, choices);
}

}  // namespace stridewise
