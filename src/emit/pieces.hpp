// Code of layouts that are more than plain digits: a list of pieces, each a sum of digits
// that may be reversed, looked up, twisted or of fused dims.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emit/writer.hpp"
#include "layout/data.hpp"

namespace stridewise::emitter {

// The constant arrays that code looks entries up in.
class Tables {
 public:
  explicit Tables(std::string prefix) : prefix_(std::move(prefix)) {}

  // The name of the array of entries; or of the position of each entry, -1 where none is.
  [[nodiscard]] std::string forward(const detail::BoundTable& table);
  [[nodiscard]] std::string backward(const detail::BoundTable& table,
                                     std::int64_t count);

  // All arrays that `code` names, each begun by `qualifier`.
  [[nodiscard]] std::string definitions(const std::string& qualifier,
                                        const std::string& code,
                                        int depth) const;

 private:
  std::string add(const std::string& kind, std::vector<std::int64_t> entries);
  std::string prefix_;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> arrays_;
  std::map<std::vector<std::int64_t>, std::string> names_;
};

// One tensor of a layout, and what its code calls things.
struct PiecedSubject {
  const detail::LayoutData& data;
  const detail::TensorData& tensor;
  std::vector<std::string> dims;  // own dims, as identifiers
  std::vector<std::string> outs;
  bool bitwise = false;   // functions take and give the bit of the element, too
  std::int64_t unit = 1;  // bits of a step of offsets
};
[[nodiscard]] PiecedSubject pieced_subject(const Layout& layout);

// Whether all that the code calculates fits 31 bits, with room to spare.
[[nodiscard]] bool fits_narrow(const PiecedSubject& subject);

// What a digit is, where its variable is `x` of so many values.
[[nodiscard]] Value unit_value(const detail::Unit& unit, const Value& x,
                               std::int64_t values, Tables& tables);
// v combined with w, modulo n; and back.
[[nodiscard]] Value twisted(Twist::Kind kind, const Value& v, const Value& w,
                            std::int64_t n);
[[nodiscard]] Value untwisted(Twist::Kind kind, const Value& v, const Value& w,
                              std::int64_t n);

// The body of index -> offset.
void write_offset(const PiecedSubject& subject, Tables& tables, Body& body);
// The body of offset -> index. `offset_call`: the other function at the index found.
// Errors: unsupported, where strides interleave or the index is not told.
[[nodiscard]] Result<void> write_index(const PiecedSubject& subject,
                                       const std::string& offset_call,
                                       Tables& tables, Body& body);

// The code of a layout that is not plain.
[[nodiscard]] Result<EmittedCode> emit_pieces(const Layout& layout,
                                              const EmitOptions& options);

}  // namespace stridewise::emitter
