// Shapes, indices and coordinates: lists of numbers, named or in order.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/checked.hpp"
#include "notation/cursor.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

struct Item {
  std::string name;  // empty: by position
  std::int64_t value = 0;
  std::size_t at = 0;
};

// The brackets round a list as Python prints it: "[2, 3]", "(2, 3)", "torch.Size([2, 3])".
// Returns those that close it.
std::string_view accept_opening(Cursor& cursor) {
  if (cursor.accept("torch.Size([")) return "])";
  if (cursor.accept('[')) return "]";
  return cursor.accept('(') ? ")" : "";
}

// name=k,name=k,...  or  k,k,...  or  kxkx..., in brackets or not
Result<std::vector<Item>> parse_items(Cursor& cursor, std::string_view what) {
  std::vector<Item> items;
  const std::string_view closing = accept_opening(cursor);
  for (;;) {
    cursor.skip_space();
    Item item{{}, 0, cursor.position()};
    if (cursor.at_name()) {
      item.name = cursor.name();
      // A part's own dim, such as k/32.
      if (cursor.accept('/')) {
        const Result<std::int64_t> grain = cursor.number("a divisor");
        if (!grain) return unexpected(grain.error());
        item.name += fmt::format("/{}", *grain);
      }
      if (!cursor.accept('=')) {
        return cursor.error("expected '=' after " + item.name);
      }
    }
    if (cursor.peek() == '-') {
      return cursor.error(fmt::format("{} must not be negative", what));
    }
    const Result<std::int64_t> value = cursor.number(what);
    if (!value) return unexpected(value.error());
    item.value = *value;
    if (!items.empty() && items.back().name.empty() != item.name.empty()) {
      return cursor.error_at(item.at, ErrorCode::syntax,
                             "name all numbers or none");
    }
    items.push_back(std::move(item));
    if (cursor.at_end() && closing.empty()) return items;
    const bool by_x = items.back().name.empty() &&
                      (cursor.peek() == 'x' || cursor.peek() == 'X');
    if (by_x) {
      cursor.accept(cursor.peek());
      continue;
    }
    const bool more = cursor.accept(',');  // Python's "(5,)" ends with one
    if (!closing.empty() && cursor.accept(closing)) {
      if (cursor.at_end()) return items;
      return cursor.error("expected the end after the brackets");
    }
    if (!more) {
      return cursor.error(closing.empty()
                              ? "expected ','"
                              : fmt::format("expected ',' or '{}'", closing));
    }
  }
}

std::string join(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// The one of the names that is spelled so, else the only one that is in other letters' case.
std::span<const std::string>::iterator find_name(
    std::span<const std::string> names, const std::string& name) {
  const auto exact = std::ranges::find(names, name);
  if (exact != names.end()) return exact;
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  const auto alike = [&](const std::string& other) {
    return std::ranges::equal(name, other, {}, lower, lower);
  };
  const auto first = std::ranges::find_if(names, alike);
  return std::ranges::count_if(names, alike) == 1 ? first : names.end();
}

// Sorts items into the order of `names`; nullopt where one is not given.
Result<std::vector<std::optional<Item>>> assign(
    const Cursor& cursor, const std::vector<Item>& items,
    std::span<const std::string> names, std::string_view kind) {
  std::vector<std::optional<Item>> values(names.size());
  if (items.front().name.empty()) {
    if (items.size() != names.size()) {
      return cursor.error_at(
          0, ErrorCode::mismatch,
          fmt::format("{} numbers for {} {} ({})", items.size(), names.size(),
                      kind, join(names)));
    }
    std::ranges::copy(items, values.begin());
    return values;
  }
  for (const Item& item : items) {
    const auto name = find_name(names, item.name);
    if (name == names.end()) {
      return cursor.error_at(item.at, ErrorCode::unknown_name,
                             fmt::format("'{}' is none of the {}: {}",
                                         item.name, kind, join(names)));
    }
    auto& value = values[static_cast<std::size_t>(name - names.begin())];
    if (value) {
      return cursor.error_at(item.at, ErrorCode::invalid_value,
                             "'" + item.name + "' is given twice");
    }
    value = item;
  }
  return values;
}

std::vector<std::string> names_of(const Shape& shape) {
  std::vector<std::string> names;
  for (const Dim& dim : shape) names.push_back(dim.name);
  return names;
}

// The item's value, if it is under `extent`.
Result<std::int64_t> within(const Cursor& cursor, const Item& item,
                            std::string_view name, std::int64_t extent) {
  if (item.value < extent) return item.value;
  return cursor.error_at(item.at, ErrorCode::invalid_value,
                         extent == 0
                             ? fmt::format("{} is empty: it has no index", name)
                             : fmt::format("{}={} is outside 0..{}", name,
                                           item.value, extent - 1));
}

unexpected<Error> missing(const Cursor& cursor, std::string_view text,
                          std::string_view name) {
  return cursor.error_at(text.size(), ErrorCode::mismatch,
                         fmt::format("'{}' is missing", name));
}

}  // namespace

Result<std::int64_t> parse_count(std::string_view text) {
  Cursor cursor(text);
  if (!text.starts_with("0x") && !text.starts_with("0X")) {
    if (cursor.peek() == '-') return cursor.error("must not be negative");
    Result<std::int64_t> value = cursor.number("a count");
    if (value && !cursor.at_end()) return cursor.error("expected the end");
    return value;
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + 2, end, value, 16);
  if (code == std::errc::result_out_of_range) {
    return cursor.error("does not fit 64 bits");
  }
  if (code != std::errc{} || stop != end || value < 0) {
    return cursor.error("expected hexadecimal digits after 0x");
  }
  return value;
}

Result<Shape> parse_shape(std::string_view text,
                          std::span<const std::string> dims) {
  Cursor cursor(text);
  const Result<std::vector<Item>> items = parse_items(cursor, "an extent");
  if (!items) return unexpected(items.error());
  std::vector<std::string> names(dims.begin(), dims.end());
  if (names.empty()) {
    if (items->front().name.empty()) {
      return cursor.error_at(0, ErrorCode::mismatch,
                             "an expression needs dim names: write the shape "
                             "as name=extent,...");
    }
    for (const Item& item : *items) {
      if (std::ranges::find(names, item.name) == names.end()) {
        names.push_back(item.name);
      }
    }
  }
  const auto values = assign(cursor, *items, names, "dims");
  if (!values) return unexpected(values.error());
  Shape shape;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!(*values)[k]) return missing(cursor, text, names[k]);
    shape.push_back(Dim{names[k], (*values)[k]->value});
  }
  return shape;
}

std::string print(const Shape& shape) {
  std::string text;
  for (const Dim& dim : shape) {
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : ",", dim.name, dim.extent);
  }
  return text;
}

Result<std::vector<std::int64_t>> parse_index(std::string_view text,
                                              const Shape& shape) {
  Cursor cursor(text);
  const Result<std::vector<Item>> items = parse_items(cursor, "an index");
  if (!items) return unexpected(items.error());
  const auto values = assign(cursor, *items, names_of(shape), "dims");
  if (!values) return unexpected(values.error());
  std::vector<std::int64_t> index;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (!(*values)[k]) return missing(cursor, text, shape[k].name);
    auto value = within(cursor, *(*values)[k], shape[k].name, shape[k].extent);
    if (!value) return unexpected(value.error());
    index.push_back(*value);
  }
  return index;
}

Result<std::vector<Slice>> parse_window(std::string_view text) {
  Cursor cursor(text);
  std::vector<Slice> ranges;
  do {
    Slice range{.dim = cursor.name_here()};
    if (range.dim.empty()) return cursor.error("expected a dim");
    if (!cursor.accept('=')) {
      return cursor.error("expected '=' after " + range.dim);
    }
    if (!cursor.peek_is("..")) {
      const Result<std::int64_t> low = cursor.number("where the range begins");
      if (!low) return unexpected(low.error());
      range.low = *low;
    }
    if (!cursor.accept("..")) {
      return cursor.error("expected '..' and where the range ends");
    }
    if (cursor.peek() != ',' && !cursor.at_end()) {
      const Result<std::int64_t> high = cursor.number("where the range ends");
      if (!high) return unexpected(high.error());
      range.high = *high;
    }
    ranges.push_back(std::move(range));
  } while (cursor.accept(','));
  if (!cursor.at_end()) return cursor.error("expected ','");
  return ranges;
}

Result<std::vector<std::int64_t>> parse_coordinates(std::string_view text,
                                                    const Layout& layout) {
  Cursor cursor(text);
  const Result<std::vector<Item>> items = parse_items(cursor, "a coordinate");
  if (!items) return unexpected(items.error());
  std::vector<std::string> names;
  for (const BoundAxis& axis : layout.axes()) names.push_back(axis.name);
  const auto values = assign(cursor, *items, names, "axes");
  if (!values) return unexpected(values.error());
  std::vector<std::int64_t> coordinates;
  for (std::size_t k = 0; k < names.size(); ++k) {
    // Up to the next step of the axis to the left: gaps are places too.
    const auto axes = layout.axes();
    const std::int64_t end =
        k == 0 ? axes[0].extent
               : ceil_div(axes[k - 1].pitch_bits, axes[k].pitch_bits);
    auto value = within(cursor, (*values)[k].value_or(Item{}), names[k], end);
    if (!value) return unexpected(value.error());
    coordinates.push_back(*value);
  }
  return coordinates;
}

}  // namespace stridewise
