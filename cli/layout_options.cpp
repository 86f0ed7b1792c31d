// SPDX-License-Identifier: Apache-2.0
#include "layout_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace stridewise::cli {
namespace {

Failure bad(const std::string& message) {
  return Failure{{ErrorCode::invalid_value, message}};
}

std::vector<std::int64_t> entries_of_file(const std::string& table,
                                          const std::string& path) {
  const TensorFile file =
      value_of(in_native_order(value_of(open_tensor(path))));
  const bool integers =
      file.npy && file.npy->type && file.npy->type->is_integer();
  if (!integers || file.npy->shape.size() != 1) {
    throw bad(
        fmt::format("--table {}: {} is no .npy file of one dim of "
                    "integers",
                    table, path));
  }
  const auto width = static_cast<std::size_t>(file.npy->element_bytes);
  const bool is_signed = file.npy->type->kind == ElementKind::signed_integer;
  std::vector<std::int64_t> entries;
  const std::span<const std::byte> data = file.data();
  for (std::size_t at = 0; at + width <= data.size(); at += width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data.data() + at, width);
    const std::size_t unused = 64 - 8 * width;
    entries.push_back(is_signed
                          ? static_cast<std::int64_t>(bits << unused) >> unused
                          : static_cast<std::int64_t>(bits));
  }
  return entries;
}

std::vector<std::int64_t> entries_of_text(const std::string& table,
                                          const std::string& text) {
  std::vector<std::int64_t> entries;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const Result<std::int64_t> entry = parse_count(text.substr(at, end - at));
    if (!entry) {
      throw bad(
          fmt::format("--table {}: '{}' is no list of numbers, and no "
                      ".npy file",
                      table, text));
    }
    entries.push_back(*entry);
    at = end + 1;
  }
  return entries;
}

}  // namespace

namespace {

Tables read_tables(const std::vector<std::string>& texts,
                   const std::vector<std::string>& names) {
  Tables tables;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || name.empty()) {
      throw bad(
          fmt::format("--table {}: write NAME=7,2,5 or NAME=FILE.npy", text));
    }
    if (std::ranges::find(names, name) == names.end()) {
      throw bad(fmt::format(
          "--table {}: the layout has {}", text,
          names.empty()
              ? "no tables"
              : fmt::format("the tables {}", fmt::join(names, ", "))));
    }
    const std::string value = text.substr(equals + 1);
    if (!tables
             .emplace(name, is_npy(value) ? entries_of_file(name, value)
                                          : entries_of_text(name, value))
             .second) {
      throw bad(fmt::format("--table {} is given twice", name));
    }
  }
  for (const std::string& name : names) {
    if (tables.contains(name)) continue;
    throw bad(
        fmt::format("the entries of table {} are needed: --table {}=7,2,5 "
                    "or --table {}=FILE.npy",
                    name, name, name));
  }
  return tables;
}

}  // namespace

ElementType type_for(const std::string& dtype, const LayoutSource& layout) {
  if (!dtype.empty()) return value_of(parse_element_type(dtype));
  if (!layout.element_type.empty()) {
    return value_of(parse_element_type(layout.element_type));
  }
  if (layout.element_bits > 64) {
    throw Failure{{ErrorCode::mismatch,
                   fmt::format("{} tells {} bits an element, which may be of "
                               "several types: give --dtype",
                               layout.name, layout.element_bits)}};
  }
  // Where bits alone are told, they are no number in particular.
  return value_of(
      parse_element_type(layout.element_bits == 0 || layout.element_bits == 32
                             ? "f32"
                             : fmt::format("u{}", layout.element_bits)));
}

Tables read_tables(const std::vector<std::string>& texts,
                   const Expression& expression) {
  return read_tables(texts, expression.tables());
}

Tables tables_of(const std::vector<std::string>& texts,
                 std::span<const LayoutSource> layouts) {
  std::vector<std::string> names;
  for (const LayoutSource& layout : layouts) {
    for (const std::string& name : layout.expression.tables()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return read_tables(texts, names);
}

void LayoutOptions::add_to(Command command) {
  command
      .add_option("LAYOUT", layout,
                  "an expression ('n c/8 h w c%8'), a oneDNN tag (nChw8c) or a "
                  "catalogue name (okk.aligned(npus=64,start=2))")
      .required();
  command.add_option(
      "--shape,-s", shape,
      "n=2,c=17,h=5,w=4; or 2x17x5x4 where a tag or catalogue name "
      "leaves no\ndoubt about the order; needed unless the layout's "
      "text tells the extents");
  command.add_option("--dtype,-t", dtype,
                     "element type; f32 unless the layout's text tells one");
  command.add_option("--part,-p", part, "a part of the memory, by name");
  command
      .add_option("--table", tables,
                  "entries of a table of the layout: T=7,2,5 or T=FILE.npy")
      .one_word_each();
}

LayoutSource LayoutOptions::source() const {
  return resolve_all(std::array{layout}, shape)[0];
}

ElementType LayoutOptions::type() const { return type_for(dtype, source()); }

Layout LayoutOptions::bind() const {
  const std::array sources = {source()};
  const ElementType type = type_for(dtype, sources[0]);
  const Layout whole = value_of(sources[0].bind(
      shape_for(shape, sources),
      Binding{.element_bits = type.bits,
              .tables = read_tables(tables, sources[0].expression)}));
  return part.empty() ? whole : value_of(whole.part(part));
}

Layout LayoutOptions::bind_tensor() const {
  Layout bound = bind();
  if (!bound.unreadable()) return bound;
  Error error = *bound.unreadable();
  if (bound.tensor() < 0) error.message += " with --part NAME";
  throw Failure{std::move(error)};
}

std::string part_prefix(const Tensor& tensor) {
  return tensor.name.empty() ? "" : tensor.name + " ";
}

}  // namespace stridewise::cli
