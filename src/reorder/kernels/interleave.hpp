// Interleaves of a few rows and their inverse (image lanes, colour channels,
// batches in a word) for every instruction set, within lanes of vectors.
// Included as transpose.hpp is.
//
// A lane of each of J rows becomes J lanes of dst, or the other way round. The
// index of an element among them has log2(lane / width) bits of column and
// log2(J) bits of row; where J is a power of two, a round of zips over all
// vectors rotates those bits by one, and one of unzips rotates them back.
// Otherwise each vector of the result takes its bytes from every vector of the
// source by masks that are constants.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "reorder/kernels/planes.hpp"
#include "reorder/kernels/streaming.hpp"
#include "reorder/kernels/vector128.hpp"

namespace stridewise {
namespace {

// Bytes of vector `out` of an interleave of J rows by lanes of so many bytes
// that are of row `in`; `back`: bytes of row `out` of the inverse that lie in
// vector `in`.
template <int lane, int width, int J, bool back, int out, int in>
constexpr LaneMask<lane> lanes_mask = [] {
  LaneMask<lane> mask{};
  for (int q = 0; q < lane; ++q) {
    const int element = (lane * out + q) / width;
    const int from = back ? (q / width * J + out) * width
                          : element % J * lane + element / J * width;
    mask[q] = from / lane == in
                  ? static_cast<std::uint8_t>(from % lane + q % width)
                  : zero_byte;
  }
  return mask;
}();

// J vectors in, J vectors out; `back`: the inverse.
template <class Vector, int width, int J, bool back>
struct Lanes {
  using V = typename Vector::type;
  static constexpr int lane = Vector::lane_bytes;
  static constexpr bool unzips = requires(V v) {
    Vector::template unzip_even<width>(v, v);
  };
  static constexpr int rounds = std::countr_zero(
      static_cast<unsigned>(back && !unzips ? lane / width : J));

  [[gnu::always_inline]] static void permute(const V* in, V* out) {
    if constexpr (std::has_single_bit(static_cast<unsigned>(J))) {
      V z[J];
#pragma GCC unroll 16
      for (int i = 0; i < J; ++i) out[i] = in[i];
#pragma GCC unroll 4
      for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
        for (int i = 0; i < J; ++i) z[i] = out[i];
#pragma GCC unroll 8
        for (int i = 0; i < J / 2; ++i) {
          if constexpr (back && unzips) {
            out[i] = Vector::template unzip_even<width>(z[2 * i], z[2 * i + 1]);
            out[i + J / 2] =
                Vector::template unzip_odd<width>(z[2 * i], z[2 * i + 1]);
          } else {
            out[2 * i] = Vector::template zip_low<width>(z[i], z[i + J / 2]);
            out[2 * i + 1] =
                Vector::template zip_high<width>(z[i], z[i + J / 2]);
          }
        }
      }
    } else {
      each(in, out, std::make_integer_sequence<int, J - 1>{});
    }
  }

 private:
  template <int... k>
  [[gnu::always_inline]] static void each(
      const V* in, V* out, std::integer_sequence<int, k...> others) {
    out[0] = one<0>(in, others);
    ((out[k + 1] = one<k + 1>(in, others)), ...);
  }
  template <int out, int... k>
  [[gnu::always_inline]] static V one(
      const V* in, std::integer_sequence<int, k...> /*others*/) {
    V v = Vector::template permute<mask<out, 0>>(in[0]);
    ((v = Vector::template insert<mask<out, k + 1>>(v, in[k + 1])), ...);
    return v;
  }
  template <int out, int in>
  static constexpr const LaneMask<lane>& mask =
      lanes_mask<lane, width, J, back, out, in>;
};

// Calls f with the integral_constant of `count`, one of 2..8 and, for bytes,
// 16, where `fits` of it holds.
template <auto fits, class F>
void with_constant(std::int64_t count, F f) {
  const auto call = [&]<int k>() {
    if constexpr (fits(k)) f(std::integral_constant<int, k>{});
  };
  switch (count) {
    case 2:
      return call.template operator()<2>();
    case 3:
      return call.template operator()<3>();
    case 4:
      return call.template operator()<4>();
    case 5:
      return call.template operator()<5>();
    case 6:
      return call.template operator()<6>();
    case 7:
      return call.template operator()<7>();
    case 8:
      return call.template operator()<8>();
    default:
      return call.template operator()<16>();
  }
}

// How many planes a block takes: one, or some that lie apart or beside each other
// in src.
enum class Planes : std::uint8_t { one, apart, beside };

// Long rows, and planes beside each other, by vectors of type Long; other short
// planes by type Wide, some at once; the last columns by Vector128. From 32 bytes
// on, rows are transposed.
template <class Wide, int width, class Long = Wide>
class Interleave {
  static constexpr auto fits = [](int J) {
    return J * width < 32 && (J <= 8 || width == 1);
  };
  // Columns that fill 16 bytes of each row.
  static constexpr std::int64_t step = 16 / width;
  static constexpr std::int64_t long_row = 4096;  // bytes of dst

 public:
  static void run(const Tile& tile) { dispatch(tile, false); }
  static void stream(const Tile& tile) {
    dispatch(tile, reinterpret_cast<std::uintptr_t>(tile.dst) % 16 == 0 &&
                       tile.dst_stride[2] % 16 == 0 &&
                       tile.dst_stride[3] % 16 == 0);
  }

 private:
  static void dispatch(const Tile& tile, bool streams) {
    with_constant<fits>(tile.count[0] + tile.zeros, [&](auto all) {
      streams ? planes<all(), true>(tile) : planes<all(), false>(tile);
    });
  }

  template <int J, bool streams>
  static void planes(Tile plane) {
    const std::byte* const src = plane.src;
    std::byte* const dst = plane.dst;
    for (std::int64_t i = 0; i < plane.count[3]; ++i) {
      plane.src = src + i * plane.src_stride[3];
      plane.dst = dst + i * plane.dst_stride[3];
      std::int64_t left = plane.count[2];
      const auto go_on = [&](std::int64_t by) {
        left -= by;
        plane.src += by * plane.src_stride[2];
        plane.dst += by * plane.dst_stride[2];
      };
      if (!streams || steps_by_lines(plane)) {
        go_on(beside<J, streams, 16>(plane, left));
        go_on(beside<J, streams, 32>(plane, left));
      }
      // Planes of one lane each fill a vector together.
      if (Wide::lanes > 1 && plane.count[1] == step) {
        while (left >= Wide::lanes) {
          block<Wide, J, streams, Planes::apart>(plane, 0);
          go_on(Wide::lanes);
        }
      }
      while (left > 0) {
        columns<J, streams>(plane);
        go_on(1);
      }
    }
  }

  // Planes of so many bytes a row that lie beside each other in src and of which
  // each begins with a vector in dst, so that a vector of each row makes some.
  // Returns how many of the planes that are left are done.
  template <int J, bool streams, std::int64_t row>
  [[gnu::always_inline]] static std::int64_t beside(Tile plane,
                                                    std::int64_t left) {
    constexpr std::int64_t some = Long::lane_bytes / row;
    std::int64_t done = 0;
    if constexpr (some > 1 && row * J % Long::lane_bytes == 0) {
      if (plane.count[1] * width != row || plane.src_stride[2] != row) return 0;
      for (; left - done >= some; done += some) {
        block<Long, J, streams, Planes::beside, row>(plane, 0);
        plane.src += some * row;
        plane.dst += some * plane.dst_stride[2];
      }
    }
    return done;
  }

  static bool steps_by_lines(const Tile& plane) {
    return (reinterpret_cast<std::uintptr_t>(plane.dst) |
            static_cast<std::uintptr_t>(plane.dst_stride[2])) %
               line ==
           0;
  }

  template <int J, bool streams>
  [[gnu::always_inline]] static void columns(const Tile& tile) {
    if constexpr (!streams || Long::lane_bytes == 16) {
      return columns_from<Long, J, streams>(tile, 0);
    }
    // Whole vectors stream from the first column that begins with one; ends of
    // short rows would be written by other stores than the rest of their lines.
    const std::int64_t bytes = tile.count[1] * J * width;
    std::int64_t lead = 0;
    std::int64_t at = to_next_line(tile.dst);
    if (bytes >= long_row) {
      for (; at % line != 0 && lead < line; ++lead) at -= J * width;
    }
    if (at % line != 0 || (bytes < long_row && bytes % line != 0)) {
      return columns_from<Wide, J, true>(tile, 0);
    }
    if (lead > 0) {
      Tile first = tile;
      first.count[1] = lead;
      last_columns<J, false>(first, 0);
    }
    columns_from<Long, J, true>(tile, lead);
  }

  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void columns_from(const Tile& tile,
                                                  std::int64_t j) {
    const std::int64_t count = tile.count[1];
    constexpr std::int64_t some = Vector::lanes * Vector::lane_bytes / width;
    if constexpr (some > step) {
      for (; count - j >= some; j += some) {
        block<Vector, J, streams>(tile, j);
      }
    }
    if constexpr (some > 2 * step && !streams) {
      if (count - j >= 2 * step) {
        block<typename Vector::Half, J, streams>(tile, j);
        j += 2 * step;
      }
    }
    if (j < count) last_columns<J, streams>(tile, j);
  }

  template <int J, bool streams>
  [[gnu::noinline]] static void last_columns(const Tile& tile, std::int64_t j) {
    const std::int64_t count = tile.count[1];
    if (count < step) return few<J>(tile);
    for (; count - j >= step; j += step) {
      block<Vector128, J, streams>(tile, j);
    }
    if (j < count) block<Vector128, J, false>(tile, count - step);
  }

  // Columns from j on, a lane of each row a lane; or some planes of `row_bytes`,
  // each of them a lane, or all beside each other in a lane.
  template <class Vector, int J, bool streams, Planes planes = Planes::one,
            std::int64_t row_bytes = 16>
  [[gnu::always_inline]] static void block(const Tile& tile, std::int64_t j) {
    constexpr std::int64_t lane_bytes = Vector::lane_bytes;
    constexpr bool beside = planes == Planes::beside;
    // Vectors that a plane takes of dst.
    constexpr std::int64_t share = beside ? row_bytes * J / lane_bytes : J;
    const std::byte* const src = tile.src + j * width;
    std::byte* const dst = tile.dst + j * J * width;
    typename Vector::type in[J];
    typename Vector::type out[J];
#pragma GCC unroll 16
    for (int i = 0; i < J; ++i) {
      const std::byte* const row = src + i * tile.src_stride[0];
      if (i >= tile.count[0]) {
        in[i] = Vector::zero();
      } else if constexpr (planes == Planes::apart) {
        in[i] = Vector::gather([&](std::int64_t lane) {
          const std::byte* const at = row + lane * tile.src_stride[2];
          if (tile.prefetch) __builtin_prefetch(at + tile.next_src, 0, 2);
          return at;
        });
      } else {
        if (beside && tile.prefetch) {
          __builtin_prefetch(row + tile.next_src, 0, 2);
        }
        in[i] = Vector::load(row);
      }
    }
    Lanes<Vector, width, J, false>::permute(in, out);
    if (streams) ask_page_after(dst, lane_bytes * J * Vector::lanes);
#pragma GCC unroll 16
    for (int k = 0; k < J; ++k) {
      const auto at = [&](std::int64_t lane) {
        return dst +
               (lane + k / share) * (planes == Planes::one
                                         ? lane_bytes * J
                                         : tile.dst_stride[2]) +
               k % share * lane_bytes;
      };
      if constexpr (streams) {
        Vector::scatter_stream(at, out[k]);
      } else {
        Vector::scatter(at, out[k]);
      }
    }
  }

  // Fewer columns than 16 bytes hold, by way of whole vectors.
  template <int J>
  static void few(const Tile& tile) {
    std::array<std::byte, 16 * J> rows{};
    std::array<std::byte, 16 * J> all;
    for (std::int64_t i = 0; i < tile.count[0]; ++i) {
      copy_short(rows.data() + 16 * i, tile.src + i * tile.src_stride[0],
                 tile.count[1] * width);
    }
    Tile whole = tile;
    whole.src = rows.data();
    whole.dst = all.data();
    whole.src_stride[0] = 16;
    block<Vector128, J, false>(whole, 0);
    std::memcpy(tile.dst, all.data(),
                static_cast<std::size_t>(tile.count[1] * J * width));
  }
};

// By vectors of type Long; of type Wide where lanes stream.
template <class Wide, int width, class Long = Wide>
class Deinterleave {
  static constexpr auto fits = [](int J) { return J <= 8; };
  static constexpr std::int64_t few = 8;  // lines of a column

 public:
  static void run(const Tile& tile) { dispatch(tile, false); }
  static void stream(const Tile& tile) { dispatch(tile, true); }

 private:
  static void dispatch(const Tile& tile, bool streams) {
    with_constant<fits>(tile.src_stride[0] / width, [&](auto lanes) {
      each_plane(tile, streams ? whole_lines<lanes()> : rows<lanes(), false>);
    });
  }

  // Columns that share most of their lines are put together by the caches.
  template <int J>
  static void whole_lines(const Tile& tile) {
    constexpr std::int64_t step = line / width;
    const bool together = tile.dst_stride[1] % line == 0;
    const std::int64_t head = to_next_line(tile.dst);
    if ((!together || head > 0) && tile.count[0] < few * step) {
      return rows<J, false>(tile);
    }
    if (!together || head % width != 0) {
      // Of few long columns the write-combining buffers keep lines until they are
      // full.
      const bool by_lanes = head % 16 == 0 && tile.dst_stride[1] % 16 == 0 &&
                            tile.count[0] >= 8 * few * step;
      return by_lanes ? rows<J, true>(tile) : apart<J>(tile);
    }
    const std::int64_t lead = head / width;
    rows<J, false>(rows_of<J>(tile, 0, lead));
    const std::int64_t whole = lines<J>(tile, lead);
    rows<J, false>(rows_of<J>(tile, whole, tile.count[0] - whole));
  }

  // Columns of which each begins elsewhere in a line, some lines at once: those of
  // one column after those of another, while the next rows are put together.
  template <int J>
  static void apart(const Tile& tile) {
    constexpr std::int64_t step = line / width, some = few * step;
    const std::int64_t end = inside<J>(tile) / step * step;
    // Of each column the last line of the rows before, and then new ones.
    alignas(line) std::byte stage[2][J][(1 + few) * line];
    const auto write = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::byte* const from = stage[i / some % 2][j] + k * line;
      std::byte* const to =
          tile.dst + j * tile.dst_stride[1] + i * width + (k - 1) * line;
      if (j >= tile.count[1]) return;
      const std::int64_t lead = to_next_line(to);
      if (i == 0 && k == 0 && lead > 0) {
        return copy_part(to + line, from + line, lead);
      }
      stream_line(to + (lead > 0 ? lead : line),
                  from + (lead > 0 ? lead : line));
    };
    Tile part = rows_of<J>(tile, 0, step);
    part.count[1] = J;
    part.dst_stride[1] = sizeof stage[0][0];
    for (std::int64_t i = 0; i < end; i += step) {
      const std::int64_t begin = i / some * some, k = (i - begin) / step;
      auto& now = stage[i / some % 2];
      part.dst = now[0] + (1 + k) * line;
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < step;
           r += Long::lanes * Long::lane_bytes / width) {
        block<Long, J, false>(part, r);
      }
      part.src += J * line;
      if (begin == 0) continue;
#pragma GCC unroll 8
      for (int q = 0; q < J; ++q) {
        write(begin - some, (k * J + q) / few, (k * J + q) % few);
      }
      if (k > 0) continue;
      for (int j = 0; j < J; ++j) {
        std::memcpy(now[j], stage[1 - i / some % 2][j] + few * line, line);
      }
    }
    // What is left of the rows before the last ones, and these.
    const std::int64_t begin = (end - 1) / some * some;
    const std::int64_t lines = (end - begin) / step;
    for (std::int64_t q = lines * J; begin > 0 && q < few * J; ++q) {
      write(begin - some, q / few, q % few);
    }
    for (std::int64_t j = 0; j < tile.count[1]; ++j) {
      for (std::int64_t k = 0; k < lines; ++k) write(begin, j, k);
      std::byte* const to =
          tile.dst + j * tile.dst_stride[1] + end * width - line;
      const std::int64_t lead = to_next_line(to);
      if (lead == 0) continue;
      copy_part(to + lead, stage[begin / some % 2][j] + lines * line + lead,
                line - lead);
    }
    rows<J, false>(rows_of<J>(tile, end, tile.count[0] - end));
  }
  static void stream_line(std::byte* dst, const std::byte* src) {
    constexpr std::int64_t vector_bytes = Wide::lane_bytes * Wide::lanes;
    ask_page_after(dst, line);
#pragma GCC unroll 4
    for (std::int64_t at = 0; at < line; at += vector_bytes) {
      Wide::stream(dst + at, Wide::load(src + at));
    }
  }
  static void copy_part(std::byte* dst, const std::byte* src,
                        std::int64_t bytes) {
    std::memcpy(dst, src, static_cast<std::size_t>(bytes));
  }

  template <int J>
  static Tile rows_of(const Tile& tile, std::int64_t from, std::int64_t count) {
    Tile part = tile;
    part.count[0] = count;
    part.src += from * J * width;
    part.dst += from * width;
    return part;
  }

  // Rows that may be read as whole groups: with the lanes that are not taken,
  // which at the very end may lie outside src.
  template <int J>
  static std::int64_t inside(const Tile& tile) {
    return std::min<std::int64_t>(tile.count[0],
                                  (tile.src_end - tile.src) / (J * width));
  }

  // Rows from i on by a line of each column at once: of lines written in turns,
  // the write-combining buffers would lose some before they are full. Returns the
  // row after them.
  template <int J>
  static std::int64_t lines(const Tile& tile, std::int64_t i) {
    constexpr std::int64_t step = line / width;
    constexpr std::int64_t vector_bytes = Wide::lane_bytes * Wide::lanes;
    alignas(line) std::byte stage[J * line];
    Tile part = rows_of<J>(tile, i, step);
    part.dst = stage;
    part.dst_stride[1] = line;
    part.count[1] = J;
    for (const std::int64_t end = inside<J>(tile); end - i >= step; i += step) {
#pragma GCC unroll 4
      for (std::int64_t at = 0; at < line; at += vector_bytes) {
        block<Wide, J, false>(part, at / width);
      }
      part.src += J * line;
#pragma GCC unroll 8
      for (int j = 0; j < J; ++j) {
        if (j >= tile.count[1]) continue;
        stream_line(tile.dst + i * width + j * tile.dst_stride[1],
                    stage + j * line);
      }
    }
    return i;
  }

  template <int J, bool streams>
  static void rows(const Tile& tile) {
    using Vector = std::conditional_t<streams, Wide, Long>;
    constexpr std::int64_t step = Vector::lanes * Vector::lane_bytes / width;
    const std::int64_t count = inside<J>(tile);
    std::int64_t i = 0;
    if constexpr (step > 16 / width) {
      for (; count - i >= step; i += step) block<Vector, J, streams>(tile, i);
    }
    if (i < tile.count[0]) last_rows<J>(tile, i, count);
  }

  // From row i on; the first `inside` rows may be read by whole groups.
  template <int J>
  [[gnu::noinline]] static void last_rows(const Tile& tile, std::int64_t i,
                                          std::int64_t inside) {
    constexpr std::int64_t step = 16 / width;
    for (; inside - i >= step; i += step) block<Vector128, J, false>(tile, i);
    if (i < inside && inside >= step) {
      block<Vector128, J, false>(tile, inside - step);
      i = inside;
    }
    for (; i < tile.count[0]; ++i) {
      for (std::int64_t j = 0; j < tile.count[1]; ++j) {
        std::memcpy(tile.dst + j * tile.dst_stride[1] + i * width,
                    tile.src + (i * J + j) * width, width);
      }
    }
  }

  template <class Vector, int J, bool streams>
  [[gnu::always_inline]] static void block(const Tile& tile, std::int64_t i) {
    constexpr std::int64_t lane_bytes = Vector::lane_bytes;
    const std::byte* const src = tile.src + i * J * width;
    std::byte* const dst = tile.dst + i * width;
    typename Vector::type in[J];
    typename Vector::type out[J];
#pragma GCC unroll 16
    for (int k = 0; k < J; ++k) {
      in[k] = Vector::gather(
          [&](int lane) { return src + (lane * J + k) * lane_bytes; });
    }
    Lanes<Vector, width, J, true>::permute(in, out);
#pragma GCC unroll 16
    for (int j = 0; j < J; ++j) {
      if (j >= tile.count[1]) continue;
      std::byte* const to = dst + j * tile.dst_stride[1];
      if constexpr (streams) {
        ask_page_after(to, lane_bytes * Vector::lanes);
        Vector::scatter_stream(
            [&](std::int64_t lane) { return to + lane_bytes * lane; }, out[j]);
      } else {
        Vector::store(to, out[j]);
      }
    }
  }
};

}  // namespace
}  // namespace stridewise
