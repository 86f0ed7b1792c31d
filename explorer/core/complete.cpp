// What a word may go on as: names of the catalogue, their parameters, dims and digits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reply.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::explorer {
namespace {

constexpr std::size_t most_items = 12;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '.' || c == '-';
}

std::string lower(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

struct Items {
  std::size_t from;
  std::size_t to;
  Json list = Json::array();

  void add(const std::string& text, const std::string& note) {
    if (list.size() < most_items) {
      list.push_back({{"text", text}, {"note", note}});
    }
  }
  [[nodiscard]] Json json() const {
    return {{"from", from}, {"to", to}, {"items", list}};
  }
};

// Entries whose name begins so come before those that have the word elsewhere.
void add_entries(const std::string& word, Items& items) {
  const std::string wanted = lower(word);
  for (const bool begins : {true, false}) {
    for (const CatalogueEntry& entry : catalogue()) {
      if (entry.dims.empty()) continue;
      const std::string name = lower(entry.name);
      const std::string own = name.substr(name.find('.') + 1);
      const bool first = name.starts_with(wanted) || own.starts_with(wanted);
      if (first != begins || name.find(wanted) == std::string::npos) continue;
      items.add(entry.name, entry.summary);
    }
  }
}

// Of an entry whose brackets are open: "okk.aligned(npus=4,".
bool add_params(std::string_view before, const std::string& word,
                Items& items) {
  const std::size_t open = before.rfind('(');
  if (open == std::string_view::npos ||
      before.find(')', open) != std::string_view::npos) {
    return false;
  }
  std::size_t begin = open;
  while (begin > 0 && is_word(before[begin - 1])) --begin;
  const auto entry = catalogue().find(before.substr(begin, open - begin));
  if (!entry) return false;
  for (const CatalogueParam& param : entry->params) {
    if (!param.name.starts_with(word)) continue;
    items.add(param.name + "=", param.doc);
  }
  return true;
}

// Dims, and the digits that they are often cut into.
void add_digits(const Shape& shape, const std::string& word, Items& items) {
  for (const Dim& dim : shape) {
    if (!dim.name.starts_with(word)) continue;
    items.add(dim.name, fmt::format("{} indices", dim.extent));
    for (const int block : {4, 8, 16, 32}) {
      if (dim.extent <= block / 2) continue;
      items.add(fmt::format("{}/{}", dim.name, block), "the number of a block");
      items.add(fmt::format("{}%{}", dim.name, block), "the place in a block");
    }
  }
}

}  // namespace

// "text", and "cursor": where in it somebody types.
Reply complete(const Request& request) {
  const std::string& text = request.text("text");
  const auto cursor =
      request.number("cursor", static_cast<std::int64_t>(text.size()));
  if (!cursor) return unexpected(cursor.error());
  Items items{.from = 0, .to = 0};
  items.to = std::min(static_cast<std::size_t>(*cursor), text.size());
  items.from = items.to;
  while (items.from > 0 && is_word(text[items.from - 1])) --items.from;
  const std::string word = text.substr(items.from, items.to - items.from);
  const std::string_view before = std::string_view(text).substr(0, items.from);
  if (add_params(before, word, items)) return items.json();
  const bool alone = before.find_first_not_of(' ') == std::string_view::npos &&
                     text.find_first_not_of(' ', items.to) == std::string::npos;
  // A word that stands alone is a name; in an expression it is a dim.
  if (alone && !word.empty()) add_entries(word, items);
  if (const auto shape = parse_shape(request.text("shape"))) {
    if (!alone || word.size() < 2) add_digits(*shape, word, items);
  }
  return items.json();
}

}  // namespace stridewise::explorer
