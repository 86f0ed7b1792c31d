// The kernels of an instruction set: every kind over its vectors. Included by the file of
// an instruction set alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "engine/kernels/copy.hpp"
#include "engine/kernels/program.hpp"
#include "engine/kernels/transpose.hpp"
#include "engine/kernels/zip.hpp"

namespace stridewise::engine {
namespace {

template <class Of, bool streams>
constexpr Kernel kernel(Isa isa, Kind kind, std::int64_t element_bytes) {
  return {kind, element_bytes, isa, &Of::run, streams ? &Of::stream : nullptr};
}

// Wide and Half: vectors of a line and of half of one, or less; Long: those that zip
// elements of more than a byte, across all of it or within lanes.
template <Isa isa, class Wide, class Half, class Long, bool streams>
constexpr auto common_kernels() {
  const auto row = []<class Of>(Kind kind, std::int64_t element_bytes) {
    return kernel<Of, streams>(isa, kind, element_bytes);
  };
  return std::to_array<Kernel>({
      row.template operator()<Copy<Wide>>(Kind::copy, 1),
      row.template operator()<FillZero<Wide>>(Kind::fill, 1),
      row.template operator()<Transpose<Wide, Half, 1>>(Kind::transpose, 1),
      row.template operator()<Transpose<Wide, Half, 2>>(Kind::transpose, 2),
      row.template operator()<Transpose<Wide, Half, 4>>(Kind::transpose, 4),
      row.template operator()<Transpose<Wide, Half, 8>>(Kind::transpose, 8),
      row.template operator()<Transpose<Wide, Half, 16>>(Kind::transpose, 16),
      row.template operator()<Transpose<Wide, Half, 32>>(Kind::transpose, 32),
      row.template operator()<Zip<Wide, 1>>(Kind::zip, 1),
      row.template operator()<Zip<Long, 2>>(Kind::zip, 2),
      row.template operator()<Zip<Long, 4>>(Kind::zip, 4),
      row.template operator()<Unzip<Wide, 1>>(Kind::unzip, 1),
      row.template operator()<Unzip<Long, 2>>(Kind::unzip, 2),
      row.template operator()<Unzip<Long, 4>>(Kind::unzip, 4),
  });
}

template <class Vector>
constexpr Kernel program_kernel(Isa isa) {
  if constexpr (Vector::vector_bytes == line_bytes) {
    return {Kind::program, 1, isa, &Programs<Vector>::run,
            &Programs<Vector>::stream};
  } else {
    return {Kind::program, 1, isa, &Programs<Vector>::run, nullptr};
  }
}

template <class Vector, std::size_t count>
constexpr auto with_programs(Isa isa,
                             const std::array<Kernel, count>& kernels) {
  std::array<Kernel, count + 1> all{};
  std::copy(kernels.begin(), kernels.end(), all.begin());
  all[count] = program_kernel<Vector>(isa);
  return all;
}

}  // namespace
}  // namespace stridewise::engine
