// SPDX-License-Identifier: Apache-2.0
#include "advise/network/factors.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace stridewise::advising {
namespace {

std::size_t position_in(const Factor& factor,
                        const std::vector<std::size_t>& domains,
                        const std::vector<std::size_t>& values) {
  std::size_t at = 0;
  for (const Variable v : factor.variables) at = at * domains[v] + values[v];
  return at;
}

// The entries of a table over variables; nullopt: more than that.
std::optional<std::int64_t> entries(const std::set<Variable>& variables,
                                    const std::vector<std::size_t>& domains,
                                    std::int64_t most) {
  std::int64_t count = 1;
  for (const Variable v : variables) {
    const auto domain = static_cast<std::int64_t>(domains[v]);
    if (count > most / domain) return std::nullopt;
    count *= domain;
  }
  return count;
}

std::set<Variable> scope_of(const std::vector<Factor>& factors) {
  std::set<Variable> all;
  for (const Factor& factor : factors) {
    all.insert(factor.variables.begin(), factor.variables.end());
  }
  return all;
}

// Steps through all values of some variables, the last one fastest.
bool next(const std::vector<Variable>& variables,
          const std::vector<std::size_t>& domains,
          std::vector<std::size_t>& values) {
  for (std::size_t k = variables.size(); k-- > 0;) {
    if (++values[variables[k]] < domains[variables[k]]) return true;
    values[variables[k]] = 0;
  }
  return false;
}

class Eliminator {
 public:
  Eliminator(const Problem& problem, std::int64_t most_entries)
      : problem_(problem),
        most_(std::max<std::int64_t>(most_entries, 1)),
        left_(problem.factors),
        values_(problem.domains.size(), 0) {}

  Solution run() {
    std::vector<bool> done(problem_.domains.size(), false);
    for (std::size_t step = 0; step < done.size(); ++step) {
      const Variable v = cheapest(done);
      done[v] = true;
      eliminate(v);
    }
    Solution solution;
    for (const Factor& factor : left_) solution.bound += factor.values.front();
    decode();
    improve();
    solution.values = values_;
    solution.cost = problem_.cost(values_);
    // Rounding must not tell of a gap where there is none.
    if (exact_) solution.bound = solution.cost;
    return solution;
  }

 private:
  // Its table would be the smallest.
  Variable cheapest(const std::vector<bool>& done) {
    std::vector<std::set<Variable>> scopes(done.size());
    for (const Factor& factor : left_) {
      for (const Variable v : factor.variables) {
        scopes[v].insert(factor.variables.begin(), factor.variables.end());
      }
    }
    Variable best = done.size();
    double least = infinite;
    for (Variable v = 0; v < done.size(); ++v) {
      if (done[v]) continue;
      double size = 1;
      for (const Variable other : scopes[v]) {
        size *= static_cast<double>(problem_.domains[other]);
      }
      if (best == done.size() || size < least) {
        best = v;
        least = size;
      }
    }
    return best;
  }

  // Functions of v, as one of the others of their variables. Where its table were too large,
  // they are parted, and v is free to differ between parts: a bound.
  void eliminate(Variable v) {
    std::vector<Factor> bucket;
    std::erase_if(left_, [&](Factor& factor) {
      if (std::ranges::find(factor.variables, v) == factor.variables.end()) {
        return false;
      }
      bucket.push_back(std::move(factor));
      return true;
    });
    std::vector<std::vector<Factor>> parts;
    for (Factor& factor : bucket) {
      const auto room = std::ranges::find_if(parts, [&](auto& part) {
        std::set<Variable> scope = scope_of(part);
        scope.insert(factor.variables.begin(), factor.variables.end());
        return entries(scope, problem_.domains, most_).has_value();
      });
      if (room != parts.end()) {
        room->push_back(std::move(factor));
      } else {
        parts.push_back({std::move(factor)});
      }
    }
    exact_ = exact_ && parts.size() < 2;
    for (const auto& part : parts) left_.push_back(minimum(part, v));
    order_.push_back(v);
    buckets_.push_back(std::move(parts));
  }

  Factor minimum(const std::vector<Factor>& part, Variable v) const {
    std::set<Variable> scope = scope_of(part);
    scope.erase(v);
    Factor made{{scope.begin(), scope.end()}, {}};
    std::vector<std::size_t> values(problem_.domains.size(), 0);
    do {
      double best = infinite;
      for (values[v] = 0; values[v] < problem_.domains[v]; ++values[v]) {
        best = std::min(best, sum(part, values));
      }
      values[v] = 0;
      made.values.push_back(best);
    } while (next(made.variables, problem_.domains, values));
    return made;
  }

  [[nodiscard]] double sum(const std::vector<Factor>& factors,
                           const std::vector<std::size_t>& values) const {
    double total = 0;
    for (const Factor& factor : factors) {
      total += factor.values[position_in(factor, problem_.domains, values)];
    }
    return total;
  }

  // The variables in reverse: those that a bucket depends on have their values by then.
  void decode() {
    for (std::size_t k = order_.size(); k-- > 0;) {
      const Variable v = order_[k];
      std::size_t best = 0;
      double least = infinite;
      for (values_[v] = 0; values_[v] < problem_.domains[v]; ++values_[v]) {
        double total = 0;
        for (const auto& part : buckets_[k]) total += sum(part, values_);
        if (total < least) {
          least = total;
          best = values_[v];
        }
      }
      values_[v] = best;
    }
  }

  // One variable at a time, for as long as that helps.
  void improve() {
    if (exact_) return;
    std::vector<std::vector<const Factor*>> of(problem_.domains.size());
    for (const Factor& factor : problem_.factors) {
      for (const Variable v : factor.variables) of[v].push_back(&factor);
    }
    bool better = true;
    for (int round = 0; better && round < 100; ++round) {
      better = false;
      for (Variable v = 0; v < of.size(); ++v) {
        const std::size_t before = values_[v];
        std::size_t best = before;
        double least = infinite;
        for (std::size_t value = 0; value < problem_.domains[v]; ++value) {
          values_[v] = value;
          double total = 0;
          for (const Factor* const factor : of[v]) {
            total +=
                factor->values[position_in(*factor, problem_.domains, values_)];
          }
          if (total < least || (total == least && value == before)) {
            least = total;
            best = value;
          }
        }
        values_[v] = best;
        better = better || best != before;
      }
    }
  }

  const Problem& problem_;
  std::int64_t most_;
  std::vector<Factor> left_;
  std::vector<Variable> order_;
  std::vector<std::vector<std::vector<Factor>>> buckets_;  // by order_
  std::vector<std::size_t> values_;
  bool exact_ = true;
};

}  // namespace

double Problem::cost(const std::vector<std::size_t>& values) const {
  double total = 0;
  for (const Factor& factor : factors) {
    total += factor.values[position_in(factor, domains, values)];
  }
  return total;
}

Solution least(const Problem& problem, std::int64_t most_entries) {
  return Eliminator(problem, most_entries).run();
}

}  // namespace stridewise::advising
