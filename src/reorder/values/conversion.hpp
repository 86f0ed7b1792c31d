// How values of one type become those of another: one converter, or several in turn over
// values that stay in the nearest cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "reorder/values/converter.hpp"

namespace stridewise {

class ValueConversion {
 public:
  // Pre: count >= 0. Any alignment; src and dst do not overlap.
  void run(const ValueRuns& runs, const Quantisation& quantisation) const {
    if (steps_ == 1) return step_[0](runs, quantisation);
    run_steps(runs, quantisation);
  }
  // The same with stores that pass by the caches. Pre: streams().
  void stream(const ValueRuns& runs, const Quantisation& quantisation) const {
    stream_(runs, quantisation);
  }
  [[nodiscard]] bool streams() const { return stream_ != nullptr; }

 private:
  friend std::optional<ValueConversion> find_conversion(const Values& values);
  class Path;

  void run_steps(const ValueRuns& runs, const Quantisation& quantisation) const;

  static constexpr std::size_t most_steps = 4;
  std::array<ConvertRuns, most_steps> step_ = {};
  std::array<std::int64_t, most_steps + 1> bytes_ =
      {};  // before each, and after
  std::size_t steps_ = 0;
  ConvertRuns stream_ = nullptr;
};

// By the table's converter of the pair. Else by way of s64 between integers, of f64 where
// f64 or an integer of more than 8 bits is a side, of f32 for what is left. What is
// rounded twice on that way is rounded to odd first, and so as if once.
//
// nullopt: the types are the same (a copy), codes change their width in a way that is no
// conversion of numbers, or the pair is not supported.
[[nodiscard]] std::optional<ValueConversion> find_conversion(
    const Values& values);

}  // namespace stridewise
