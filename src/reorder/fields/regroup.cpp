// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/regroup.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace stridewise::detail {
namespace {

constexpr std::size_t most_nests = 16;  // of one

// The fields of `more` as those of a nest with another base.
void append(const FieldNest& more, FieldNest& to) {
  const Places by = {more.base.src - to.base.src, more.base.dst - to.base.dst};
  for (const Field& field : more.inner) {
    to.inner.push_back({field.src + by.src, field.dst + by.dst, field.bits});
  }
  std::ranges::sort(to.inner, {}, &Field::dst);
  to.inner_bits += more.inner_bits;
}

// One table by what its steps leave within bytes.
using Rests =
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Places>>;

Rests rests_of(const std::vector<Places>& table) {
  Rests rests;
  for (const Places& p : table) {
    const Places rest = {p.src & 7, p.dst & 7};
    rests[{rest.src, rest.dst}].push_back({p.src - rest.src, p.dst - rest.dst});
  }
  return rests;
}

}  // namespace

std::vector<FieldNest> joined(std::vector<FieldNest> nests) {
  std::vector<FieldNest> result;
  for (FieldNest& nest : nests) {
    const auto same = std::ranges::find(result, nest.outer, &FieldNest::outer);
    if (same != result.end()) {
      append(nest, *same);
    } else {
      result.push_back(std::move(nest));
    }
  }
  return result;
}

std::vector<FieldNest> in_whole_bytes(FieldNest nest) {
  std::vector<FieldNest> nests = {std::move(nest)};
  for (std::size_t t = 0; t < nests.front().outer.size(); ++t) {
    const Rests rests = rests_of(nests.front().outer[t]);
    if (rests.size() == 1 &&
        rests.begin()->first == std::pair{std::int64_t{0}, std::int64_t{0}})
      continue;
    if (nests.size() * rests.size() > most_nests) return nests;
    std::vector<FieldNest> parts;
    for (const FieldNest& whole : nests) {
      for (const auto& [rest, table] : rests) {
        FieldNest part = whole;
        part.base.src += rest.first;
        part.base.dst += rest.second;
        part.outer[t] = table;
        parts.push_back(std::move(part));
      }
    }
    nests = std::move(parts);
  }
  // A table of one step is none.
  for (FieldNest& part : nests) {
    std::erase_if(part.outer, [&](const std::vector<Places>& table) {
      if (table.size() > 1) return false;
      part.base.src += table.front().src;
      part.base.dst += table.front().dst;
      return true;
    });
  }
  return nests;
}

}  // namespace stridewise::detail
