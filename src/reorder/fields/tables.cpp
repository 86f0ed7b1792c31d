// Layouts -> nests of tables.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>

#include "base/checked.hpp"
#include "layout/data.hpp"
#include "reorder/fields/blocks.hpp"
#include "reorder/fields/coordinates.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/fields/kinds.hpp"
#include "reorder/fields/programs.hpp"
#include "reorder/fields/regroup.hpp"
#include "reorder/fields/staged.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 26;  // of a table
// Entries of the innermost table: with 24 bytes each, it stays in the L1 cache.
constexpr std::int64_t inner_entries = 1024;
constexpr std::size_t most_nests = 4096;  // of a pair of pieces

// Whether the text says where each bit is.
bool moves_bits(const Layout& layout) {
  const auto tensor = static_cast<std::size_t>(layout.tensor());
  return layout.tensors()[tensor].bitwise;
}

// A slice of bits without a digit of them: they lie together, but not all.
bool sliced_bits(const Layout& layout) {
  const LayoutData& data = LayoutAccess::data(layout);
  return std::ranges::any_of(data.pieces, [&](const Piece& piece) {
    return piece.tensor == layout.tensor() &&
           (piece.unit != layout.element_bits());
  });
}

// Whether the bits of elements are moved one by one for this side.
bool bits_apart(const Layout& layout) {
  return moves_bits(layout) || sliced_bits(layout);
}

class NestPlanner {
 public:
  // `joins`: elements that lie next to each other on both sides are one field.
  NestPlanner(const Layout& src, const Layout& dst, bool joins)
      : src_(src), joins_(joins), bits_(bits_apart(src) || bits_apart(dst)) {
    for (const Dim& dim : src.shape()) extents_.push_back(dim.extent);
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

  // The nests of what both pieces hold.
  Result<std::vector<FieldNest>> plan(const Piece& src, const Piece& dst) {
    const Side from{&src, src_dims_};
    const Side to{&dst, dst_dims_};
    const std::vector<Ranges> ranges = ranges_of(from, to, extents_);
    std::vector<std::size_t> at(ranges.size(), 0);
    std::vector<FieldNest> nests;
    for (;;) {
      coordinates_.clear();
      for (std::size_t d = 0; d < ranges.size(); ++d) {
        const auto& range = ranges[d][at[d]];
        coordinates_.insert(coordinates_.end(), range.begin(), range.end());
      }
      Result<FieldNest> nest = plan_range(from, to);
      if (!nest) return unexpected(nest.error());
      if (!nest->inner.empty()) nests.push_back(*std::move(nest));
      std::size_t d = 0;
      while (d < at.size() && ++at[d] == ranges[d].size()) at[d++] = 0;
      if (d == at.size()) return nests;
      if (nests.size() > most_nests) {
        return fail(ErrorCode::unsupported, "too many ends of dims at once");
      }
    }
  }

 private:
  // The nest of the values of the coordinates; without fields where these are none.
  Result<FieldNest> plan_range(const Side& from, const Side& to) {
    FieldNest nest;
    const std::vector<Group> groups = groups_of(from, to, coordinates_);
    std::vector<std::vector<std::int64_t>> values(coordinates_.size(), {0});
    for (const Group& group : groups) {
      if (group.steps) continue;
      for (const std::size_t c : group.coordinates) {
        if (coordinates_[c].extent > most_entries) return too_irregular();
        values[c] = values_of(from, to, coordinates_[c]);
        if (values[c].empty()) return nest;
      }
    }
    index_.assign(extents_.size(), 0);
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      const Coordinate& at = coordinates_[c];
      if (at.extent == 0) return nest;
      index_[at.dim] += at.low + values[c].front() * at.div;
    }
    const auto start = places(from, to);
    if (!start) return too_irregular();
    nest.base = *start;
    std::vector<PlaceLoop> loops;
    for (const Group& group : groups) {
      Result<PlaceLoop> loop = loop_of(from, to, group, values, *start);
      if (!loop) return unexpected(loop.error());
      std::ranges::sort(loop->places, {}, &Places::dst);
      Loops apart = taken_apart(*std::move(loop));
      nest.base.src += apart.begin.src;
      nest.base.dst += apart.begin.dst;
      std::erase_if(apart.loops,
                    [](const PlaceLoop& one) { return one.size() == 1; });
      std::ranges::move(apart.loops, std::back_inserter(loops));
    }
    add_copies(to, loops);
    choose_inner(std::move(loops), bits_ ? 1 : src_.element_bits(), nest);
    if (nest.outer.size() > most_loops) return too_irregular();
    return nest;
  }

  // A copy is written from the same element.
  static void add_copies(const Side& to, std::vector<PlaceLoop>& loops) {
    for (const PieceTerm& term : to.piece->terms) {
      if (term.copies < 2) continue;
      loops.push_back({.count = term.copies, .step = {0, term.stride}});
    }
  }

  static unexpected<Error> too_irregular() {
    return fail(ErrorCode::unsupported,
                "places depend on so many indices at once that no table "
                "holds them");
  }

  // The values of a coordinate that both pieces hold.
  std::vector<std::int64_t> values_of(const Side& from, const Side& to,
                                      const Coordinate& c) const {
    std::vector<std::int64_t> values;
    for (std::int64_t v = 0; v < c.extent; ++v) {
      if (!c.whole ||
          (holds(from, c.dim, c.low + v) && holds(to, c.dim, c.low + v))) {
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
  Result<PlaceLoop> loop_of(
      const Side& from, const Side& to, const Group& group,
      const std::vector<std::vector<std::int64_t>>& values,
      const Places& start) {
    const std::vector<std::int64_t> first = index_;
    if (group.steps) {
      const Coordinate& c = coordinates_[group.coordinates.front()];
      if (c.extent == 1) return PlaceLoop{.count = 1};
      index_[c.dim] += c.div;
      const auto next = places(from, to);
      index_ = first;
      if (!next) return too_irregular();
      return PlaceLoop{.count = c.extent,
                       .step = {next->src - start.src, next->dst - start.dst}};
    }
    Checked count = 1;
    for (const std::size_t c : group.coordinates) {
      count = mul(count, static_cast<std::int64_t>(values[c].size()));
    }
    if (!count || *count > most_entries) return too_irregular();
    std::vector<std::size_t> at(group.coordinates.size(), 0);
    PlaceLoop loop;
    loop.places.reserve(static_cast<std::size_t>(*count));
    for (std::int64_t n = 0; n < *count; ++n) {
      index_ = first;
      for (std::size_t k = 0; k < at.size(); ++k) {
        const Coordinate& c = coordinates_[group.coordinates[k]];
        const auto& of = values[group.coordinates[k]];
        index_[c.dim] += (of[at[k]] - of.front()) * c.div;
      }
      const auto here = places(from, to);
      if (!here) return too_irregular();
      loop.places.push_back({here->src - start.src, here->dst - start.dst});
      for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < values[group.coordinates[k]].size()) break;
        at[k] = 0;
      }
    }
    index_ = first;
    return loop;
  }

  // How many loops go on where an element ends on both sides: they are one field.
  static std::size_t take_run(
      const std::vector<PlaceLoop>& loops,
      const std::vector<std::pair<std::int64_t, std::size_t>>& order,
      std::int64_t& bits) {
    std::size_t taken = 0;
    for (; taken < order.size(); ++taken) {
      const PlaceLoop& loop = loops[order[taken].second];
      if (!loop.places.empty() || loop.step != Places{bits, bits}) break;
      bits *= loop.count;
    }
    return taken;
  }

  // The loops that step least in dst become the innermost table.
  void choose_inner(std::vector<PlaceLoop> loops, std::int64_t unit,
                    FieldNest& nest) const {
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t k = 0; k < loops.size(); ++k) {
      order.emplace_back(least_step(loops[k]), k);
    }
    std::ranges::sort(order);
    std::vector<Places> inner = {{}};
    std::size_t taken = joins_ ? take_run(loops, order, unit) : 0;
    for (; taken < order.size(); ++taken) {
      const PlaceLoop& loop = loops[order[taken].second];
      const auto size = static_cast<std::size_t>(loop.size());
      const bool fits =
          loop.size() <= inner_entries &&
          static_cast<std::int64_t>(inner.size() * size) <= inner_entries;
      // A table that is long itself is the innermost one all the same.
      if (!fits && (inner.size() > 1 || loop.places.empty())) break;
      std::vector<Places> product;
      product.reserve(inner.size() * size);
      for (std::int64_t k = 0; k < loop.size(); ++k) {
        const Places a = loop.at(k);
        for (const Places& b : inner) {
          product.push_back({a.src + b.src, a.dst + b.dst});
        }
      }
      inner = std::move(product);
    }
    for (std::size_t k = order.size(); k-- > taken;) {
      PlaceLoop& loop = loops[order[k].second];
      nest.outer.push_back(std::move(loop));
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

// Those of each piece of src and each of dst.
Result<std::vector<FieldNest>> nests_of(NestPlanner& planner, const Layout& src,
                                        const Layout& dst) {
  const LayoutData& from = LayoutAccess::data(src);
  const LayoutData& to = LayoutAccess::data(dst);
  std::vector<FieldNest> nests;
  for (const std::int32_t p : LayoutAccess::tensor(src).pieces) {
    for (const std::int32_t q : LayoutAccess::tensor(dst).pieces) {
      Result<std::vector<FieldNest>> more =
          planner.plan(from.pieces[static_cast<std::size_t>(p)],
                       to.pieces[static_cast<std::size_t>(q)]);
      if (!more) return unexpected(more.error());
      std::ranges::move(*more, std::back_inserter(nests));
    }
  }
  return nests;
}

// Chooses how a nest moves, as several perhaps.
void add_kinds(FieldNest nest, const ProgramOptions& programs,
               FieldPlan& plan) {
  std::vector<FieldNest> made = with_programs(nest, plan.values, programs);
  if (made.empty()) {
    made = in_whole_bytes(std::move(nest));
    for (FieldNest& part : made) choose_kind(part, plan.values);
  }
  std::ranges::move(made, std::back_inserter(plan.nests));
}

}  // namespace

Result<FieldPlan> plan_fields(const Layout& src, const Layout& dst,
                              const PlanOptions& options,
                              const ProgramOptions& programs) {
  FieldPlan plan;
  plan.src_bits = src.size_bits();
  plan.dst_bits = dst.size_bits();
  plan.values = options.values;
  const Checked held = mul(dst.elements(), dst.element_bits());
  plan.clear = options.fill == Fill::zero && held != dst.size_bits();
  if (src.elements() == 0) return plan;
  NestPlanner planner(src, dst, !options.values);
  if (options.values && planner.bits()) {
    Result<std::vector<FieldPlan::Stage>> stages =
        plan_stages(src, dst, options, programs, bits_apart(src));
    if (!stages) return unexpected(stages.error());
    plan.stages = *std::move(stages);
    plan.layouts = {src, dst};
    return plan;
  }
  Result<std::vector<FieldNest>> all = nests_of(planner, src, dst);
  if (!all) return unexpected(all.error());
  std::vector<FieldNest> nests = joined(*std::move(all));
  if (programs.leaves_moves && !options.values && !plan.clear) {
    plan.moves = strided_moves(nests);
  }
  if (!plan.moves.empty()) return plan;
  ProgramOptions here = programs;
  here.fills = plan.clear && nests.size() == 1;
  here.dst_bits = ceil_div(plan.dst_bits, 8) * 8;
  for (FieldNest& nest : nests) add_kinds(std::move(nest), here, plan);
  // Programs may write all the zeros there are.
  if (writes_all(plan.nests, ceil_div(plan.dst_bits, 8))) plan.clear = false;
  return plan;
}

}  // namespace stridewise::detail
