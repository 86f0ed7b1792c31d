// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <algorithm>
#include <iterator>

#include "catalogue/entries.hpp"

namespace stridewise {

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries = [] {
    std::vector<CatalogueEntry> all;
    for (auto* vendor :
         {&onednn_entries, &mace_entries, &mli_entries, &okk_entries}) {
      std::ranges::move(vendor(), std::back_inserter(all));
    }
    return all;
  }();
  return entries;
}

std::vector<CatalogueParam> stride_params(std::string_view c_doc) {
  return {{.name = "nstride",
           .default_value = "natural",
           .doc = "elements from n to n+1"},
          {.name = "cstride", .default_value = "natural", .doc = c_doc},
          {.name = "hstride",
           .default_value = "natural",
           .doc = "elements from h to h+1"},
          {.name = "wstride",
           .default_value = "natural",
           .doc = "elements from w to w+1"}};
}

const CatalogueEntry* find_entry(std::string_view name) {
  const auto entries = catalogue();
  const auto entry = std::ranges::find(entries, name, &CatalogueEntry::name);
  return entry == entries.end() ? nullptr : &*entry;
}

}  // namespace stridewise
