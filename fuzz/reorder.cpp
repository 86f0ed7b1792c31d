// Two lines of text as a pair of layouts: a plan equals the reference, byte for
// byte, whatever the layouts are.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/reorder.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace {

using namespace stridewise;

constexpr std::int64_t most_bytes = 1 << 16;

void compare(const Layout& src, const Layout& dst) {
  if (src.size_bytes() > most_bytes || dst.size_bytes() > most_bytes) return;
  const Result<Plan> plan = Plan::make(src, dst);
  if (!plan) return;
  std::vector<std::byte> from(static_cast<std::size_t>(src.size_bytes()));
  for (std::size_t k = 0; k < from.size(); ++k) {
    from[k] = static_cast<std::byte>(k * 37 + (k >> 8) + 1);
  }
  const auto size = static_cast<std::size_t>(dst.size_bytes());
  std::vector<std::byte> expected(size, std::byte{1});
  std::vector<std::byte> actual(size, std::byte{2});
  reorder_reference(src, dst, from.data(), expected.data());
  plan->run(from.data(), actual.data());
  if (expected != actual) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto src = resolve_layout(text.substr(0, line));
  const auto dst = resolve_layout(text.substr(line + 1));
  if (!src || !dst) return 0;
  Shape shape;
  std::int64_t extent = 3;
  for (const std::string& dim : dims_of(*src)) {
    shape.push_back({dim, extent});
    extent = extent * 5 % 19;
  }
  for (const std::int64_t width : {1, 4}) {
    const auto a = src->bind(shape, width);
    const auto b = dst->bind(shape, width);
    if (a && b) compare(*a, *b);
  }
  return 0;
}
