// What a dump may be: a type, a byte order and a layout, by the golden's values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dump_files.hpp"

namespace stridewise::cli {

// The golden and the dump, and what is known of them.
struct DoctorCase {
  TensorFile golden;
  std::string dump_path;
  TensorFile dump;
  ElementType golden_type = {};
  TensorShape shape = {};
  std::int64_t elements = 0;
  // What is not known is looked for.
  std::optional<LayoutSource> layout = {};
  std::optional<ElementType> dump_type = {};
  Scales scales = {};
  std::optional<Tolerance> tolerance = {};
  // Of commands that read the same: options of the golden, and of the scales that are known.
  std::string golden_words = {};
  std::string scale_words = {};
};

// The golden's own order.
[[nodiscard]] LayoutSource rows_of(const DoctorCase& patient);

// One way to read the dump.
struct Reading {
  ElementType type;
  bool big_endian = false;
  // Set where values are of one type and near alone.
  std::optional<Tolerance> near = {};
  TypedReport typed = {};
  // Of the elements that chance leaves open, the share that this reading has right.
  double explained = 0;
  // Where it was compared: sentences that diff has.
  std::size_t findings = 0;

  // What the integers of a quantised dump mean; nullopt: it is none.
  [[nodiscard]] std::optional<Quantisation> quantisation() const;
  // The layout that explains most; nullptr: none explains anything.
  [[nodiscard]] const InferFit* fit() const;
  // Whether no other reading need be tried, and whether it is the answer if no other is
  // better. Chance explains a twentieth of a few elements.
  [[nodiscard]] bool holds() const { return explained >= 0.5; }
  [[nodiscard]] bool likely() const { return explained >= 0.25; }
};

// The types that are tried, the likeliest first: the one that is known, or those that the
// dump has room for.
[[nodiscard]] std::vector<ElementType> types_of(const DoctorCase& patient);

// By infer, in every type and byte order, until one holds.
[[nodiscard]] std::vector<Reading> inferred(
    const DoctorCase& patient, const std::function<void(double)>& progress);

// In a given layout, in every type and byte order of its size; by diff.
[[nodiscard]] std::vector<Reading> read_in(
    const DoctorCase& patient, const LayoutSource& layout,
    const std::optional<Tolerance>& near = {});

// The golden and the dump, compared in a layout that a reading has.
struct Comparison {
  // The dump in little-endian order, where it is in the other one.
  std::optional<TensorFile> reversed = {};
  MemoryWindow window = {};
  DiffOptions options = {};
  DiffReport report = {};
};
[[nodiscard]] Comparison compare(const DoctorCase& patient,
                                 const Reading& reading, const InferFit& fit,
                                 const Tolerance* tolerance = nullptr);

}  // namespace stridewise::cli
