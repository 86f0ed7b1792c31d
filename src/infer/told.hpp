// What is told of a layout that was found, and of data that decide nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "infer/build.hpp"
#include "infer/data.hpp"
#include "infer/names.hpp"
#include "infer/offsets.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::inference {

// A fit with its names, and the best name's own expression.
[[nodiscard]] InferFit finish(const Built& built, const Dims& dims,
                              std::int64_t dump_bytes);

// The report of layouts that explain every element. Others were not tried: one that fits is
// not shown to be the only one.
[[nodiscard]] InferReport all_of(std::vector<InferFit> fits,
                                 InferReport report);
// The report of a layout that has every element, where no other has them there.
[[nodiscard]] InferReport certain(InferFit fit, InferReport report);

// Of a dump that is not the layout's memory alone, whether the same layout from another
// processor on would put every element where it is.
[[nodiscard]] bool starts_anywhere(const InferFit& fit);

// That the places along dim d are no sum of digits.
[[nodiscard]] std::string print_steps(const Shape& shape, std::size_t d,
                                      const std::vector<std::int64_t>& steps);

// How many values there are, and of how many elements.
struct Distinct {
  std::int64_t values = 0;
  std::int64_t of = 0;
};
// Whether values that repeat are the reason, and what settles it.
[[nodiscard]] std::string about_values(const Distinct& distinct,
                                       std::int64_t elements);

// Fills in what is known when nothing fits.
void explain_none(const InferData& data, const InferOptions& options,
                  InferReport& report);

// Why the data do not rule out every other function; empty where they do: all steps are
// seen, or no other element has the value of any.
[[nodiscard]] std::string doubt(const Located& located, const Shape& shape,
                                const Explained& explained,
                                std::int64_t elements);

}  // namespace stridewise::inference
