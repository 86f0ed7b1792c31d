// infer of a dump whose elements are of another type than the reference's, or near alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "json.hpp"
#include "stridewise/element.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::cli {

struct ValueOptions {
  ElementType reference;
  ElementType dump;
  double rtol = 0;
  double atol = 0;
};

struct InferAnswer {
  InferReport report;
  // How the values belong together, in words and as JSON; empty where they are equal and
  // of one type.
  std::string values = {};
  Json values_json = Json::object();
};

// Equal bytes first, of the reference as the dump's type; then numbers within the tolerance,
// or within a step of the dump's type; of an integer dump of a reference of floats, any scale
// and zero point. Ends the command on an error.
[[nodiscard]] InferAnswer infer_values(std::span<const InferPair> pairs,
                                       const InferOptions& inference,
                                       const ValueOptions& values);

}  // namespace stridewise::cli
