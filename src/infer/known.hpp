// The place of every element of a tensor, and layouts held against it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infer/data.hpp"
#include "infer/names.hpp"
#include "infer/offsets.hpp"
#include "stridewise/infer.hpp"

namespace stridewise::inference {

// Where each element stands in the dump: known where its value occurs once on both sides.
class KnownPlaces {
 public:
  // nullopt: fewer than one of eight places is known, a value of the tensor is not in the
  // dump, or the tensor has more than 4 million elements. O(elements + dump).
  [[nodiscard]] static std::optional<KnownPlaces> find(const InferData& data,
                                                       const Dims& dims,
                                                       std::int64_t elements);

  // Whether the place of every element is known.
  [[nodiscard]] bool complete() const { return complete_; }
  // Where the first element may stand: places are told from there.
  [[nodiscard]] const std::vector<std::int64_t>& first_places() const {
    return first_places_;
  }
  void set_first(std::int64_t place) { places_.front() = place; }

  [[nodiscard]] const Shape& shape() const { return dims_->shape; }
  [[nodiscard]] const Dims& dims() const { return *dims_; }
  [[nodiscard]] std::int64_t dump_bytes() const { return dump_bytes_; }
  [[nodiscard]] std::int64_t elements() const {
    return static_cast<std::int64_t>(places_.size());
  }
  // Of an element, by its number in logical order; places count in elements. `unknown`: its
  // value repeats. That of the first element is known.
  [[nodiscard]] std::int64_t place(std::int64_t element) const {
    return places_[static_cast<std::size_t>(element)];
  }
  // Places beyond that of the first element, or `unknown`.
  [[nodiscard]] std::int64_t step(std::int64_t element) const {
    const std::int64_t at = place(element);
    return at == unknown ? unknown : at - place(0);
  }
  // How many elements lie between two indices of dim d that follow each other.
  [[nodiscard]] std::int64_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::int64_t index(std::int64_t element, std::size_t d) const {
    return element / strides_[d] % shape()[d].extent;
  }
  // That name, or with "_" behind it until no dim has it.
  [[nodiscard]] std::string free_name(std::string name) const;
  // Steps along dim d, all other indices 0.
  [[nodiscard]] std::vector<std::int64_t> line(std::size_t d) const;
  // The same where places are a sum: also by elements whose other indices are not 0.
  [[nodiscard]] std::vector<std::int64_t> voted_line(std::size_t d) const;

  // Elements here and there whose places are known, the same ones each time.
  [[nodiscard]] const std::vector<std::int64_t>& samples() const {
    return samples_;
  }
  // Whether places are a sum of one function of each dim's index, by the samples whose steps
  // are known.
  [[nodiscard]] bool additive() const;

  // The layout as a fit, if it puts each element where the dump has it. O(elements).
  [[nodiscard]] std::optional<InferFit> fit(
      const Result<Layout>& layout, std::vector<std::string> names) const;
  // The same of an expression of one axis with these digits.
  [[nodiscard]] std::optional<InferFit> fit(
      std::vector<Term> terms, std::vector<FusedIndex> fused) const;

 private:
  KnownPlaces(const InferData& data, const Dims& dims)
      : data_(&data), dims_(&dims), dump_bytes_(data.dump_bytes()) {}
  void draw_samples();
  [[nodiscard]] bool explained_by(const Layout& layout) const;

  const InferData* data_;
  const Dims* dims_;
  std::int64_t dump_bytes_;
  bool complete_ = true;
  std::vector<std::int64_t> first_places_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> places_;
  std::vector<std::int64_t> samples_;
};

// One kind of layout each that is more than plain digits. nullopt: the tensor's is none of
// that kind.

// Dims, or digits of them, that run backwards: high nibbles first, mirrored images.
[[nodiscard]] std::optional<InferFit> find_reversed(const KnownPlaces& known);

// Bits of a place that are xors of bits of the index. Extents are powers of two.
[[nodiscard]] std::optional<InferFit> find_xored(const KnownPlaces& known);

// A digit that another dim's digit is added to, taken from or xored with.
[[nodiscard]] std::optional<InferFit> find_twisted(const KnownPlaces& known);

// Digits of several dims that count as one index, which is cut into blocks.
[[nodiscard]] std::optional<InferFit> find_fused(const KnownPlaces& known);

}  // namespace stridewise::inference
