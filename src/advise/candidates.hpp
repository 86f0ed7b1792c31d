// What is weighed: texts of layouts, with the values of parameters that are tried.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stridewise/advise.hpp"

namespace stridewise::advising {

// "acme", "acme(banks=4)", "acme.tile(banks=4)".
struct Family {
  std::string name;  // empty: all vendors
  std::map<std::string, std::string, std::less<>> arguments = {};

  [[nodiscard]] bool has(const CatalogueEntry& entry) const;
};
[[nodiscard]] Result<Family> read_family(const std::string& text);

// The values of an entry's parameter that are worth a try: all of a short range, and the
// ends of what is alike of a long one. `values` has the parameters and sizes so far.
[[nodiscard]] Result<std::vector<std::string>> tried_values(
    const CatalogueTries& tries,
    const std::map<std::string, std::int64_t, std::less<>>& values);

// The texts of an entry, with all combinations of such values. Errors: a parameter that is
// needed and neither given nor tried.
[[nodiscard]] Result<std::vector<std::string>> texts_of(
    const CatalogueEntry& entry, const Family& family, const Shape& shape,
    std::int64_t element_bits);

}  // namespace stridewise::advising
