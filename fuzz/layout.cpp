// Any text as a layout: parsing is exact, binding never overflows, and what
// binds and is small obeys the laws.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace {

using namespace stridewise;

void require(bool truth) {
  if (!truth) std::abort();
}

void check_laws(const Layout& layout) {
  if (!layout.valid() || layout.places() > 4096) return;
  std::int64_t elements = 0;
  std::vector<std::int64_t> index(layout.shape().size());
  for (std::int64_t place = 0; place < layout.places(); ++place) {
    if (layout.element_at(place, index) != Place::element) continue;
    require(layout.offset(index) == place);
    ++elements;
  }
  require(elements == layout.elements());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<Expression> expression = parse_expression(text)) {
    const Result<Expression> again = parse_expression(print(*expression));
    require(again && *again == *expression);
  }
  const Result<LayoutSource> source = resolve_layout(text);
  if (!source) {
    require(!source.error().to_string().empty());
    return 0;
  }
  Shape shape;
  std::int64_t extent = 1;
  for (const std::string& dim : dims_of(*source)) {
    shape.push_back({dim, extent % 4 + 1});
    ++extent;
  }
  for (const std::int64_t width : {1, 4}) {
    if (const Result<Layout> layout = source->bind(shape, width)) {
      check_laws(*layout);
    }
  }
  for (Dim& dim : shape) dim.extent = std::int64_t{1} << 62;
  (void)source->bind(shape, 16);
  return 0;
}
