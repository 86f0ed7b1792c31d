// Functions that convert contiguous runs of values, one a pair of types and
// instruction set. They know types; layouts they do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/isa.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

// Runs of values that lie one after the other on both sides.
struct ValueRuns {
  const std::byte* src;
  std::byte* dst;
  std::int64_t count;  // values of a run
  std::int64_t runs;
  std::int64_t src_pitch;  // bytes from run to run
  std::int64_t dst_pitch;
  // Where src is not in the nearest caches, each run asks for the next one, and the
  // last for what is read after it; nullptr: nothing that is known.
  bool prefetch = false;
  const std::byte* next_src = nullptr;
};

// Calls one(src, dst, count, ahead) for each run: `ahead` bytes after what it reads
// is what it asks for; 0: nothing.
template <class One>
void each_run(const ValueRuns& runs, const One& one) {
  for (std::int64_t k = 0; k < runs.runs; ++k) {
    const std::byte* const src = runs.src + k * runs.src_pitch;
    const std::byte* const next =
        k + 1 < runs.runs ? src + runs.src_pitch : runs.next_src;
    const bool asks = runs.prefetch && next != nullptr;
    one(src, runs.dst + k * runs.dst_pitch, runs.count, asks ? next - src : 0);
  }
}

// Equals convert_values bit for bit, and touches nothing outside the runs. Any
// alignment; src and dst do not overlap; counts >= 0.
using ConvertRuns = void (*)(const ValueRuns&, const Quantisation&);

struct Converter {
  std::string_view src, dst;  // names of element types
  Isa isa;
  ConvertRuns run;
  // The same with stores that pass by the caches, or nullptr. Whoever calls it
  // ends with stream_fence() before the data is handed on.
  ConvertRuns stream = nullptr;
  std::string_view name = {};  // set in converters(): "f32_to_s8.avx2"
};

// Whether codes keep their meaning and only their width changes: the same type in other
// widths of memory, or integers of one signedness.
[[nodiscard]] bool changes_width(const Values& values);

// Whether values of the type are brought to another one by way of f64, or of 64 bits: f32
// does not hold all of them, or rounds them a second time.
[[nodiscard]] bool needs_double(const ElementType& type);

// The width of a type itself, whatever memory its codes take: of integers what their name
// says, of small floats what their format has.
[[nodiscard]] std::int32_t own_bits(const ElementType& type);

// Every converter that the machine and STRIDEWISE_ISA allow, the best of a pair
// first.
[[nodiscard]] std::span<const Converter> converters();

// The best converter of the pair; nullptr where the table has none.
[[nodiscard]] const Converter* find_converter(std::string_view src,
                                              std::string_view dst);

// Converters between numbers of 64 bits and all others, and those that round to odd:
// steps on the way to types of fewer bits.
struct WideConverters {
  std::span<const Converter> converters;
  ConvertRuns odd_f32_of_f64 = nullptr;
  ConvertRuns odd_f64_of_s64 = nullptr;
  ConvertRuns odd_f64_of_u64 = nullptr;
};
// The best that the machine and STRIDEWISE_ISA allow.
[[nodiscard]] const WideConverters& wide_converters();

namespace portable {
[[nodiscard]] std::span<const Converter> converters();
// Of types below a byte and of small floats, to and from f32: the only ones there are.
[[nodiscard]] std::span<const Converter> small_converters();
[[nodiscard]] const WideConverters& wide_converters();
}  // namespace portable

// Each compiled in a file of its own with its flags. Call what they point to
// only where the machine has the set.
namespace x86 {
[[nodiscard]] std::span<const Converter> avx2_converters();
[[nodiscard]] std::span<const Converter> avx512_converters();
[[nodiscard]] const WideConverters& avx2_wide_converters();
}  // namespace x86

}  // namespace stridewise
