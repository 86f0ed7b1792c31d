// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "catalogue/files.hpp"

namespace stridewise {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return result;
}

bool has_words(const std::string& text, const std::string& words) {
  for (std::size_t at = text.find(words); at != std::string::npos;
       at = text.find(words, at + 1)) {
    if (at == 0 ||
        std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<const CatalogueEntry*> Catalogue::about(
    std::string_view text) const {
  const std::string wanted = lower(text);
  std::vector<const CatalogueEntry*> found;
  for (const CatalogueEntry& entry : entries()) {
    std::vector<std::string_view> texts = {entry.name, entry.vendor,
                                           entry.summary, entry.source};
    texts.insert(texts.end(), entry.words.begin(), entry.words.end());
    texts.insert(texts.end(), entry.aliases.begin(), entry.aliases.end());
    if (std::ranges::any_of(texts, [&](std::string_view one) {
          return has_words(lower(one), wanted);
        })) {
      found.push_back(&entry);
    }
  }
  return found;
}

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
    if (std::ranges::find(entry.aliases, word) != entry.aliases.end()) {
      found.emplace_back(entries_, &entry);
    }
  }
  return found;
}

Result<Catalogue> Catalogue::with(const Catalogue& more) const {
  std::vector<CatalogueEntry> all(begin(), end());
  std::set<std::string_view> names;
  for (const CatalogueEntry& entry : entries()) names.insert(entry.name);
  for (const CatalogueEntry& entry : more) {
    if (names.contains(entry.name)) {
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
  // The files are tested: each is read whole, and no name is there twice.
  // Joined once, since every start of the CLI waits for it.
  static const Catalogue all = [] {
    std::vector<CatalogueEntry> joined;
    for (const CatalogueFile& file : catalogue_files()) {
      const auto one = Catalogue::read(file.text, file.name);
      if (one) joined.insert(joined.end(), one->begin(), one->end());
    }
    Catalogue made;
    made.entries_ =
        std::make_shared<const std::vector<CatalogueEntry>>(std::move(joined));
    return made;
  }();
  return all;
}

}  // namespace stridewise
