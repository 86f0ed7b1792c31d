// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program_table.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/kernels/tile.hpp"

namespace stridewise::engine {
namespace {

using Head = ProgramTable::Head;
using PieceHead = ProgramTable::PieceHead;
using Element = ProgramTable::Element;
using Places = std::span<const std::int64_t>;

constexpr std::size_t most_lane_elements = 64;

// The bytes of src that the elements of a tile span.
struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
};

Span span_of(const ProgramRuns& runs) {
  Span span;
  for (const std::int64_t at : runs.places) {
    if (at == no_row) continue;
    span.first = std::min(span.first, at);
    span.end = std::max(span.end, at + runs.element_bytes);
  }
  if (span.first < span.end) span.end += (runs.count - 1) * runs.src_step;
  return span;
}

// A piece of a run.
struct Piece {
  std::int64_t at;   // its first byte in the run
  std::int64_t run;  // which of them
};

// Runs of dst, and the vector that moves them by pieces.
class Runs {
 public:
  Runs(const ProgramRuns& runs, const ProgramVector& vector)
      : runs_(runs),
        vector_(vector),
        span_(span_of(runs)),
        bytes_(std::ssize(runs.places) * runs.element_bytes),
        piece_bytes_(bytes_ >= vector.bytes()      ? vector.bytes()
                     : vector.stores_any           ? bytes_
                     : bytes_ >= vector.lane_bytes ? vector.lane_bytes
                                                   : 0) {}

  [[nodiscard]] const ProgramRuns& all() const { return runs_; }
  [[nodiscard]] const ProgramVector& vector() const { return vector_; }
  [[nodiscard]] const Span& span() const { return span_; }
  // Whole vectors, or lanes; 0 where the run is too short for one.
  [[nodiscard]] std::int64_t piece_bytes() const { return piece_bytes_; }
  [[nodiscard]] std::int64_t dst_of(const Piece& piece) const {
    return piece.at + piece.run * runs_.dst_step;
  }

  // one(piece) for each; the last of a run reaches back.
  template <class One>
  void each_piece(One one) const {
    for (std::int64_t run = 0; run < runs_.count; ++run) {
      for (std::int64_t at = 0; at < bytes_; at += piece_bytes_) {
        one(Piece{std::min(at, bytes_ - piece_bytes_), run});
      }
    }
  }

  // The places of the elements of lane `l` of a piece, those of the first run.
  [[nodiscard]] Places lane(const Piece& piece, std::int64_t l) const {
    const std::int64_t begin = l * vector_.lane_bytes;
    const std::int64_t end = std::min(begin + vector_.lane_bytes, piece_bytes_);
    if (begin >= end) return {};
    return runs_.places.subspan(
        static_cast<std::size_t>((piece.at + begin) / runs_.element_bytes),
        static_cast<std::size_t>((end - begin) / runs_.element_bytes));
  }

  // one(begin) for pieces of src that together hold the elements of a lane, from the
  // first in memory on.
  template <class One>
  void each_source(const Piece& piece, Places elements, One one) const {
    std::array<std::int64_t, most_lane_elements> sorted;  // NOLINT: set below
    std::size_t count = 0;
    for (const std::int64_t at : elements) {
      if (at != no_row) sorted[count++] = at + piece.run * runs_.src_step;
    }
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
    if (!std::is_sorted(sorted.begin(), end)) std::sort(sorted.begin(), end);
    // Not beyond what the tile holds of src, if it holds so much.
    const std::int64_t last =
        std::max(span_.end - vector_.lane_bytes, span_.first);
    const std::span places(sorted.data(), count);
    const auto count_of = [](std::int64_t& sources) {
      return [&sources](std::int64_t) { ++sources; };
    };
    std::int64_t wherever = 0, of_lines = 0;
    each_window(places, last, 1, count_of(wherever));
    if (each_window(places, last, line_bytes, count_of(of_lines)) &&
        of_lines <= wherever) {
      // No load reaches over the end of a line.
      each_window(places, last, line_bytes, one);
    } else {
      each_window(places, last, 1, one);
    }
  }

  // Of the lane that has most; and the bits of where they begin.
  [[nodiscard]] std::int64_t sources(const Piece& piece,
                                     std::int64_t* bits = nullptr) const {
    std::int64_t most = 1;
    for (std::int64_t l = 0; l < vector_.lanes; ++l) {
      std::int64_t count = 0;
      each_source(piece, lane(piece, l), [&](std::int64_t begin) {
        ++count;
        if (bits != nullptr) *bits |= begin;
      });
      most = std::max(most, count);
    }
    return most;
  }

 private:
  // one(begin) for windows as long as a lane that begin with a multiple of so many bytes;
  // false where those do not hold all.
  template <class One>
  bool each_window(Places sorted, std::int64_t last, std::int64_t aligned_to,
                   One one) const {
    const std::int64_t reach = vector_.lane_bytes - runs_.element_bytes;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const std::int64_t begin =
          std::min(sorted[k] - sorted[k] % aligned_to, last);
      if (begin < span_.first || sorted[k] > begin + reach) return false;
      one(begin);
      while (k + 1 < sorted.size() && sorted[k + 1] <= begin + reach) ++k;
    }
    return true;
  }

  ProgramRuns runs_;
  ProgramVector vector_;
  Span span_;
  std::int64_t bytes_;
  std::int64_t piece_bytes_;
};

class Maker {
 public:
  explicit Maker(const Runs& runs) : runs_(runs) {}

  ProgramMemory make() {
    std::int64_t pieces = 0;
    runs_.each_piece([&](const Piece&) { ++pieces; });
    first_ = ProgramTable::sources_at(pieces);
    runs_.each_piece([&](const Piece& piece) { add_piece(piece); });
    const ProgramRuns& all = runs_.all();
    ProgramWriter table;
    table.add(Head{.pieces = pieces,
                   .reach = reach_,
                   .elements = all.count * std::ssize(all.places),
                   .element_bytes = all.element_bytes,
                   .elements_at = first_ + sources_.size()});
    table.add(pieces_);
    table.align(line_bytes);
    table.add(sources_);
    for (std::int64_t run = 0; run < all.count; ++run) add_elements(run, table);
    return table.memory();
  }

 private:
  void add_elements(std::int64_t run, ProgramWriter& table) const {
    const ProgramRuns& all = runs_.all();
    Element element{0, run * all.dst_step};
    for (const std::int64_t place : all.places) {
      element.src = place == no_row ? no_row : place + run * all.src_step;
      table.add(element);
      element.dst += all.element_bytes;
    }
  }

  void add_piece(const Piece& piece) {
    const ProgramVector& vector = runs_.vector();
    const std::int64_t count = runs_.sources(piece);
    const std::int64_t bytes = runs_.piece_bytes();
    pieces_.add(PieceHead{.dst = runs_.dst_of(piece),
                          .bytes = bytes,
                          .stored = ~std::uint64_t{0} >> (64 - bytes),
                          .count = count,
                          .sources = first_ + sources_.size()});
    std::vector<std::vector<Source>> lanes;
    for (std::int64_t l = 0; l < vector.lanes; ++l) {
      const Places elements = runs_.lane(piece, l);
      std::vector<Source>& sources = lanes.emplace_back();
      taken_.assign(elements.size(), false);
      runs_.each_source(piece, elements, [&](std::int64_t begin) {
        sources.push_back(source_of(piece, elements, begin));
      });
      // Lanes that have fewer take nothing of others.
      Source none;
      none.begin = !sources.empty() ? sources.front().begin
                   : runs_.span().first < runs_.span().end ? runs_.span().first
                                                           : 0;
      if (sources.empty()) {
        reach_ = std::max(reach_, none.begin + vector.lane_bytes);
      }
      sources.resize(static_cast<std::size_t>(count), none);
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      add_source(lanes, k);
    }
  }

  struct Source {
    std::int64_t begin = 0;
    std::uint64_t present = 0;
    std::array<std::uint8_t, most_lane_elements> mask;

    Source() { mask.fill(masked_byte); }
  };

  // What a lane takes of a source: those of its elements that no earlier one took.
  Source source_of(const Piece& piece, Places elements, std::int64_t begin) {
    const ProgramVector& vector = runs_.vector();
    const std::int64_t width = runs_.all().element_bytes;
    const std::int64_t shift = piece.run * runs_.all().src_step;
    Source source;
    source.begin = begin;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (taken_[k] || elements[k] == no_row) continue;
      const std::int64_t at = elements[k] + shift - begin;
      if (at < 0 || at + width > vector.lane_bytes) continue;
      taken_[k] = true;
      for (std::int64_t b = 0; b < width; ++b) {
        const auto q =
            k * static_cast<std::size_t>(width) + static_cast<std::size_t>(b);
        source.mask[q] = static_cast<std::uint8_t>(at + b);
        source.present |= std::uint64_t{1} << q;
      }
    }
    reach_ = std::max(reach_, begin + vector.lane_bytes);
    return source;
  }

  void add_source(const std::vector<std::vector<Source>>& lanes,
                  std::size_t k) {
    const ProgramVector& vector = runs_.vector();
    for (const auto& lane : lanes) sources_.add(lane[k].begin);
    if (vector.lanes == 1) sources_.add(lanes.front()[k].present);
    sources_.align(vector.bytes());
    for (const auto& lane : lanes) {
      for (std::int64_t b = 0; b < vector.lane_bytes; ++b) {
        sources_.add(lane[k].mask[static_cast<std::size_t>(b)]);
      }
    }
  }

  const Runs& runs_;
  std::int64_t first_ = 0;  // where sources begin in the table
  ProgramWriter pieces_;
  ProgramWriter sources_;
  std::vector<bool> taken_;
  std::int64_t reach_ = 0;
};

}  // namespace

std::optional<ProgramSize> size_of_program(const ProgramRuns& runs,
                                           const ProgramVector& vector,
                                           std::int64_t most_sources) {
  const Runs all(runs, vector);
  if (all.piece_bytes() == 0) return std::nullopt;
  ProgramSize size;
  bool fits = true;
  all.each_piece([&](const Piece& piece) {
    if (!fits) return;
    const std::int64_t sources = all.sources(piece, &size.source_bits);
    fits = sources <= most_sources;
    ++size.pieces;
    size.sources += sources;
  });
  return fits ? std::optional(size) : std::nullopt;
}

ProgramMemory make_program(const ProgramRuns& runs,
                           const ProgramVector& vector) {
  return Maker(Runs(runs, vector)).make();
}

ProgramVector program_vector(Isa isa) {
  if (isa >= Isa::avx512_vbmi) return {1, 64, true, true};
  if (isa >= Isa::avx2) return {2, 16, false, false};
  return {1, 16, false, false};
}

void ProgramTable::move_parts(const std::byte* src, std::byte* dst) const {
  const std::byte* const parts = table_ + head_.elements_at;
  Part part;  // NOLINT: read whole
  for (std::int64_t k = 0; k < head_.elements;) {
    unsigned byte = 0;
    std::int64_t at = 0;
    for (bool first = true; k < head_.elements; ++k, first = false) {
      std::memcpy(&part, parts + static_cast<std::size_t>(k) * sizeof(Part),
                  sizeof(part));
      if (!first && part.dst != at) break;
      at = part.dst;
      if (part.mask == 0) continue;
      const unsigned from =
          head_.before.of(static_cast<unsigned>(src[part.src]));
      byte |= (part.shift < 0 ? from >> -part.shift : from << part.shift) &
              part.mask;
    }
    dst[at] = static_cast<std::byte>(head_.after.of(byte));
  }
}

void ProgramTable::move_elements(const std::byte* src, std::byte* dst) const {
  if (head_.element_bytes == 0) return move_parts(src, dst);
  const std::byte* const elements = table_ + head_.elements_at;
  const auto width = static_cast<std::size_t>(head_.element_bytes);
  for (std::int64_t k = 0; k < head_.elements; ++k) {
    Element element;  // NOLINT: read whole
    std::memcpy(&element,
                elements + static_cast<std::size_t>(k) * sizeof(Element),
                sizeof(element));
    if (element.src == no_row) {
      std::memset(dst + element.dst, 0, width);
    } else {
      std::memcpy(dst + element.dst, src + element.src, width);
    }
  }
}

}  // namespace stridewise::engine
