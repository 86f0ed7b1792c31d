// SPDX-License-Identifier: Apache-2.0
#include "catalogue/toml_keys.hpp"

#include <algorithm>
#include <cctype>

namespace stridewise {
namespace {

bool is_foreign(char c) { return static_cast<unsigned char>(c) > 127; }

// Where the string ends that begins with the quote at `at`; one line, or between three
// quotes several.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool several = text.substr(at, 3) == three;
  const std::string_view mark = several ? three : three.substr(0, 1);
  for (std::size_t k = at + mark.size(); k < text.size(); ++k) {
    if (quote == '"' && text[k] == '\\') {
      ++k;
    } else if (text.substr(k, mark.size()) == mark) {
      return k + mark.size();
    } else if (!several && text[k] == '\n') {
      return k;
    }
  }
  return text.size();
}

}  // namespace

bool has_deep_keys(std::string_view text) {
  constexpr int most_parts = 16;
  int dots = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote || c == '\n' ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      if (++dots > most_parts) return true;
    } else if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' &&
               c != '-' && c != ' ' && c != '\t') {
      dots = 0;
    }
  }
  return false;
}

std::size_t line_of_foreign_key(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::size_t line = 1;
  bool begins = true;   // nothing but blanks before it in its line
  bool header = false;  // within a table's "[...]"
  char before = '\n';   // the last that is no blank
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      begins = true;
      header = false;
      ++at;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (is_foreign(c)) return line;
    if (c == '[' && begins) header = true;
    if (c == '=') header = false;
    const bool blank = c == ' ' || c == '\t';
    const bool quote = c == '"' || c == '\'';
    // Elsewhere, as in 0"x", the parser sees no string.
    const bool string_may_begin =
        begins ||
        std::string_view("=[,{.").find(before) != std::string_view::npos;
    begins = begins && blank;
    if (!blank) before = c;
    if (!quote || !string_may_begin) {
      ++at;
      continue;
    }
    const std::size_t end = end_of_string(text, at);
    const std::string_view string = text.substr(at, end - at);
    const std::size_t next = text.find_first_not_of(" \t", end);
    const bool key = header || (next != std::string_view::npos &&
                                (text[next] == '=' || text[next] == '.'));
    if (key && std::ranges::any_of(string, is_foreign)) return line;
    line += static_cast<std::size_t>(std::ranges::count(string, '\n'));
    at = end;
  }
  return 0;
}

}  // namespace stridewise
