// SPDX-License-Identifier: Apache-2.0
#include "infer/beyond.hpp"

#include <utility>
#include <vector>

#include "infer/entries.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

// Layouts of the catalogue that are more than plain digits, by their defaults.
std::optional<InferFit> find_named(const KnownPlaces& known) {
  const Dims& dims = known.dims();
  std::optional<InferFit> first;
  for (const CatalogueEntry* entry : entries_for(dims)) {
    const Result<LayoutSource> source =
        resolve_layout(entry->name, {}, dims.names);
    if (!source || source->expression.plain() ||
        !source->expression.tables().empty()) {
      continue;
    }
    const Result<Layout> layout = source->bind(dims.shape, dims.element_bytes);
    if (!layout || layout->size_bytes() != known.dump_bytes()) continue;
    std::optional<InferFit> fit = known.fit(layout, {entry->name});
    if (!fit) continue;
    if (first) {
      first->names.push_back(entry->name);
    } else {
      first = std::move(fit);
    }
  }
  return first;
}

}  // namespace

std::optional<InferFit> find_backwards(KnownPlaces& known) {
  for (const std::int64_t place : known.first_places()) {
    known.set_first(place);
    std::optional<InferFit> fit = find_reversed(known);
    if (fit && fit->trailing_bytes == 0 && fit->missing_bytes == 0) return fit;
  }
  return std::nullopt;
}

std::optional<InferFit> find_beyond(KnownPlaces& known) {
  // Another one may have been tried before.
  if (known.first_places().size() > 1) known.set_first(unknown);
  if (std::optional<InferFit> fit = find_named(known)) return fit;
  for (const std::int64_t place : known.first_places()) {
    known.set_first(place);
    for (const auto find :
         {find_reversed, find_xored, find_twisted, find_fused}) {
      if (std::optional<InferFit> fit = find(known)) return fit;
    }
  }
  return std::nullopt;
}

}  // namespace stridewise::inference
