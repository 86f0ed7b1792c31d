// SPDX-License-Identifier: Apache-2.0
#include "inspect/decoded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

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

bool reads_as_is(const Layout& layout, const ElementType& type) {
  return layout.plain() && plain_type(type) == type;
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
    std::ranges::replace(dim.name, '/', '_');
    dims.axes.front().terms.push_back({.digit = {.dim = dim.name}});
  }
  const Result<Layout> plain_rows = Layout::bind(dims, shape, plain.bytes());
  if (!plain_rows) return unexpected(plain_rows.error());
  Decoded decoded{*plain_rows, plain, {}};
  decoded.memory.resize(static_cast<std::size_t>(rows->size_bytes()));
  plan->run(bytes.data(), decoded.memory.data());
  return decoded;
}

}  // namespace inspect
}  // namespace stridewise
