// Which layout wrote this memory? From a tensor whose values are known and the
// bytes that somebody else's program made of it.
//
//   probe   a tensor made for the question: no two elements are equal
//   infer   reference and dump -> the layout, in the notation, with its name
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

// ----------------------------------------------------------------- probe ---

// A tensor without two equal elements, in the logical order of its shape (last
// dim fastest). Element i is the number i + 1: integers as they are, f32 and f64
// as whole numbers, which are exact; f16 and bf16 as their i-th normal value.
// A type of too few values spreads the number over several files: file k holds
// its k-th digit, the last file the lowest one. Together they differ.
class Probe {
 public:
  // Errors: a shape whose elements or bytes overflow.
  [[nodiscard]] static Result<Probe> make(const Shape& shape,
                                          const ElementType& type);

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] int files() const { return files_; }
  // How many values of the type are used.
  [[nodiscard]] std::int64_t values() const { return values_; }

  // Writes elements first .. first+count-1 of a file into `out`.
  // Pre: 0 <= file < files(); within elements(); count * element bytes in `out`.
  void fill(int file, std::int64_t first, std::int64_t count,
            std::byte* out) const;

 private:
  Probe(const ElementType& type, std::int64_t elements);
  ElementType type_;
  std::int64_t elements_;
  std::int64_t values_ = 0;
  int files_ = 1;
};

// ----------------------------------------------------------------- infer ---

// The reference, dense in logical order (last dim fastest), and the dump.
struct InferPair {
  std::span<const std::byte> reference;
  std::span<const std::byte> dump;
};

// Bytes first .. end-1.
struct ByteRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

// What is told of a dump in which the tensor is a part of records of one size.
struct InferRecord {
  // Of a record; the dump is a whole number of them.
  std::int64_t bytes = 0;
  // Byte of a record where the part begins. -1: it is looked for, among places with as many
  // bits 1 as the reference: padding of the part must be zero.
  std::int64_t place = -1;
  // -1: what the elements take without padding.
  std::int64_t part_bytes = -1;
};

struct InferOptions {
  Shape shape;
  std::int64_t element_bytes = 1;
  // The names of the dims stand for positions alone: every catalogue entry of
  // that rank may fit. Else those with these dims.
  bool positional = false;
  // Called now and then with the share of the pass that is done, where gigabytes
  // are read: a mapped file may give its memory back.
  std::function<void(double done)> progress = {};
  // Bytes that are zero in every dump, ascending: the holes of sparse files. They
  // are not searched.
  std::vector<ByteRange> zeros = {};
  // Where names are looked for.
  Catalogue names = catalogue();
  // Bits of an element in the dump, where its elements follow each other as a stream of
  // bits; the reference has them in `element_bytes` each, the lowest bits of which count.
  // 0: all bits of these bytes.
  std::int64_t packed_bits = 0;
  std::optional<InferRecord> record = {};
  // Where values repeat: how many elements the search may look at before it ends. 2^32 takes
  // about ten seconds.
  std::int64_t most_looked_at = std::int64_t{1} << 32;
};

// A layout that puts every element of the reference where the dump has it.
struct InferFit {
  Layout layout;
  // The catalogue names of the same function on this shape, best first.
  std::vector<std::string> names;
  // The byte of the layout's memory that the dump begins with; 0 for a dump of
  // all of it. Negative: bytes before the layout's memory.
  std::int64_t start_byte = 0;
  // What the dump has beyond the layout's memory.
  std::int64_t trailing_bytes = 0;
  // What the layout's memory has beyond the end of the dump.
  std::int64_t missing_bytes = 0;
  // Where there are no names: those of the same function so many bytes earlier, as
  // where a named layout's memory is not the first in the dump.
  std::vector<std::string> names_at_base = {};
  std::int64_t base_bytes = 0;
};

struct InferReport {
  enum class Outcome : std::uint8_t {
    one,         // this layout and no other function
    unproven,    // values repeat: this one explains the dump, others might too
    several,     // values repeat: all of `fits` explain the dump
    none,        // no layout; `best` says how far the nearest one goes
    unknowable,  // the reference cannot tell: all of its elements are equal
  };
  Outcome outcome = Outcome::none;
  // Different functions, the simplest first; one where values are distinct.
  // At most 16.
  std::vector<InferFit> fits;
  std::optional<InferFit> best;  // of outcome none, where there is one

  std::int64_t elements = 0;
  std::int64_t present = 0;   // elements whose place lies within the dump
  std::int64_t matching = 0;  // of them, those found there
  // Of outcome none: how many different values the reference has; of more than 2^20 elements,
  // counted among 2^20 that are drawn.
  std::int64_t distinct = 0;
  // Where `best` breaks: the first element in logical order.
  std::optional<std::vector<std::int64_t>> first_break;
  std::string reason;  // of every outcome but `one`, in words
};

// "one fits", "fits, maybe not alone", "several fit", "none fits", "cannot know".
[[nodiscard]] std::string_view outcome_name(InferReport::Outcome outcome);

// Bytes are compared, so that a NaN is what its bits are. Several pairs are the files of one
// probe, which differ together. Where enough values are distinct the layout is computed from
// their places, in O(elements + dump); else the catalogue and digit structures are searched,
// in O(elements) each. Of records whose part is looked for, up to 64 places are tried so.
// Packed elements take memory of a byte or more for each place of the dump.
// Errors: a reference that is not the shape's size or holds values that the packed bits do
// not; dumps of different sizes; no elements; packed bits that the element has not, or more
// than 4 GiB of places; records that the dump is no whole number of; a part that a record
// does not hold.
[[nodiscard]] Result<InferReport> infer(std::span<const InferPair> pairs,
                                        const InferOptions& options);

// --------------------------------------------------- numbers that are near ---

// How a dump's numbers may differ from the reference's.
struct NearOptions {
  // `element_bytes` are those of the dump's elements. Neither packed bits nor records.
  InferOptions infer;
  // Equal when |dump - reference| <= atol + rtol * |reference|.
  double rtol = 0;
  double atol = 0;
  // The dump holds integers round(reference / scale) + zero_point of this range, of a scale
  // and a zero point that are looked for. Then the tolerances do not count.
  struct Range {
    double lowest = 0;
    double highest = 0;
  };
  std::optional<Range> quantised = {};
};

struct NearReport {
  // Of a fit, `matching` elements are within the tolerance; of quantised ones, within a step.
  InferReport report;
  std::int64_t equal = 0;  // of them, those that are the same number
  double scale = 1;  // of quantised ones: real = (integer - zero_point) * scale
  double zero_point = 0;
};

// infer() of numbers: the reference in logical order, and what stands at each place of the
// dump. Of quantised ones, a fit has 99 of 100 elements within a step. Values that the
// tolerance cannot keep apart count as one: a fit is never shown to be the only one.
// O(n log n) of the elements and places beside infer(); memory of a few doubles for each.
// Errors: those of infer(); tolerances that are negative or not finite.
[[nodiscard]] Result<NearReport> infer_near(std::span<const double> reference,
                                            std::span<const double> dump,
                                            const NearOptions& options);

// ------------------------------------------------------ elements of types ---

struct TypedOptions {
  // `element_bytes` are those of the dump's elements.
  InferOptions infer;
  ElementType reference;
  ElementType dump;
  // As of NearOptions; of two types what the dump's rounds away is added.
  double rtol = 0;
  double atol = 0;
  // Whether to look, where nothing fits, for a type or a tolerance that would.
  bool hints = true;
};

struct TypedReport {
  // What the values of a fit have in common.
  enum class Agreement : std::uint8_t {
    same,       // they are equal
    rounded,    // those of the reference, brought to the dump's type, are equal
    bits,       // the dump's integers are the bits of the reference's floats
    near,       // within `rtol` and `atol`
    quantised,  // by `quantisation`
  };
  InferReport report;
  Agreement agreement = Agreement::same;
  std::int64_t equal = 0;  // of `present` elements
  double rtol = 0;         // what was allowed
  double atol = 0;
  Quantisation quantisation = {};
};

// infer() of elements whose types are known. Bytes that are equal first, of the reference as
// the dump's type; then numbers within the tolerance, by infer_near(); of a dump of integers
// and a reference of floats, any scale and zero point. A boolean is a byte. Where nothing fits
// and `hints` are asked for, up to seven more searches of up to 65536 elements.
// Errors: those of infer() and infer_near(); several pairs with a tolerance or two types; two
// types of which one has less than whole bytes, or that do not change into each other.
[[nodiscard]] Result<TypedReport> infer_typed(std::span<const InferPair> pairs,
                                              const TypedOptions& options);

}  // namespace stridewise
