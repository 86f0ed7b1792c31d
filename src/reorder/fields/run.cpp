// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/bits.hpp"
#include "reorder/fields/convert.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/fields/walk.hpp"

namespace stridewise::detail {
namespace {

template <std::size_t bytes>
void move_bytes(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    const std::byte* const s = src + from / 8;
    std::byte* d = dst + to / 8;
    if (!nest.dense) {
      for (const ByteMove& move : nest.moves) {
        std::memcpy(d + move.dst, s + move.src, bytes);
      }
      return;
    }
    d += nest.moves.front().dst;
    for (const ByteMove& move : nest.moves) {
      std::memcpy(d, s + move.src, bytes);
      d += bytes;
    }
  });
}

void move_runs(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    for (const Field& field : nest.inner) {
      std::memcpy(dst + (to + field.dst) / 8, src + (from + field.src) / 8,
                  static_cast<std::size_t>(field.bits / 8));
    }
  });
}

void move_bits(const FieldNest& nest, const std::byte* src,
               std::int64_t src_bytes, std::byte* dst) {
  BitWriter writer(dst);
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    for (const Field& field : nest.inner) {
      writer.put(to + field.dst, field.bits,
                 load_bits(src, src_bytes, from + field.src, field.bits));
    }
  });
}

template <bool coded>
unsigned piece_of(const FieldNest& nest, const BitPiece& piece,
                  const std::byte* src) {
  unsigned bits =
      static_cast<unsigned>(src[piece.src]) >> piece.down & piece.mask;
  if constexpr (coded) bits = nest.codes[bits];
  return bits << piece.up;
}

// Bytes of so many pieces each; `keeps`: other bits of them stay.
template <bool coded, int count, bool keeps>
void move_even(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  const BitPiece* piece = nest.pieces.data();
  for (const ByteOfPieces& byte : nest.bytes) {
    unsigned bits =
        keeps ? static_cast<unsigned>(dst[byte.dst]) & byte.keep : 0U;
    for (int k = 0; k < count; ++k)
      bits |= piece_of<coded>(nest, *piece++, src);
    dst[byte.dst] = static_cast<std::byte>(bits);
  }
}

template <bool coded>
void move_mixed(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  const BitPiece* piece = nest.pieces.data();
  for (const ByteOfPieces& byte : nest.bytes) {
    unsigned bits = static_cast<unsigned>(dst[byte.dst]) & byte.keep;
    for (std::int32_t k = 0; k < byte.count; ++k) {
      bits |= piece_of<coded>(nest, *piece++, src);
    }
    dst[byte.dst] = static_cast<std::byte>(bits);
  }
}

// Moves the innermost table for each combination of the outer ones.
template <auto move>
void each(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    move(nest, src + from / 8, dst + to / 8);
  });
}

template <bool coded, bool keeps>
void move_pieces(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  const auto all = [&](std::int32_t count) {
    return std::ranges::all_of(nest.bytes, [&](const ByteOfPieces& byte) {
      return byte.count == count;
    });
  };
  if (all(1)) return each<&move_even<coded, 1, keeps>>(nest, src, dst);
  if (all(2)) return each<&move_even<coded, 2, keeps>>(nest, src, dst);
  if (all(4)) return each<&move_even<coded, 4, keeps>>(nest, src, dst);
  if (all(8)) return each<&move_even<coded, 8, keeps>>(nest, src, dst);
  each<&move_mixed<coded>>(nest, src, dst);
}

void move_pieces(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  const bool keeps = std::ranges::any_of(
      nest.bytes, [](const ByteOfPieces& byte) { return byte.keep != 0; });
  if (nest.codes.empty()) {
    return keeps ? move_pieces<false, true>(nest, src, dst)
                 : move_pieces<false, false>(nest, src, dst);
  }
  keeps ? move_pieces<true, true>(nest, src, dst)
        : move_pieces<true, false>(nest, src, dst);
}

void move_by_size(const FieldNest& nest, const std::byte* src, std::byte* dst) {
  switch (nest.field_bytes) {
    case 1:
      return move_bytes<1>(nest, src, dst);
    case 2:
      return move_bytes<2>(nest, src, dst);
    case 3:
      return move_bytes<3>(nest, src, dst);
    case 4:
      return move_bytes<4>(nest, src, dst);
    case 8:
      return move_bytes<8>(nest, src, dst);
    case 16:
      return move_bytes<16>(nest, src, dst);
    default:  // 32: choose_kind knows no others
      return move_bytes<32>(nest, src, dst);
  }
}

void run_program(const FieldNest& nest, const std::byte* src,
                 std::int64_t src_bytes, std::byte* dst) {
  engine::Tile tile;
  tile.src_end = src + src_bytes;
  tile.program = reinterpret_cast<const std::byte*>(nest.program.data());
  tile.planes[0] = nest.plane;
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    tile.src = src + from / 8;
    tile.dst = dst + to / 8;
    nest.kernel->run(tile, engine::Hints{});
  });
  if (nest.streams) engine::stream_fence();
}

void run_stages(const FieldPlan& plan, const std::byte* src, std::byte* dst) {
  const std::int64_t most =
      std::ranges::max(plan.stages, {}, &FieldPlan::Stage::bytes).bytes;
  const std::unique_ptr<std::byte[]> memory(
      new (std::nothrow) std::byte[static_cast<std::size_t>(most)]);
  if (memory == nullptr) {
    reorder_reference(plan.layouts[0], plan.layouts[1], src, dst,
                      plan.clear ? Fill::zero : Fill::keep, *plan.values);
    return;
  }
  for (const FieldPlan::Stage& stage : plan.stages) {
    stage.before->run(src, memory.get());
    stage.after->run(memory.get(), dst);
  }
}

}  // namespace

void FieldPlan::run(const std::byte* src, std::byte* dst) const {
  if (!stages.empty()) return run_stages(*this, src, dst);
  if (clear) {
    std::memset(dst, 0, static_cast<std::size_t>((dst_bits + 7) / 8));
  }
  const std::int64_t src_bytes = (src_bits + 7) / 8;
  for (const FieldNest& nest : nests) {
    switch (nest.kind) {
      case FieldNest::Kind::moves:
        move_by_size(nest, src, dst);
        break;
      case FieldNest::Kind::runs:
        move_runs(nest, src, dst);
        break;
      case FieldNest::Kind::pieces:
        move_pieces(nest, src, dst);
        break;
      case FieldNest::Kind::bits:
        move_bits(nest, src, src_bytes, dst);
        break;
      case FieldNest::Kind::values:
        convert_fields(nest, *values, src, src_bytes, dst);
        break;
      case FieldNest::Kind::program:
        run_program(nest, src, src_bytes, dst);
        break;
    }
  }
}

}  // namespace stridewise::detail
