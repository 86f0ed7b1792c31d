// What a catalogue's file has, with the line of what is wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stridewise/result.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
// Its parser asserts what a text may break ("[~", "[,") and has an error for it all the same.
// Without NDEBUG it would end the process, with it clang would take for granted that no
// text does: so there are no asserts, whatever the build.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace stridewise {

// The tables of a text. Errors: what is no TOML, more than 16 MiB, keys that the parser has no
// defined behaviour for.
[[nodiscard]] Result<toml::table> parse_toml(std::string_view text,
                                             std::string_view file);

// The first fault is kept; what is read after it is thrown away.
class TomlReader {
 public:
  using Keys = std::initializer_list<std::string_view>;

  // `file`: what errors call it.
  explicit TomlReader(std::string_view file) : file_(file) {}

  void fault(const toml::node& at, const std::string& message);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // Pre: failed().
  [[nodiscard]] Error error() { return *std::move(error_); }

  // A key that is none of these is a fault.
  void expect_keys(const toml::table& table, Keys known);
  // A text, or a number as text; empty where there is none.
  std::string text(const toml::table& table, std::string_view key,
                   bool required);
  // A list of texts, or of numbers as texts; one text stands for a list of one.
  std::vector<std::string> texts(const toml::table& table,
                                 std::string_view key);
  // Words apart by spaces, or a list of them.
  std::vector<std::string> names(const toml::table& table,
                                 std::string_view key);
  std::vector<const toml::table*> tables(const toml::table& table,
                                         std::string_view key);
  // take(name, table) for each table of that key.
  void each_named(const toml::table& table, std::string_view key,
                  const auto& take) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::table* named = node->as_table();
    if (named == nullptr) {
      fault(*node,
            fmt::format("'{0}' must be tables, each after [{0}.NAME]", key));
      return;
    }
    for (const auto& [name, value] : *named) {
      if (value.as_table() != nullptr) {
        take(std::string(name.str()), *value.as_table());
      } else {
        fault(value, fmt::format("{}.{} must be a table", key, name.str()));
      }
    }
  }

 private:
  // Lists print what a file says, a line each.
  void expect_line(const toml::node& at, std::string_view key,
                   std::string_view value);

  std::string_view file_;
  std::optional<Error> error_;
};

}  // namespace stridewise
