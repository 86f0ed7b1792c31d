// SPDX-License-Identifier: Apache-2.0
#include "catalogue/read_chip.hpp"

#include "catalogue/arithmetic.hpp"

namespace stridewise {
namespace {

// Of names that only an entry knows, it is seen later.
std::string arithmetic(TomlReader& reader, const toml::table& table,
                       std::string_view key) {
  std::string text = reader.text(table, key, true);
  const Result<std::int64_t> value = evaluate(text, {});
  if (!value && value.error().code != ErrorCode::unknown_name) {
    reader.fault(*table.get(key),
                 fmt::format("'{}': {}", key, value.error().message));
  }
  return text;
}

}  // namespace

CatalogueChip read_chip(TomlReader& reader, const toml::node& node) {
  CatalogueChip chip;
  const toml::table* const table = node.as_table();
  if (table == nullptr) {
    reader.fault(node, "'chip' must be a table, after [chip]");
    return chip;
  }
  reader.expect_keys(
      *table,
      {"bank_axis", "banks", "bank_width_bytes", "bank_bytes", "memory_bytes",
       "row_alignment_bytes", "vector_bytes", "dma_dims", "axes"});
  chip.bank_axis = reader.text(*table, "bank_axis", false);
  for (const auto& [key, value] : *table) {
    if (key == "bank_axis" || key == "axes") continue;
    chip.limits.emplace(key.str(), arithmetic(reader, *table, key.str()));
  }
  const toml::node* const axes = table->get("axes");
  if (axes == nullptr) return chip;
  if (axes->as_table() == nullptr) {
    reader.fault(*axes, "'axes' must be a table, after [chip.axes]");
    return chip;
  }
  for (const auto& [axis, most] : *axes->as_table()) {
    chip.axes.emplace(axis.str(),
                      arithmetic(reader, *axes->as_table(), axis.str()));
  }
  return chip;
}

CatalogueTries read_tries(TomlReader& reader, const toml::table& param,
                          const toml::node& node) {
  CatalogueTries tries;
  const toml::table* const range = node.as_table();
  if (range == nullptr) {
    tries.values = reader.texts(param, "tries");
    return tries;
  }
  reader.expect_keys(*range, {"least", "most", "cuts", "over", "unit"});
  tries.least = arithmetic(reader, *range, "least");
  tries.most = arithmetic(reader, *range, "most");
  if (range->get("cuts") == nullptr) return tries;
  tries.cuts = arithmetic(reader, *range, "cuts");
  tries.over = arithmetic(reader, *range, "over");
  if (range->get("unit") != nullptr) {
    tries.unit = arithmetic(reader, *range, "unit");
  }
  return tries;
}

}  // namespace stridewise
