// For peers that transpose and copy matrices: a problem's rectangles as loops
// around them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "peer.hpp"

namespace peer {

// `rows` x `columns` units of so many bytes. In src, columns follow each other; in
// dst, rows do, or, of a copy, columns. Pitches are in units.
struct Matrix {
  bool transposed;
  int unit_bytes;
  int rows, columns;
  int src_pitch, dst_pitch;
};

// Library has accepts(Matrix), and run(Matrix, src, dst), which moves one.
template <class Library>
class MatrixSolver {
 public:
  MatrixSolver(const Json& problem, char* src, char* dst)
      : src_(src), dst_(dst) {
    if (problem["threads"] != 1) throw Cannot("one thread only");
    if (problem.contains("to_dtype")) throw Cannot("converts no values");
    if (problem["rectangles"].is_null()) {
      throw Cannot("these layouts are not a few strided rectangles");
    }
    const std::int64_t width = problem["element_bytes"];
    for (const Json& rectangle : problem["rectangles"]) {
      nests_.push_back(nest_of(rectangle, width));
      if (!Library::accepts(nests_.back().matrix)) {
        throw Cannot("no such matrices");
      }
    }
  }

  void run() const {
    for (const Nest& nest : nests_) {
      loops(nest, nest.loops.size(), src_ + nest.src_offset,
            dst_ + nest.dst_offset);
    }
  }

 private:
  // Strides and offsets in bytes.
  struct Loop {
    std::int64_t count, src_stride, dst_stride;
  };
  struct Nest {
    Matrix matrix;
    std::int64_t src_offset, dst_offset;
    std::vector<Loop> loops;  // the innermost first
  };

  static void loops(const Nest& nest, std::size_t depth, const char* src,
                    char* dst) {
    if (depth == 0) return Library::run(nest.matrix, src, dst);
    const Loop& loop = nest.loops[depth - 1];
    for (std::int64_t k = 0; k < loop.count; ++k) {
      loops(nest, depth - 1, src + k * loop.src_stride,
            dst + k * loop.dst_stride);
    }
  }

  static Nest nest_of(const Json& rectangle, std::int64_t width) {
    Nest nest{};
    nest.src_offset = rectangle["src_offset"].get<std::int64_t>() * width;
    nest.dst_offset = rectangle["dst_offset"].get<std::int64_t>() * width;
    nest.loops = merged(rectangle, width);
    // What both sides have in one piece is the unit, if a library knows it.
    std::int64_t unit = width;
    constexpr std::int64_t most_unit = 16;
    Loop* run = contiguous(nest.loops, unit, &Loop::src_stride);
    if (run != nullptr && run->dst_stride == unit && run->count > 1 &&
        most_unit % (unit * run->count) == 0) {
      unit *= run->count;
      *run = Loop{1, unit, unit};
    }
    nest.matrix = matrix_of(nest.loops, unit);
    return nest;
  }

  // The rectangle's loops, without those of one and as few as they are.
  static std::vector<Loop> merged(const Json& rectangle, std::int64_t width) {
    const std::vector<std::int64_t> extents = rectangle["extents"];
    const std::vector<std::int64_t> src = rectangle["src_strides"];
    const std::vector<std::int64_t> dst = rectangle["dst_strides"];
    std::vector<Loop> loops;
    for (std::size_t k = extents.size(); k-- > 0;) {
      const Loop loop{extents[k], src[k] * width, dst[k] * width};
      if (loop.count == 1) continue;
      const auto goes_on = [&](const Loop& inner) {
        return loop.src_stride == inner.count * inner.src_stride &&
               loop.dst_stride == inner.count * inner.dst_stride;
      };
      const auto inner = std::find_if(loops.begin(), loops.end(), goes_on);
      if (inner != loops.end()) {
        inner->count *= loop.count;
      } else {
        loops.push_back(loop);
      }
    }
    return loops;
  }

  // The longest loop over units that follow each other on one side.
  static Loop* contiguous(std::vector<Loop>& loops, std::int64_t unit,
                          std::int64_t Loop::*stride) {
    Loop* longest = nullptr;
    for (Loop& loop : loops) {
      if (loop.*stride == unit &&
          (longest == nullptr || loop.count > longest->count)) {
        longest = &loop;
      }
    }
    return longest;
  }

  // Takes the loops of a matrix out of these: a transpose where each side has runs
  // of its own, else a copy of runs, of one unit if need be.
  static Matrix matrix_of(std::vector<Loop>& loops, std::int64_t unit) {
    const Loop* in_src = contiguous(loops, unit, &Loop::src_stride);
    const Loop* in_dst = contiguous(loops, unit, &Loop::dst_stride);
    Loop columns{1, unit, unit};
    if (in_src != nullptr && in_dst != nullptr) columns = *in_src;
    const std::int64_t run = columns.count * unit;
    Loop rows{1, run, run};
    const bool transposed =
        in_src != nullptr && in_dst != nullptr && in_src != in_dst;
    if (transposed) {
      rows = *in_dst;
    } else {
      for (const Loop& loop : loops) {
        const bool pitched = loop.src_stride >= run && loop.dst_stride >= run;
        if (pitched && loop.count > rows.count) rows = loop;
      }
    }
    const auto taken = [&](const Loop& loop) {
      const auto same = [&](const Loop& other) {
        return loop.src_stride == other.src_stride &&
               loop.dst_stride == other.dst_stride;
      };
      return loop.count == 1 || same(columns) || same(rows);
    };
    loops.erase(std::remove_if(loops.begin(), loops.end(), taken), loops.end());
    return {transposed,
            small(unit, 1),
            small(rows.count, 1),
            small(columns.count, 1),
            small(rows.src_stride, unit),
            small((transposed ? columns : rows).dst_stride, unit)};
  }

  static int small(std::int64_t bytes, std::int64_t unit) {
    if (bytes % unit != 0 || bytes / unit > std::numeric_limits<int>::max()) {
      throw Cannot("no such pitch");
    }
    return static_cast<int>(bytes / unit);
  }

  const char* src_;
  char* dst_;
  std::vector<Nest> nests_;
};

}  // namespace peer
