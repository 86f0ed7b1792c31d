// What the page asks for: words by name, and the tensor that they tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise::explorer {

class Request {
 public:
  // Name, zero byte, value, zero byte, and so on.
  explicit Request(std::string_view text);

  // Empty where it is not there.
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const {
    return !text(name).empty();
  }
  // Error: it is there and no number.
  [[nodiscard]] Result<std::int64_t> number(std::string_view name,
                                            std::int64_t otherwise) const;

 private:
  std::map<std::string, std::string, std::less<>> words_;
};

// A layout, or a pair of one tensor, bound: "layout", "to", "shape", "dtype", "part" and
// "tables" ("T=1,0,2;U=0,1") of a request.
struct Subject {
  std::vector<LayoutSource> sources;  // one or two
  ElementType type;
  Shape shape;
  Layout layout;  // with the part chosen, if one was asked for
  std::optional<Layout> to;
};

// Errors: those of resolve_layout, read_shape and bind.
[[nodiscard]] Result<Subject> subject_of(const Request& request);

// The same without sizes: what texts mean.
[[nodiscard]] Result<std::vector<LayoutSource>> sources_of(
    const Request& request);
[[nodiscard]] Result<Binding> binding_of(const Request& request,
                                         const ElementType& type);
[[nodiscard]] Result<ElementType> type_of(const Request& request,
                                          const LayoutSource& layout);

}  // namespace stridewise::explorer
