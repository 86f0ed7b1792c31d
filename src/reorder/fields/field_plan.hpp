// How elements move whose places follow no plain strides: parts of bytes, digits that are
// twisted, looked up or fused, slices and cuts. Each pair of pieces of src and dst is a
// nest of tables: the place of an element is the sum of one entry of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"
#include "stridewise/values.hpp"

namespace stridewise::detail {

// Places in bits of src and of dst, relative to those of the tables around.
struct Places {
  std::int64_t src = 0;
  std::int64_t dst = 0;

  friend bool operator==(const Places&, const Places&) = default;
};

// Bits that lie together on both sides.
struct Field {
  std::int64_t src;
  std::int64_t dst;
  std::int64_t bits;

  friend bool operator==(const Field&, const Field&) = default;
};

struct FieldNest {
  Places base;
  std::vector<std::vector<Places>> outer;  // slowest first
  std::vector<Field> inner;                // ascending in dst
  std::int64_t field_bytes =
      0;  // all fields are so many whole bytes; 0: they differ
  bool whole_bytes = false;  // all places and fields are whole bytes

  // So many fields in all.
  [[nodiscard]] std::int64_t fields() const;

  friend bool operator==(const FieldNest&, const FieldNest&) = default;
};

// Immutable; run() may be called from many threads.
struct FieldPlan {
  std::vector<FieldNest> nests;
  std::int64_t src_bits = 0;
  std::int64_t dst_bits = 0;
  bool clear =
      false;  // dst has places without an element, which are to be zero
  std::optional<Values> values;  // then fields are elements of src

  // Pre: as Plan::run. Bits of dst that hold no element stay as they are, or are zero.
  void run(const std::byte* src, std::byte* dst) const;

  // For Plan::nests(): a table is a loop of its first step, in bytes rounded down.
  [[nodiscard]] std::vector<PlanNest> described() const;
};

// Pre: src can be read, dst is valid, and both are of the same dims. Errors: places that
// depend on so many indices at once that no table holds them; values that change of
// elements whose bits lie apart.
[[nodiscard]] Result<FieldPlan> plan_fields(const Layout& src,
                                            const Layout& dst,
                                            const PlanOptions& options);

}  // namespace stridewise::detail
