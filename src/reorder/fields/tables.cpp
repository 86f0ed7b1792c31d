// Layouts -> nests of tables.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "layout/data.hpp"
#include "reorder/fields/coordinates.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/fields/kinds.hpp"
#include "reorder/fields/regroup.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 26;  // of a table
// Entries of the innermost table: with 24 bytes each, it stays in the L2 cache.
constexpr std::size_t inner_entries = 4096;

// Whether the bits of elements are moved one by one, where either side says where they
// are.
bool moves_bits(const Layout& layout) {
  const auto tensor = static_cast<std::size_t>(layout.tensor());
  return layout.tensors()[tensor].bitwise;
}

class NestPlanner {
 public:
  // `joins`: elements that lie next to each other on both sides are one field.
  NestPlanner(const Layout& src, const Layout& dst, bool joins)
      : src_(src), joins_(joins), bits_(moves_bits(src) || moves_bits(dst)) {
    for (const Dim& dim : src.shape()) extents_.push_back(dim.extent);
    bits_ = bits_ || sliced_bits(src) || sliced_bits(dst);
    extents_.push_back(bits_ ? src.element_bits() : 1);
    src_dims_.resize(extents_.size());
    std::iota(src_dims_.begin(), src_dims_.end(), std::size_t{0});
    for (const Dim& dim : dst.shape()) {
      const auto same = std::ranges::find(src.shape(), dim.name, &Dim::name);
      dst_dims_.push_back(static_cast<std::size_t>(same - src.shape().begin()));
    }
    dst_dims_.push_back(src.shape().size());
  }

  [[nodiscard]] bool bits() const { return bits_; }

  // The nest of what both pieces hold; without fields where that is nothing.
  Result<FieldNest> plan(const Piece& src, const Piece& dst) {
    const Side from{&src, src_dims_};
    const Side to{&dst, dst_dims_};
    coordinates_ = coordinates_of(from, to, extents_);
    const auto groups = groups_of(from, to, coordinates_);
    FieldNest nest;
    std::vector<std::vector<std::int64_t>> values;
    for (const Coordinate& c : coordinates_) {
      values.push_back(values_of(from, to, c));
      if (values.back().empty()) return nest;
    }
    index_.assign(extents_.size(), 0);
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      index_[coordinates_[c].dim] += values[c].front() * coordinates_[c].div;
    }
    const auto start = places(from, to);
    // Only a slice of a fused index may hold none of the first values.
    if (!start) {
      return fail(ErrorCode::unsupported,
                  "slices of a fused index cannot be converted");
    }
    nest.base = *start;
    std::vector<std::vector<Places>> tables;
    for (const auto& group : groups) {
      Result<std::vector<Places>> table =
          table_of(from, to, group, values, *start);
      if (!table) return unexpected(table.error());
      if (table->size() > 1) tables.push_back(*std::move(table));
    }
    // A copy is written from the same element.
    for (const PieceTerm& term : dst.terms) {
      if (term.copies < 2) continue;
      std::vector<Places> copies;
      for (std::int64_t c = 0; c < term.copies; ++c) {
        copies.push_back({0, c * term.stride});
      }
      tables.push_back(std::move(copies));
    }
    choose_inner(std::move(tables), bits_ ? 1 : src_.element_bits(), nest);
    return nest;
  }

 private:
  // A slice of bits without a digit of them: they lie together, but not all.
  static bool sliced_bits(const Layout& layout) {
    const LayoutData& data = LayoutAccess::data(layout);
    return std::ranges::any_of(data.pieces, [&](const Piece& piece) {
      return piece.tensor == layout.tensor() &&
             (piece.unit != layout.element_bits());
    });
  }

  // The values of a coordinate that both pieces hold.
  std::vector<std::int64_t> values_of(const Side& from, const Side& to,
                                      const Coordinate& c) const {
    std::vector<std::int64_t> values;
    const bool whole = c.div == 1 && c.extent == extents_[c.dim];
    for (std::int64_t v = 0; v < c.extent; ++v) {
      if (!whole || (holds(from, c.dim, v) && holds(to, c.dim, v))) {
        values.push_back(v);
      }
    }
    return values;
  }

  std::optional<Places> places(const Side& from, const Side& to) const {
    const std::int64_t bit = bits_ ? index_.back() : 0;
    std::vector<std::int64_t> dst_index;
    for (const std::size_t dim : to.dims) dst_index.push_back(index_[dim]);
    const auto src = from.piece->bit_of(index_, bit);
    const auto dst = to.piece->bit_of(dst_index, bit);
    if (!src || !dst) return std::nullopt;
    return Places{*src, *dst};
  }

  // What each combination of the group's values adds to `start`.
  Result<std::vector<Places>> table_of(
      const Side& from, const Side& to, const std::vector<std::size_t>& group,
      const std::vector<std::vector<std::int64_t>>& values,
      const Places& start) {
    Checked count = 1;
    for (const std::size_t c : group) {
      count = mul(count, static_cast<std::int64_t>(values[c].size()));
    }
    if (!count || *count > most_entries) {
      return fail(ErrorCode::unsupported,
                  "places depend on so many indices at once that no table "
                  "holds them");
    }
    const std::vector<std::int64_t> first = index_;
    std::vector<std::size_t> at(group.size(), 0);
    std::vector<Places> table;
    table.reserve(static_cast<std::size_t>(*count));
    for (std::int64_t n = 0; n < *count; ++n) {
      index_ = first;
      for (std::size_t k = 0; k < group.size(); ++k) {
        const Coordinate& c = coordinates_[group[k]];
        const auto& of = values[group[k]];
        index_[c.dim] += (of[at[k]] - of.front()) * c.div;
      }
      const auto here = places(from, to);
      if (here) table.push_back({here->src - start.src, here->dst - start.dst});
      for (std::size_t k = group.size(); k-- > 0;) {
        if (++at[k] < values[group[k]].size()) break;
        at[k] = 0;
      }
    }
    index_ = first;
    return table;
  }

  // The tables that step least in dst become the innermost one.
  void choose_inner(std::vector<std::vector<Places>> tables, std::int64_t unit,
                    FieldNest& nest) const {
    const auto step = [](const std::vector<Places>& table) {
      std::vector<std::int64_t> dst;
      for (const Places& p : table) dst.push_back(p.dst);
      std::ranges::sort(dst);
      std::int64_t least = dst.back() - dst.front();
      for (std::size_t k = 1; k < dst.size(); ++k) {
        least = std::min(least, dst[k] - dst[k - 1]);
      }
      return least;
    };
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      order.emplace_back(step(tables[k]), k);
    }
    std::ranges::sort(order);
    std::vector<Places> inner = {{}};
    std::size_t taken = 0;
    while (taken < order.size()) {
      const auto& table = tables[order[taken].second];
      if (taken > 0 && inner.size() * table.size() > inner_entries) break;
      std::vector<Places> product;
      product.reserve(inner.size() * table.size());
      for (const Places& a : table) {
        for (const Places& b : inner) {
          product.push_back({a.src + b.src, a.dst + b.dst});
        }
      }
      inner = std::move(product);
      ++taken;
    }
    for (std::size_t k = order.size(); k-- > taken;) {
      auto& table = tables[order[k].second];
      std::ranges::sort(table, {}, &Places::dst);
      nest.outer.push_back(std::move(table));
    }
    std::ranges::sort(inner, {}, &Places::dst);
    for (const Places& p : inner) add_field({p.src, p.dst, unit}, nest.inner);
    nest.inner_bits = static_cast<std::int64_t>(inner.size()) * unit;
  }

  void add_field(const Field& field, std::vector<Field>& fields) const {
    if (joins_ && !fields.empty()) {
      Field& last = fields.back();
      if (last.src + last.bits == field.src &&
          last.dst + last.bits == field.dst) {
        last.bits += field.bits;
        return;
      }
    }
    fields.push_back(field);
  }

  const Layout& src_;
  bool joins_;
  bool bits_;
  std::vector<std::int64_t> extents_;  // of src's dims, then of the bits
  std::vector<std::size_t> src_dims_;
  std::vector<std::size_t> dst_dims_;
  std::vector<Coordinate> coordinates_;
  std::vector<std::int64_t> index_;  // of src's dims, then of the bits
};

}  // namespace

std::vector<PlanNest> FieldPlan::described() const {
  std::vector<PlanNest> described;
  for (const FieldNest& nest : nests) {
    const bool bytes = nest.kind != FieldNest::Kind::bits &&
                       nest.kind != FieldNest::Kind::pieces;
    PlanNest shown{.loops = {},
                   .tile = {},
                   .kernel = bytes ? "bytes by tables" : "bits by tables",
                   .element_bytes = 1,
                   .src_offset = nest.base.src / 8,
                   .dst_offset = nest.base.dst / 8};
    for (const std::vector<Places>& table : nest.outer) {
      const Places step = {table[1].src - table[0].src,
                           table[1].dst - table[0].dst};
      shown.loops.push_back({static_cast<std::int64_t>(table.size()),
                             step.src / 8, step.dst / 8});
    }
    shown.tile = {{nest.inner_fields(), 0, 0}, {1, 1, 1}};
    shown.element_bytes = ceil_div(nest.inner_bits, 8 * nest.inner_fields());
    described.push_back(std::move(shown));
  }
  return described;
}

Result<FieldPlan> plan_fields(const Layout& src, const Layout& dst,
                              const PlanOptions& options) {
  FieldPlan plan;
  plan.src_bits = src.size_bits();
  plan.dst_bits = dst.size_bits();
  plan.values = options.values;
  const Checked held = mul(dst.elements(), dst.element_bits());
  plan.clear = options.fill == Fill::zero && held != dst.size_bits();
  if (src.elements() == 0) return plan;
  NestPlanner planner(src, dst, !options.values);
  if (options.values && planner.bits()) {
    return fail(ErrorCode::unsupported,
                "values of elements whose bits lie apart do not change on the "
                "way: move them first, and convert what comes out");
  }
  const LayoutData& from = LayoutAccess::data(src);
  const LayoutData& to = LayoutAccess::data(dst);
  std::vector<FieldNest> nests;
  for (const std::int32_t p : LayoutAccess::tensor(src).pieces) {
    for (const std::int32_t q : LayoutAccess::tensor(dst).pieces) {
      Result<FieldNest> nest =
          planner.plan(from.pieces[static_cast<std::size_t>(p)],
                       to.pieces[static_cast<std::size_t>(q)]);
      if (!nest) return unexpected(nest.error());
      if (!nest->inner.empty()) nests.push_back(*std::move(nest));
    }
  }
  for (FieldNest& nest : joined(std::move(nests))) {
    for (FieldNest& part : in_whole_bytes(std::move(nest))) {
      choose_kind(part, options.values);
      plan.nests.push_back(std::move(part));
    }
  }
  return plan;
}

}  // namespace stridewise::detail
