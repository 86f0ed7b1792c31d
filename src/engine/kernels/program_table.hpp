// A program as bytes: what a tile is, piece by piece of dst. Made at plan time by
// program_table.cpp, read by program.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernels/bits/byte_map.hpp"
#include "machine/isa.hpp"

namespace stridewise::engine {

// How the vectors of an instruction set take bytes from src: each of `lanes` lanes by
// itself, from pieces as long as a lane.
struct ProgramVector {
  std::int64_t lanes;
  std::int64_t lane_bytes;
  bool stores_any;    // any bytes of a vector; else whole lanes
  bool shifts_bytes;  // each as far as it needs; else all of a lane alike

  [[nodiscard]] std::int64_t bytes() const { return lanes * lane_bytes; }
};
// A source in a table is two vectors: where each lane begins, then for vectors of one lane
// which bytes are there; and which byte of src each byte is.
inline constexpr std::int64_t source_vectors = 2;
// A group of sources whose bits are shifted and cut together begins with three: how many
// sources it has; how far bits are shifted; which ones stay.
inline constexpr std::int64_t group_vectors = 3;
inline constexpr std::uint8_t masked_byte = 128;  // a zero, or another source's
// That of the vectors of a kernel.
[[nodiscard]] ProgramVector program_vector(Isa isa);

// How many pieces of dst a program has, and sources all of them have together.
struct ProgramSize {
  std::int64_t pieces = 0;
  std::int64_t sources = 0;
  std::int64_t source_bits =
      0;  // set in the place of any: what all are aligned to
};

// What a program moves: a run of dst whose elements lie at such places of src, or are zeros
// for no_row; and perhaps more runs, each as far from the one before.
struct ProgramRuns {
  std::span<const std::int64_t> places;
  std::int64_t element_bytes;
  std::int64_t count = 1;
  std::int64_t src_step = 0;
  std::int64_t dst_step = 0;
};

// Nothing where a run is too short for the vector, or a piece takes more sources than
// `most_sources`. O(n log n) for n elements.
[[nodiscard]] std::optional<ProgramSize> size_of_program(
    const ProgramRuns& runs, const ProgramVector& vector,
    std::int64_t most_sources);

// Memory whose vectors no load splits.
struct alignas(64) ProgramLine {
  std::array<std::byte, 64> bytes;

  friend bool operator==(const ProgramLine&, const ProgramLine&) = default;
};
using ProgramMemory = std::vector<ProgramLine>;

// The program itself. Pre: it has a size. O(elements * sources).
[[nodiscard]] ProgramMemory make_program(const ProgramRuns& runs,
                                         const ProgramVector& vector);

// What puts a table together.
class ProgramWriter {
 public:
  template <class T>
  void add(const T& value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(value));
  }
  void add(const ProgramWriter& more) {
    bytes_.insert(bytes_.end(), more.bytes_.begin(), more.bytes_.end());
  }
  void align(std::int64_t to) {
    const auto unit = static_cast<std::size_t>(to);
    bytes_.resize((bytes_.size() + unit - 1) / unit * unit);
  }
  [[nodiscard]] std::int64_t size() const { return std::ssize(bytes_); }
  [[nodiscard]] ProgramMemory memory() const {
    ProgramMemory lines((bytes_.size() + sizeof(ProgramLine) - 1) /
                        sizeof(ProgramLine));
    std::memcpy(lines.data(), bytes_.data(), bytes_.size());
    return lines;
  }

 private:
  std::vector<std::byte> bytes_;
};

class ProgramTable {
 public:
  struct Head {
    std::int64_t pieces;
    std::int64_t reach;  // bytes of src that loads of a tile reach over
    std::int64_t elements;
    std::int64_t element_bytes;  // 0: `elements` are parts of bytes
    std::int64_t elements_at;    // where they begin in the table
    // How it is walked: each piece through all planes, or each tile through all pieces.
    std::int32_t by_tiles = 0;
    std::int32_t streams = 0;  // by tiles: whether lines pass by the caches
    std::int64_t bits = 0;     // 1: sources are in groups
    ByteMap before = {};       // of bytes of src
    ByteMap after = {};        // of bytes of dst
  };
  struct PieceHead {
    std::int64_t dst;
    std::int64_t bytes;    // 0: those that `stored` has
    std::uint64_t stored;  // of vectors that store any bytes, which
    std::int64_t count;    // of sources
    std::int64_t sources;  // where they begin in the table
  };
  // Bits of a byte: those of `mask` of a byte of src that is shifted to the left.
  struct Part {
    std::int64_t src;
    std::int64_t dst;
    std::int32_t shift;
    std::uint32_t mask;
  };
  struct Element {
    std::int64_t src;  // or no_row
    std::int64_t dst;
  };
  struct Piece {
    std::int64_t dst;
    std::int64_t bytes;
    std::uint64_t stored;
    std::int64_t count;
    const std::byte* sources;
  };

  // Where sources begin in a table of so many pieces.
  static std::int64_t sources_at(std::int64_t pieces) {
    const auto heads = static_cast<std::int64_t>(sizeof(Head)) +
                       pieces * static_cast<std::int64_t>(sizeof(PieceHead));
    return (heads + 63) / 64 * 64;
  }

  explicit ProgramTable(const std::byte* table) : table_(table) {
    std::memcpy(&head_, table, sizeof(head_));
  }
  [[nodiscard]] std::int64_t pieces() const { return head_.pieces; }
  [[nodiscard]] std::int64_t reach() const { return head_.reach; }
  [[nodiscard]] bool by_tiles() const { return head_.by_tiles != 0; }
  [[nodiscard]] bool streams() const { return head_.streams != 0; }
  [[nodiscard]] bool bits() const { return head_.bits != 0; }
  [[nodiscard]] const ByteMap& before() const { return head_.before; }
  [[nodiscard]] const ByteMap& after() const { return head_.after; }
  [[nodiscard]] Piece piece(std::int64_t k) const {
    PieceHead piece;  // NOLINT: read whole
    std::memcpy(
        &piece,
        table_ + sizeof(Head) + static_cast<std::size_t>(k) * sizeof(PieceHead),
        sizeof(piece));
    return {piece.dst, piece.bytes, piece.stored, piece.count,
            table_ + piece.sources};
  }
  // The tile without vectors.
  void move_elements(const std::byte* src, std::byte* dst) const;

 private:
  void move_parts(const std::byte* src, std::byte* dst) const;

  const std::byte* table_;
  Head head_;
};

}  // namespace stridewise::engine
