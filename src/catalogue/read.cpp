// A catalogue's file -> entries. docs/catalogue.md tells the keys.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "catalogue/instantiate.hpp"
#include "catalogue/read_chip.hpp"
#include "catalogue/toml_reader.hpp"
#include "stridewise/catalogue.hpp"

namespace stridewise {
namespace {

// One file. The first fault is kept; what is read after it is thrown away.
class Reader : private TomlReader {
 public:
  explicit Reader(std::string_view file) : TomlReader(file) {}

  Result<std::vector<CatalogueEntry>> read(const toml::table& file) {
    expect_keys(file, {"vendor", "title", "source", "chip", "params", "checks",
                       "layouts"});
    vendor_ = text(file, "vendor", true);
    title_ = text(file, "title", false);
    if (title_.empty()) title_ = vendor_;
    source_ = text(file, "source", false);
    if (!is_word(vendor_, "_")) {
      fault(file, "vendor must be letters, digits and '_'");
    }
    if (const toml::node* node = file.get("chip")) {
      chip_ = read_chip(*this, *node);
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
      if (!names_.insert(entries.back().name).second) {
        fault(*layout, entries.back().name + " is there twice");
      }
    }
    if (failed()) return unexpected(error());
    return entries;
  }

 private:
  static bool is_word(std::string_view text, std::string_view more = "_-") {
    return !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
      return std::isalnum(c) != 0 ||
             more.find(static_cast<char>(c)) != std::string_view::npos;
    });
  }

  CatalogueParam param(const toml::table& table, const std::string& name) {
    expect_keys(table, {"name", "default", "doc", "min", "excludes", "choices",
                        "tries"});
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
    if (const toml::node* node = table.get("tries")) {
      made.tries = read_tries(*this, table, *node);
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
                        "expression", "checks", "source", "errata", "tries"});
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
    made.tries = texts(table, "tries");
    made.chip = chip_;
    made.params = listed(table, "params", params_, [&](const toml::table& own) {
      return param(own, text(own, "name", true));
    });
    made.checks = listed(table, "checks", checks_,
                         [&](const toml::table& own) { return check(own); });
    check_entry(table, made);
    return made;
  }

  // That any sizes make a layout of it, and that all names in it are known.
  void check_entry(const toml::table& table, const CatalogueEntry& made) {
    // The grammar of tags has no expression.
    if (failed() || made.expression == "TAG") return;
    if (made.dims.empty())
      return fault(table, made.name + ": 'dims' is missing");
    for (const std::string& alias : made.aliases) {
      if (!is_word(alias)) {
        fault(table, fmt::format("{}: alias '{}' must be letters, digits, '-' "
                                 "and '_'",
                                 made.name, alias));
      }
    }
    check_params(table, made);
    check_checks(table, made);
    if (failed()) return;
    std::string culprit;
    const Result<Instance> instance =
        fill_in(made, needed_arguments(made), {}, culprit);
    if (!instance) {
      const std::string& message = instance.error().message;
      const bool named = message.starts_with(made.name);
      fault(table, fmt::format("{}{}{}", named ? "" : made.name,
                               named ? "" : ": ", message));
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

  static ParamTexts needed_arguments(const CatalogueEntry& made) {
    ParamTexts needed;
    for (const CatalogueParam& param : made.params) {
      if (!param.default_value.empty()) continue;
      needed.emplace(param.name,
                     param.choices.empty()
                         ? std::to_string(std::max<std::int64_t>(param.min, 1))
                         : param.choices.front().name);
    }
    return needed;
  }

  void check_params(const toml::table& table, const CatalogueEntry& made) {
    std::set<std::string> names(made.dims.begin(), made.dims.end());
    names.insert("element_bits");
    names.insert("element_bytes");
    for (const CatalogueParam& param : made.params) {
      if (!is_word(param.name, "_")) {
        fault(table, fmt::format("{}: '{}' is no name of a parameter",
                                 made.name, param.name));
      }
      if (!names.insert(param.name).second) {
        fault(table,
              fmt::format("{}: parameter {} is a dim, too, or there twice",
                          made.name, param.name));
      }
      const bool excluded =
          param.excludes.empty() ||
          std::ranges::find(made.params, param.excludes,
                            &CatalogueParam::name) != made.params.end();
      if (!excluded) {
        fault(table, fmt::format("{}: {} excludes {}, which is no parameter",
                                 made.name, param.name, param.excludes));
      }
    }
    // A stride that may be left out is one of them.
    const std::string& text = made.expression;
    for (std::size_t at = text.find("${:"); at != std::string::npos;
         at = text.find("${:", at + 1)) {
      const std::string name = text.substr(at + 3, text.find('}', at) - at - 3);
      if (!names.contains(name)) {
        fault(table, fmt::format("{}: no parameter '{}'", made.name, name));
      }
    }
  }

  void check_checks(const toml::table& table, const CatalogueEntry& made) {
    NamedNumbers any = {{"element_bits", 8}, {"element_bytes", 1}};
    for (const std::string& dim : made.dims) any.emplace(dim, 1);
    for (const CatalogueParam& param : made.params) any.emplace(param.name, 1);
    for (const CatalogueCheck& check : made.checks) {
      for (const std::string& side : {check.left, check.right}) {
        const Result<std::int64_t> value = evaluate(side, any);
        if (!value && (value.error().code == ErrorCode::unknown_name ||
                       value.error().code == ErrorCode::syntax)) {
          fault(table, fmt::format("{}: check '{}': {}", made.name, side,
                                   value.error().message));
        }
      }
      const std::size_t equals =
          std::min(check.when.find('='), check.when.size());
      const auto param = std::ranges::find(
          made.params, check.when.substr(0, equals), &CatalogueParam::name);
      const bool is_choice =
          check.when.empty() ||
          (param != made.params.end() && equals < check.when.size() &&
           std::ranges::find(param->choices, check.when.substr(equals + 1),
                             &CatalogueParam::Choice::name) !=
               param->choices.end());
      if (!is_choice) {
        fault(table, fmt::format("{}: when = '{}' is no choice of a parameter",
                                 made.name, check.when));
      }
    }
  }

  std::string vendor_, title_, source_;
  CatalogueChip chip_;
  std::map<std::string, CatalogueParam> params_;
  std::map<std::string, CatalogueCheck> checks_;
  std::set<std::string> names_;  // of layouts
};

}  // namespace

Result<Catalogue> Catalogue::read(std::string_view text,
                                  std::string_view file) {
  const Result<toml::table> table = parse_toml(text, file);
  if (!table) return unexpected(table.error());
  Result<std::vector<CatalogueEntry>> entries = Reader(file).read(*table);
  if (!entries) return unexpected(std::move(entries.error()));
  Catalogue made;
  made.entries_ =
      std::make_shared<const std::vector<CatalogueEntry>>(*std::move(entries));
  return made;
}

}  // namespace stridewise
