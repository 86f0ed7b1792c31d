// The mathematics of a layout as source code, for those who write kernels:
// index -> element offset, index -> axis coordinates, and back, in C, OpenCL C
// or CUDA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

enum class EmitLanguage : std::uint8_t {
  c,       // C99; also C++
  opencl,  // OpenCL C 1.2
  cuda,    // functions for host and device
};

// "c", "opencl", "cuda". Error unknown_name lists them.
[[nodiscard]] Result<EmitLanguage> parse_emit_language(std::string_view name);

// The integers that emitted code calculates with.
enum class EmitBits : std::uint8_t {
  by_size,  // 32 where everything fits; 64 where it does not, or is not known
  narrow,   // 32
  wide,     // 64
};

struct EmitOptions {
  EmitLanguage language = EmitLanguage::c;
  std::string name = "layout";  // what the functions' names begin with
  EmitBits bits = EmitBits::by_size;
};

// Complete source text: three functions that need nothing else, so that it can
// be pasted or included. With `I` one of the integer types, dims n and c and
// axes row and pixel, they are in C
//
//   I   NAME_offset(I n, I c)
//       The element offset of an index: what Layout::offset tells.
//   void NAME_coordinates(I n, I c, I *row_out, I *pixel_out)
//       The coordinate along each axis, slowest first.
//   int NAME_index(I offset, I *n_out, I *c_out)
//       1 and the index of the element at an element offset; 0, with nothing
//       written, where no element is: padding, a gap, outside.
//
// Where a layout is more than plain digits, an offset counts steps of `offset_bits`, what
// all elements lie at multiples of: 4 for nibbles. Where the bits of elements lie apart, it
// is that of one bit: offset takes the bit after the index, index gives it (bit_out). The
// functions are those of the layout's chosen tensor; an index of a dim k/32 is k_32. A
// layout that is not one-to-one, or whose strides interleave, has no function NAME_index:
// its name is empty then, and a comment tells why.
//
// Indices are in the order of the shape. A name of more than one letter is that
// of the dim or axis and "_", lest it be a word of the language.
struct EmittedCode {
  std::string code;
  std::string offset_function;
  std::string coordinates_function;
  std::string inverse_function;
  std::int32_t bits = 32;        // of the integers: 32 or 64
  std::int64_t offset_bits = 0;  // of memory that a step of an offset takes
  bool bitwise = false;          // functions have the bit, too
};

// The code of a layout, its sizes as numbers. Digits that cannot vary, bounds
// that always hold and divisions that powers of two or extents make needless are
// left out. Errors: a layout of which an index has no place, a name that is no
// identifier, EmitBits::narrow where 32 bits do not suffice.
[[nodiscard]] Result<EmittedCode> emit(const Layout& layout,
                                       const EmitOptions& options = {});

// The code of an expression for all shapes. Each function takes the extents
// after all else, as n_extent, c_extent, in the order of `dims`. Pre, for those
// who call it: extents of at least 1 for which the layout is valid, each place
// fits the integers (64 bits unless options say otherwise), a pitch that is
// given holds what it must, and strides that are given are such that each
// exceeds what all smaller ones add up to.
// Errors: unknown_name, for a dim that is not in `dims`; unsupported, where what
// 32 or 64 bits should hold depends on the extents in a way that needs them (an
// alignment of steps that vary, a base in bytes of them, a stride of 0, strides
// that are given in another order than slowest first).
[[nodiscard]] Result<EmittedCode> emit_dynamic(
    const Expression& expression, std::span<const std::string> dims,
    std::int64_t element_bytes, const EmitOptions& options = {});

}  // namespace stridewise
