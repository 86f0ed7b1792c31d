// What infer found, as JSON and as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dump_files.hpp"
#include "json.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::cli {

// What tells the files apart in the command that reads them.
struct Told {
  const TensorFile& dump;
  std::string shape;
  const ElementType& type;
  std::string out;      // a file that is none of those given
  std::string values;   // how values belong together; empty: they are equal
  std::string assumed;  // of dims that nobody named; empty: nothing
  std::string byte_order = {};  // of raw files; empty: little-endian
};

// " --skip 25" or " --start 7": where `check` and `decode` find the memory of a fit in its
// dump; empty: the dump is this memory.
[[nodiscard]] std::string window_option(const InferFit& fit);

[[nodiscard]] Json report_json(const InferReport& report, const Shape& shape,
                               const ElementType& type, const Told& told);
[[nodiscard]] std::string report_text(const InferReport& report,
                                      const Shape& shape, const Told& told);

}  // namespace stridewise::cli
