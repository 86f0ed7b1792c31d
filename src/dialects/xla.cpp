// XLA's layouts: dims from minor to major, and tiles of the minor ones. What a tile leaves
// is tiled again by the next: openxla docs/tiled_layout.md.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/checked.hpp"
#include "dialects/read.hpp"
#include "notation/cursor.hpp"
#include "stridewise/element.hpp"

namespace stridewise::dialects {
namespace {

constexpr std::size_t max_rank = 26;
constexpr int max_tiles = 8;
constexpr std::int64_t combine = -1;  // "*": this dim and the next are one

// "s32[8,4]{1,0}": what stands before the brace.
bool is_prefix(std::string_view text) {
  return text.empty() ||
         (text.ends_with(']') && text.find('[') != std::string_view::npos &&
          text.find('[') > 0 && std::ranges::all_of(text, [](unsigned char c) {
            return std::isalnum(c) != 0 || c == '[' || c == ']' || c == ',' ||
                   c == ' ';
          }));
}

// XLA's name of a type as ours: "f8e4m3" is IEEE's there, and "fn" is a part of the name.
std::string name_of(std::string_view name) {
  if (name == "pred") return "bool";
  if (name == "f4e2m1fn") return "f4";
  if (name == "f8e8m0fnu") return "e8";
  if (!name.starts_with("f8e")) return std::string(name);
  return fmt::format("f8_{}", name.substr(2));
}

class XlaReader {
 public:
  XlaReader(std::string_view text, std::size_t brace, KnownDims known)
      : cursor_(text), text_(text), brace_(brace), known_(known) {}

  Result<DialectText> run() {
    if (auto shape = read_prefix(); !shape) return unexpected(shape.error());
    cursor_.go_to(brace_ + 1);
    if (auto order = read_order(); !order) return unexpected(order.error());
    if (!extents_.empty() && extents_.size() != order_.size()) {
      return cursor_.error_at(0, ErrorCode::mismatch,
                              fmt::format("{} extents, but a layout of {} dims",
                                          extents_.size(), order_.size()));
    }
    DialectText dims = of_rank(order_.size(), known_);
    made_.dims = std::move(dims.dims);
    made_.positional = dims.positional;
    made_.extents = extents_;
    for (auto dim = order_.rbegin(); dim != order_.rend(); ++dim) {
      digits_.push_back({{.dim = made_.dims[*dim]}});
    }
    if (cursor_.accept(':')) {
      while (cursor_.peek() == 'T') {
        if (auto tile = read_tile(); !tile) return unexpected(tile.error());
      }
      if (auto read = read_properties(); !read) {
        return unexpected(read.error());
      }
    }
    if (!cursor_.accept('}') || !cursor_.at_end()) {
      return cursor_.error(
          "expected a tile, T(8,128), a memory space, S(1), the bits of an "
          "element, E(4), or '}' and the end");
    }
    std::vector<Term> terms;
    for (const Place& place : digits_) {
      if (!place.empty()) terms.push_back({.digit = place.front()});
    }
    made_.expression = memory_of(std::move(terms));
    return std::move(made_);
  }

 private:
  // A digit; or nothing, where there is one value.
  using Place = std::vector<Digit>;

  Result<void> read_order() {
    do {
      const std::size_t at = cursor_.position();
      const Result<std::int64_t> dim = cursor_.number("a dim");
      if (!dim) return unexpected(dim.error());
      if (*dim >= static_cast<std::int64_t>(max_rank)) {
        return cursor_.error_at(at, ErrorCode::unsupported,
                                fmt::format("more than {} dims", max_rank));
      }
      order_.push_back(static_cast<std::size_t>(*dim));
    } while (cursor_.accept(','));
    for (std::size_t d = 0; d < order_.size(); ++d) {
      if (std::ranges::count(order_, d) == 1) continue;
      return cursor_.error_at(
          brace_, ErrorCode::invalid_value,
          fmt::format("the dims from minor to major are 0 .. {}, each once",
                      order_.size() - 1));
    }
    return {};
  }

  // E(4): bits of an element in memory. S(1): which memory; it changes no place.
  Result<void> read_properties() {
    while (cursor_.peek() == 'S' || cursor_.peek() == 'E') {
      const bool bits = cursor_.accept('E');
      if (!bits) cursor_.accept('S');
      if (!cursor_.accept('(')) return cursor_.error("expected '('");
      const std::size_t at = cursor_.position();
      const Result<std::int64_t> number = cursor_.number("a number");
      if (!number) return unexpected(number.error());
      if (!cursor_.accept(')')) return cursor_.error("expected ')'");
      if (bits) {
        if (auto taken = take_bits(*number, at); !taken) return taken;
      }
    }
    return {};
  }

  // The type before the brace has so many bits, or is a number that has more room.
  Result<void> take_bits(std::int64_t bits, std::size_t at) {
    constexpr std::int64_t most_bits = 64;
    if (bits == 0 || bits == made_.element_bits) return {};
    const bool fits = bits <= most_bits && bits > made_.element_bits;
    if (!fits || is_floating_) {
      return cursor_.error_at(
          at, ErrorCode::mismatch,
          fmt::format("{} bits of an element of {}", bits,
                      made_.element_type.empty() ? "1 to 64 bits"
                                                 : made_.element_type));
    }
    made_.element_bits = bits;
    made_.element_type.clear();
    return {};
  }

  // T(8,128)(2,1): tiles, each of what the one before left.
  Result<void> read_tile() {
    cursor_.accept('T');
    do {
      if (!cursor_.accept('(')) return cursor_.error("expected '('");
      const std::size_t at = cursor_.position();
      std::vector<std::int64_t> sizes;
      do {
        if (cursor_.accept('*')) {
          sizes.push_back(combine);
          continue;
        }
        const Result<std::int64_t> size = cursor_.number("the size of a tile");
        if (!size) return unexpected(size.error());
        if (*size < 1) return cursor_.error("a tile is of 1 or more");
        sizes.push_back(*size);
      } while (cursor_.accept(','));
      if (!cursor_.accept(')')) return cursor_.error("expected ',' or ')'");
      if (++tiles_ > max_tiles) return cursor_.error("more than 8 tiles");
      if (auto tiled = tile(sizes, at); !tiled) return tiled;
    } while (cursor_.peek() == '(');
    return {};
  }

  Result<void> tile(const std::vector<std::int64_t>& sizes, std::size_t at) {
    if (sizes.size() > digits_.size() || sizes.back() == combine) {
      return cursor_.error_at(
          at, ErrorCode::invalid_value,
          sizes.back() == combine
              ? "'*' combines a dim with the next; there is none"
              : fmt::format("a tile of {} dims, but there are {}", sizes.size(),
                            digits_.size()));
    }
    std::vector<Place> outer(
        digits_.begin(),
        digits_.end() - static_cast<std::ptrdiff_t>(sizes.size()));
    std::vector<Place> inner;
    std::vector<Term> combined;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const Place& place = digits_[digits_.size() - sizes.size() + k];
      if (sizes[k] == combine || !combined.empty()) {
        for (const Digit& digit : place) combined.push_back({.digit = digit});
      }
      if (sizes[k] == combine) continue;
      Place whole = place;
      if (!combined.empty()) {
        whole = {Digit{.fused = {{Body{.terms = std::move(combined)}}}}};
        combined.clear();
      }
      if (auto cut = split(whole, sizes[k], outer, inner); !cut) return cut;
    }
    digits_ = std::move(outer);
    std::ranges::move(inner, std::back_inserter(digits_));
    return {};
  }

  static Result<void> split(const Place& place, std::int64_t size,
                            std::vector<Place>& outer,
                            std::vector<Place>& inner) {
    if (size == 1) {
      outer.push_back(place);
      inner.push_back({});
      return {};
    }
    // A tile would pad what an earlier tile made smaller.
    const std::int64_t values = place.empty()            ? 1
                                : place.front().mod == 0 ? size
                                                         : place.front().mod;
    if (values < size) {
      return fail(ErrorCode::unsupported,
                  fmt::format("a tile of {} over the {} values that an earlier "
                              "tile leaves: it would pad them",
                              size, values));
    }
    const Digit& digit = place.front();
    if (digit.mod == size) {
      outer.push_back({});
      inner.push_back(place);
      return {};
    }
    const Result<Digit> tiles = digit.divided_by(size);
    const Result<Digit> within = digit.modulo(size);
    if (!tiles || !within) {
      return unexpected((tiles ? within : tiles).error());
    }
    outer.push_back({*tiles});
    inner.push_back({*within});
    return {};
  }

  // The extents of "s32[8,4]".
  Result<void> read_prefix() {
    const std::size_t open = text_.substr(0, brace_).find('[');
    if (open == std::string_view::npos) return {};
    const std::string_view name = text_.substr(0, open);
    const Result<ElementType> type = parse_element_type(name_of(name));
    if (!type) {
      return cursor_.error_at(0, ErrorCode::unknown_name,
                              fmt::format("no element type '{}'", name));
    }
    made_.element_bits = type->bits;
    made_.element_type = type->name;
    is_floating_ = type->kind != ElementKind::boolean && !type->is_integer();
    cursor_.go_to(open + 1);
    do {
      const Result<std::int64_t> extent = cursor_.number("an extent");
      if (!extent) return unexpected(extent.error());
      extents_.push_back(*extent);
    } while (cursor_.accept(','));
    return {};
  }

  Cursor cursor_;
  std::string_view text_;
  std::size_t brace_;
  KnownDims known_;
  std::vector<std::int64_t> extents_;  // before the brace
  std::vector<std::size_t> order_;     // from minor to major
  std::vector<Place> digits_;          // slowest first
  int tiles_ = 0;
  bool is_floating_ = false;  // the type before the brace
  DialectText made_;
};

}  // namespace

Reading read_xla(std::string_view text, KnownDims known) {
  const std::size_t brace = text.find('{');
  if (brace == std::string_view::npos || brace + 1 >= text.size() ||
      std::isdigit(static_cast<unsigned char>(text[brace + 1])) == 0 ||
      !is_prefix(text.substr(0, brace))) {
    return std::nullopt;
  }
  return XlaReader(text, brace, known).run();
}

}  // namespace stridewise::dialects
