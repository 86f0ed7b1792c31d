// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/bits.hpp"
#include "reorder/fields/field_plan.hpp"
#include "reorder/values/converter.hpp"

namespace stridewise::detail {
namespace {

// Elements whose values change at once.
constexpr std::size_t staged_elements = 256;
constexpr std::size_t most_staged_bytes = 16;  // of an element

// Calls visit(src, dst) for each step of a loop from `base` on, in bits.
template <class Visit>
void each_step(const PlaceLoop& loop, const Places& base, const Visit& visit) {
  if (loop.places.empty()) {
    Places at = base;
    for (std::int64_t k = 0; k < loop.count; ++k) {
      visit(at.src, at.dst);
      at.src += loop.step.src;
      at.dst += loop.step.dst;
    }
    return;
  }
  for (const Places& p : loop.places) visit(base.src + p.src, base.dst + p.dst);
}

// The same for each combination of the outer tables; the last one has a loop of its own.
template <class Visit>
void each_place(const FieldNest& nest, const Visit& visit) {
  if (nest.outer.empty()) return visit(nest.base.src, nest.base.dst);
  std::array<std::int64_t, most_loops> at{};
  std::array<Places, most_loops + 1> sum;  // NOLINT: filled below
  const std::size_t depth = nest.outer.size() - 1;
  sum[0] = nest.base;
  std::size_t changed = 0;
  for (;;) {
    for (std::size_t k = changed; k < depth; ++k) {
      const Places step = nest.outer[k].at(at[k]);
      sum[k + 1] = {sum[k].src + step.src, sum[k].dst + step.dst};
    }
    each_step(nest.outer[depth], sum[depth], visit);
    std::size_t k = depth;
    while (k > 0 && ++at[k - 1] == nest.outer[k - 1].size()) at[--k] = 0;
    if (k == 0) return;
    changed = k - 1;
  }
}

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

// Elements of one width: whole bytes as they are, parts of bytes as their code.
class Elements {
 public:
  explicit Elements(const ElementType& type)
      : bits_(type.bits), bytes_(type.bytes()) {}

  void load(const std::byte* memory, std::int64_t size, std::int64_t place,
            std::byte* to) const {
    if (bits_ % 8 == 0 && place % 8 == 0) {
      std::memcpy(to, memory + place / 8, static_cast<std::size_t>(bytes_));
      return;
    }
    for (std::int64_t done = 0; done < bits_; done += 32) {
      const std::int64_t part = std::min<std::int64_t>(32, bits_ - done);
      const std::uint64_t code = load_bits(memory, size, place + done, part);
      std::memcpy(to + done / 8, &code,
                  static_cast<std::size_t>((part + 7) / 8));
    }
  }

  void store(const std::byte* from, std::int64_t place,
             BitWriter& writer) const {
    for (std::int64_t done = 0; done < bits_; done += 32) {
      const std::int64_t part = std::min<std::int64_t>(32, bits_ - done);
      std::uint64_t code = 0;
      std::memcpy(&code, from + done / 8,
                  static_cast<std::size_t>((part + 7) / 8));
      writer.put(place + done, part, code & ((std::uint64_t{1} << part) - 1));
    }
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool whole() const { return bits_ % 8 == 0; }

 private:
  std::int64_t bits_;
  std::int64_t bytes_;
};

// Codes in a byte each: a table of what each becomes, where only their width changes.
class ValueChange {
 public:
  explicit ValueChange(const Values& values)
      : values_(values), converter_(find_converter(values)) {
    by_code_ =
        changes_width(values) && values.src.bits <= 8 && values.dst.bits <= 8;
    if (!by_code_) return;
    for (std::size_t k = 0; k < codes_.size(); ++k) {
      const auto code = static_cast<std::byte>(k);
      convert_values(values, &code, &codes_[k], 1);
    }
  }

  void run(const std::byte* src, std::byte* dst, std::int64_t count) const {
    if (converter_ != nullptr) {
      converter_->run({.src = src,
                       .dst = dst,
                       .count = count,
                       .runs = 1,
                       .src_pitch = 0,
                       .dst_pitch = 0},
                      values_.quantisation);
      return;
    }
    if (!by_code_) return convert_values(values_, src, dst, count);
    for (std::int64_t k = 0; k < count; ++k) {
      dst[k] = codes_[static_cast<std::size_t>(src[k])];
    }
  }

 private:
  const Values& values_;
  const Converter* converter_;
  bool by_code_ = false;
  std::array<std::byte, 256> codes_{};
};

void convert(const FieldNest& nest, const Values& values, const std::byte* src,
             std::int64_t src_bytes, std::byte* dst) {
  const ValueChange change(values);
  const Elements read(values.src);
  const Elements written(values.dst);
  std::array<std::byte, staged_elements * most_staged_bytes> before, after;
  BitWriter writer(dst);
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    for (std::size_t first = 0; first < nest.inner.size();
         first += staged_elements) {
      const std::span<const Field> fields =
          std::span(nest.inner)
              .subspan(first,
                       std::min(staged_elements, nest.inner.size() - first));
      std::byte* at = before.data();
      for (const Field& field : fields) {
        read.load(src, src_bytes, from + field.src, at);
        at += read.bytes();
      }
      change.run(before.data(), after.data(),
                 static_cast<std::int64_t>(fields.size()));
      at = after.data();
      for (const Field& field : fields) {
        if (written.whole() && (to + field.dst) % 8 == 0) {
          std::memcpy(dst + (to + field.dst) / 8, at,
                      static_cast<std::size_t>(written.bytes()));
        } else {
          written.store(at, to + field.dst, writer);
        }
        at += written.bytes();
      }
    }
  });
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
        convert(nest, *values, src, src_bytes, dst);
        break;
    }
  }
}

}  // namespace stridewise::detail
