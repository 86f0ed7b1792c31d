// SPDX-License-Identifier: Apache-2.0
#include "infer/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "stridewise/notation.hpp"

namespace stridewise::inference {

// By the character before the field that has the parameter: '%', '|' and '@'
// mean the same in every template. In arithmetic, the first name counts.
Role role_of(const CatalogueEntry& entry, const CatalogueParam& param) {
  if (!param.choices.empty()) return Role::choice;
  const std::string_view text = entry.expression;
  for (std::size_t open = text.find("${"); open != std::string_view::npos;
       open = text.find("${", open + 1)) {
    std::string_view field =
        text.substr(open + 2, text.find('}', open) - open - 2);
    const char before = open == 0 ? ' ' : text[open - 1];
    if (field == param.name && before == '|') return Role::pitch;
    if (field == param.name && before == ':') return Role::stride;
    if (field.starts_with(':') && field.substr(1) == param.name) {
      return Role::stride;
    }
    const auto word = std::ranges::find_if(field, [](unsigned char c) {
      return std::isalnum(c) == 0 && c != '_';
    });
    if (std::string_view(field.begin(), word) != param.name) continue;
    if (before == '%' || before == '/') return Role::block;
    if (before == '@') return Role::base;
  }
  return Role::start;
}

std::vector<const CatalogueEntry*> entries_for(const Dims& dims) {
  std::vector<const CatalogueEntry*> entries;
  for (const CatalogueEntry& entry : dims.names) {
    if (entry.dims.size() != dims.shape.size()) continue;
    const bool same =
        dims.positional ||
        std::ranges::all_of(entry.dims, [&](std::string_view name) {
          return std::ranges::find(dims.shape, name, &Dim::name) !=
                 dims.shape.end();
        });
    if (same) entries.push_back(&entry);
  }
  return entries;
}

std::vector<std::int64_t> default_pitches(const Dims& dims) {
  std::vector<std::int64_t> pitches;
  for (const CatalogueEntry* entry : entries_for(dims)) {
    for (const CatalogueParam& param : entry->params) {
      if (role_of(*entry, param) != Role::pitch) continue;
      const Result<std::int64_t> value = parse_count(param.default_value);
      if (value && std::ranges::find(pitches, *value) == pitches.end()) {
        pitches.push_back(*value);
      }
    }
  }
  return pitches;
}

std::vector<std::string> arguments_of(const CatalogueEntry& entry,
                                      const Numbers& numbers) {
  struct Partial {
    std::string text;
    std::vector<std::string_view> given;
  };
  std::vector<Partial> all = {{}};
  for (const CatalogueParam& param : entry.params) {
    const Role role = role_of(entry, param);
    if (role == Role::stride) continue;
    std::vector<std::string> values;
    if (role == Role::choice) {
      for (const auto& choice : param.choices) values.emplace_back(choice.name);
    } else {
      for (const std::int64_t value : role == Role::block   ? numbers.blocks
                                      : role == Role::pitch ? numbers.pitches
                                      : role == Role::base  ? numbers.bases
                                                            : numbers.starts) {
        values.push_back(std::to_string(value));
      }
    }
    std::erase(values, param.default_value);
    // What the type decides is another layout with another number.
    if (param.default_value.find("element_") != std::string::npos) {
      values.clear();
    }
    std::vector<Partial> longer;
    if (!param.default_value.empty()) longer = all;
    for (const std::string& value : values) {
      for (const Partial& partial : all) {
        if (std::ranges::find(partial.given, param.excludes) !=
            partial.given.end()) {
          continue;
        }
        Partial next = partial;
        next.text += fmt::format("{}{}={}", next.text.empty() ? "" : ",",
                                 param.name, value);
        next.given.push_back(param.name);
        longer.push_back(std::move(next));
      }
    }
    all = std::move(longer);
  }
  std::vector<std::string> texts;
  for (Partial& partial : all) texts.push_back(std::move(partial.text));
  return texts;
}

std::string call(const CatalogueEntry& entry, const std::string& arguments,
                 const std::string& more) {
  const std::string comma = arguments.empty() || more.empty() ? "" : ",";
  const std::string inside = arguments + comma + more;
  return inside.empty() ? std::string(entry.name)
                        : fmt::format("{}({})", entry.name, inside);
}

}  // namespace stridewise::inference
