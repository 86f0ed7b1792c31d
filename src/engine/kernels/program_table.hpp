// A program as bytes: what a tile is, piece by piece of dst. Made at plan time by
// program_table.cpp, read by program.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace stridewise::engine {

// How the vectors of an instruction set take bytes from src: each of `lanes` lanes by
// itself, from pieces as long as a lane.
struct ProgramVector {
  std::int64_t lanes;
  std::int64_t lane_bytes;
  bool
      stores_any;  // the first bytes of a vector, however many; else whole lanes

  [[nodiscard]] std::int64_t bytes() const { return lanes * lane_bytes; }
  // Of a source in the table: where each lane begins, then its mask, then for vectors of
  // one lane which bytes are there.
  [[nodiscard]] std::int64_t source_bytes() const {
    return 8 * lanes + bytes() + (lanes == 1 ? 8 : 0);
  }
};
inline constexpr std::uint8_t masked_byte = 128;  // a zero, or another source's

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

// The program itself. Pre: it has a size. O(elements * sources).
[[nodiscard]] std::vector<std::byte> make_program(const ProgramRuns& runs,
                                                  const ProgramVector& vector);

class ProgramTable {
 public:
  struct Head {
    std::int64_t pieces;
    std::int64_t reach;  // bytes of src that loads of a tile reach over
    std::int64_t elements;
    std::int64_t element_bytes;
    std::int64_t elements_at;  // where they begin in the table
  };
  struct PieceHead {
    std::int64_t dst;
    std::int64_t bytes;
    std::int64_t count;    // of sources
    std::int64_t sources;  // where they begin in the table
  };
  struct Element {
    std::int64_t src;  // or no_row
    std::int64_t dst;
  };
  struct Piece {
    std::int64_t dst;
    std::int64_t bytes;
    std::int64_t count;
    const std::byte* sources;
  };

  explicit ProgramTable(const std::byte* table) : table_(table) {
    std::memcpy(&head_, table, sizeof(head_));
  }
  [[nodiscard]] std::int64_t pieces() const { return head_.pieces; }
  [[nodiscard]] std::int64_t reach() const { return head_.reach; }
  [[nodiscard]] Piece piece(std::int64_t k) const {
    PieceHead piece;  // NOLINT: read whole
    std::memcpy(
        &piece,
        table_ + sizeof(Head) + static_cast<std::size_t>(k) * sizeof(PieceHead),
        sizeof(piece));
    return {piece.dst, piece.bytes, piece.count, table_ + piece.sources};
  }
  // The tile without vectors.
  void move_elements(const std::byte* src, std::byte* dst) const;

 private:
  const std::byte* table_;
  Head head_;
};

}  // namespace stridewise::engine
