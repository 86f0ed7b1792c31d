// SPDX-License-Identifier: Apache-2.0
#include "catalogue/instantiate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "catalogue/arithmetic.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

struct Argument {
  std::string text;  // a number or a choice
  std::size_t at = 0;
};

using Arguments = std::map<std::string_view, Argument>;

std::string param_list(const CatalogueEntry& entry) {
  std::string text;
  for (const CatalogueParam& param : entry.params) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", param.name);
  }
  return text;
}

const CatalogueParam* find_param(const CatalogueEntry& entry,
                                 std::string_view name) {
  const auto param =
      std::ranges::find(entry.params, name, &CatalogueParam::name);
  return param == entry.params.end() ? nullptr : &*param;
}

unexpected<Error> unknown_param(const Cursor& cursor, std::size_t at,
                                const CatalogueEntry& entry,
                                std::string_view name) {
  std::vector<std::string> names;
  for (const CatalogueParam& p : entry.params) names.emplace_back(p.name);
  const std::string hint = nearest(name, names);
  return cursor.error_at(
      at, ErrorCode::unknown_name,
      fmt::format("{} has no parameter '{}'{}; it takes {}", entry.name, name,
                  hint.empty() ? "" : fmt::format(" (did you mean {}?)", hint),
                  entry.params.empty() ? "none" : param_list(entry)));
}

// One "name=value" or "value" (the parameter at `position`).
Result<void> read_argument(const CatalogueEntry& entry, Cursor& cursor,
                           std::size_t position, Arguments& arguments) {
  cursor.skip_space();
  const std::size_t at = cursor.position();
  const CatalogueParam* param =
      position < entry.params.size() ? &entry.params[position] : nullptr;
  if (cursor.at_name()) {
    const std::string_view name = cursor.name();
    if (cursor.accept('=')) {
      param = find_param(entry, name);
      if (param == nullptr) return unknown_param(cursor, at, entry, name);
    } else {
      cursor.go_to(at);  // a choice by position
    }
  }
  if (param == nullptr) {
    return cursor.error_at(
        at, ErrorCode::mismatch,
        entry.params.empty()
            ? fmt::format("{} takes no parameters", entry.name)
            : fmt::format("{} takes {} parameters ({})", entry.name,
                          entry.params.size(), param_list(entry)));
  }
  cursor.skip_space();
  Argument argument{{}, cursor.position()};
  if (!param->choices.empty()) {
    argument.text = cursor.name();
  } else {
    const Result<std::int64_t> number = cursor.number(param->name);
    if (!number) return unexpected(number.error());
    argument.text = std::to_string(*number);
  }
  if (!arguments.emplace(param->name, std::move(argument)).second) {
    return cursor.error_at(at, ErrorCode::invalid_value,
                           fmt::format("{} is given twice", param->name));
  }
  return {};
}

Result<Arguments> read_arguments(const CatalogueEntry& entry, Cursor& cursor) {
  Arguments arguments;
  if (cursor.accept('(') && !cursor.accept(')')) {
    for (std::size_t position = 0;; ++position) {
      if (auto read = read_argument(entry, cursor, position, arguments);
          !read) {
        return unexpected(read.error());
      }
      if (cursor.accept(')')) break;
      if (!cursor.accept(',')) return cursor.error("expected ',' or ')'");
    }
  }
  if (!cursor.at_end()) return cursor.error("expected the end");
  return arguments;
}

// Instantiates one entry: parameters first, then the template.
class Instance {
 public:
  Instance(const CatalogueEntry& entry, const Cursor& cursor,
           const Arguments& arguments)
      : entry_(entry), cursor_(cursor), arguments_(arguments) {}

  Result<LayoutSource> run() {
    for (const CatalogueParam& param : entry_.params) {
      if (auto set = set_param(param); !set) return unexpected(set.error());
    }
    const Result<std::string> text = fill_template();
    if (!text) return unexpected(text.error());
    Result<Expression> expression = parse_expression(*text);
    if (!expression) return unexpected(expression.error());
    source_.name = entry_.name;
    source_.expression = *std::move(expression);
    source_.dims.assign(entry_.dims.begin(), entry_.dims.end());
    source_.entry = &entry_;
    return std::move(source_);
  }

 private:
  Result<void> set_param(const CatalogueParam& param) {
    const auto given = arguments_.find(param.name);
    const bool is_given = given != arguments_.end();
    if (is_given && !param.excludes.empty() &&
        arguments_.contains(param.excludes)) {
      return cursor_.error_at(
          given->second.at, ErrorCode::mismatch,
          fmt::format("give {} or {}, not both", param.excludes, param.name));
    }
    if (!is_given && param.default_value.empty()) {
      return cursor_.error_at(
          0, ErrorCode::mismatch,
          fmt::format("{} needs {}: {}", entry_.name, param.name, param.doc));
    }
    if (!is_given && param.default_value == "natural") return {};
    const std::string text =
        is_given ? given->second.text : std::string(param.default_value);
    const std::size_t at = is_given ? given->second.at : 0;
    if (!param.choices.empty()) return set_choice(param, text, at);
    const Result<std::int64_t> value = evaluate(text, source_.values);
    if (!value) {
      return cursor_.error_at(
          at, value.error().code,
          fmt::format("{} = {}: {}", param.name, text, value.error().message));
    }
    if (*value < param.min) {
      return cursor_.error_at(
          at, ErrorCode::invalid_value,
          fmt::format("{} must be at least {}", param.name, param.min));
    }
    source_.values.emplace(param.name, *value);
    return {};
  }

  Result<void> set_choice(const CatalogueParam& param, const std::string& text,
                          std::size_t at) {
    const auto choice =
        std::ranges::find(param.choices, text, &CatalogueParam::Choice::name);
    if (choice == param.choices.end()) {
      std::string known;
      for (const auto& c : param.choices) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", c.name);
      }
      return cursor_.error_at(
          at, ErrorCode::unknown_name,
          fmt::format("{} is one of {}", param.name, known));
    }
    source_.choices.push_back(fmt::format("{}={}", param.name, text));
    notations_.emplace(param.name, choice->notation);
    return {};
  }

  Result<std::string> fill_template() const {
    std::string text;
    std::string_view rest = entry_.expression;
    for (;;) {
      const std::size_t open = rest.find('{');
      text += rest.substr(0, open);
      if (open == std::string_view::npos) return text;
      const std::size_t close = rest.find('}', open);
      const std::string_view field = rest.substr(open + 1, close - open - 1);
      rest.remove_prefix(close + 1);
      if (field.starts_with(':')) {  // an optional stride
        const auto value = source_.values.find(field.substr(1));
        if (value != source_.values.end()) {
          text += fmt::format(":{}", value->second);
        }
      } else if (const auto choice = notations_.find(field);
                 choice != notations_.end()) {
        text += choice->second;
      } else {
        const Result<std::int64_t> value = evaluate(field, source_.values);
        if (!value) {
          return cursor_.error_at(0, value.error().code,
                                  fmt::format("{}: {} {}", entry_.name, field,
                                              value.error().message));
        }
        text += std::to_string(*value);
      }
    }
  }

  const CatalogueEntry& entry_;
  const Cursor& cursor_;
  const Arguments& arguments_;
  LayoutSource source_;
  std::map<std::string_view, std::string_view> notations_;  // of choices
};

}  // namespace

Result<LayoutSource> instantiate(const CatalogueEntry& entry, Cursor& cursor) {
  const Result<Arguments> arguments = read_arguments(entry, cursor);
  if (!arguments) return unexpected(arguments.error());
  return Instance(entry, cursor, *arguments).run();
}

}  // namespace stridewise
