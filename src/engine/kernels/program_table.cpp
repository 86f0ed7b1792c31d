// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/program_table.hpp"

#include <algorithm>
#include <limits>

#include "engine/kernels/tile.hpp"

namespace stridewise::engine {
namespace {

using Head = ProgramTable::Head;
using PieceHead = ProgramTable::PieceHead;
using Element = ProgramTable::Element;

// The bytes of src that the elements of a tile span.
struct Span {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
};

Span span_of(std::span<const ProgramRun> runs, std::int64_t element_bytes) {
  Span span;
  for (const ProgramRun& run : runs) {
    for (const std::int64_t at : run.src) {
      if (at == no_row) continue;
      span.first = std::min(span.first, at);
      span.end = std::max(span.end, at + element_bytes);
    }
  }
  return span;
}

// A source of one lane.
struct LaneSource {
  std::int64_t src;
  std::vector<std::uint8_t> mask;
};

// The pieces of src that a lane takes its elements from, from the first in memory on.
std::vector<LaneSource> sources_of(std::span<const std::int64_t> elements,
                                   std::int64_t element_bytes,
                                   std::int64_t lane_bytes, const Span& span) {
  std::vector<LaneSource> sources;
  std::vector<bool> taken(elements.size());
  for (;;) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (!taken[k] && elements[k] != no_row) {
        first = std::min(first, elements[k]);
      }
    }
    if (first == std::numeric_limits<std::int64_t>::max()) return sources;
    // Not beyond what the tile holds of src, if it holds so much.
    const std::int64_t begin =
        std::min(first, std::max(span.end - lane_bytes, span.first));
    LaneSource source{
        begin, std::vector<std::uint8_t>(static_cast<std::size_t>(lane_bytes),
                                         masked_byte)};
    for (std::size_t k = 0; k < elements.size(); ++k) {
      if (taken[k] || elements[k] == no_row) continue;
      const std::int64_t at = elements[k] - begin;
      if (at < 0 || at + element_bytes > lane_bytes) continue;
      taken[k] = true;
      for (std::int64_t b = 0; b < element_bytes; ++b) {
        source.mask[k * static_cast<std::size_t>(element_bytes) +
                    static_cast<std::size_t>(b)] =
            static_cast<std::uint8_t>(at + b);
      }
    }
    sources.push_back(std::move(source));
  }
}

void append(std::vector<std::byte>& table, const void* data,
            std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  table.insert(table.end(), begin, begin + bytes);
}

class Maker {
 public:
  Maker(std::span<const ProgramRun> runs, std::int64_t element_bytes,
        const ProgramVector& vector, std::int64_t most_sources)
      : runs_(runs),
        element_bytes_(element_bytes),
        vector_(vector),
        most_sources_(most_sources),
        span_(span_of(runs, element_bytes)) {}

  std::optional<MadeProgram> make() {
    for (const ProgramRun& run : runs_) {
      if (!add(run)) return std::nullopt;
    }
    MadeProgram made;
    made.pieces = std::ssize(pieces_);
    const std::size_t heads = sizeof(Head) + pieces_.size() * sizeof(PieceHead);
    std::vector<Element> elements;
    for (const ProgramRun& run : runs_) {
      for (std::size_t k = 0; k < run.src.size(); ++k) {
        elements.push_back({run.src[k], run.dst + static_cast<std::int64_t>(k) *
                                                      element_bytes_});
      }
    }
    const Head head{made.pieces, reach_, std::ssize(elements), element_bytes_,
                    static_cast<std::int64_t>(heads + sources_.size())};
    append(made.table, &head, sizeof(head));
    for (PieceHead piece : pieces_) {
      made.sources += piece.count;
      piece.sources += static_cast<std::int64_t>(heads);
      append(made.table, &piece, sizeof(piece));
    }
    made.table.insert(made.table.end(), sources_.begin(), sources_.end());
    append(made.table, elements.data(), elements.size() * sizeof(Element));
    return made;
  }

 private:
  // The pieces of a run: whole vectors, then lanes, the last of which reaches back.
  bool add(const ProgramRun& run) {
    const std::int64_t bytes = std::ssize(run.src) * element_bytes_;
    std::int64_t unit = vector_.bytes();
    if (bytes < unit) unit = vector_.stores_any ? bytes : vector_.lane_bytes;
    if (bytes < unit) return false;
    for (std::int64_t at = 0; at < bytes; at += unit) {
      if (!add(run, std::min(at, bytes - unit), unit)) return false;
    }
    return true;
  }

  bool add(const ProgramRun& run, std::int64_t at, std::int64_t bytes) {
    std::vector<std::vector<LaneSource>> lanes;
    std::size_t most = 1;
    for (std::int64_t l = 0; l < vector_.lanes; ++l) {
      const std::int64_t begin = l * vector_.lane_bytes;
      const std::int64_t end = std::min(begin + vector_.lane_bytes, bytes);
      std::span<const std::int64_t> elements;
      if (begin < end) {
        elements = std::span(run.src).subspan(
            static_cast<std::size_t>((at + begin) / element_bytes_),
            static_cast<std::size_t>((end - begin) / element_bytes_));
      }
      lanes.push_back(
          sources_of(elements, element_bytes_, vector_.lane_bytes, span_));
      most = std::max(most, lanes.back().size());
    }
    if (std::ssize(lanes) == 0 ||
        static_cast<std::int64_t>(most) > most_sources_) {
      return false;
    }
    pieces_.push_back({run.dst + at, bytes, static_cast<std::int64_t>(most),
                       std::ssize(sources_)});
    for (std::size_t s = 0; s < most; ++s) add_source(lanes, s);
    return true;
  }

  // Source `s` of each lane; of those that have fewer, one that takes nothing.
  void add_source(const std::vector<std::vector<LaneSource>>& lanes,
                  std::size_t s) {
    const std::vector<std::uint8_t> none(
        static_cast<std::size_t>(vector_.lane_bytes), masked_byte);
    for (const auto& lane : lanes) {
      const std::int64_t src = s < lane.size() ? lane[s].src
                               : lane.empty()  ? span_first()
                                               : lane[0].src;
      reach_ = std::max(reach_, src + vector_.lane_bytes);
      append(sources_, &src, sizeof(src));
    }
    std::uint64_t present = 0;
    for (const auto& lane : lanes) {
      const auto& mask = s < lane.size() ? lane[s].mask : none;
      append(sources_, mask.data(), mask.size());
      for (std::size_t q = 0; q < mask.size() && q < 64; ++q) {
        if (mask[q] != masked_byte) present |= std::uint64_t{1} << q;
      }
    }
    if (vector_.lanes == 1) append(sources_, &present, sizeof(present));
  }
  [[nodiscard]] std::int64_t span_first() const {
    return span_.first == std::numeric_limits<std::int64_t>::max()
               ? 0
               : span_.first;
  }

  std::span<const ProgramRun> runs_;
  std::int64_t element_bytes_;
  const ProgramVector& vector_;
  std::int64_t most_sources_;
  Span span_;
  std::vector<PieceHead> pieces_;
  std::vector<std::byte> sources_;
  std::int64_t reach_ = 0;
};

}  // namespace

std::optional<MadeProgram> make_program(std::span<const ProgramRun> runs,
                                        std::int64_t element_bytes,
                                        const ProgramVector& vector,
                                        std::int64_t most_sources) {
  return Maker(runs, element_bytes, vector, most_sources).make();
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
