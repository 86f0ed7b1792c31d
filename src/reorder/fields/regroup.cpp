// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/regroup.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace stridewise::detail {
namespace {

constexpr std::size_t most_rests = 16;        // of one
constexpr std::int64_t most_split = 1 << 20;  // steps of a loop

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

Rests rests_of(const PlaceLoop& loop) {
  Rests rests;
  for (std::int64_t k = 0; k < loop.size(); ++k) {
    const Places p = loop.at(k);
    const Places rest = {p.src & 7, p.dst & 7};
    rests[{rest.src, rest.dst}].push_back({p.src - rest.src, p.dst - rest.dst});
  }
  return rests;
}

}  // namespace

std::int64_t span_of(const std::vector<Field>& fields) {
  std::int64_t end = fields.front().dst;
  for (const Field& field : fields) {
    end = std::max(end, field.dst + field.bits);
  }
  return end - fields.front().dst;
}

std::int64_t least_step(const PlaceLoop& loop) {
  if (loop.places.empty()) return std::abs(loop.step.dst);
  std::int64_t least = loop.places.back().dst - loop.places.front().dst;
  for (std::size_t k = 1; k < loop.places.size(); ++k) {
    least = std::min(least, loop.places[k].dst - loop.places[k - 1].dst);
  }
  return least;
}

bool steps_by_bytes(const PlaceLoop& loop) {
  std::int64_t steps = loop.step.src | loop.step.dst;
  for (const Places& p : loop.places) steps |= p.src | p.dst;
  return (steps & 7) == 0;
}

void make_base_whole(FieldNest& nest) {
  const Places rest = {nest.base.src & 7, nest.base.dst & 7};
  for (Field& field : nest.inner) {
    field.src += rest.src;
    field.dst += rest.dst;
  }
  nest.base.src -= rest.src;
  nest.base.dst -= rest.dst;
}

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
    const PlaceLoop& loop = nests.front().outer[t];
    if (steps_by_bytes(loop)) continue;
    if (loop.size() > most_split) return nests;
    const Rests rests = rests_of(loop);
    if (nests.size() * rests.size() > most_rests) return nests;
    std::vector<FieldNest> parts;
    for (const FieldNest& whole : nests) {
      for (const auto& [rest, places] : rests) {
        FieldNest part = whole;
        part.base.src += rest.first;
        part.base.dst += rest.second;
        part.outer[t] = PlaceLoop{.places = places};
        parts.push_back(std::move(part));
      }
    }
    nests = std::move(parts);
  }
  // A loop of one step is none.
  for (FieldNest& part : nests) {
    std::erase_if(part.outer, [&](const PlaceLoop& loop) {
      if (loop.size() > 1) return false;
      part.base.src += loop.at(0).src;
      part.base.dst += loop.at(0).dst;
      return true;
    });
  }
  return nests;
}

}  // namespace stridewise::detail
