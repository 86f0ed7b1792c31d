// A layout of blocks as letters.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "dialects/print.hpp"

namespace stridewise::dialects {
namespace {

struct Blocks {
  std::vector<std::size_t> outer;  // dims, slowest first
  struct Block {
    std::size_t dim;
    std::int64_t size;
  };
  std::vector<Block> inner;

  [[nodiscard]] bool blocked(std::size_t dim) const {
    return std::ranges::find(inner, dim, &Block::dim) != inner.end();
  }
};

// Whole dims first, then blocks of them. Dims of one index have no digit that counts:
// they stand where the text has them.
Result<Blocks> blocks_of(const Layout& layout) {
  if (!layout.plain()) {
    // Says which digit is none of theirs.
    const auto digits = digits_of(layout);
    if (!digits) return unexpected(digits.error());
    return cannot("it has copies, or begins later");
  }
  Blocks blocks;
  std::vector<bool> seen(layout.shape().size(), false);
  for (const BoundTerm& term : layout.terms()) {
    const auto dim = static_cast<std::size_t>(term.dim);
    if (term.bias != 0) return cannot("a dim begins later than at 0");
    if ((term.mod == 0) == seen[dim]) {
      return cannot(
          fmt::format("the blocks of dim {} stand before what they "
                      "are blocks of",
                      layout.shape()[dim].name));
    }
    if (!seen[dim]) {
      if (!blocks.inner.empty()) {
        return cannot(fmt::format("dim {} stands behind a block",
                                  layout.shape()[dim].name));
      }
      seen[dim] = true;
      blocks.outer.push_back(dim);
      continue;
    }
    blocks.inner.push_back({dim, term.mod});
  }
  return blocks;
}

char letter_of(const std::string& dim, bool positional, std::size_t position) {
  return positional ? static_cast<char>('a' + position) : dim[0];
}

// Whether all dims are letters that a tag knows as they are.
bool friendly(const Shape& shape) {
  constexpr std::array<std::string_view, 2> families = {"ncdhw", "goidhw"};
  return std::ranges::any_of(families, [&](std::string_view family) {
    std::size_t last = 0;
    return std::ranges::all_of(shape, [&](const Dim& dim) {
      const std::size_t at = dim.name.size() == 1
                                 ? family.find(dim.name[0], last)
                                 : std::string_view::npos;
      last = at + 1;
      return at != std::string_view::npos;
    });
  });
}

std::string upper(char c) {
  return {static_cast<char>(std::toupper(static_cast<unsigned char>(c)))};
}

Result<std::string> openvino(const Layout& layout, const Blocks& blocks) {
  const Shape& shape = layout.shape();
  const bool weights = std::ranges::any_of(
      shape, [](const Dim& dim) { return dim.name == "o" || dim.name == "i"; });
  const auto letter = [&](std::size_t dim) {
    const std::string& name = shape[dim].name;
    if (name == "h") return std::string("y");
    if (name == "w") return std::string("x");
    if (name == "d") return std::string("z");
    if (weights) return name;
    return std::string(name == "n" ? "b" : name == "c" ? "f" : "?");
  };
  std::string text;
  for (const std::size_t dim : blocks.outer) {
    const std::string c = letter(dim);
    if (c.size() != 1 || c == "?") {
      return cannot(
          fmt::format("OpenVINO has no letter for dim {}", shape[dim].name));
    }
    const bool spatial = c == "z" || c == "y" || c == "x";
    const bool joined =
        !text.empty() && spatial &&
        std::string_view("zy").find(text.back()) != std::string_view::npos;
    const bool plain = blocks.inner.empty();
    text += (text.empty() || joined || plain ? "" : "_") + c;
    if (blocks.blocked(dim)) text += "s";
  }
  for (const Blocks::Block& block : blocks.inner) {
    text += fmt::format("_{}sv{}", letter(block.dim), block.size);
  }
  return text;
}

}  // namespace

Result<std::string> print_letters(const Layout& layout, Dialect dialect) {
  const Shape& shape = layout.shape();
  const Result<Blocks> blocks = blocks_of(layout);
  if (!blocks) return unexpected(blocks.error());
  if (dialect == Dialect::openvino) return openvino(layout, *blocks);
  const bool positional = dialect == Dialect::onednn && !friendly(shape);
  if (shape.size() > 26) return cannot("there are more dims than letters");
  std::string text;
  for (const std::size_t dim : blocks->outer) {
    const std::string& name = shape[dim].name;
    if (!positional && (name.size() != 1 || name[0] < 'a' || name[0] > 'z')) {
      return cannot(fmt::format("dim {} is no letter", name));
    }
    const char c = letter_of(name, positional, dim);
    const bool big = dialect == Dialect::tvm || blocks->blocked(dim);
    text += big ? upper(c) : std::string(1, c);
  }
  for (const Blocks::Block& block : blocks->inner) {
    text +=
        fmt::format("{}{}", block.size,
                    letter_of(shape[block.dim].name, positional, block.dim));
  }
  return text;
}

}  // namespace stridewise::dialects
