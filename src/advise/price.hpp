// What conversions of one tensor take, by the planner's model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "machine/machine.hpp"
#include "stridewise/advise.hpp"

namespace stridewise::advising {

class Pricer {
 public:
  // Errors: those of machine_of().
  [[nodiscard]] static Result<Pricer> make(const Layout& tensor,
                                           const std::string& machine);
  // nullopt: there is no plan.
  [[nodiscard]] std::optional<Price> price(const Layout& src,
                                           const Layout& dst) const;

 private:
  explicit Pricer(Machine machine) : machine_(std::move(machine)) {}
  Machine machine_;
  std::optional<double> copy_cycles_;  // of the tensor in rows
};

// The price there and back, and the cost that it is.
void set_price(Candidate& candidate, const Layout& from, const Pricer& pricer);

}  // namespace stridewise::advising
