// A catalogue's file -> entries. docs/catalogue.md tells the keys.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "catalogue/instantiate.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/suggest.hpp"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace stridewise {
namespace {

using Keys = std::initializer_list<std::string_view>;

// One file. The first fault is kept; what is read after it is thrown away.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<std::vector<CatalogueEntry>> read(const toml::table& file) {
    expect_keys(file,
                {"vendor", "title", "source", "params", "checks", "layouts"});
    vendor_ = text(file, "vendor", true);
    title_ = text(file, "title", false);
    if (title_.empty()) title_ = vendor_;
    source_ = text(file, "source", false);
    if (!vendor_.empty() && !is_word(vendor_)) {
      fault(file, "vendor must be letters, digits, '-' and '_'");
    }
    each_named(file, "params",
               [&](const std::string& name, const toml::table& table) {
                 const std::string own = text(table, "name", false);
                 params_.emplace(name, param(table, own.empty() ? name : own));
               });
    each_named(file, "checks",
               [&](const std::string& name, const toml::table& table) {
                 checks_.emplace(name, check(table));
               });
    std::vector<CatalogueEntry> entries;
    for (const toml::table* layout : tables(file, "layouts")) {
      entries.push_back(entry(*layout));
      const auto same = std::ranges::count(entries, entries.back().name,
                                           &CatalogueEntry::name);
      if (same > 1) fault(*layout, entries.back().name + " is there twice");
    }
    if (error_) return unexpected(*std::move(error_));
    return entries;
  }

 private:
  static bool is_word(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_';
    });
  }

  void fault(const toml::node& at, const std::string& message) {
    if (error_) return;
    const auto line = at.source().begin.line;
    error_ = Error{ErrorCode::syntax,
                   line == 0 ? fmt::format("{}: {}", file_, message)
                             : fmt::format("{}:{}: {}", file_, line, message)};
  }

  void expect_keys(const toml::table& table, Keys known) {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      const std::vector<std::string> names(known.begin(), known.end());
      const std::string hint = nearest(key.str(), names);
      fault(node, fmt::format("unknown key '{}'{}", key.str(),
                              hint.empty()
                                  ? fmt::format("; there are {}",
                                                fmt::join(names, ", "))
                                  : fmt::format("; did you mean {}?", hint)));
    }
  }

  // A text, or a number as text.
  std::string text(const toml::table& table, std::string_view key,
                   bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) fault(table, fmt::format("'{}' is missing", key));
      return {};
    }
    if (const auto value = node->value_exact<std::string>()) return *value;
    if (const auto value = node->value_exact<std::int64_t>()) {
      return std::to_string(*value);
    }
    fault(*node, fmt::format("'{}' must be a text", key));
    return {};
  }

  // A list of texts; one text stands for a list of one.
  std::vector<std::string> texts(const toml::table& table,
                                 std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    if (array == nullptr) return {text(table, key, false)};
    std::vector<std::string> all;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value) fault(element, fmt::format("'{}' must be texts", key));
      all.push_back(value.value_or(""));
    }
    return all;
  }

  // Words apart by spaces, or a list of them.
  std::vector<std::string> names(const toml::table& table,
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

  std::vector<const toml::table*> tables(const toml::table& table,
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

  CatalogueParam param(const toml::table& table, const std::string& name) {
    expect_keys(table,
                {"name", "default", "doc", "min", "excludes", "choices"});
    CatalogueParam made;
    made.name = name;
    made.default_value = text(table, "default", false);
    made.doc = text(table, "doc", true);
    made.excludes = text(table, "excludes", false);
    if (const toml::node* min = table.get("min")) {
      const auto value = min->value_exact<std::int64_t>();
      if (!value) fault(*min, "'min' must be a number");
      made.min = value.value_or(0);
    }
    if (const toml::node* choices = table.get("choices")) {
      const toml::table* named = choices->as_table();
      if (named == nullptr) {
        fault(*choices, "'choices' must be a table of notations");
        return made;
      }
      for (const auto& [choice, notation] : *named) {
        made.choices.push_back(
            {std::string(choice.str()), text(*named, choice.str(), true)});
      }
    }
    return made;
  }

  CatalogueCheck check(const toml::table& table) {
    expect_keys(table, {"that", "message", "when"});
    CatalogueCheck made;
    made.message = text(table, "message", true);
    made.when = text(table, "when", false);
    const std::string that = text(table, "that", true);
    using enum CatalogueCheck::Relation;
    for (const auto& [sign, relation] :
         {std::pair{"==", equal}, {"<=", at_most}, {"<", less}}) {
      const std::size_t at = that.find(sign);
      if (at == std::string::npos) continue;
      made.left = that.substr(0, at);
      made.left.erase(made.left.find_last_not_of(' ') + 1);
      made.right = that.substr(at + std::string_view(sign).size());
      made.relation = relation;
      return made;
    }
    fault(table, "'that' must be 'A == B', 'A <= B' or 'A < B'");
    return made;
  }

  // The named ones of the file, or tables of the entry's own.
  template <class T>
  std::vector<T> listed(const toml::table& table, std::string_view key,
                        const std::map<std::string, T>& named,
                        const auto& make) {
    std::vector<T> all;
    const toml::node* node = table.get(key);
    if (node == nullptr) return all;
    const toml::array* array = node->as_array();
    if (array == nullptr) {
      fault(*node, fmt::format("'{}' must be a list", key));
      return all;
    }
    for (const toml::node& element : *array) {
      if (element.as_table() != nullptr) {
        all.push_back(make(*element.as_table()));
        continue;
      }
      const auto name = element.value_exact<std::string>();
      const auto found = named.find(name.value_or(""));
      if (found == named.end()) {
        fault(element, fmt::format("no [{}.{}] in this file", key,
                                   name.value_or("NAME")));
      } else {
        all.push_back(found->second);
      }
    }
    return all;
  }

  CatalogueEntry entry(const toml::table& table) {
    expect_keys(table, {"name", "aliases", "summary", "words", "dims", "params",
                        "expression", "checks", "source", "errata"});
    CatalogueEntry made;
    const std::string name = text(table, "name", true);
    if (!is_word(name)) {
      fault(table, "name must be letters, digits, '-' and '_'");
    }
    made.name = fmt::format("{}.{}", vendor_, name);
    made.vendor = title_;
    made.aliases = texts(table, "aliases");
    made.summary = text(table, "summary", true);
    made.words = texts(table, "words");
    made.dims = names(table, "dims");
    made.expression = text(table, "expression", true);
    made.source = text(table, "source", false);
    if (made.source.empty()) made.source = source_;
    made.errata = texts(table, "errata");
    made.params = listed(table, "params", params_, [&](const toml::table& own) {
      return param(own, text(own, "name", true));
    });
    made.checks = listed(table, "checks", checks_,
                         [&](const toml::table& own) { return check(own); });
    check_entry(table, made);
    return made;
  }

  // That any sizes make a layout of it, and that its dims are those of the expression.
  void check_entry(const toml::table& table, const CatalogueEntry& made) {
    if (error_ || made.dims.empty()) return;
    ParamTexts needed;
    for (const CatalogueParam& param : made.params) {
      if (std::ranges::find(made.dims, param.name) != made.dims.end()) {
        fault(table, fmt::format("{}: parameter {} is a dim, too", made.name,
                                 param.name));
      }
      if (param.default_value.empty()) {
        needed.emplace(param.name,
                       std::to_string(std::max<std::int64_t>(param.min, 1)));
      }
    }
    std::string culprit;
    const Result<Instance> instance = fill_in(made, needed, {}, culprit);
    if (!instance) {
      fault(table,
            fmt::format("{}: {}", made.name, instance.error().to_string()));
      return;
    }
    std::vector<std::string> used = instance->expression.dims();
    std::vector<std::string> told = made.dims;
    std::ranges::sort(used);
    std::ranges::sort(told);
    if (used != told) {
      fault(table,
            fmt::format("{}: dims are {}, but its expression has {}", made.name,
                        fmt::join(made.dims, " "), fmt::join(used, " ")));
    }
  }

  std::string_view file_;
  std::string vendor_, title_, source_;
  std::map<std::string, CatalogueParam> params_;
  std::map<std::string, CatalogueCheck> checks_;
  std::optional<Error> error_;
};

}  // namespace

Result<Catalogue> Catalogue::read(std::string_view text,
                                  std::string_view file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(ErrorCode::syntax,
                fmt::format("{}:{}: {}", file, error.source().begin.line,
                            error.description()));
  }
  Result<std::vector<CatalogueEntry>> entries =
      Reader(file).read(parsed.table());
  if (!entries) return unexpected(std::move(entries.error()));
  Catalogue made;
  made.entries_ =
      std::make_shared<const std::vector<CatalogueEntry>>(*std::move(entries));
  return made;
}

}  // namespace stridewise
