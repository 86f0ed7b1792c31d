// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/bits/bit_program.hpp"

#include <array>
#include <limits>
#include <utility>

#include "engine/kernels/bits/lane.hpp"
#include "engine/kernels/tile.hpp"

namespace stridewise::engine {
namespace {

using Head = ProgramTable::Head;
using PieceHead = ProgramTable::PieceHead;
using Parts = std::span<const BitPart>;

// Whether whole bytes move, as they are.
bool moves_bytes(const BitProgram& program) {
  return program.before == ByteMap{} && program.after == ByteMap{} &&
         std::ranges::all_of(program.parts, [](const BitPart& part) {
           return part.mask == 0 || (part.shift == 0 && part.mask == 0xff);
         });
}

class Maker {
 public:
  Maker(const BitProgram& program, const ProgramVector& vector,
        std::int64_t most_sources)
      : program_(program), vector_(vector), left_(most_sources) {
    for (const BitPart& part : program.parts) {
      if (part.mask == 0) continue;
      first_ = std::min(first_, part.src);
      end_ = std::max(end_, part.src + 1);
    }
    // Zeros alone load what they do not use.
    if (first_ >= end_) end_ = (first_ = 0) + 1;
  }

  // Whether there is room for all of it.
  bool make() {
    for (std::size_t k = 0; k < program_.parts.size();) {
      const std::size_t end = vector_.stores_any ? window_end(k) : run_end(k);
      if (!(vector_.stores_any ? add_window(k, end) : add_run(k, end))) {
        return false;
      }
      k = end;
    }
    return true;
  }

  [[nodiscard]] ProgramMemory table() const {
    const bool bits = !moves_bytes(program_);
    ProgramWriter pieces, sources;
    const std::int64_t first = ProgramTable::sources_at(std::ssize(pieces_));
    for (const Made& piece : pieces_) {
      PieceHead head = piece.head;
      head.sources = first + sources.size();
      head.count = bits ? piece.groups() : piece.sources(0);
      pieces.add(head);
      for (std::int64_t g = 0; g < piece.groups(); ++g) {
        if (bits) add_group(piece, g, sources);
        for (std::int64_t k = 0; k < piece.sources(g); ++k) {
          add_source(piece, g, k, sources);
        }
      }
    }
    ProgramWriter table;
    table.add(Head{.pieces = std::ssize(pieces_),
                   .reach = reach_,
                   .elements = std::ssize(program_.parts),
                   .element_bytes = 0,
                   .elements_at = first + sources.size(),
                   .by_tiles = 1,
                   .streams = program_.streams ? 1 : 0,
                   .bits = bits ? 1 : 0,
                   .before = program_.before,
                   .after = program_.after});
    table.add(pieces);
    table.align(line_bytes);
    table.add(sources);
    for (const BitPart& part : program_.parts) {
      table.add(ProgramTable::Part{part.src, part.dst,
                                   static_cast<std::int32_t>(part.shift),
                                   part.mask});
    }
    return table.memory();
  }

 private:
  // A piece, as each lane makes it.
  struct Made {
    PieceHead head;
    std::vector<Groups> lanes;

    [[nodiscard]] std::int64_t groups() const {
      std::ptrdiff_t most = 1;
      for (const Groups& lane : lanes) most = std::max(most, std::ssize(lane));
      return most;
    }
    // Of a group: as many as the lane has that has most.
    [[nodiscard]] std::int64_t sources(std::int64_t group) const {
      std::ptrdiff_t most = 1;
      for (const Groups& lane : lanes) {
        if (const Group* of = at(lane, group)) {
          most = std::max(most, std::ssize(of->sources));
        }
      }
      return most;
    }
    static const Group* at(const Groups& lane, std::int64_t group) {
      return group < std::ssize(lane) ? &lane[static_cast<std::size_t>(group)]
                                      : nullptr;
    }
  };

  // Parts of the bytes of dst within a vector of the part k.
  [[nodiscard]] std::size_t window_end(std::size_t k) const {
    const std::int64_t end = program_.parts[k].dst + vector_.bytes();
    while (k < program_.parts.size() && program_.parts[k].dst < end) ++k;
    return k;
  }

  // Parts of the bytes that follow each other in dst from the part k on.
  [[nodiscard]] std::size_t run_end(std::size_t k) const {
    for (++k; k < program_.parts.size(); ++k) {
      if (program_.parts[k].dst > program_.parts[k - 1].dst + 1) break;
    }
    return k;
  }

  // One piece, of whatever bytes are there.
  bool add_window(std::size_t begin, std::size_t end) {
    const Parts parts = program_.parts.subspan(begin, end - begin);
    const std::int64_t dst = parts.front().dst;
    std::uint64_t stored = 0;
    for (const BitPart& part : parts) {
      stored |= std::uint64_t{1} << (part.dst - dst);
    }
    const bool whole = stored == ~std::uint64_t{0};
    return add_piece(parts, {.dst = dst,
                             .bytes = whole ? vector_.bytes() : 0,
                             .stored = stored,
                             .count = 0,
                             .sources = 0});
  }

  // Pieces of a run: whole vectors, or lanes; the last one reaches back.
  bool add_run(std::size_t begin, std::size_t end) {
    const Parts parts = program_.parts.subspan(begin, end - begin);
    const std::int64_t first = parts.front().dst;
    const std::int64_t bytes = parts.back().dst + 1 - first;
    const std::int64_t piece =
        bytes >= vector_.bytes() ? vector_.bytes() : vector_.lane_bytes;
    if (bytes < piece) return false;
    for (std::int64_t at = 0; at < bytes; at += piece) {
      const std::int64_t dst = first + std::min(at, bytes - piece);
      const auto of = std::ranges::lower_bound(parts, dst, {}, &BitPart::dst);
      const auto to =
          std::ranges::lower_bound(parts, dst + piece, {}, &BitPart::dst);
      if (!add_piece({of, to}, {.dst = dst,
                                .bytes = piece,
                                .stored = 0,
                                .count = 0,
                                .sources = 0})) {
        return false;
      }
    }
    return true;
  }

  bool add_piece(Parts parts, const PieceHead& head) {
    const LaneMaker lane(vector_, first_, end_);
    Made made{head, {}};
    for (std::int64_t l = 0; l < vector_.lanes; ++l) {
      made.lanes.push_back(
          lane.groups(parts, head.dst + l * vector_.lane_bytes));
    }
    reach_ = std::max(reach_, first_ + vector_.lane_bytes);
    for (const Groups& groups : made.lanes) {
      for (const Group& group : groups) {
        for (const Source& source : group.sources) {
          reach_ = std::max(reach_, source.begin + vector_.lane_bytes);
        }
      }
    }
    for (std::int64_t g = 0; g < made.groups(); ++g) left_ -= made.sources(g);
    pieces_.push_back(std::move(made));
    return left_ >= 0;
  }

  // What ProgramVector says that groups begin with.
  void add_group(const Made& piece, std::int64_t g, ProgramWriter& to) const {
    const auto each_byte = [&](auto of) {
      for (const Groups& lane : piece.lanes) {
        const Group* const group = Made::at(lane, g);
        for (std::size_t b = 0; b < lane_bytes(); ++b) {
          to.add(group == nullptr ? std::uint8_t{0} : of(*group)[b]);
        }
      }
    };
    to.add(piece.sources(g));
    to.align(vector_.bytes());
    each_byte([](const Group& group) { return group.shift; });
    each_byte([](const Group& group) { return group.mask; });
  }

  void add_source(const Made& piece, std::int64_t g, std::int64_t k,
                  ProgramWriter& to) const {
    std::vector<Source> lanes;
    for (const Groups& lane : piece.lanes) {
      const Group* const group = Made::at(lane, g);
      const bool none = group == nullptr || k >= std::ssize(group->sources);
      lanes.push_back(none ? Source{.begin = first_}
                           : group->sources[static_cast<std::size_t>(k)]);
    }
    for (const Source& source : lanes) to.add(source.begin);
    if (vector_.lanes == 1) to.add(lanes.front().present);
    to.align(vector_.bytes());
    for (const Source& source : lanes) {
      for (std::size_t b = 0; b < lane_bytes(); ++b) {
        to.add((source.present >> b & 1) != 0 ? source.from[b] : masked_byte);
      }
    }
  }

  [[nodiscard]] std::size_t lane_bytes() const {
    return static_cast<std::size_t>(vector_.lane_bytes);
  }

  const BitProgram& program_;
  ProgramVector vector_;
  std::int64_t left_;
  // Of src.
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t reach_ = 0;
  std::vector<Made> pieces_;
};

}  // namespace

ProgramMemory make_bit_program(const BitProgram& program,
                               const ProgramVector& vector,
                               std::int64_t most_sources) {
  Maker maker(program, vector, most_sources);
  if (!maker.make()) return {};
  return maker.table();
}

}  // namespace stridewise::engine
