// How elements move whose places follow no plain strides: parts of bytes, digits that are
// twisted, looked up or fused, slices and cuts. Each pair of pieces of src and dst is a
// nest of tables: the place of an element is the sum of one entry of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/program_table.hpp"
#include "engine/kernels/tile.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"
#include "stridewise/values.hpp"

namespace stridewise::detail {

// Places in bits of src and of dst, relative to those of the tables around.
struct Places {
  std::int64_t src = 0;
  std::int64_t dst = 0;

  friend Places operator-(const Places& a, const Places& b) {
    return {a.src - b.src, a.dst - b.dst};
  }
  friend bool operator==(const Places&, const Places&) = default;
};

// A loop of a nest: where each step goes, or so many equal steps.
struct PlaceLoop {
  std::vector<Places> places =
      {};  // ascending in dst; empty: `count` steps of `step`
  std::int64_t count = 0;
  Places step = {};

  [[nodiscard]] std::int64_t size() const {
    return places.empty() ? count : static_cast<std::int64_t>(places.size());
  }
  // Pre: 0 <= k < size().
  [[nodiscard]] Places at(std::int64_t k) const {
    return places.empty() ? Places{k * step.src, k * step.dst}
                          : places[static_cast<std::size_t>(k)];
  }

  friend bool operator==(const PlaceLoop&, const PlaceLoop&) = default;
};

// Bits that lie together on both sides.
struct Field {
  std::int64_t src;
  std::int64_t dst;
  std::int64_t bits;

  friend bool operator==(const Field&, const Field&) = default;
};

// Whole bytes from one place to another.
struct ByteMove {
  std::int32_t src;
  std::int32_t dst;

  friend bool operator==(const ByteMove&, const ByteMove&) = default;
};

// Bits of one byte of src, shifted to where they go in one of dst.
struct BitPiece {
  std::int32_t src;
  std::uint8_t down;  // shifted right by so many
  std::uint8_t mask;
  std::uint8_t up;  // and then left

  friend bool operator==(const BitPiece&, const BitPiece&) = default;
};

// A byte of dst made of pieces.
struct ByteOfPieces {
  std::int32_t dst;
  std::int32_t first;  // piece
  std::int32_t count;
  std::uint8_t keep;  // bits that stay

  friend bool operator==(const ByteOfPieces&, const ByteOfPieces&) = default;
};

inline constexpr std::size_t most_loops = 160;  // around the innermost table

struct FieldNest {
  enum class Kind : std::uint8_t {
    moves,    // `moves` of `field_bytes` each
    runs,     // `inner`, whole bytes of any number
    pieces,   // `bytes` of `pieces`
    bits,     // `inner`, one after the other
    values,   // `inner`, elements of src whose values change
    program,  // what a kernel of the engine makes of a table of its own
  };
  Kind kind = Kind::bits;
  Places base;
  std::vector<PlaceLoop> outer;  // slowest first
  std::vector<Field> inner;      // ascending in dst, as the kind needs
  std::int64_t inner_bits = 0;   // of all fields of the innermost table
  std::int64_t field_bytes = 0;  // of programs: those of dst that a tile has
  std::vector<ByteMove> moves;
  bool dense = false;  // moves follow each other in dst
  std::vector<ByteOfPieces> bytes;
  std::vector<BitPiece> pieces;
  // What becomes of the bits of a piece, where only the width of elements changes;
  // empty: nothing.
  std::vector<std::uint8_t> codes;
  // Of programs: `plane` is the loop within the outer ones.
  engine::ProgramMemory program;
  const engine::Kernel* kernel = nullptr;
  bool streams = false;  // whether it may pass by the caches
  engine::Loop plane;

  // So many steps of the innermost table.
  [[nodiscard]] std::int64_t inner_fields() const {
    return static_cast<std::int64_t>(
        std::max({inner.size(), moves.size(), bytes.size()}));
  }

  // How often the innermost table is moved.
  [[nodiscard]] std::int64_t repeats() const {
    std::int64_t all = plane.count;
    for (const PlaceLoop& loop : outer) all *= loop.size();
    return all;
  }

  friend bool operator==(const FieldNest&, const FieldNest&) = default;
};

// Runs of whole bytes from one place to another, at plain strides.
struct StridedMove {
  Places base;  // bytes
  std::int64_t run_bytes;
  std::vector<PlanLoop> loops;  // of strides above 0
};

// Immutable; run() may be called from many threads.
struct FieldPlan {
  std::vector<FieldNest> nests;
  // Not empty: all of it is such moves, which the kernels of layouts at plain strides do
  // better; there are no nests then.
  std::vector<StridedMove> moves;
  std::int64_t src_bits = 0;
  std::int64_t dst_bits = 0;
  bool clear =
      false;  // dst has places without an element, which are to be zero
  std::optional<Values> values;  // then fields are elements of src

  // Not empty: one after the other, instead of nests. Each fills a memory of so many
  // bytes, and reads it.
  struct Stage {
    std::int64_t bytes;
    std::shared_ptr<const FieldPlan> before;
    std::shared_ptr<const FieldPlan> after;
  };
  std::vector<Stage> stages;
  // src and dst of stages: where there is no memory for them, the reference moves all.
  std::vector<Layout> layouts;

  // Pre: as Plan::run. Bits of dst that hold no element stay as they are, or are zero.
  // Allocates the largest memory of the stages, where there are some.
  void run(const std::byte* src, std::byte* dst) const;

  // For Plan::nests(): a table is a loop of its first step, in bytes rounded down.
  [[nodiscard]] std::vector<PlanNest> described() const;
};

// What programs are made for.
struct ProgramOptions {
  const engine::Kernel* kernel =
      nullptr;           // of programs; nullptr: there is none
  bool streams = false;  // whether dst passes by the caches
  // Whether bits of dst that hold no element are zero, and no other nest writes to it.
  bool fills = false;
  std::int64_t dst_bits = 0;
  // Whether moves at plain strides are left to the caller, as FieldPlan::moves.
  bool leaves_moves = false;
};

// Pre: src can be read, dst is valid, and both are of the same dims. Errors: places that
// depend on so many indices at once that no table holds them.
[[nodiscard]] Result<FieldPlan> plan_fields(const Layout& src,
                                            const Layout& dst,
                                            const PlanOptions& options,
                                            const ProgramOptions& programs);

}  // namespace stridewise::detail
