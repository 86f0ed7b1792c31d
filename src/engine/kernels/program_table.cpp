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

Span span_of(Places places, std::int64_t element_bytes) {
  Span span;
  for (const std::int64_t at : places) {
    if (at == no_row) continue;
    span.first = std::min(span.first, at);
    span.end = std::max(span.end, at + element_bytes);
  }
  return span;
}

// A run of dst, and the vector that moves it by pieces.
class Run {
 public:
  Run(Places places, std::int64_t element_bytes, const ProgramVector& vector)
      : places_(places),
        element_bytes_(element_bytes),
        vector_(vector),
        span_(span_of(places, element_bytes)),
        bytes_(std::ssize(places) * element_bytes),
        piece_bytes_(bytes_ >= vector.bytes()      ? vector.bytes()
                     : vector.stores_any           ? bytes_
                     : bytes_ >= vector.lane_bytes ? vector.lane_bytes
                                                   : 0) {}

  [[nodiscard]] Places places() const { return places_; }
  [[nodiscard]] std::int64_t element_bytes() const { return element_bytes_; }
  [[nodiscard]] const ProgramVector& vector() const { return vector_; }
  [[nodiscard]] const Span& span() const { return span_; }
  // Whole vectors, or lanes; 0 where the run is too short for one.
  [[nodiscard]] std::int64_t piece_bytes() const { return piece_bytes_; }

  // one(at) for each piece; the last of them reaches back.
  template <class One>
  void each_piece(One one) const {
    for (std::int64_t at = 0; at < bytes_; at += piece_bytes_) {
      one(std::min(at, bytes_ - piece_bytes_));
    }
  }

  // Of the piece at that byte of dst, the elements of lane `l`.
  [[nodiscard]] Places lane(std::int64_t at, std::int64_t l) const {
    const std::int64_t begin = l * vector_.lane_bytes;
    const std::int64_t end = std::min(begin + vector_.lane_bytes, piece_bytes_);
    if (begin >= end) return {};
    return places_.subspan(
        static_cast<std::size_t>((at + begin) / element_bytes_),
        static_cast<std::size_t>((end - begin) / element_bytes_));
  }

  // one(begin) for pieces of src that together hold the elements of a lane, from the
  // first in memory on.
  template <class One>
  void each_source(Places elements, One one) const {
    std::array<std::int64_t, most_lane_elements> sorted;  // NOLINT: set below
    std::size_t count = 0;
    for (const std::int64_t at : elements) {
      if (at != no_row) sorted[count++] = at;
    }
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
    if (!std::is_sorted(sorted.begin(), end)) std::sort(sorted.begin(), end);
    // Not beyond what the tile holds of src, if it holds so much.
    const std::int64_t last =
        std::max(span_.end - vector_.lane_bytes, span_.first);
    for (std::size_t k = 0; k < count;) {
      const std::int64_t begin = std::min(sorted[k], last);
      const std::int64_t fits = begin + vector_.lane_bytes - element_bytes_;
      one(begin);
      while (k < count && sorted[k] <= fits) ++k;
    }
  }

  // Of the piece at that byte, those of the lane that has most.
  [[nodiscard]] std::int64_t sources(std::int64_t at) const {
    std::int64_t most = 1;
    for (std::int64_t l = 0; l < vector_.lanes; ++l) {
      std::int64_t count = 0;
      each_source(lane(at, l), [&](std::int64_t) { ++count; });
      most = std::max(most, count);
    }
    return most;
  }

 private:
  Places places_;
  std::int64_t element_bytes_;
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
  explicit Maker(const Run& run) : run_(run) {}

  std::vector<std::byte> make() {
    run_.each_piece([&](std::int64_t at) { add_piece(at); });
    const std::size_t heads = sizeof(Head) + pieces_.size() * sizeof(PieceHead);
    const std::size_t elements = run_.places().size() * sizeof(Element);
    const Head head{std::ssize(pieces_), reach_, std::ssize(run_.places()),
                    run_.element_bytes(),
                    static_cast<std::int64_t>(heads + sources_.size())};
    std::vector<std::byte> table;
    table.reserve(heads + sources_.size() + elements);
    append(table, &head, sizeof(head));
    for (PieceHead piece : pieces_) {
      piece.sources += static_cast<std::int64_t>(heads);
      append(table, &piece, sizeof(piece));
    }
    append(table, sources_.data(), sources_.size());
    Element element{0, 0};
    for (const std::int64_t place : run_.places()) {
      element.src = place;
      append(table, &element, sizeof(element));
      element.dst += run_.element_bytes();
    }
    return table;
  }

 private:
  void add_piece(std::int64_t at) {
    const ProgramVector& vector = run_.vector();
    const std::int64_t count = run_.sources(at);
    const std::size_t first = sources_.size();
    pieces_.push_back({at, run_.piece_bytes(), count, std::ssize(sources_)});
    sources_.resize(first +
                    static_cast<std::size_t>(count * vector.source_bytes()));
    for (std::int64_t l = 0; l < vector.lanes; ++l) {
      const Places elements = run_.lane(at, l);
      std::byte* to = sources_.data() + first;
      std::int64_t made = 0, first_begin = 0;
      taken_.assign(elements.size(), false);
      run_.each_source(elements, [&](std::int64_t begin) {
        if (made++ == 0) first_begin = begin;
        add_source(to, l, elements, begin);
        to += vector.source_bytes();
      });
      // Lanes that have fewer take nothing of others.
      if (made == 0 && run_.span().first < run_.span().end) {
        first_begin = run_.span().first;
      }
      for (; made < count; ++made, to += vector.source_bytes()) {
        add_source(to, l, {}, first_begin);
      }
    }
  }

  // What lane `l` takes of a source: those of its elements that no earlier one took.
  void add_source(std::byte* to, std::int64_t l, Places elements,
                  std::int64_t begin) {
    const ProgramVector& vector = run_.vector();
    const std::int64_t width = run_.element_bytes();
    std::array<std::uint8_t, most_lane_elements> mask{};
    mask.fill(masked_byte);
    std::uint64_t present = 0;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (taken_[k] || elements[k] == no_row) continue;
      const std::int64_t at = elements[k] - begin;
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

  const Run& run_;
  std::vector<PieceHead> pieces_;
  std::vector<std::byte> sources_;
  std::vector<bool> taken_;
  std::int64_t reach_ = 0;
};

}  // namespace

std::optional<ProgramSize> size_of_program(std::span<const std::int64_t> places,
                                           std::int64_t element_bytes,
                                           const ProgramVector& vector,
                                           std::int64_t most_sources) {
  const Run run(places, element_bytes, vector);
  if (run.piece_bytes() == 0) return std::nullopt;
  ProgramSize size;
  bool fits = true;
  run.each_piece([&](std::int64_t at) {
    if (!fits) return;
    const std::int64_t sources = run.sources(at);
    fits = sources <= most_sources;
    ++size.pieces;
    size.sources += sources;
  });
  return fits ? std::optional(size) : std::nullopt;
}

std::vector<std::byte> make_program(std::span<const std::int64_t> places,
                                    std::int64_t element_bytes,
                                    const ProgramVector& vector) {
  return Maker(Run(places, element_bytes, vector)).make();
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
