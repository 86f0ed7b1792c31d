// SPDX-License-Identifier: Apache-2.0
#include "draw/pieces_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/labels.hpp"
#include "draw/value.hpp"
#include "stridewise/values.hpp"

namespace stridewise::draw {
namespace {

// What a value of the type is printed as: integers as s64, small floats as f32.
ElementType printed_type(const ElementType& type) {
  if (type.kind == ElementKind::small_floating) {
    return *parse_element_type("f32");
  }
  if (type.kind == ElementKind::unsigned_integer && type.bits < 64) {
    return *parse_element_type("u64");
  }
  if (type.kind == ElementKind::signed_integer && type.bits < 64) {
    return *parse_element_type("s64");
  }
  return type;
}

}  // namespace

bool PiecedCells::padding(std::int64_t bit, PictureCell& cell) const {
  if (!options_.data) return false;
  std::int64_t held = 0;
  const std::int64_t end = std::min(bit + tensors_.unit, layout_.size_bits());
  for (std::int64_t at = bit; at < end; ++at) {
    const auto byte = static_cast<unsigned>(
        options_.data->bytes[static_cast<std::size_t>(at / 8)]);
    held |= byte >> (at % 8) & 1U;
  }
  if (held == 0) return false;
  cell.nonzero = true;
  cell.label = cell.value = "not 0";
  return true;
}

void PiecedCells::element(const Found& found,
                          std::span<const std::int64_t> index,
                          PictureCell& cell) const {
  const auto t = static_cast<std::size_t>(found.tensor);
  const Shape& shape = tensors_.parts[t].shape();
  const auto own = index.first(shape.size());
  if (!tensors_.several) cell.index.assign(own.begin(), own.end());
  if (!picture_.colour_names.empty()) {
    cell.colour =
        static_cast<std::int32_t>(std::min(t, picture_.colours.size() - 1));
  } else if (colouring_.dim < own.size() &&
             shape[colouring_.dim].name == colouring_.digit.dim) {
    cell.colour = colouring_.of(own);
  }
  std::string numbers;
  for (std::size_t d = 0; d < own.size(); ++d) {
    const bool first = cell.words.empty();
    cell.words +=
        fmt::format("{}{}={}", first ? "" : ",", shape[d].name, own[d]);
    if (shape[d].extent == 1 && own.size() > 1) continue;
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", own[d]);
  }
  const std::string& name = layout_.tensors()[t].name;
  if (!name.empty()) cell.words = name + " " + cell.words;
  if (tensors_.bitwise[t]) {
    cell.words += fmt::format(" bit {}", found.bit);
    numbers += fmt::format(":{}", found.bit);
  }
  if (found.copy > 0) {
    cell.words += fmt::format(" copy {}", found.copy);
    numbers = "=" + numbers;
  }
  // An element of several cells is told once.
  const bool begins = tensors_.bitwise[t] || found.bit == 0;
  if (options_.data && begins) cell.value = value(t, own);
  if (begins) cell.label = label(cell, numbers, t, own);
}

std::string PiecedCells::label(const PictureCell& cell,
                               const std::string& numbers, std::size_t t,
                               std::span<const std::int64_t> index) const {
  if (auto number =
          number_label(cell, options_, tensors_.parts[t].shape(), index)) {
    return *std::move(number);
  }
  return numbers.empty() ? layout_.tensors()[t].name : numbers;
}

std::string PiecedCells::value(std::size_t t,
                               std::span<const std::int64_t> index) const {
  const Tensor& tensor = layout_.tensors()[t];
  const ElementType type =
      tensor.type.empty()
          ? options_.data->type
          : parse_element_type(tensor.type).value_or(options_.data->type);
  std::vector<std::byte> code(16);
  for (std::int64_t b = 0; b < std::min<std::int64_t>(tensor.element_bits, 128);
       ++b) {
    const std::int64_t at = tensors_.parts[t].bit_of(index, b);
    const auto byte = static_cast<unsigned>(
        options_.data->bytes[static_cast<std::size_t>(at / 8)]);
    code[static_cast<std::size_t>(b / 8)] |=
        static_cast<std::byte>((byte >> (at % 8) & 1U) << (b % 8));
  }
  if (options_.data->big_endian && type.bits % 8 == 0) {
    std::reverse(code.begin(), code.begin() + type.bits / 8);
  }
  const ElementType plain = printed_type(type);
  std::vector<std::byte> shown(16);
  if (plain == type) {
    shown = code;
  } else {
    convert_values({type, plain}, code.data(), shown.data(), 1);
  }
  return print_value(
      plain, std::span(shown).first(static_cast<std::size_t>(plain.bytes())),
      false);
}

}  // namespace stridewise::draw
