// AVX-512 with VBMI: what moves elements by permutations of bytes across whole
// vectors, so that rows, columns and runs of any length are read and written by lines.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "reorder/kernels/grouped.hpp"
#include "reorder/kernels/padded_columns.hpp"
#include "reorder/kernels/permuted_columns.hpp"
#include "reorder/kernels/permuted_rows.hpp"
#include "reorder/kernels/table.hpp"
#include "reorder/kernels/ungrouped.hpp"
#include "reorder/kernels/x86.hpp"
#include "reorder/kernels/x86_vectors.hpp"

namespace stridewise::x86 {
namespace {

// Elements of two vectors, the second one's counted on after the first one's.
template <int width, class Of>
consteval auto elements(Of of) {
  LaneMask<64> bytes{};
  for (int q = 0; q < 64; ++q) {
    bytes[q] = static_cast<std::uint8_t>(of(q / width) * width + q % width);
  }
  return bytes;
}

// The first bytes of vectors alone.
struct Vector512First : Vector512 {
  // The first so many bytes, if there are any; of others nothing is read or written.
  [[gnu::always_inline]] static type load_first(const std::byte* src,
                                                std::int64_t bytes) {
    return _mm512_maskz_loadu_epi8(mask_of_first(bytes), src);
  }
  [[gnu::always_inline]] static void store_first(std::byte* dst, type v,
                                                 std::int64_t bytes) {
    _mm512_mask_storeu_epi8(dst, mask_of_first(bytes), v);
  }

 private:
  [[gnu::always_inline]] static std::uint64_t mask_of_first(
      std::int64_t bytes) {
    return bytes <= 0
               ? 0
               : ~std::uint64_t{0} >> (64 - std::min<std::int64_t>(bytes, 64));
  }
};

// A vector of one lane.
struct Vector512Whole : Vector512First {
  static constexpr std::int64_t lanes = 1;
  static constexpr int lane_bytes = 64;

  template <class At>
  [[gnu::always_inline]] static type gather(At at) {
    return load(at(0));
  }
  template <class At>
  [[gnu::always_inline]] static void scatter(At at, type v) {
    store(at(0), v);
  }
  template <class At>
  [[gnu::always_inline]] static void scatter_stream(At at, type v) {
    stream(at(0), v);
  }

  template <int width>
  static type zip_low(type a, type b) {
    return take<zip<width>>(a, b);
  }
  template <int width>
  static type zip_high(type a, type b) {
    return take<zip<width, 32 / width>>(a, b);
  }
  template <int width>
  static type unzip_even(type a, type b) {
    return take<unzip<width, 0>>(a, b);
  }
  template <int width>
  static type unzip_odd(type a, type b) {
    return take<unzip<width, 1>>(a, b);
  }
  // Not zero where the mask says so: interleaves insert something there.
  template <const LaneMask<64>& mask>
  static type permute(type v) {
    return _mm512_permutexvar_epi8(_mm512_loadu_si512(mask.data()), v);
  }
  template <const LaneMask<64>& mask>
  static type insert(type v, type in) {
    return take<inserted<mask>>(v, in);
  }

 private:
  template <int width, int first = 0>
  static constexpr LaneMask<64> zip = elements<width>([](int k) {
    return first + k / 2 + (k % 2 == 0 ? 0 : 64 / width);
  });
  template <int width, int odd>
  static constexpr LaneMask<64> unzip = elements<width>([](int k) {
    return 2 * k + odd;
  });
  template <const LaneMask<64>& mask>
  static constexpr LaneMask<64> inserted = elements<1>([](int q) {
    return mask[q] == zero_byte ? q : 64 + mask[q];
  });

  template <const LaneMask<64>& bytes>
  static type take(type a, type b) {
    return _mm512_permutex2var_epi8(a, _mm512_loadu_si512(bytes.data()), b);
  }
};

// What permutes bytes of vectors of four lanes.
struct Vector512Bytes : Vector512First {
  [[gnu::always_inline]] static type permute_bytes(const LaneMask<64>& from,
                                                   type v) {
    return _mm512_permutexvar_epi8(_mm512_load_si512(from.data()), v);
  }
  [[gnu::always_inline]] static type permute_bytes(const LaneMask<64>& from,
                                                   type a, type b) {
    return _mm512_permutex2var_epi8(a, _mm512_load_si512(from.data()), b);
  }
  // Bytes by which a vector is taken from one to four others: byte k is byte from[k],
  // counted through all of those, or with `zeros` perhaps no_byte.
  template <bool zeros = false>
  static void tabulate(const std::uint16_t* from, int /*vectors*/,
                       std::vector<std::byte>& table) {
    std::uint64_t present = 0;
    for (int k = 0; k < 64; ++k) {
      table.push_back(static_cast<std::byte>(from[k]));
      present |= std::uint64_t{from[k] != no_byte} << k;
    }
    if constexpr (zeros) append(table, std::span(&present, 1));
  }
  template <int vectors, bool zeros = false>
  class Table {
   public:
    static constexpr std::int64_t size = zeros ? 72 : 64;

    explicit Table(const std::byte* table)
        : from_(load(table)), high_(_mm512_movepi8_mask(from_)) {
      if constexpr (zeros) {
        std::memcpy(&present_, table + 64, sizeof(present_));
      }
    }
    [[gnu::always_inline]] type take(const type* v) const {
      if constexpr (vectors <= 2) {
        return pick<vectors>(v);
      } else {
        return _mm512_mask_blend_epi8(high_, pick<2>(v),
                                      pick<vectors - 2>(v + 2));
      }
    }

   private:
    template <int some>
    [[gnu::always_inline]] type pick(const type* v) const {
      if constexpr (zeros) {
        return some == 1 ? _mm512_maskz_permutexvar_epi8(present_, from_, v[0])
                         : _mm512_maskz_permutex2var_epi8(present_, v[0], from_,
                                                          v[some - 1]);
      }
      return some == 1 ? _mm512_permutexvar_epi8(from_, v[0])
                       : _mm512_permutex2var_epi8(v[0], from_, v[some - 1]);
    }

    type from_;
    std::uint64_t high_;  // which bytes are of the third and fourth vector
    std::uint64_t present_ = 0;  // which are not zero
  };
  static constexpr int shuffled_bytes = 64;
  static type shuffle_bytes(type from, type v) {
    return take_bytes(~_mm512_movepi8_mask(from), from, v);
  }
  // Bytes of `in` where `where` says so, else zeros.
  [[gnu::always_inline]] static type take_bytes(std::uint64_t where, type from,
                                                type in) {
    return _mm512_maskz_permutexvar_epi8(where, from, in);
  }
  [[gnu::always_inline]] static type insert_bytes(type v, std::uint64_t where,
                                                  type from, type in) {
    return _mm512_mask_permutexvar_epi8(v, where, from, in);
  }
  static type repeat(int byte) {
    return _mm512_set1_epi8(static_cast<char>(byte));
  }
  static type add_bytes(type a, type b) { return _mm512_add_epi8(a, b); }
  // The last `bytes` bytes of `before`, then as much of v as fills the vector.
  [[gnu::always_inline]] static type shifted(type before, type v,
                                             std::int64_t bytes) {
    const type from = load(counted + 64 - bytes);
    return _mm512_permutex2var_epi8(before, from, v);
  }
  // `v`, and where `where` says so, bytes of `in`.
  [[gnu::always_inline]] static type insert_bytes(type v, std::uint64_t where,
                                                  const LaneMask<64>& from,
                                                  type in) {
    return _mm512_mask_permutexvar_epi8(v, where,
                                        _mm512_load_si512(from.data()), in);
  }

 private:
  static constexpr auto counts = [] {
    std::array<std::byte, 128> all{};
    for (std::size_t k = 0; k < 128; ++k) all[k] = static_cast<std::byte>(k);
    return all;
  }();
  static constexpr const std::byte* counted = counts.data();
};

template <int width>
constexpr Kernel interleave() {
  return kernel_of<Interleave<Vector512, width, Vector512Whole>, true>(
      Isa::avx512_vbmi, KernelKind::interleave, width);
}
template <int width>
constexpr Kernel deinterleave() {
  return kernel_of<Deinterleave<Vector512, width, Vector512Whole>, true>(
      Isa::avx512_vbmi, KernelKind::deinterleave, width);
}

template <int width>
constexpr Kernel short_columns() {
  return kernel_of<ShortColumnsByPermutation<Vector512Bytes, width>, true>(
      Isa::avx512_vbmi, KernelKind::short_columns, width);
}

template <int width>
constexpr Kernel short_rows() {
  return kernel_of<ShortRowsByPermutation<Vector512Bytes, width>, true>(
      Isa::avx512_vbmi, KernelKind::short_rows, width);
}

template <int width>
constexpr Kernel padded_columns() {
  return kernel_of<PaddedColumnsByPermutation<Vector512Bytes, width>, true>(
      Isa::avx512_vbmi, KernelKind::padded_columns, width);
}

template <int width>
constexpr Kernel grouped() {
  return kernel_of<Grouped<Vector512Bytes, width>, true>(
      Isa::avx512_vbmi, KernelKind::grouped, width);
}

template <int width>
constexpr Kernel ungrouped() {
  return kernel_of<Ungrouped<Vector512Bytes, width>, false>(
      Isa::avx512_vbmi, KernelKind::ungrouped, width);
}

constexpr auto table = std::to_array<Kernel>({
    kernel_of<Copy<Vector512Bytes>, true>(Isa::avx512_vbmi, KernelKind::copy,
                                          1),
    interleave<1>(),
    interleave<2>(),
    interleave<4>(),
    interleave<8>(),
    deinterleave<1>(),
    deinterleave<2>(),
    deinterleave<4>(),
    short_columns<1>(),
    short_columns<2>(),
    short_columns<4>(),
    short_columns<8>(),
    padded_columns<1>(),
    padded_columns<2>(),
    padded_columns<4>(),
    padded_columns<8>(),
    short_rows<1>(),
    short_rows<2>(),
    short_rows<4>(),
    short_rows<8>(),
    permuted_of<1, Vector512Bytes>(Isa::avx512_vbmi),
    permuted_of<2, Vector512Bytes>(Isa::avx512_vbmi),
    permuted_of<4, Vector512Bytes>(Isa::avx512_vbmi),
    permuted_of<8, Vector512Bytes>(Isa::avx512_vbmi),
    gathered_of<1, Vector512Bytes>(Isa::avx512_vbmi),
    gathered_of<2, Vector512Bytes>(Isa::avx512_vbmi),
    gathered_of<4, Vector512Bytes>(Isa::avx512_vbmi),
    gathered_of<8, Vector512Bytes>(Isa::avx512_vbmi),
    grouped<1>(),
    grouped<2>(),
    ungrouped<1>(),
    ungrouped<2>(),
});

}  // namespace

std::span<const Kernel> avx512_vbmi_kernels() { return table; }

}  // namespace stridewise::x86
