// Plan::make: runs the passes; and what a plan says of itself, but for its text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/checked.hpp"
#include "reorder/plan_data.hpp"
#include "reorder/planner/schedule.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// What a core complex shares as its last cache: with src and dst of this size
// together, nothing of dst would be found in it again.
constexpr std::int64_t last_cache_bytes = 12 << 20;
// Beyond what a core has to itself, loads are worth asking for in advance.
constexpr std::int64_t own_cache_bytes = 1 << 20;

// Whether moves of plain strides are planned by the engine of src/engine.
#if defined(STRIDEWISE_BLOCKS)
constexpr bool by_blocks = true;
#else
constexpr bool by_blocks = false;
#endif

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

// Where values change: with the strides that src and dst have.
PlanNest as_in_memory(PlanNest nest, const detail::PlanData& data) {
  for (auto* loops : {&nest.loops, &nest.tile, &nest.rows, &nest.columns}) {
    for (PlanLoop& loop : *loops) {
      // Runs of bytes: the same elements on both sides.
      const bool bytes = nest.element_bytes == 1 && data.width > 1 &&
                         loop.src_stride == 1 && loop.dst_stride == 1;
      if (bytes) loop = {loop.count / data.width, data.width, data.width};
      loop.src_stride = data.in_src(loop.src_stride);
      loop.dst_stride = data.in_dst(loop.dst_stride);
    }
  }
  nest.src_offset = data.in_src(nest.src_offset);
  nest.dst_offset = data.in_dst(nest.dst_offset);
  if (nest.element_bytes == 1) {
    nest.element_bytes = data.width;
    nest.zeros /= data.width;
  }
  return nest;
}

bool converts_to_zero(const Values& values) {
  std::array<std::byte, 16> zero{}, converted{};
  convert_values(values, zero.data(), converted.data(), 1);
  return converted == zero;
}

// The pieces of dst that are planned with elements of one width, with another.
std::vector<Piece> with_width(std::vector<Piece> pieces, std::int64_t from,
                              std::int64_t to) {
  for (Piece& piece : pieces) {
    piece.dst_offset = piece.dst_offset / from * to;
    for (PlanLoop& loop : piece.loops) {
      loop.dst_stride = loop.dst_stride / from * to;
    }
  }
  return pieces;
}

}  // namespace

Plan::Plan(std::shared_ptr<const detail::PlanData> data)
    : data_(std::move(data)) {}

Result<Plan> Plan::make(const Layout& src, const Layout& dst,
                        const PlanOptions& options) {
  if (auto checked = check_pair(src, dst, options.values); !checked) {
    return unexpected(checked.error());
  }
  if (best_isa() < least_isa()) {
    return fail(ErrorCode::unsupported,
                fmt::format("this build has kernels for {} alone, which this "
                            "machine has not",
                            isa_name(least_isa())));
  }
  auto data = std::make_shared<detail::PlanData>();
  data->src_bytes = src.size_bytes();
  data->dst_bytes = dst.size_bytes();
  data->src_width = src.element_bytes();
  data->dst_width = dst.element_bytes();
  data->values = options.values;
  if (options.values) data->conversion = find_conversion(*options.values);
  data->bytes_read = src.elements() * data->src_width;
  data->bytes_written = options.fill == Fill::zero
                            ? data->dst_bytes
                            : dst.elements() * data->dst_width;

  if (!strided(src, dst, options.values, data->conversion)) {
    Result<detail::FieldPlan> fields = detail::plan_fields(src, dst, options);
    if (!fields) return unexpected(fields.error());
    data->bytes_read = ceil_div(src.elements() * src.element_bits(), 8);
    if (options.fill == Fill::keep) {
      data->bytes_written = ceil_div(dst.elements() * dst.element_bits(), 8);
    }
    data->tasks = 1;
    data->fields =
        std::make_shared<const detail::FieldPlan>(*std::move(fields));
    return Plan(std::move(data));
  }

  std::vector<Piece> fills;
  bool sieve = false;
  if (options.fill == Fill::zero) {
    auto holes = places_without_element(dst);
    if (!holes) return unexpected(holes.error());
    sieve = !*holes;
    fills = std::move(*holes).value_or(std::vector<Piece>{});
    for (Piece& piece : fills) piece.loops = normalise(std::move(piece.loops));
  }
  // Kernels move the narrower elements, but where what they write as zeros would
  // become something else.
  const bool zeros =
      fills.empty() || !data->conversion || converts_to_zero(*options.values);
  const std::int64_t width =
      zeros ? std::min(data->src_width, data->dst_width) : data->dst_width;
  data->width = width;
  Result<std::vector<Piece>> moves = element_pieces(src, dst, width);
  if (!moves) return unexpected(moves.error());
  for (Piece& piece : *moves) {
    piece.src_offset += src.base_offset() * width;
    piece.dst_offset += dst.base_offset() * width;
    piece.loops = normalise(std::move(piece.loops));
  }
  fills = with_width(std::move(fills), data->dst_width, width);
  const bool moves_alone = !data->conversion;
  std::vector<Lowered> padded;
  if (moves_alone && !fills.empty() && !by_blocks) {
    padded = take_padded_rows(*moves, fills, width);
  }
  // Longer runs of zeros are written as fast alone, and transposes would write those
  // of all columns line by line in turns. A stage has room for these.
  constexpr std::int64_t fused_zeros = 4096;
  fuse_padding(*moves, fills, width, fused_zeros / width);
  fills = with_width(std::move(fills), width, data->dst_width);

  const std::int64_t bytes = data->both_bytes();
  data->prefetch = bytes > own_cache_bytes;
  const bool streams =
      options.stores == Stores::streaming ||
      (options.stores == Stores::by_size && bytes >= last_cache_bytes);
  const bool past = streams && width == data->dst_width;
  const Reach reach =
      past ? (bytes < detail::all_caches_bytes ? Reach::streams : Reach::memory)
           : (data->prefetch ? Reach::caches : Reach::near);
  if (by_blocks) {
    std::vector<Piece> apart;
    detail::plan_blocks(*data, *moves, apart, streams);
    apart = with_width(std::move(apart), width, data->dst_width);
    std::ranges::move(apart, std::back_inserter(fills));
    moves->clear();
  }
  data->nests.reserve(moves->size() + padded.size() + fills.size());
  for (const Piece& piece : *moves) {
    std::optional<Lowered> groups;
    if (moves_alone || width == data->dst_width) {
      groups =
          grouped(piece, width, moves_alone ? largest : detail::staged_bytes);
    }
    if (moves_alone && !groups) groups = ungrouped(piece, width);
    Lowered lowered =
        groups ? *std::move(groups) : lower_move(piece, width, reach);
    std::optional<Steps> steps;
    if (moves_alone) {
      if (auto block = permuted_block(piece, lowered, width, reach)) {
        lowered = *std::move(block);
      }
      steps = in_two_steps(piece, lowered, width, reach);
      if (auto runs = gathered(piece, lowered, steps, width)) {
        lowered = *std::move(runs);
        steps.reset();
      }
    }
    steps ? detail::schedule_steps(*data, piece, *std::move(steps), streams)
          : detail::schedule(*data, std::move(lowered), streams);
  }
  for (Lowered& rows : padded) {
    detail::schedule(*data, std::move(rows), streams);
  }
  for (const Piece& piece : fills) {
    detail::schedule(*data, lower_fill(piece, data->dst_width), streams);
  }
  if (sieve) detail::schedule_sieve(*data, dst);
  return Plan(std::move(data));
}

std::vector<PlanNest> Plan::nests() const {
  if (data_->fields) return data_->fields->described();
  std::vector<PlanNest> nests;
  std::ranges::transform(
      data_->nests, std::back_inserter(nests),
      [&](const detail::ScheduledNest& scheduled) {
        const bool converted = scheduled.conversion != detail::Conversion::none;
        return converted ? as_in_memory(scheduled.nest, *data_)
                         : scheduled.nest;
      });
  return nests;
}

std::int64_t Plan::src_bytes() const { return data_->src_bytes; }
std::int64_t Plan::dst_bytes() const { return data_->dst_bytes; }
std::int64_t Plan::bytes_read() const { return data_->bytes_read; }
std::int64_t Plan::bytes_written() const { return data_->bytes_written; }
std::int64_t Plan::tasks() const { return data_->tasks; }
bool Plan::uses_threads() const { return data_->worth_sharing(); }

std::vector<KernelInfo> available_kernels() {
  std::vector<KernelInfo> infos;
  for (const Kernel& kernel : kernels()) {
    infos.push_back({std::string(kernel.name),
                     std::string(isa_name(kernel.isa)), kernel.element_bytes,
                     kernel.stream != nullptr});
  }
  return infos;
}

bool operator==(const Plan& a, const Plan& b) {
  const auto& fields = a.data_->fields;
  const auto& others = b.data_->fields;
  if ((fields == nullptr) != (others == nullptr) ||
      (fields != nullptr && (fields->nests != others->nests ||
                             fields->layouts != others->layouts))) {
    return false;
  }
  const bool same_blocks =
      std::ranges::equal(a.data_->blocks, b.data_->blocks, engine::same);
  return same_blocks && a.data_->values == b.data_->values &&
         a.nests() == b.nests() && a.src_bytes() == b.src_bytes() &&
         a.dst_bytes() == b.dst_bytes() &&
         a.data_->sieve.has_value() == b.data_->sieve.has_value();
}

}  // namespace stridewise
