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

void append(std::vector<std::byte>& table, const void* data,
            std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  table.insert(table.end(), begin, begin + bytes);
}

class Maker {
 public:
  explicit Maker(const Runs& runs) : runs_(runs) {}

  std::vector<std::byte> make() {
    runs_.each_piece([&](const Piece& piece) { add_piece(piece); });
    const ProgramRuns& all = runs_.all();
    const std::int64_t elements = all.count * std::ssize(all.places);
    const std::size_t heads = sizeof(Head) + pieces_.size() * sizeof(PieceHead);
    const Head head{std::ssize(pieces_), reach_, elements, all.element_bytes,
                    static_cast<std::int64_t>(heads + sources_.size())};
    std::vector<std::byte> table;
    table.reserve(heads + sources_.size() +
                  static_cast<std::size_t>(elements) * sizeof(Element));
    append(table, &head, sizeof(head));
    for (PieceHead piece : pieces_) {
      piece.sources += static_cast<std::int64_t>(heads);
      append(table, &piece, sizeof(piece));
    }
    append(table, sources_.data(), sources_.size());
    for (std::int64_t run = 0; run < all.count; ++run) add_elements(run, table);
    return table;
  }

 private:
  void add_elements(std::int64_t run, std::vector<std::byte>& table) const {
    const ProgramRuns& all = runs_.all();
    Element element{0, run * all.dst_step};
    for (const std::int64_t place : all.places) {
      element.src = place == no_row ? no_row : place + run * all.src_step;
      append(table, &element, sizeof(element));
      element.dst += all.element_bytes;
    }
  }

  void add_piece(const Piece& piece) {
    const ProgramVector& vector = runs_.vector();
    const std::int64_t count = runs_.sources(piece);
    const std::size_t first = sources_.size();
    pieces_.push_back({runs_.dst_of(piece), runs_.piece_bytes(), count,
                       std::ssize(sources_)});
    sources_.resize(first +
                    static_cast<std::size_t>(count * vector.source_bytes()));
    for (std::int64_t l = 0; l < vector.lanes; ++l) {
      const Places elements = runs_.lane(piece, l);
      std::byte* to = sources_.data() + first;
      std::int64_t made = 0, first_begin = 0;
      taken_.assign(elements.size(), false);
      runs_.each_source(piece, elements, [&](std::int64_t begin) {
        if (made++ == 0) first_begin = begin;
        add_source(to, l, piece, elements, begin);
        to += vector.source_bytes();
      });
      // Lanes that have fewer take nothing of others.
      if (made == 0 && runs_.span().first < runs_.span().end) {
        first_begin = runs_.span().first;
      }
      for (; made < count; ++made, to += vector.source_bytes()) {
        add_source(to, l, piece, {}, first_begin);
      }
    }
  }

  // What lane `l` takes of a source: those of its elements that no earlier one took.
  void add_source(std::byte* to, std::int64_t l, const Piece& piece,
                  Places elements, std::int64_t begin) {
    const ProgramVector& vector = runs_.vector();
    const std::int64_t width = runs_.all().element_bytes;
    const std::int64_t shift = piece.run * runs_.all().src_step;
    std::array<std::uint8_t, most_lane_elements> mask{};
    mask.fill(masked_byte);
    std::uint64_t present = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (taken_[k] || elements[k] == no_row) continue;
      const std::int64_t at = elements[k] + shift - begin;
      if (at < 0 || at + width > vector.lane_bytes) continue;
      taken_[k] = true;
      for (std::int64_t b = 0; b < width; ++b) {
        const auto q =
            k * static_cast<std::size_t>(width) + static_cast<std::size_t>(b);
        mask[q] = static_cast<std::uint8_t>(at + b);
        present |= std::uint64_t{1} << q;
      }
    }
    reach_ = std::max(reach_, begin + vector.lane_bytes);
    std::byte* const masks = to + vector.lanes * 8;
    std::memcpy(to + l * 8, &begin, sizeof(begin));
    std::memcpy(masks + l * vector.lane_bytes, mask.data(),
                static_cast<std::size_t>(vector.lane_bytes));
    if (vector.lanes == 1) {
      std::memcpy(masks + vector.lane_bytes, &present, sizeof(present));
    }
  }

  const Runs& runs_;
  std::vector<PieceHead> pieces_;
  std::vector<std::byte> sources_;
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

std::vector<std::byte> make_program(const ProgramRuns& runs,
                                    const ProgramVector& vector) {
  return Maker(Runs(runs, vector)).make();
}

void ProgramTable::move_elements(const std::byte* src, std::byte* dst) const {
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
