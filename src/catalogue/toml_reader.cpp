// SPDX-License-Identifier: Apache-2.0
#include "catalogue/toml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "catalogue/toml_keys.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {

Result<toml::table> parse_toml(std::string_view text, std::string_view file) {
  constexpr std::size_t longest_file = std::size_t{16} << 20;
  if (text.size() > longest_file || has_deep_keys(text)) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: {}", file,
                            text.size() > longest_file
                                ? "a file has up to 16 MiB"
                                : "a key of more than 16 parts"));
  }
  if (const std::size_t line = line_of_foreign_key(text)) {
    return fail(
        ErrorCode::syntax,
        fmt::format("{}:{}: a key is of letters a to z, digits, - and _", file,
                    line));
  }
  toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorCode::syntax,
                fmt::format("{}:{}: {}", file, error.source().begin.line,
                            error.description()));
  }
  return std::move(parsed).table();
}

void TomlReader::fault(const toml::node& at, const std::string& message) {
  if (error_) return;
  const auto line = at.source().begin.line;
  error_ = Error{ErrorCode::syntax,
                 line == 0 ? fmt::format("{}: {}", file_, message)
                           : fmt::format("{}:{}: {}", file_, line, message)};
}

void TomlReader::expect_keys(const toml::table& table, Keys known) {
  for (const auto& [key, node] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string hint = nearest(key.str(), names);
    fault(node, fmt::format(
                    "unknown key '{}'{}", key.str(),
                    hint.empty()
                        ? fmt::format("; there are {}", fmt::join(names, ", "))
                        : fmt::format("; did you mean {}?", hint)));
  }
}

void TomlReader::expect_line(const toml::node& at, std::string_view key,
                             std::string_view value) {
  const auto controls = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  };
  if (std::ranges::any_of(value, controls)) {
    fault(at, fmt::format("'{}' must be one line of text", key));
  }
}

std::string TomlReader::text(const toml::table& table, std::string_view key,
                             bool required) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (required) fault(table, fmt::format("'{}' is missing", key));
    return {};
  }
  if (const auto value = node->value_exact<std::string>()) {
    expect_line(*node, key, *value);
    return *value;
  }
  if (const auto value = node->value_exact<std::int64_t>()) {
    return std::to_string(*value);
  }
  fault(*node, fmt::format("'{}' must be a text", key));
  return {};
}

std::vector<std::string> TomlReader::texts(const toml::table& table,
                                           std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  if (array == nullptr) return {text(table, key, false)};
  std::vector<std::string> all;
  for (const toml::node& element : *array) {
    if (const auto number = element.value_exact<std::int64_t>()) {
      all.push_back(std::to_string(*number));
      continue;
    }
    const auto value = element.value_exact<std::string>();
    if (!value) fault(element, fmt::format("'{}' must be texts", key));
    if (value) expect_line(element, key, *value);
    all.push_back(value.value_or(""));
  }
  return all;
}

std::vector<std::string> TomlReader::names(const toml::table& table,
                                           std::string_view key) {
  std::vector<std::string> all;
  for (const std::string& text : texts(table, key)) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) all.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return all;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table,
                                                   std::string_view key) {
  std::vector<const toml::table*> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  if (const toml::array* array = node->as_array()) {
    for (const toml::node& element : *array) {
      if (element.as_table() != nullptr) all.push_back(element.as_table());
    }
    if (all.size() == array->size()) return all;
  }
  fault(*node, fmt::format("'{0}' must be tables, each after [[{0}]]", key));
  return {};
}

}  // namespace stridewise
