// A file of another size than its layout, and the sentences that may explain it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stridewise/diff.hpp"

namespace stridewise::inspect {

// What people do, the likeliest first.
enum class Likelihood : std::uint8_t {
  dense,
  tail,
  type,
  banks,
  padded,
  rows,
  off_by_one,
  padded_twice,
  stride,
  header,
  rounded,
  several
};

class SizeQuestion {
 public:
  SizeQuestion(const Layout& layout, const ElementType& type,
               std::int64_t bytes);

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const ElementType& type() const { return type_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }  // of the file
  [[nodiscard]] std::int64_t size() const { return size_; }    // of the layout
  // Of an element. Pre: it is whole bytes.
  [[nodiscard]] std::int64_t width() const { return layout_.element_bytes(); }

  // nullopt: it cannot be, or two elements would meet.
  [[nodiscard]] std::optional<Layout> bind(const Expression& expression,
                                           const Shape& shape) const;

  // "; read it by 'h:1984 w'": the tensor, not more, is in such a file in this layout.
  // Empty where it is not.
  [[nodiscard]] std::string read_by(const Expression& expression) const;
  // The same of the places that the tensor has in a larger one of the same digits.
  [[nodiscard]] std::string read_within(const Layout& larger) const;

  void add(Likelihood likelihood, std::string sentence);
  // Whether something that says what lies where explains the size.
  [[nodiscard]] bool sure() const;
  [[nodiscard]] bool has(Likelihood likelihood) const;
  // The likeliest, at most so many.
  [[nodiscard]] std::vector<std::string> likeliest(std::size_t most);

 private:
  struct Found {
    Likelihood likelihood = Likelihood::several;
    std::string sentence = {};
  };

  const Layout& layout_;
  const ElementType& type_;
  const std::int64_t bytes_;
  const std::int64_t size_;
  std::vector<Found> found_;
};

// Dims that are padded to a multiple, of a plain layout.
void explain_by_dims(SizeQuestion& question);
// Rows, planes or other digits that lie further apart, or nearer, all alike; those that
// aligned rows and longer dims make likely alone, if asked.
void explain_by_rows(SizeQuestion& question, bool likely_alone);
// Strides off by little, or aligned.
void explain_by_strides(SizeQuestion& question);
// Two dims, each padded to a multiple.
void explain_by_two_dims(SizeQuestion& question);
// Other numbers of processors, and processors of other sizes.
void explain_by_banks(SizeQuestion& question);

}  // namespace stridewise::inspect
