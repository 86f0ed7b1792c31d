// A network with its layouts bound: what each tensor costs for the layouts that operations
// want it in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advise/network/factors.hpp"
#include "advise/price.hpp"
#include "stridewise/network.hpp"

namespace stridewise::advising {

// A layout of a tensor, by its place in BoundTensor::layouts.
using Wanted = std::size_t;

// Where a tensor is kept, and what that costs.
struct Keeping {
  Wanted home = 0;
  double waste = 0;
  double moves = 0;
  bool allowed = false;

  [[nodiscard]] double cost() const { return waste + moves; }
};

class BoundTensor {
 public:
  // An operation that touches it; what each of its choices wants.
  struct Touch {
    std::size_t operation;
    bool writes;
    std::vector<Wanted> wants;
  };

  const NetworkTensor* tensor = nullptr;
  std::vector<std::string> names;  // of the layouts
  std::vector<Layout> layouts;
  std::vector<double> waste;               // weighted
  std::vector<std::vector<double>> price;  // from, to
  std::vector<Wanted> homes;               // empty: as it is written
  std::vector<Touch> touches;

  // The best home for what is written, if anything is, and what readers want.
  [[nodiscard]] Keeping keep(std::optional<Wanted> written,
                             const std::set<Wanted>& wanted) const;
  // The same for a choice of each operation.
  [[nodiscard]] Keeping keep(const std::vector<std::size_t>& choices) const;
  [[nodiscard]] std::pair<std::optional<Wanted>, std::set<Wanted>> asked(
      const std::vector<std::size_t>& choices) const;
};

class NetworkModel {
 public:
  // Errors: those of advise_network().
  [[nodiscard]] static Result<NetworkModel> make(const Network& network,
                                                 const NetworkOptions& options,
                                                 const Catalogue& names);

  // Variables are the operations, then states of tensors that many touch.
  [[nodiscard]] Result<Problem> problem() const;
  [[nodiscard]] NetworkAdvice advice(
      const std::vector<std::size_t>& choices) const;
  // A tensor for which these choices do not agree.
  [[nodiscard]] const BoundTensor* torn(
      const std::vector<std::size_t>& choices) const;

  [[nodiscard]] const std::vector<BoundTensor>& tensors() const {
    return tensors_;
  }

 private:
  explicit NetworkModel(const Network& network) : network_(network) {}
  Result<void> bind(const NetworkOptions& options, const Catalogue& names);
  Result<void> touch();
  Result<void> bind_layouts(BoundTensor& bound, const NetworkOptions& options,
                            const Catalogue& names);

  const Network& network_;
  std::vector<BoundTensor> tensors_;
};

}  // namespace stridewise::advising
