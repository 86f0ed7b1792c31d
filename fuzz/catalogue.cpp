// Any text as a file of named layouts: an error with its line, or entries that can be
// listed, found and bound.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/catalogue.hpp"

#include <cstdint>
#include <string_view>

#include "folder.hpp"
#include "stridewise/notation.hpp"

namespace {

using namespace stridewise;
using fuzz::require;

void use(const CatalogueEntry& entry, const Catalogue& names) {
  require(names.find(entry.name) != nullptr);
  const auto source = resolve_layout(entry.name, {}, names);
  if (!source) {
    require(!source.error().to_string().empty());
    return;
  }
  Shape shape;
  for (const std::string& dim : dims_of(*source)) {
    shape.push_back({dim, std::ssize(shape) + 2});
  }
  for (const std::int64_t bits : {4, 8, 32}) {
    if (const auto layout =
            source->bind(shape, Binding{.element_bits = bits})) {
      require(parse_expression(print(layout->expression())).has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = Catalogue::read(text, "f.toml");
  if (!read) {
    require(!read.error().message.empty());
    return 0;
  }
  for (const CatalogueEntry& entry : *read) use(entry, *read);
  if (const auto both = catalogue().with(*read)) {
    require(both->entries().size() ==
            catalogue().entries().size() + read->entries().size());
  }
  return 0;
}
