// Plan::make: runs the passes; and what a plan says of itself, but for its text.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "machine/text.hpp"
#include "reorder/planner/by_fields.hpp"
#include "reorder/planner/nests.hpp"
#include "reorder/planner/pieces.hpp"
#include "reorder/planner/relay.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using detail::PlanData;

std::string width_of(const Layout& layout) {
  return layout.element_bits() % 8 == 0
             ? fmt::format("{} bytes", layout.element_bytes())
             : fmt::format("{} bits", layout.element_bits());
}

Result<void> check_values(const Layout& src, const Layout& dst,
                          const Values& values) {
  if (auto possible = check(values); !possible) return possible;
  if (src.element_bits() != values.src.bits ||
      dst.element_bits() != values.dst.bits) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} -> {} for layouts with elements of {} and {}",
                            values.src.name, values.dst.name, width_of(src),
                            width_of(dst)));
  }
  return {};
}

// Whether places are plain strides of whole bytes, which kernels move. `conversion` is
// that of `values`.
bool strided(const Layout& src, const Layout& dst,
             const std::optional<Values>& values,
             const std::optional<ValueConversion>& conversion) {
  const bool converts = values && values->src != values->dst;
  if (converts && !conversion) return false;
  return src.plain() && dst.plain() && src.valid() &&
         src.element_bits() % 8 == 0 && dst.element_bits() % 8 == 0;
}

Result<void> check_pair(const Layout& src, const Layout& dst,
                        const std::optional<Values>& values) {
  // What is read need not be one-to-one.
  const auto& why = src.unreadable() ? src.unreadable() : dst.unreadable();
  const auto& defect = why ? why : dst.defect();
  if (defect) {
    Error error = *defect;
    error.message =
        fmt::format("{}: {}", src.unreadable() ? "src" : "dst", error.message);
    return unexpected(std::move(error));
  }
  if (!values && src.element_bits() != dst.element_bits()) {
    return fail(ErrorCode::mismatch,
                fmt::format("src has elements of {}, dst of {}", width_of(src),
                            width_of(dst)));
  }
  // Of a src that is not one-to-one there may be more elements than places.
  if (const Checked bits = mul(src.elements(), src.element_bits());
      !bits || *bits > largest) {
    return fail(ErrorCode::overflow, "src has more bits than can be counted");
  }
  if (values) {
    if (auto possible = check_values(src, dst, *values); !possible) {
      return possible;
    }
    // Moves may be planned as if src's elements were as wide as dst's.
    if (const Checked bytes = mul(src.places(), dst.element_bytes());
        !bytes || *bytes > largest) {
      return fail(ErrorCode::overflow, "src is too large to be planned");
    }
  }
  const auto same_dims = [](const Shape& a, const Shape& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](const Dim& dim) {
             return std::ranges::find(b, dim) != b.end();
           });
  };
  if (!same_dims(src.shape(), dst.shape())) {
    return fail(ErrorCode::mismatch,
                fmt::format("src and dst are not the same tensor: {} and {}",
                            print(src.shape()), print(dst.shape())));
  }
  return {};
}

// The tensor as rectangles on which both layouts are plain strides, if elements had
// such a width.
Result<std::vector<Piece>> element_pieces(const Layout& src, const Layout& dst,
                                          std::int64_t width) {
  if (src.elements() == 0) return std::vector<Piece>{};
  std::vector<std::vector<Piece>> factors;
  for (std::size_t d = 0; d < src.shape().size(); ++d) {
    const Dim& dim = src.shape()[d];
    const auto in_dst = std::ranges::find(dst.shape(), dim);
    Result<std::vector<Piece>> pieces =
        refine(digit_steps(src, static_cast<std::int32_t>(d), width),
               digit_steps(
                   dst, static_cast<std::int32_t>(in_dst - dst.shape().begin()),
                   width),
               0, dim.extent);
    if (!pieces) return pieces;
    factors.push_back(*std::move(pieces));
  }
  return product(factors);
}

bool converts_to_zero(const Values& values) {
  std::array<std::byte, 16> zero{}, converted{};
  convert_values(values, zero.data(), converted.data(), 1);
  return converted == zero;
}

// What is to be zero, as pieces, or by asking each place.
struct Zeros {
  std::vector<Piece> fills;
  bool sieve = false;
};
Result<Zeros> zeros_of(const Layout& dst, const PlanOptions& options) {
  Zeros zeros;
  if (options.fill == Fill::keep) return zeros;
  auto holes = places_without_element(dst);
  if (!holes) return unexpected(holes.error());
  zeros.sieve = !*holes;
  zeros.fills = std::move(*holes).value_or(std::vector<Piece>{});
  for (Piece& piece : zeros.fills) {
    piece.loops = normalise(std::move(piece.loops));
  }
  return zeros;
}

void add_sieve(PlanData& data, const Layout& dst) {
  constexpr std::int64_t places_per_task = 1 << 16;
  data.sieve = detail::Sieve{dst, places_per_task, data.tasks};
  data.tasks += ceil_div(dst.places(), places_per_task);
}

// The moves, in bytes of elements as wide as are moved.
Result<std::vector<Piece>> moves_of(const Layout& src, const Layout& dst,
                                    std::int64_t width) {
  Result<std::vector<Piece>> moves = element_pieces(src, dst, width);
  if (!moves) return moves;
  for (Piece& piece : *moves) {
    piece.src_offset += src.base_offset() * width;
    piece.dst_offset += dst.base_offset() * width;
    piece.loops = normalise(std::move(piece.loops));
  }
  return moves;
}

}  // namespace

PlanData detail::begin_data(const Layout& src, const Layout& dst,
                            const PlanOptions& options) {
  PlanData data;
  data.src_bytes = src.size_bytes();
  data.dst_bytes = dst.size_bytes();
  data.widths = {dst.element_bytes(), src.element_bytes(), dst.element_bytes()};
  data.values = options.values;
  if (options.values) data.conversion = find_conversion(*options.values);
  data.bytes_read = src.elements() * src.element_bytes();
  data.bytes_written = options.fill == Fill::zero
                           ? data.dst_bytes
                           : dst.elements() * dst.element_bytes();
  return data;
}

Result<PlanData> detail::plan_for(const Machine& machine, const Layout& src,
                                  const Layout& dst, const PlanOptions& options,
                                  std::vector<engine::Bill>* bills) {
  if (auto checked = check_pair(src, dst, options.values); !checked) {
    return unexpected(checked.error());
  }
  if (engine::find_kernel(engine::Kind::copy, 1, machine.isa) == nullptr) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("this build has no kernels for {}", isa_name(machine.isa)));
  }
  PlanData data = begin_data(src, dst, options);
  if (!strided(src, dst, options.values, data.conversion)) {
    if (auto planned =
            detail::plan_irregular(data, machine, src, dst, options, bills);
        !planned) {
      return unexpected(planned.error());
    }
    return data;
  }
  Result<Zeros> zeros = zeros_of(dst, options);
  if (!zeros) return unexpected(zeros.error());
  std::vector<Piece>& fills = zeros->fills;
  // Kernels move the narrower elements, but where what they write as zeros would
  // become something else.
  const bool narrower =
      fills.empty() || !data.conversion || converts_to_zero(*options.values);
  auto& [width, src_width, dst_width] = data.widths;
  if (narrower) width = std::min(src_width, dst_width);
  Result<std::vector<Piece>> moves = moves_of(src, dst, width);
  if (!moves) return unexpected(moves.error());
  // Longer runs of zeros are written as fast alone, and transposes would write those
  // of all columns line by line in turns. A stage has room for these.
  for (Piece& fill : fills) give_width(fill, dst_width, width);
  fuse_padding(*moves, fills, width, machine.profile.fused_zeros_bytes / width);
  for (Piece& fill : fills) give_width(fill, width, dst_width);

  NestPlanner planner(data, machine,
                      reach_of(data, machine.profile, options.stores), bills);
  for (const Piece& move : *moves) planner.add_move(move);
  for (const Piece& fill : fills) planner.add_zeros(fill);
  if (zeros->sieve) add_sieve(data, dst);
  return data;
}

Plan::Plan(std::shared_ptr<const detail::PlanData> data)
    : data_(std::move(data)) {}

Result<Plan> Plan::make(const Layout& src, const Layout& dst,
                        const PlanOptions& options) {
  STRIDEWISE_EXPECTS(
      options.fill <= Fill::keep && options.stores <= Stores::streaming,
      "Plan::make: a valid Fill and Stores");
  if (best_isa() < least_isa()) {
    return fail(ErrorCode::unsupported,
                fmt::format("this build has kernels for {} alone, which this "
                            "machine has not",
                            isa_name(least_isa())));
  }
  // Most plans are for this machine, which is known already.
  std::optional<Machine> other;
  if (!options.machine.empty()) {
    Result<Machine> machine = machine_of(options.machine);
    if (!machine) return unexpected(machine.error());
    if (machine->isa > best_isa()) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} has {}, which this machine has not",
                              machine->name, isa_name(machine->isa)));
    }
    other = *std::move(machine);
  }
  auto data =
      detail::plan_for(other ? *other : this_machine(), src, dst, options);
  if (!data) return unexpected(data.error());
  return Plan(std::make_shared<const PlanData>(*std::move(data)));
}

const PlanData& Plan::data() const {
  STRIDEWISE_EXPECTS(data_ != nullptr, "Plan: it was not moved from");
  return *data_;
}

std::int64_t Plan::src_bytes() const { return data().src_bytes; }
std::int64_t Plan::dst_bytes() const { return data().dst_bytes; }
std::int64_t Plan::bytes_read() const { return data().bytes_read; }
std::int64_t Plan::bytes_written() const { return data().bytes_written; }
std::int64_t Plan::tasks() const { return data().tasks; }

bool Plan::uses_threads() const { return data().uses_threads(); }

bool operator==(const Plan& a, const Plan& b) {
  // Relays of as many windows follow from what is relayed.
  if (a.data().relays.size() != b.data().relays.size() ||
      a.data().relayed != b.data().relayed ||
      a.data().relayed_fill != b.data().relayed_fill) {
    return false;
  }
  const auto& fields = a.data().fields;
  const auto& others = b.data().fields;
  if ((fields == nullptr) != (others == nullptr) ||
      (fields != nullptr && (fields->nests != others->nests ||
                             fields->layouts != others->layouts))) {
    return false;
  }
  return a.data().values == b.data().values &&
         a.data().nests == b.data().nests && a.src_bytes() == b.src_bytes() &&
         a.dst_bytes() == b.dst_bytes() &&
         a.data().sieve.has_value() == b.data().sieve.has_value();
}

}  // namespace stridewise
