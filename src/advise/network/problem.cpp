// A bound network as functions of choices. A tensor is a function of those of all operations
// that touch it; where these are too many, of a state of its own: what is written, and which
// other layouts it is wanted in.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "advise/network/model.hpp"

namespace stridewise::advising {
namespace {

constexpr std::size_t most_entries_of_tensor = 4096;
constexpr std::size_t most_layouts_of_state = 10;

// Each operation once, in order.
std::vector<Variable> operations_of(const BoundTensor& bound) {
  std::set<Variable> all;
  for (const BoundTensor::Touch& touch : bound.touches) {
    all.insert(touch.operation);
  }
  return {all.begin(), all.end()};
}

Factor whole(const BoundTensor& bound, const std::vector<Variable>& operations,
             const std::vector<std::size_t>& domains) {
  Factor factor{operations, {}};
  std::vector<std::size_t> choices(domains.size(), 0);
  for (;;) {
    const Keeping keeping = bound.keep(choices);
    factor.values.push_back(keeping.allowed ? keeping.cost() : infinite);
    std::size_t k = operations.size();
    while (k-- > 0) {
      if (++choices[operations[k]] < domains[operations[k]]) break;
      choices[operations[k]] = 0;
      if (k == 0) return factor;
    }
    if (operations.empty()) return factor;
  }
}

struct State {
  std::optional<Wanted> written;
  std::set<Wanted> wanted;
};

std::vector<State> states_of(const BoundTensor& bound) {
  bool is_written = false;
  for (const BoundTensor::Touch& touch : bound.touches) {
    is_written = is_written || touch.writes;
  }
  std::vector<State> states;
  const std::size_t layouts = bound.layouts.size();
  for (Wanted written = 0; written < (is_written ? layouts : 1); ++written) {
    for (std::size_t mask = 0; mask < (std::size_t{1} << layouts); ++mask) {
      State state;
      if (is_written) state.written = written;
      for (Wanted k = 0; k < layouts; ++k) {
        if ((mask >> k & 1) != 0) state.wanted.insert(k);
      }
      states.push_back(std::move(state));
    }
  }
  return states;
}

// A function of the state, and for each touch one of it and the operation.
void add_state(const BoundTensor& bound, Problem& problem) {
  const std::vector<State> states = states_of(bound);
  const Variable variable = problem.domains.size();
  problem.domains.push_back(states.size());
  Factor& own = problem.factors.emplace_back();
  own.variables = {variable};
  for (const State& state : states) {
    const Keeping keeping = bound.keep(state.written, state.wanted);
    own.values.push_back(keeping.allowed ? keeping.cost() : infinite);
  }
  for (const BoundTensor::Touch& touch : bound.touches) {
    Factor& factor = problem.factors.emplace_back();
    factor.variables = {touch.operation, variable};
    for (const Wanted wants : touch.wants) {
      for (const State& state : states) {
        const bool suits = touch.writes ? state.written == wants
                                        : state.wanted.contains(wants);
        factor.values.push_back(suits ? 0 : infinite);
      }
    }
  }
}

}  // namespace

Result<Problem> NetworkModel::problem() const {
  Problem problem;
  for (std::size_t o = 0; o < network_.operations.size(); ++o) {
    const std::vector<NetworkChoice>& choices = network_.operations[o].choices;
    problem.domains.push_back(choices.size());
    Factor& factor = problem.factors.emplace_back();
    factor.variables = {o};
    for (const NetworkChoice& choice : choices) {
      factor.values.push_back(choice.cost);
    }
  }
  for (const BoundTensor& bound : tensors_) {
    if (bound.touches.empty()) continue;
    const std::vector<Variable> operations = operations_of(bound);
    std::size_t entries = 1;
    for (const Variable o : operations) {
      entries =
          std::min(entries * problem.domains[o], most_entries_of_tensor + 1);
    }
    if (entries <= most_entries_of_tensor) {
      problem.factors.push_back(whole(bound, operations, problem.domains));
    } else if (bound.layouts.size() <= most_layouts_of_state) {
      add_state(bound, problem);
    } else {
      return fail(ErrorCode::unsupported,
                  fmt::format("tensor '{}' is wanted in {} layouts by {} "
                              "operations; {} are the most",
                              bound.tensor->name, bound.layouts.size(),
                              operations.size(), most_layouts_of_state));
    }
  }
  return problem;
}

}  // namespace stridewise::advising
