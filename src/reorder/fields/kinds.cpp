// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/kinds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "reorder/fields/regroup.hpp"
#include "reorder/values/converter.hpp"

namespace stridewise::detail {
namespace {

// The most bits that one load and one shift take.
constexpr std::int64_t most_field_bits = 56;
// Moves of so many bytes have a loop of their own; others are copied.
constexpr std::array<std::int64_t, 7> sizes_of_moves = {1, 2, 3, 4, 8, 16, 32};

bool fits(std::int64_t bits) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return bits / 8 > -most && bits / 8 < most;
}

// All places of the tables as one number: what it is a multiple of, they are.
std::int64_t joined_outer(const FieldNest& nest) {
  std::int64_t places = 0;
  for (const PlaceLoop& loop : nest.outer) {
    places |= loop.step.src | loop.step.dst;
    for (const Places& p : loop.places) places |= p.src | p.dst;
  }
  return places;
}

bool all_fit(const FieldNest& nest) {
  return std::ranges::all_of(nest.inner, [](const Field& field) {
    return fits(field.src) && fits(field.dst);
  });
}

// Cuts fields to what one load takes.
std::vector<Field> cut(const std::vector<Field>& fields) {
  std::vector<Field> cut;
  for (Field field : fields) {
    while (field.bits > most_field_bits) {
      cut.push_back({field.src, field.dst, most_field_bits});
      field.src += most_field_bits;
      field.dst += most_field_bits;
      field.bits -= most_field_bits;
    }
    cut.push_back(field);
  }
  return cut;
}

void choose_moves(FieldNest& nest) {
  const std::int64_t bits = nest.inner.front().bits;
  const bool same = std::ranges::all_of(
      nest.inner, [&](const Field& f) { return f.bits == bits; });
  nest.kind = FieldNest::Kind::runs;
  const bool sized =
      std::ranges::find(sizes_of_moves, bits / 8) != sizes_of_moves.end();
  if (!same || !sized || !all_fit(nest)) return;
  nest.kind = FieldNest::Kind::moves;
  nest.field_bytes = bits / 8;
  nest.dense = true;
  for (const Field& field : nest.inner) {
    nest.moves.push_back({static_cast<std::int32_t>(field.src / 8),
                          static_cast<std::int32_t>(field.dst / 8)});
    const auto count = static_cast<std::int64_t>(nest.moves.size()) - 1;
    nest.dense =
        nest.dense && field.dst == nest.inner.front().dst + count * bits;
  }
  nest.inner.clear();
}

// Adds bits that lie in one byte of src to the byte of dst where they go.
void add_piece(FieldNest& nest, const Field& part, std::uint8_t covers) {
  const auto dst = static_cast<std::int32_t>(part.dst >> 3);
  if (nest.bytes.empty() || nest.bytes.back().dst != dst) {
    nest.bytes.push_back(
        {dst, static_cast<std::int32_t>(nest.pieces.size()), 0, 0xff});
  }
  ByteOfPieces& byte = nest.bytes.back();
  ++byte.count;
  byte.keep = static_cast<std::uint8_t>(byte.keep & ~covers);
  nest.pieces.push_back({static_cast<std::int32_t>(part.src >> 3),
                         static_cast<std::uint8_t>(part.src & 7),
                         static_cast<std::uint8_t>((1 << part.bits) - 1),
                         static_cast<std::uint8_t>(part.dst & 7)});
}

std::uint8_t ones(std::int64_t first, std::int64_t count) {
  return static_cast<std::uint8_t>(((1 << count) - 1) << first);
}

// Fields by the bytes of dst that they are in. Pre: tables step by whole bytes.
void choose_pieces(FieldNest& nest) {
  nest.kind = FieldNest::Kind::pieces;
  for (Field field : nest.inner) {
    while (field.bits > 0) {
      const std::int64_t part =
          std::min({field.bits, 8 - (field.src & 7), 8 - (field.dst & 7)});
      add_piece(nest, {field.src, field.dst, part}, ones(field.dst & 7, part));
      field.src += part;
      field.dst += part;
      field.bits -= part;
    }
  }
}

// As many pieces for each byte, with some of no bits, where that is not much more work.
void make_even(FieldNest& nest) {
  std::int32_t most = 0;
  for (const ByteOfPieces& byte : nest.bytes) most = std::max(most, byte.count);
  if (!std::has_single_bit(static_cast<std::uint32_t>(most))) return;
  const std::size_t even = nest.bytes.size() * static_cast<std::size_t>(most);
  if (even == nest.pieces.size() || 2 * even > 3 * nest.pieces.size()) return;
  std::vector<BitPiece> pieces;
  pieces.reserve(even);
  for (ByteOfPieces& byte : nest.bytes) {
    const auto first = nest.pieces.begin() + byte.first;
    byte.first = static_cast<std::int32_t>(pieces.size());
    pieces.insert(pieces.end(), first, first + byte.count);
    pieces.resize(static_cast<std::size_t>(byte.first + most),
                  {.src = first->src, .down = 0, .mask = 0, .up = 0});
    byte.count = most;
  }
  nest.pieces = std::move(pieces);
}

// Elements of which only the width in memory changes: each from bits of a byte to bits of
// a byte. False where one lies across two bytes.
bool choose_codes(FieldNest& nest, const Values& values) {
  const auto within = [](std::int64_t place, std::int64_t bits) {
    return (place & 7) + bits <= 8;
  };
  const std::int64_t src_bits = values.src.bits;
  const std::int64_t dst_bits = values.dst.bits;
  if (!changes_width(values) || src_bits > 8 || dst_bits > 8 ||
      !std::ranges::all_of(nest.inner, [&](const Field& field) {
        return within(field.src, src_bits) && within(field.dst, dst_bits);
      })) {
    return false;
  }
  nest.kind = FieldNest::Kind::pieces;
  for (const Field& field : nest.inner) {
    add_piece(nest, {field.src, field.dst, src_bits},
              ones(field.dst & 7, dst_bits));
  }
  for (int code = 0; code < 256; ++code) {
    const auto before = static_cast<std::byte>(code);
    std::byte after{};
    convert_values(values, &before, &after, 1);
    nest.codes.push_back(static_cast<std::uint8_t>(static_cast<int>(after) &
                                                   ((1 << dst_bits) - 1)));
  }
  return true;
}

}  // namespace

void choose_kind(FieldNest& nest, const std::optional<Values>& values) {
  const std::int64_t outer = joined_outer(nest);
  std::int64_t all = outer | nest.base.src | nest.base.dst;
  for (const Field& f : nest.inner) all |= f.src | f.dst | f.bits;
  if (!values && all % 8 == 0) return choose_moves(nest);
  const bool by_bytes = outer % 8 == 0 && all_fit(nest);
  if (by_bytes) make_base_whole(nest);
  if (values) {
    nest.kind = FieldNest::Kind::values;
    if (by_bytes && choose_codes(nest, *values)) nest.inner.clear();
    return;
  }
  if (by_bytes) {
    choose_pieces(nest);
    make_even(nest);
    nest.inner.clear();
  } else {
    nest.kind = FieldNest::Kind::bits;
    nest.inner = cut(nest.inner);
  }
}

}  // namespace stridewise::detail
