// Strips of a transpose: rows that fill a line of dst, or half of one, or a lane, from the
// first column to the last. Included by the file of an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "engine/kernels/squares.hpp"
#include "engine/kernels/walk.hpp"

namespace stridewise::engine {
namespace {

// What a strip, or several, are asked to do.
struct StripWork {
  std::int64_t columns;
  std::int64_t strips;  // side by side
  std::int64_t ahead;   // as in Hints
  Loop planes;
};

// Some strips side by side, with squares of type Square.
template <class Vector, class Square, int width, bool streams>
struct Strips {
  using V = typename Vector::type;
  static constexpr std::int64_t step = Square::columns;
  static constexpr std::int64_t bytes = Square::rows * width;

  // At least `step` columns of whole strips. Not inline, so that registers are all for
  // this.
  template <class Rows, class Columns>
  [[gnu::noinline]] static void run(Rows rows, Columns columns,
                                    const StripWork work) {
    if constexpr (Square::n == 1) return lanes(rows, columns, work);
    for (std::int64_t plane = 0; plane < work.planes.count; ++plane) {
      for (std::int64_t j = 0; j < work.columns; j += step) {
        const std::int64_t at = std::min(j, work.columns - step);
        for (std::int64_t s = 0; s < work.strips; ++s) {
          const auto from = rows.from(s * Square::rows, at * width);
          const auto to = columns.from(at, s * bytes);
          if (work.ahead != 0) ask(from, at * width, work.ahead);
          square(from, to);
        }
      }
      rows.move(work.planes.src);
      columns.move(work.planes.dst);
    }
  }

  // Lines that stream in parts, some by turns, would be written in parts: they are put
  // together first.
  template <class Rows, class Columns>
  [[gnu::always_inline]] static void square(const Rows& from,
                                            const Columns& to) {
    constexpr bool in_parts = streams && sizeof(V) < line_bytes;
    if constexpr (in_parts) {
      alignas(64) std::byte lines[step * bytes];
      Square::each(
          from, [&](std::int64_t k, std::int64_t byte, V v)
                    __attribute__((always_inline)) {
                      Vector::store(lines + k * bytes + byte, v);
                    });
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < step; ++k) {
        std::byte* const line = to.at(k);
#pragma GCC unroll 4
        for (std::int64_t at = 0; at < bytes; at += sizeof(V)) {
          Vector::stream(line + at, Vector::load(lines + k * bytes + at));
        }
      }
    } else {
      Square::each(
          from, [&](std::int64_t k, std::int64_t byte, V v)
                    __attribute__((always_inline)) {
                      put<Vector, streams>(to.at(k) + byte, v);
                    });
    }
  }

  // Elements that are lanes, or longer: strip by strip, or of few columns column by column.
  template <class Rows, class Columns>
  [[gnu::always_inline]] static void lanes(Rows rows, Columns columns,
                                           const StripWork& work) {
    const auto line = [&](const Rows& strip, std::byte* to, std::int64_t byte)
        __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int part = 0; part < Square::parts; ++part) {
        put<Vector, streams>(
            to + part * Square::vector_bytes,
            Vector::gather([&](std::int64_t lane) {
              const std::int64_t l = part * Square::lanes + lane;
              return strip.at(l / Square::of_element,
                              byte + l % Square::of_element * 16);
            }));
      }
    };
    for (std::int64_t plane = 0; plane < work.planes.count; ++plane) {
      if (work.columns < work.strips) {
        for (std::int64_t j = 0; j < work.columns; ++j) {
          std::byte* const to = columns.at(j);
          for (std::int64_t s = 0; s < work.strips; ++s) {
            line(rows.from(s * Square::rows, 0), to + s * bytes, j * width);
          }
        }
      } else {
        for (std::int64_t s = 0; s < work.strips; ++s) {
          const auto strip = rows.from(s * Square::rows, 0);
          for (std::int64_t j = 0; j < work.columns; ++j) {
            if (work.ahead != 0 && j * width % line_bytes == 0) {
              ask(strip.from(0, j * width), 0, work.ahead);
            }
            line(strip, columns.at(j) + s * bytes, j * width);
          }
        }
      }
      rows.move(work.planes.src);
      columns.move(work.planes.dst);
    }
  }

  // Fewer columns than a square has: what is read beyond them is not written.
  template <class Rows, class Columns>
  [[gnu::noinline]] static void few(Rows rows, Columns columns,
                                    const StripWork work) {
    for (std::int64_t plane = 0; plane < work.planes.count; ++plane) {
      for (std::int64_t s = 0; s < work.strips; ++s) {
        const auto to = columns.from(0, s * bytes);
        Square::each(
            rows.from(s * Square::rows, 0), [&](std::int64_t k,
                                                std::int64_t byte, V v)
                                                __attribute__((always_inline)) {
                                                  if (k >= work.columns) return;
                                                  Vector::store(to.at(k) + byte,
                                                                v);
                                                });
      }
      rows.move(work.planes.src);
      columns.move(work.planes.dst);
    }
  }

 private:
  // Asks for as many lines as a square reads, each once: those of some rows by turns.
  template <class Rows>
  [[gnu::always_inline]] static void ask(const Rows& from, std::int64_t byte,
                                         std::int64_t ahead) {
    constexpr std::int64_t turns = std::clamp<std::int64_t>(
        line_bytes / (step * width), 1, Square::n == 1 ? 1 : Square::rows);
    const std::int64_t turn = byte / (step * width) % turns;
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < Square::rows / turns; ++i) {
      __builtin_prefetch(from.at(i * turns + turn, ahead), 0, 2);
    }
  }
};

// One strip of less than a vector, by squares that lie side by side in vectors.
template <class Vector, class Square, bool streams>
struct ShortStrip {
  template <class Rows, class Columns>
  [[gnu::noinline]] static void run(Rows rows, Columns columns,
                                    const StripWork work) {
    for (std::int64_t plane = 0; plane < work.planes.count; ++plane) {
      for (std::int64_t j = 0; j < work.columns; j += Square::columns) {
        const std::int64_t at = std::min(j, work.columns - Square::columns);
        if (work.ahead != 0) ask(rows, at, work.ahead);
        Square::move(rows.from(0, at * element), columns.from(at, 0));
      }
      rows.move(work.planes.src);
      columns.move(work.planes.dst);
    }
  }

  // Columns that follow each other in dst. What does not fill vectors of dst goes by
  // itself, and those that are not aligned do not stream.
  template <class Rows>
  [[gnu::noinline]] static void run_dense(Rows rows, ColumnsByPitch columns,
                                          const StripWork work) {
    for (std::int64_t plane = 0; plane < work.planes.count; ++plane) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(columns.dst) %
                               sizeof(typename Vector::type) ==
                           0;
      std::int64_t j = 0;
      for (; work.columns - j >= Square::columns; j += Square::columns) {
        if (work.ahead != 0) ask(rows, j, work.ahead);
        const auto from = rows.from(0, j * element);
        std::byte* const to = anew(columns.dst + j * columns.pitch);
        if (streams && aligned) {
          Square::template move_dense<true>(from, to);
        } else {
          Square::template move_dense<false>(from, to);
        }
      }
      // Lines that have streamed are not written again.
      using Alone = typename Square::Alone;
      for (; work.columns - j >= Alone::columns; j += Alone::columns) {
        Alone::each(
            rows.from(0, j * element), [&](std::int64_t k, std::int64_t byte,
                                           Vector128::type v)
                                           __attribute__((always_inline)) {
                                             if (streams && aligned) {
                                               Vector128::stream(
                                                   columns.at(j + k) + byte, v);
                                             } else {
                                               Vector128::store(
                                                   columns.at(j + k) + byte, v);
                                             }
                                           });
      }
      if (j < work.columns) {
        const std::int64_t at = work.columns - Alone::columns;
        Alone::each(
            rows.from(0, at * element), [&](std::int64_t k, std::int64_t byte,
                                            Vector128::type v)
                                            __attribute__((always_inline)) {
                                              Vector128::store(
                                                  columns.at(at + k) + byte, v);
                                            });
      }
      rows.move(work.planes.src);
      columns.move(work.planes.dst);
    }
  }

 private:
  static constexpr std::int64_t element = 16 / Square::n;

  template <class Rows>
  [[gnu::always_inline]] static void ask(const Rows& rows, std::int64_t column,
                                         std::int64_t ahead) {
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < Square::rows; ++i) {
      __builtin_prefetch(rows.at(i, column * element + ahead), 0, 2);
    }
  }
};

// Its columns follow each other in dst.
template <class Strip>
struct DenseStrip {
  template <class Rows>
  static void run(const Rows& rows, const ColumnsByPitch& columns,
                  const StripWork& work) {
    Strip::run_dense(rows, columns, work);
  }
};

}  // namespace
}  // namespace stridewise::engine
