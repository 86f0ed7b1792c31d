// SPDX-License-Identifier: Apache-2.0
#include "catalogue/instantiate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
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

// Parameters first, then the template.
class Filler {
 public:
  Filler(const CatalogueEntry& entry, const ParamTexts& arguments,
         const NamedNumbers& sizes, std::string& culprit)
      : entry_(entry), arguments_(arguments), culprit_(culprit), all_(sizes) {
    sizes_known_ = !sizes.empty();
    if (sizes_known_) return;
    all_ = {{"element_bits", 8}, {"element_bytes", 1}};
    for (const std::string& dim : entry.dims) all_.emplace(dim, any_extent);
  }

  Result<Instance> run() {
    for (const CatalogueParam& param : entry_.params) {
      culprit_ = param.name;
      if (auto set = set_param(param); !set) return unexpected(set.error());
    }
    culprit_.clear();
    const Result<std::string> text = fill_template();
    if (!text) return unexpected(text.error());
    Result<Expression> expression = parse_expression(*text);
    if (!expression) return unexpected(expression.error());
    made_.expression = *std::move(expression);
    return std::move(made_);
  }

 private:
  // Stands for an extent that is not known yet, and for what cannot be made of those.
  static constexpr std::int64_t any_extent = 4096;
  static constexpr std::size_t longest_text = std::size_t{1} << 16;

  // A number of parameters alone, or of sizes too.
  Result<std::int64_t> number(std::string_view text, bool& of_sizes) {
    of_sizes = false;
    Result<std::int64_t> value = evaluate(text, own_);
    if (value || value.error().code != ErrorCode::unknown_name) return value;
    of_sizes = true;
    value = evaluate(text, all_);
    // What sizes that are not known yet make of it is not known either.
    const bool of_values = !value &&
                           value.error().code != ErrorCode::unknown_name &&
                           (value.error().code == ErrorCode::overflow ||
                            value.error().code == ErrorCode::invalid_value);
    if (of_values && !sizes_known_) return any_extent;
    return value;
  }

  Result<void> set_param(const CatalogueParam& param) {
    const auto given = arguments_.find(param.name);
    const bool is_given = given != arguments_.end();
    if (is_given && !param.excludes.empty() &&
        arguments_.contains(param.excludes)) {
      return fail(ErrorCode::mismatch, fmt::format("give {} or {}, not both",
                                                   param.excludes, param.name));
    }
    if (!is_given && param.default_value.empty()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("{} needs {}: {}", entry_.name, param.name, param.doc));
    }
    if (!is_given && param.default_value == "natural") return {};
    const std::string& text = is_given ? given->second : param.default_value;
    if (!param.choices.empty()) return set_choice(param, text);
    bool of_sizes = false;
    const Result<std::int64_t> value = number(text, of_sizes);
    if (!value) {
      return fail(value.error().code, fmt::format("{} = {}: {}", param.name,
                                                  text, value.error().message));
    }
    if (*value < param.min && (sizes_known_ || !of_sizes)) {
      return fail(
          ErrorCode::invalid_value,
          is_given
              ? fmt::format("{} must be at least {}", param.name, param.min)
              : fmt::format("{} = {} is {}; it must be at least {}", param.name,
                            text, *value, param.min));
    }
    if (!of_sizes) own_.emplace(param.name, *value);
    made_.values.emplace(param.name, *value);
    all_.insert_or_assign(param.name, *value);
    return {};
  }

  Result<void> set_choice(const CatalogueParam& param,
                          const std::string& text) {
    const auto choice =
        std::ranges::find(param.choices, text, &CatalogueParam::Choice::name);
    if (choice == param.choices.end()) {
      std::string known;
      for (const auto& c : param.choices) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", c.name);
      }
      return fail(ErrorCode::unknown_name,
                  fmt::format("{} is one of {}", param.name, known));
    }
    made_.choices.push_back(fmt::format("{}={}", param.name, text));
    notations_.emplace(param.name, choice->notation);
    return {};
  }

  Result<std::string> fill_template() {
    std::string text;
    std::string_view rest = entry_.expression;
    for (;;) {
      const std::size_t open = rest.find("${");
      text += rest.substr(0, open);
      if (open == std::string_view::npos) return text;
      const std::size_t close = rest.find('}', open);
      if (close == std::string_view::npos) {
        return fail(ErrorCode::syntax,
                    fmt::format("{}: a '${{' without its '}}'", entry_.name));
      }
      const std::string_view field = rest.substr(open + 2, close - open - 2);
      rest.remove_prefix(close + 1);
      const Result<std::string> value = value_of(field);
      if (!value) return value;
      text += *value;
      if (text.size() > longest_text) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("{}: the expression has more than {} characters",
                        entry_.name, longest_text));
      }
    }
  }

  Result<std::string> value_of(std::string_view field) {
    if (field.starts_with(':')) {  // a stride that may be left out
      const auto value = all_.find(field.substr(1));
      return value == all_.end() ? std::string()
                                 : fmt::format(":{}", value->second);
    }
    const auto choice = notations_.find(field);
    if (choice != notations_.end()) return choice->second;
    bool of_sizes = false;
    const Result<std::int64_t> value = number(field, of_sizes);
    if (!value) {
      return fail(
          value.error().code,
          fmt::format("{}: {} {}", entry_.name, field, value.error().message));
    }
    return std::to_string(*value);
  }

  const CatalogueEntry& entry_;
  const ParamTexts& arguments_;
  std::string& culprit_;
  NamedNumbers own_;  // parameters that do not depend on sizes
  NamedNumbers all_;  // parameters and sizes
  bool sizes_known_ = false;
  Instance made_;
  std::map<std::string, std::string, std::less<>> notations_;  // of choices
};

}  // namespace

NamedNumbers numbers_of(const Shape& shape, std::int64_t element_bits) {
  NamedNumbers numbers = {{"element_bits", element_bits},
                          {"element_bytes", ceil_div(element_bits, 8)}};
  for (const Dim& dim : shape) numbers.emplace(dim.name, dim.extent);
  return numbers;
}

Result<Instance> fill_in(const CatalogueEntry& entry,
                         const ParamTexts& arguments, const NamedNumbers& sizes,
                         std::string& culprit) {
  return Filler(entry, arguments, sizes, culprit).run();
}

Result<LayoutSource> instantiate(
    const std::shared_ptr<const CatalogueEntry>& entry, Cursor& cursor) {
  const Result<Arguments> arguments = read_arguments(*entry, cursor);
  if (!arguments) return unexpected(arguments.error());
  LayoutSource source;
  for (const auto& [name, argument] : *arguments) {
    source.arguments.emplace(name, argument.text);
  }
  std::string culprit;
  Result<Instance> instance = fill_in(*entry, source.arguments, {}, culprit);
  if (!instance) {
    const auto given = arguments->find(culprit);
    return cursor.error_at(given == arguments->end() ? 0 : given->second.at,
                           instance.error().code, instance.error().message);
  }
  source.name = entry->name;
  source.expression = std::move(instance->expression);
  source.dims = entry->dims;
  source.entry = entry;
  return source;
}

}  // namespace stridewise
