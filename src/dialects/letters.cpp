// Dialects of letters: TVM's NCHW4c, Arm's OHWIo8i4, OpenVINO's b_fs_yx_fsv16.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/checked.hpp"
#include "dialects/read.hpp"
#include "notation/cursor.hpp"

namespace stridewise::dialects {
namespace {

// The logical orders of letters that are used together.
constexpr std::array<std::string_view, 3> families = {"ncdhw", "goidhw", "tnc"};
constexpr std::size_t longest = 64;  // of a text of letters

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_number(char c) { return c >= '0' && c <= '9'; }

bool of_one_family(const std::vector<std::string>& dims) {
  return std::ranges::any_of(families, [&](std::string_view family) {
    return std::ranges::all_of(dims, [&](const std::string& dim) {
      return family.find(dim[0]) != std::string_view::npos;
    });
  });
}

std::vector<std::string> logical_order(std::vector<std::string> dims) {
  for (const std::string_view family : families) {
    const auto rank = [&](const std::string& dim) {
      return dim.size() == 1 ? family.find(dim[0]) : std::string_view::npos;
    };
    if (std::ranges::all_of(dims, [&](const std::string& dim) {
          return rank(dim) != std::string_view::npos;
        })) {
      std::ranges::sort(dims, {}, rank);
      return dims;
    }
  }
  return dims;
}

Result<std::int64_t> block_size(std::string_view digits, std::string_view text,
                                std::size_t at) {
  Cursor cursor(text);
  cursor.go_to(at);
  const Result<std::int64_t> size = cursor.number("a block size");
  if (!size) return size;
  if (*size < 2) {
    return Cursor(text).error_at(
        at, ErrorCode::invalid_value,
        fmt::format("a block of {}; a block is of 2 or more", digits));
  }
  return size;
}

// "4c" and "c4" from `at` on, outermost first.
Result<std::vector<Block>> blocks_of(std::string_view text, std::size_t at) {
  const bool number_first = at < text.size() && is_number(text[at]);
  std::vector<Block> blocks;
  while (at < text.size()) {
    std::size_t number = at + (number_first ? 0 : 1);
    std::size_t end = number;
    while (end < text.size() && is_number(text[end])) ++end;
    const std::size_t letter = number_first ? end : at;
    if (end == number || letter >= text.size() || !is_lower(text[letter])) {
      return Cursor(text).error_at(
          at, ErrorCode::syntax,
          number_first
              ? "expected a block, a size and a lower-case letter: 4c"
              : "expected a block, a lower-case letter and a size: c4");
    }
    const Result<std::int64_t> size =
        block_size(text.substr(number, end - number), text, number);
    if (!size) return unexpected(size.error());
    blocks.push_back({std::string(1, text[letter]), *size});
    at = number_first ? end + 1 : end;
  }
  return blocks;
}

// The letters of OpenVINO, and ours.
std::string our_letter(char c, bool weights) {
  switch (c) {
    case 'b':
      return weights ? "" : "n";
    case 'f':
      return weights ? "" : "c";
    case 'z':
      return "d";
    case 'y':
      return "h";
    case 'x':
      return "w";
    default:
      return weights && (c == 'g' || c == 'o' || c == 'i') ? std::string(1, c)
                                                           : "";
  }
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = text.find(by);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

struct OpenVino {
  std::vector<std::string> outer;
  std::vector<Block> blocks;
};

// "fs" is slices of f; "yx" two dims; "fsv16" and "osa4" blocks. False: none of these.
bool read_word(std::string_view word, bool weights, OpenVino& read) {
  const std::size_t number =
      std::min(word.find_first_of("0123456789"), word.size());
  const std::string_view letters = word.substr(0, number);
  if (number < word.size()) {
    const bool is_block = letters.size() == 3 && letters[1] == 's' &&
                          (letters[2] == 'v' || letters[2] == 'a') &&
                          word.size() - number < 5 &&
                          std::ranges::all_of(word.substr(number), is_number);
    const std::string dim = is_block ? our_letter(letters[0], weights) : "";
    if (dim.empty()) return false;
    std::int64_t size = 0;
    for (const char c : word.substr(number)) size = size * 10 + (c - '0');
    read.blocks.push_back({dim, size});
    return true;
  }
  if (letters.size() == 2 && letters[1] == 's') {
    const std::string dim = our_letter(letters[0], weights);
    read.outer.push_back(dim);
    return !dim.empty();
  }
  for (const char c : letters) {
    const std::string dim = our_letter(c, weights);
    if (dim.empty()) return false;
    read.outer.push_back(dim);
  }
  return !letters.empty();
}

}  // namespace

Result<DialectText> blocked(const std::vector<std::string>& outer,
                            const std::vector<Block>& blocks) {
  std::map<std::string, std::int64_t> whole;  // the product of a dim's blocks
  for (const std::string& dim : outer) {
    if (!whole.emplace(dim, 1).second) {
      return fail(ErrorCode::syntax, fmt::format("dim {} stands twice", dim));
    }
  }
  for (const Block& block : blocks) {
    const auto dim = whole.find(block.dim);
    if (dim == whole.end()) {
      return fail(ErrorCode::syntax,
                  fmt::format("a block of dim {}, which has no place among the "
                              "others",
                              block.dim));
    }
    const Checked product = mul(dim->second, block.size);
    if (!product || block.size < 2) {
      return fail(
          ErrorCode::invalid_value,
          fmt::format("a block of {} of dim {}", block.size, block.dim));
    }
    dim->second = *product;
  }
  std::vector<Term> terms;
  for (const std::string& dim : outer) {
    terms.push_back({.digit = {.dim = dim, .div = whole.at(dim)}});
  }
  for (const Block& block : blocks) {
    std::int64_t& left = whole.at(block.dim);
    terms.push_back(
        {.digit = {
             .dim = block.dim, .div = left / block.size, .mod = block.size}});
    left /= block.size;
  }
  DialectText text;
  text.expression = memory_of(std::move(terms));
  text.dims = logical_order(outer);
  text.spells_dims = true;
  return text;
}

Reading read_letters(std::string_view text) {
  std::size_t outer = 0;
  while (outer < text.size() && is_upper(text[outer])) ++outer;
  const std::string_view rest = text.substr(outer);
  const bool blocks = std::ranges::all_of(
      rest, [](char c) { return is_lower(c) || is_number(c); });
  if (outer < 2 || text.size() > longest || !blocks) return std::nullopt;
  // Names such as CHW32 and NC4HW4 are no spelling of dims.
  if (!rest.empty() && is_number(rest.front()) &&
      std::ranges::none_of(rest, is_lower)) {
    return std::nullopt;
  }
  std::vector<std::string> dims;
  for (const char c : text.substr(0, outer)) {
    dims.emplace_back(1, static_cast<char>(c + ('a' - 'A')));
  }
  if (!of_one_family(dims)) return std::nullopt;
  const Result<std::vector<Block>> read = blocks_of(text, outer);
  if (!read) return Result<DialectText>(unexpected(read.error()));
  return blocked(dims, *read);
}

Reading read_openvino(std::string_view text) {
  if (text.size() > longest) return std::nullopt;
  const std::vector<std::string_view> words = split(text, '_');
  const bool weights = words[0].find_first_of("oig") != std::string_view::npos;
  OpenVino read;
  for (const std::string_view word : words) {
    if (!read_word(word, weights, read)) return std::nullopt;
  }
  // "xy" and the like are dims of an expression.
  if (words.size() == 1 && read.outer.size() < 4) return std::nullopt;
  return blocked(read.outer, read.blocks);
}

}  // namespace stridewise::dialects
