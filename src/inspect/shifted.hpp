// Differences that are one number of elements: a tensor that begins further on,
// and a stride that was taken for another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspect/evidence.hpp"
#include "inspect/samples.hpp"

namespace stridewise::inspect {

class Shifted {
 public:
  explicit Shifted(const Sides& sides);

  // "everything is 2 elements further on"; empty: it is not.
  [[nodiscard]] std::string further() const;
  // "the stride of h is 1 element too large"; empty: none is.
  [[nodiscard]] std::string stride() const;
  // The same of a stride that those of slower digits follow: "written with h 9
  // elements apart instead of 8".
  [[nodiscard]] std::string pitch() const;
  // "A has the values of B in other places"; empty: it has not, or they are too
  // few to tell.
  [[nodiscard]] std::string elsewhere() const;

 private:
  // Where an element would be in A; nullopt: it tells nothing.
  using PlaceOf = std::function<std::optional<std::int64_t>(const Index&)>;

  // How much speaks for A having elements there: 0 where less than `share` of those
  // that differ are, or where chance may have put them there.
  [[nodiscard]] double bits(const PlaceOf& place_of, double share) const;
  [[nodiscard]] std::int64_t best_shift(std::size_t d, double& most) const;

  const Sides& sides_;
  const Shape& shape_;
  std::vector<Index> samples_;
  std::vector<Element> here_;  // of A, and of B
  std::vector<Element> there_;
  std::vector<bool> differ_;
};

}  // namespace stridewise::inspect
