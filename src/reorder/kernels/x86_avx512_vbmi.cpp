// AVX-512 with VBMI: transposes of up to 8 rows or columns (image lanes, colour
// channels, batches in a word) as permutations of bytes, of any width at once.
//
// 64 bytes of output come from up to 8 vectors of input: one masked vpermb for
// each, by tables.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "reorder/kernels/table.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

// The lowest `bytes` of a 64-byte mask.
__mmask64 first_bytes(std::int64_t bytes) {
  if (bytes <= 0) return 0;
  return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
}

constexpr std::int64_t most = 8;  // rows of an interleave, lanes of the inverse

// Where each byte of an output vector comes from: which input and which byte.
struct Permutation {
  alignas(64) std::array<std::uint8_t, 64> byte{};
  std::array<__mmask64, most> from{};
};

template <std::int64_t inputs>
__m512i permute(const Permutation& p, const __m512i* in) {
  const __m512i byte = _mm512_load_si512(p.byte.data());
  __m512i out = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (std::int64_t k = 0; k < inputs; ++k) {
    out = _mm512_mask_permutexvar_epi8(out, p.from[k], byte, in[k]);
  }
  return out;
}

// Writes the lowest `bytes` of v, which is all of it but at an end.
void store(std::byte* dst, __m512i v, std::int64_t bytes, bool streams) {
  if (bytes < 64) {
    _mm512_mask_storeu_epi8(dst, first_bytes(bytes), v);
  } else if (streams) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), v);
  } else {
    _mm512_storeu_si512(dst, v);
  }
}

__m512i load(const std::byte* src, std::int64_t bytes) {
  return bytes >= 64 ? _mm512_loadu_si512(src)
                     : _mm512_maskz_loadu_epi8(first_bytes(bytes), src);
}

// Tables, made again only when a thread turns to another shape: tiles of one
// nest are many, small and alike.
using Tables = std::array<Permutation, most>;

const Tables& tables(const std::array<std::int64_t, 3>& shape,
                     Tables (*make)(const std::array<std::int64_t, 3>&)) {
  thread_local struct {
    std::array<std::int64_t, 3> shape{};
    Tables (*make)(const std::array<std::int64_t, 3>&) = nullptr;
    Tables made{};
  } last;
  if (last.shape != shape || last.make != make) {
    last.made = make(shape);
    last.shape = shape;
    last.make = make;
  }
  return last.made;
}

// Output vector k of interleaving `rows` of `all`: element e is of row e % all.
Tables interleave_tables(const std::array<std::int64_t, 3>& shape) {
  const auto [width, rows, all] = shape;
  Tables made{};
  for (std::int64_t k = 0; k < all; ++k) {
    for (std::int64_t q = 0; q < 64; ++q) {
      const std::int64_t element = (64 * k + q) / width;
      const std::int64_t row = element % all;
      made[k].byte[q] =
          static_cast<std::uint8_t>(element / all * width + q % width);
      if (row < rows) made[k].from[row] |= __mmask64{1} << q;
    }
  }
  return made;
}

// Output vector j: element j of each group of `lanes`.
Tables deinterleave_tables(const std::array<std::int64_t, 3>& shape) {
  const auto [width, columns, lanes] = shape;
  Tables made{};
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t q = 0; q < 64; ++q) {
      const std::int64_t at = (q / width * lanes + j) * width + q % width;
      made[j].byte[q] = static_cast<std::uint8_t>(at % 64);
      made[j].from[at / 64] |= __mmask64{1} << q;
    }
  }
  return made;
}

// `rows` streams of 64 bytes each become `all` vectors of interleaved elements;
// all - rows of them are zeros.
template <int width, std::int64_t rows>
void interleave_rows(const Tile& tile, bool streams) {
  const std::int64_t all = rows + tile.zeros;
  const Tables& plan = tables({width, rows, all}, interleave_tables);
  constexpr std::int64_t step = 64 / width;  // columns
  for (std::int64_t j = 0; j < tile.count[1]; j += step) {
    const std::int64_t bytes = (tile.count[1] - j) * width;  // of a row
    __m512i in[rows];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < rows; ++i) {
      in[i] = load(tile.src + i * tile.src_stride[0] + j * width, bytes);
    }
    std::byte* const dst = tile.dst + j * all * width;
    if (streams) ask_page_after(dst, 64 * all);
    for (std::int64_t k = 0; k < all; ++k) {
      store(dst + 64 * k, permute<rows>(plan[k], in), bytes * all - 64 * k,
            streams);
    }
  }
}

template <int width>
void interleave_dispatch(const Tile& tile, bool streams) {
  switch (tile.count[0]) {
    case 1:
      return interleave_rows<width, 1>(tile, streams);
    case 2:
      return interleave_rows<width, 2>(tile, streams);
    case 3:
      return interleave_rows<width, 3>(tile, streams);
    case 4:
      return interleave_rows<width, 4>(tile, streams);
    case 5:
      return interleave_rows<width, 5>(tile, streams);
    case 6:
      return interleave_rows<width, 6>(tile, streams);
    case 7:
      return interleave_rows<width, 7>(tile, streams);
    default:
      return interleave_rows<width, 8>(tile, streams);
  }
}

// Up to 8 rows here; more by the narrower mechanism.
template <int width>
struct InterleaveBytes {
  static void run(const Tile& tile) {
    if (tile.count[0] + tile.zeros > most) {
      return Interleave<Vector512, width>::run(tile);
    }
    each_plane(tile, [](const Tile& plane) {
      interleave_dispatch<width>(plane, false);
    });
  }
  static void stream(const Tile& tile) {
    if (tile.count[0] + tile.zeros > most) {
      return Interleave<Vector512, width>::stream(tile);
    }
    each_plane(tile, [](const Tile& plane) {
      interleave_dispatch<width>(
          plane, reinterpret_cast<std::uintptr_t>(plane.dst) % 64 == 0);
    });
  }
};

// `lanes` vectors of interleaved elements become one vector of each column.
template <int width, std::int64_t lanes>
void deinterleave_lanes(const Tile& tile, bool streams) {
  const std::int64_t columns = tile.count[1];
  const Tables& plan = tables({width, columns, lanes}, deinterleave_tables);
  constexpr std::int64_t step = 64 / width;  // rows
  for (std::int64_t i = 0; i < tile.count[0]; i += step) {
    const std::int64_t rows = tile.count[0] - i;
    // The lanes after the last row's columns may lie outside the tensor.
    const std::int64_t bytes = ((rows - 1) * lanes + columns) * width;
    __m512i in[lanes];
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < lanes; ++k) {
      in[k] = load(tile.src + i * lanes * width + 64 * k, bytes - 64 * k);
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      std::byte* const dst = tile.dst + j * tile.dst_stride[1] + i * width;
      if (streams) ask_page_after(dst, 64);
      store(dst, permute<lanes>(plan[j], in), rows * width, streams);
    }
  }
}

template <int width>
void deinterleave_dispatch(const Tile& tile, bool streams) {
  switch (tile.src_stride[0] / width) {
    case 2:
      return deinterleave_lanes<width, 2>(tile, streams);
    case 3:
      return deinterleave_lanes<width, 3>(tile, streams);
    case 4:
      return deinterleave_lanes<width, 4>(tile, streams);
    case 5:
      return deinterleave_lanes<width, 5>(tile, streams);
    case 6:
      return deinterleave_lanes<width, 6>(tile, streams);
    case 7:
      return deinterleave_lanes<width, 7>(tile, streams);
    default:
      return deinterleave_lanes<width, 8>(tile, streams);
  }
}

template <int width>
struct DeinterleaveBytes {
  static void run(const Tile& tile) {
    each_plane(tile, [](const Tile& plane) {
      deinterleave_dispatch<width>(plane, false);
    });
  }
  static void stream(const Tile& tile) {
    each_plane(tile, [](const Tile& plane) {
      deinterleave_dispatch<width>(
          plane, reinterpret_cast<std::uintptr_t>(plane.dst) % 64 == 0 &&
                     plane.dst_stride[1] % 64 == 0);
    });
  }
};

template <template <int> class Of, int width>
constexpr Kernel row(KernelKind kind) {
  return kernel_of<Of<width>, true>(Isa::avx512_vbmi, kind, width);
}

using enum KernelKind;
constexpr auto table = std::to_array<Kernel>({
    row<InterleaveBytes, 1>(interleave),
    row<InterleaveBytes, 2>(interleave),
    row<InterleaveBytes, 4>(interleave),
    row<InterleaveBytes, 8>(interleave),
    row<DeinterleaveBytes, 1>(deinterleave),
    row<DeinterleaveBytes, 2>(deinterleave),
    row<DeinterleaveBytes, 4>(deinterleave),
});

}  // namespace

std::span<const Kernel> avx512_vbmi_kernels() { return table; }

}  // namespace stridewise::x86
