// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "catalogue/files.hpp"

namespace stridewise {

std::span<const CatalogueEntry> Catalogue::entries() const {
  if (entries_ == nullptr) return {};
  return *entries_;
}

std::shared_ptr<const CatalogueEntry> Catalogue::find(
    std::string_view name) const {
  const auto entry = std::ranges::find(entries(), name, &CatalogueEntry::name);
  if (entry == end()) return nullptr;
  return {entries_, &*entry};
}

std::vector<std::shared_ptr<const CatalogueEntry>> Catalogue::called(
    std::string_view word) const {
  std::vector<std::shared_ptr<const CatalogueEntry>> found;
  for (const CatalogueEntry& entry : entries()) {
    const std::string_view name = entry.name;
    if (name.substr(name.find('.') + 1) == word ||
        std::ranges::find(entry.aliases, word) != entry.aliases.end()) {
      found.emplace_back(entries_, &entry);
    }
  }
  return found;
}

Result<Catalogue> Catalogue::with(const Catalogue& more) const {
  std::vector<CatalogueEntry> all(begin(), end());
  for (const CatalogueEntry& entry : more) {
    if (find(entry.name) != nullptr) {
      return fail(
          ErrorCode::invalid_value,
          fmt::format("the catalogue has a layout '{}' already", entry.name));
    }
    all.push_back(entry);
  }
  Catalogue both;
  both.entries_ =
      std::make_shared<const std::vector<CatalogueEntry>>(std::move(all));
  return both;
}

const Catalogue& catalogue() {
  // The files are tested: each is read whole.
  static const Catalogue all = [] {
    Catalogue joined;
    for (const CatalogueFile& file : catalogue_files()) {
      if (const auto one = Catalogue::read(file.text, file.name)) {
        if (auto both = joined.with(*one)) joined = *std::move(both);
      }
    }
    return joined;
  }();
  return all;
}

}  // namespace stridewise
