// Any text that stands for a layout -> a LayoutSource -> a bound Layout.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/checked.hpp"
#include "base/identifier.hpp"
#include "catalogue/arithmetic.hpp"
#include "catalogue/instantiate.hpp"
#include "catalogue/tags.hpp"
#include "layout/rename.hpp"
#include "notation/cursor.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

constexpr std::string_view tag_vendor = "onednn.";

// The catalogue name that `text` begins with: "vendor.layout", where a layout
// may hold letters, digits, '-' and '_'. Empty if it begins with none.
std::string_view catalogue_name(std::string_view text) {
  std::size_t end = 0;
  bool dot = false;
  for (; end < text.size(); ++end) {
    const auto c = static_cast<unsigned char>(text[end]);
    dot = dot || c == '.';
    const bool part =
        std::isalnum(c) != 0 || c == '_' || c == '.' || (dot && c == '-');
    if (!part) break;
  }
  return dot ? text.substr(0, end) : std::string_view{};
}

// Whether a text is built as tags are: letters of tags, and blocks behind them.
bool looks_like_tag(std::string_view text) {
  constexpr std::string_view letters = "abcdefnchwoigtx";
  const auto digit = std::ranges::find_if(text, is_digit);
  return digit != text.end() && !text.empty() && !is_digit(text.front()) &&
         std::ranges::any_of(
             text, [](unsigned char c) { return std::islower(c) != 0; }) &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return std::isdigit(c) != 0 ||
                  letters.find(static_cast<char>(std::tolower(c))) !=
                      std::string_view::npos;
         });
}

// All that may be meant: with the vendor before it where the name has one.
std::vector<std::string> names_like(const Catalogue& catalogue, bool vendor) {
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : catalogue) {
    names.push_back(entry.name);
    if (vendor) continue;
    names.push_back(entry.name.substr(entry.name.find('.') + 1));
    names.insert(names.end(), entry.aliases.begin(), entry.aliases.end());
  }
  for (const std::string_view tag : common_tags()) {
    names.push_back(std::string(vendor ? tag_vendor : "") + std::string(tag));
  }
  return names;
}

// The names of those that are called so by their vendors: "awq.gemm' or 'x.gemm".
std::string with_vendor(const Catalogue& catalogue, std::string_view word) {
  std::string names;
  for (const CatalogueEntry& entry : catalogue) {
    if (entry.name.substr(entry.name.find('.') + 1) != word) continue;
    names += (names.empty() ? "" : "' or '") + entry.name;
  }
  return names;
}

unexpected<Error> unknown_name(const Catalogue& catalogue,
                               std::string_view text, std::string_view name,
                               std::string_view reason) {
  const bool vendor = name.find('.') != std::string_view::npos;
  std::string hint = with_vendor(catalogue, name);
  if (hint.empty()) hint = nearest(name, names_like(catalogue, vendor));
  std::string message = fmt::format("unknown layout '{}'", name);
  if (!hint.empty()) message += fmt::format("; did you mean '{}'?", hint);
  if (!reason.empty() && looks_like_tag(name.substr(name.find('.') + 1))) {
    message += fmt::format(" (as a oneDNN tag: {})", reason);
  } else if (hint.empty()) {
    const bool word = !catalogue.about(name).empty();
    message +=
        fmt::format("; 'stridewise list{}{}' shows {}", word ? " " : "",
                    word ? name : "", word ? "what it has" : "all names");
  }
  return Cursor(text).error_at(0, ErrorCode::unknown_name, std::move(message));
}

Result<LayoutSource> from_tag(std::string_view tag_text) {
  Result<Tag> tag = parse_tag(tag_text);
  if (!tag) return unexpected(tag.error());
  LayoutSource source;
  source.name = std::string(tag_vendor) + std::string(tag_text);
  source.expression = std::move(tag->expression);
  source.dims = std::move(tag->dims);
  source.spelled_dims = source.expression.dims();
  source.positional_dims = tag->canonical;
  source.entry = catalogue().find("onednn.TAG");
  return source;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

// The dims in the order of the letters of a catalogue name, as in "mli.chw" and
// "mli.hw1n"; empty where its letters are not the dims.
std::vector<std::string> spelled_by(std::string_view name,
                                    const std::vector<std::string>& dims) {
  std::vector<std::string> letters;
  for (const char c : name.substr(name.find('.') + 1)) {
    if (!is_digit(c)) letters.emplace_back(1, c);
  }
  return std::ranges::is_permutation(letters, dims)
             ? letters
             : std::vector<std::string>();
}

Result<LayoutSource> from_catalogue(const Catalogue& catalogue,
                                    std::string_view text,
                                    std::string_view name) {
  if (const auto entry = catalogue.find(name);
      entry != nullptr && name != "onednn.TAG") {
    Cursor cursor(text);
    cursor.go_to(name.size());
    Result<LayoutSource> source = instantiate(entry, cursor);
    if (source) source->spelled_dims = spelled_by(name, source->dims);
    return source;
  }
  const bool is_tag = name.starts_with(tag_vendor) && name == text;
  if (!is_tag) return unknown_name(catalogue, text, name, {});
  Result<LayoutSource> source = from_tag(name.substr(tag_vendor.size()));
  if (!source)
    return unknown_name(catalogue, text, name, source.error().message);
  return source;
}

LayoutSource from_dialect(std::string_view text, DialectText read) {
  LayoutSource source;
  source.name = text;
  source.expression = std::move(read.expression);
  source.dims = std::move(read.dims);
  source.positional_dims = read.positional;
  source.extents = std::move(read.extents);
  source.elements = read.elements;
  source.element_bits = read.element_bits;
  source.element_type = std::move(read.element_type);
  if (read.spells_dims) source.spelled_dims = source.expression.dims();
  return source;
}

// The entry of the alias that `text` begins with; nullopt: it begins with none.
std::optional<Result<LayoutSource>> from_alias(const Catalogue& catalogue,
                                               std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
          text[end] == '_' || text[end] == '-')) {
    ++end;
  }
  if (end == 0 || (end < text.size() && text[end] != '(')) return std::nullopt;
  const std::string_view word = text.substr(0, end);
  const auto entries = catalogue.called(word);
  if (entries.empty()) return std::nullopt;
  if (entries.size() > 1) {
    std::string names;
    for (const auto& entry : entries) {
      names += (names.empty() ? "" : " or ") + entry->name;
    }
    return Cursor(text).error_at(0, ErrorCode::unknown_name,
                                 fmt::format("'{}' may be {}", word, names));
  }
  Cursor cursor(text);
  cursor.go_to(end);
  return instantiate(entries.front(), cursor);
}

// A word, or a form, that is of no expression; nullopt: an expression.
std::optional<Result<LayoutSource>> from_other_words(
    const Catalogue& catalogue, std::string_view text,
    std::span<const std::string> known_dims) {
  if (auto source = from_alias(catalogue, text)) return source;
  if (auto read = read_dialect(text, known_dims)) {
    if (!*read) return unexpected(std::move(read->error()));
    return from_dialect(text, **std::move(read));
  }
  return std::nullopt;
}

}  // namespace

Result<LayoutSource> resolve_layout(std::string_view text,
                                    std::span<const std::string> known_dims,
                                    const Catalogue& catalogue) {
  text = trim(text);
  if (const std::string_view name = catalogue_name(text); !name.empty()) {
    return from_catalogue(catalogue, text, name);
  }
  const bool known_dim =
      std::ranges::find(known_dims, text) != known_dims.end();
  if (!known_dim) {
    Result<LayoutSource> tag =
        is_word(text) ? from_tag(text) : fail(ErrorCode::syntax, "");
    if (tag) return tag;
    if (auto source = from_other_words(catalogue, text, known_dims)) {
      return *std::move(source);
    }
    // One letter that is no tag can only be a dim.
    if (is_word(text) && text.size() > 1) {
      return unknown_name(catalogue, text, text, tag.error().message);
    }
  }
  Result<Expression> expression = parse_expression(text);
  if (!expression) return unexpected(expression.error());
  LayoutSource source;
  source.expression = *std::move(expression);
  source.spelled_dims = source.expression.dims();
  return source;
}

Result<Layout> bind_layout(std::string_view text, const Shape& shape,
                           std::int64_t element_bytes) {
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.name);
  Result<LayoutSource> source = resolve_layout(text, dims);
  if (!source) return unexpected(std::move(source.error()));
  return source->bind(shape, element_bytes);
}

void align_dims(LayoutSource& a, LayoutSource& b) {
  if (a.positional_dims == b.positional_dims) return;
  LayoutSource& positional = a.positional_dims ? a : b;
  // Only a layout with a logical order tells what the positions are.
  const std::vector<std::string>& names = (a.positional_dims ? b : a).dims;
  if (names.size() != positional.dims.size()) return;
  detail::NewNames renamed;
  for (std::size_t d = 0; d < names.size(); ++d) {
    renamed.emplace(positional.dims[d], names[d]);
  }
  positional.expression =
      detail::renamed(std::move(positional.expression), renamed);
  for (std::string& dim : positional.spelled_dims) dim = renamed.at(dim);
  positional.dims = names;
  positional.positional_dims = false;
}

std::vector<std::string> dims_of(const LayoutSource& layout) {
  return layout.dims.empty() ? layout.expression.dims() : layout.dims;
}

}  // namespace stridewise
