// Differences that are one number of elements: a tensor that begins further on,
// and a stride that was taken for another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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
  [[nodiscard]] int shifted(std::size_t d, std::int64_t shift) const;
  [[nodiscard]] bool explains(const Layout& other) const;
  [[nodiscard]] std::int64_t best_shift(std::size_t d, int& most) const;

  const Sides& sides_;
  const Shape& shape_;
  std::vector<Index> samples_;
};

}  // namespace stridewise::inspect
