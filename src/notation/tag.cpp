// The tag grammar, the whole of it: nothing here lists tags.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/checked.hpp"
#include "notation/cursor.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// The logical order of each family of letters that the vendor uses together.
constexpr std::array<std::string_view, 5> families = {"ncdhw", "goidhw", "tnc",
                                                      "ldsncigo", "x"};

struct Block {
  char letter;
  std::int64_t size;
};

struct Letters {
  std::string outer;          // lower-cased, slowest first
  std::vector<Block> blocks;  // outermost first
};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c + 32) : c; }

Result<Letters> split(std::string_view text) {
  Cursor cursor(text);
  const auto error = [&](std::size_t at, std::string message) {
    return cursor.error_at(at, ErrorCode::syntax, std::move(message));
  };
  Letters letters;
  std::size_t at = 0;
  for (; at < text.size() && (is_lower(text[at]) || is_upper(text[at])); ++at) {
    if (letters.outer.find(lower(text[at])) != std::string::npos) {
      return error(at, fmt::format("a tag names each dim once; '{}' comes "
                                   "again",
                                   text[at]));
    }
    letters.outer += lower(text[at]);
  }
  while (at < text.size()) {
    const std::size_t begin = at;
    cursor.go_to(at);
    const Result<std::int64_t> size = cursor.number("a block size");
    if (!size) return unexpected(size.error());
    at = cursor.position();
    if (*size < 2) return error(begin, "a block is of 2 or more");
    if (at >= text.size() || !is_lower(text[at])) {
      return error(at, "expected the lower-case letter of the blocked dim");
    }
    if (letters.outer.find(text[at]) == std::string::npos) {
      return error(at, fmt::format("'{}' is blocked, but is no dim of the tag",
                                   text[at]));
    }
    letters.blocks.push_back({text[at], *size});
    ++at;
  }
  for (std::size_t k = 0; k < letters.outer.size(); ++k) {
    const bool blocked =
        std::ranges::find(letters.blocks, letters.outer[k], &Block::letter) !=
        letters.blocks.end();
    if (blocked && is_lower(text[k])) {
      return error(k, fmt::format("'{}' has a block, so it is written '{}'",
                                  text[k], static_cast<char>(text[k] - 32)));
    }
    if (!blocked && is_upper(text[k])) {
      return error(k, fmt::format("'{}' is upper-case, but no block of '{}' "
                                  "follows",
                                  text[k], lower(text[k])));
    }
  }
  return letters;
}

// The letters in logical order, or empty when they are of no one family.
std::string logical_order(const std::string& outer, bool& canonical) {
  std::string sorted = outer;
  std::ranges::sort(sorted);
  canonical =
      sorted == std::string_view("abcdefghijkl").substr(0, sorted.size());
  if (canonical) return sorted;
  for (const std::string_view family : families) {
    std::string order;
    for (const char c : family) {
      if (outer.find(c) != std::string::npos) order += c;
    }
    if (order.size() == outer.size()) return order;
  }
  return {};
}

}  // namespace

Result<Tag> parse_tag(std::string_view text) {
  const Result<Letters> letters = split(text);
  if (!letters) return unexpected(letters.error());
  Tag tag;
  const std::string order = logical_order(letters->outer, tag.canonical);
  if (order.empty()) {
    return Cursor(text).error_at(
        0, ErrorCode::syntax,
        "these letters are not the dims of one tensor: use a b c ..., or "
        "n c d h w, g o i d h w, t n c, l d s n c i g o");
  }
  for (const char c : order) tag.dims.emplace_back(1, c);

  // What a block divides by: the product of the blocks of its dim right of it.
  std::map<char, std::int64_t> inner;
  for (const char c : order) inner[c] = 1;
  std::vector<Term> block_terms;
  for (auto block = letters->blocks.rbegin(); block != letters->blocks.rend();
       ++block) {
    std::int64_t& div = inner[block->letter];
    block_terms.push_back(
        Term{Digit{std::string(1, block->letter), 0, div, block->size}, {}});
    const Checked product = mul(div, block->size);
    if (!product) {
      return Cursor(text).error_at(
          0, ErrorCode::overflow,
          fmt::format("the blocks of '{}' overflow 64 bits", block->letter));
    }
    div = *product;
  }
  Axis axis;
  for (const char c : letters->outer) {
    axis.terms.push_back(Term{Digit{std::string(1, c), 0, inner[c], 0}, {}});
  }
  axis.terms.insert(axis.terms.end(), block_terms.rbegin(), block_terms.rend());
  tag.expression.axes.push_back(std::move(axis));
  return tag;
}

}  // namespace stridewise
