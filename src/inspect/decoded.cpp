// SPDX-License-Identifier: Apache-2.0
#include "inspect/decoded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <new>

#include "stridewise/reorder.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

ElementType plain_type(const ElementType& type) {
  if (type.kind == ElementKind::small_floating) {
    return *parse_element_type("f32");
  }
  const bool is_signed = type.kind == ElementKind::signed_integer;
  if (!is_signed && type.kind != ElementKind::unsigned_integer) return type;
  const auto bits = std::max<std::uint32_t>(
      8, std::bit_ceil(static_cast<std::uint32_t>(type.bits)));
  return *parse_element_type(fmt::format("{}{}", is_signed ? 's' : 'u', bits));
}

namespace inspect {
std::string plain_name(std::string dim) {
  std::ranges::replace(dim, '/', '_');
  return dim;
}

bool reads_as_is(const Layout& layout) {
  return layout.plain() && layout.element_bits() % 8 == 0;
}

Result<Decoded> decode(const Layout& layout, const ElementType& type,
                       std::span<const std::byte> bytes) {
  if (static_cast<std::int64_t>(bytes.size()) != layout.size_bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} bytes, but the layout takes {}", bytes.size(),
                            layout.size_bytes()));
  }
  const ElementType plain = plain_type(type);
  const Result<Layout> rows = row_major(layout, plain.bits);
  if (!rows) return unexpected(rows.error());
  PlanOptions options;
  if (plain != type) options.values = Values{type, plain};
  const Result<Plan> plan = Plan::make(layout, *rows, options);
  if (!plan) return unexpected(plan.error());
  Expression dims;
  dims.axes.emplace_back();
  Shape shape = layout.shape();
  for (Dim& dim : shape) {
    dim.name = plain_name(dim.name);
    dims.axes.front().terms.push_back({.digit = {.dim = dim.name}});
  }
  const Result<Layout> plain_rows = Layout::bind(dims, shape, plain.bytes());
  if (!plain_rows) return unexpected(plain_rows.error());
  Decoded decoded{*plain_rows, plain, zeros(rows->size_bytes())};
  if (decoded.memory == nullptr) {
    return fail(ErrorCode::overflow,
                fmt::format("no memory for {} elements", layout.elements()));
  }
  plan->run(bytes.data(), decoded.memory.get());
  return decoded;
}

std::unique_ptr<std::byte[]> zeros(std::int64_t bytes) {
  return std::unique_ptr<std::byte[]>(
      new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]());
}

std::string with_own_names(std::string text, const Shape& shape) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (const Dim& dim : shape) {
    const std::string name = plain_name(dim.name);
    if (name == dim.name) continue;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at > 0 && in_word(text[at - 1])) ||
          (end < text.size() && in_word(text[end]))) {
        continue;
      }
      text.replace(at, name.size(), dim.name);
    }
  }
  return text;
}

}  // namespace inspect
}  // namespace stridewise
