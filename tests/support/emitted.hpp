// Layouts whose emitted code is tested, and that code as one source file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/emit.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {

struct EmitCase {
  Layout layout;
  bool dynamic = false;
};

inline std::string describe(const EmitCase& c) {
  return print(c.layout.expression()) + " of " + print(c.layout.shape()) +
         (c.dynamic ? ", dynamic" : "");
}

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().to_string());
  return *std::move(result);
}

inline Layout layout_of(const std::string& text, const std::string& shape,
                        std::int64_t element_bytes = 4) {
  std::vector<std::string> dims;
  if (const Result<Shape> named = parse_shape(shape)) {
    for (const Dim& dim : *named) dims.push_back(dim.name);
  }
  const LayoutSource source = value_or_throw(resolve_layout(text, dims));
  return value_or_throw(source.bind(
      value_or_throw(parse_shape(shape, source.dims)), element_bytes));
}

// Each stride exceeds all that the digits after it add up to, as --dynamic
// wants it of strides that are given.
inline bool nested(const Layout& layout) {
  std::int64_t rest = 0;
  for (std::size_t k = layout.terms().size(); k-- > 0;) {
    const BoundTerm& term = layout.terms()[k];
    if (term.flat_stride <= rest) return false;
    rest += (term.extent - 1) * term.flat_stride;
  }
  return true;
}

// What people use, and corners of the notation.
inline std::vector<Layout> known_layouts() {
  const auto expression = [](const std::string& text, const std::string& shape,
                             std::int64_t element_bytes = 4) {
    return layout_of(text, shape, element_bytes);
  };
  std::vector<Layout> layouts = {
      expression("nchw", "2x17x5x4"),
      expression("nhwc", "2x17x5x4"),
      expression("nChw16c", "2x17x5x4"),
      expression("nChw16c", "2x10x5x4"),
      expression("OIhw4i16o4i", "20x17x3x3", 1),
      expression("gOIhw8i8o", "2x9x17x3x3"),
      expression("aBcd3b", "2x17x5x4"),
      expression("mace.channel", "2x17x5x7"),
      expression("mace.channel", "2x16x4x8", 2),
      expression("mace.height", "2x5x7x6"),
      expression("mace.width", "2x5x6x7"),
      expression("mace.filter", "6x7x3x2"),
      expression("mace.filter-2018", "6x7x3x2"),
      expression("mace.weight-height", "6x7x3x2"),
      expression("mace.weight-width", "6x7x3x2"),
      expression("mace.depthwise", "1x7x3x3"),
      expression("mace.argument", "37"),
      expression("mace.buffer-filter", "6x7x3x2"),
      expression("mli.hwcn", "3x4x5x6", 1),
      expression("okk.aligned(npus=8,npu_bytes=8192,start=3)", "2x19x3x5"),
      expression("okk.compact(npus=8,npu_bytes=8192,start=7)", "2x19x3x5"),
      expression("okk.matrix(npus=4,npu_bytes=8192,w=15)", "2x40"),
      expression("okk.4n(npus=4,npu_bytes=8192)", "6x5x4x5", 1),
      expression("okk.2ic(npus=4,npu_bytes=8192,start=2)", "5x6x3x3"),
      expression("n:120 c:30 h:8 w", "n=2,c=3,h=3,w=5"),
      expression("h:3 w:2", "h=2,w=3"),
      expression("h:2 w:5 c:4", "h=2,w=2,c=3"),
      expression("a%2 a%3", "a=6"),
      expression("a%2 a%3 b", "a=5,b=3"),
      expression("(a+5)%7", "a=7"),
      expression("(a+5)%6/2 (a+5)%2 b", "a=6,b=2"),
      expression("a%4 a/2", "a=9"),
      expression("@3 n c:^128B h w", "n=2,c=3,h=5,w=7", 2),
      expression("row=@2 h |^256B| @5 w", "h=3,w=70", 2),
      expression("row=h |384B| w", "h=3,w=5"),
      expression("npu=(c+2)%64 | n (c+2)/64 h w", "n=1,c=70,h=2,w=2"),
      expression("row=- | pixel=w/4 | lane=w%4", "w=10"),
      expression("row=h |^64B| pixel=c:^48B w | lane=n%4", "h=2,c=3,w=5,n=3"),
      expression("int_t offset if_ h", "int_t=2,offset=3,if_=2,h=3"),
      // Macros of <math.h>, <complex.h>, OpenCL and compilers, or nearly.
      expression("M_PI/4 I M_PI%4", "M_PI=10,I=3"),
      expression("M_PI%4 M_PI/2 M_E", "M_PI=9,M_E=2"),
      expression("row=__FILE_ E | __LINE=M_1", "__FILE_=2,E=3,M_1=4"),
      expression("_ __func_ MAXFLOAT", "_=2,__func_=3,MAXFLOAT=2"),
      expression("n c h w", "n=1,c=1,h=1,w=1"),
      expression("n c h w", "n=2,c=0,h=3,w=4"),
      expression("x=w | offset=h", "w=3,h=2"),
      expression("c/16 n c%16", "n=3,c=10"),
  };
  return layouts;
}

// All of those, `random` others, and of each the code for any shape where there
// is such code.
inline std::vector<EmitCase> emit_cases(int random) {
  std::vector<Layout> layouts = known_layouts();
  std::mt19937 draws(5);
  UnrecordedDraws::current() = &draws;
  constexpr std::int64_t most_places = 20'000;
  constexpr std::int64_t widths[] = {1, 2, 3, 4, 8, 16};
  for (int k = 0; k < random; ++k) {
    const std::int64_t width = widths[in_range(0, 5)];
    const Shape shape = random_shape();
    if (k % 3 != 0) {
      const Layout layout = random_valid_layout(shape, width);
      if (layout.places() <= most_places) layouts.push_back(layout);
      continue;
    }
    for (int tries = 0; tries < 1000; ++tries) {
      const auto layout =
          Layout::bind(arbitrary_expression(shape), shape, width);
      if (!layout || !layout->valid() || layout->places() > most_places) {
        continue;
      }
      layouts.push_back(*layout);
      break;
    }
  }
  UnrecordedDraws::current() = nullptr;
  std::vector<EmitCase> cases;
  for (const Layout& layout : layouts) {
    cases.push_back({layout, false});
    std::vector<std::string> dims;
    for (const Dim& dim : layout.shape()) dims.push_back(dim.name);
    if (layout.elements() > 0 && nested(layout) &&
        emit_dynamic(layout.expression(), dims, layout.element_bytes())) {
      cases.push_back({layout, true});
    }
  }
  return cases;
}

inline EmittedCode emitted(const EmitCase& c, EmitLanguage language,
                           const std::string& name) {
  const EmitOptions options{.language = language, .name = name};
  if (!c.dynamic) return value_or_throw(emit(c.layout, options));
  std::vector<std::string> dims;
  for (const Dim& dim : c.layout.shape()) dims.push_back(dim.name);
  return value_or_throw(emit_dynamic(c.layout.expression(), dims,
                                     c.layout.element_bytes(), options));
}

// The integers of emitted code.
inline std::string integer_of(EmitLanguage language, std::int32_t bits) {
  if (language == EmitLanguage::c) return bits == 32 ? "int32_t" : "int64_t";
  if (bits == 32) return "int";
  return language == EmitLanguage::opencl ? "long" : "long long";
}

// Functions of one form for all layouts, NAME_at, NAME_along and NAME_back:
//   I at(const I *x)      void along(const I *x, I *out)
//   int back(I offset, I *out)
// with `integer` for I.
inline std::string with_wrappers(const EmitCase& c, EmitLanguage language,
                                 const std::string& name,
                                 const std::string& qualifier,
                                 const std::string& integer) {
  const EmittedCode code = emitted(c, language, name);
  const std::size_t rank = c.layout.shape().size();
  const std::string own = integer_of(language, code.bits);
  std::string index;
  std::string extents;
  std::string outs;
  std::string copies;
  std::string locals;
  for (std::size_t d = 0; d < rank; ++d) {
    index += fmt::format("{}({})x[{}]", d == 0 ? "" : ", ", own, d);
    outs += fmt::format(", &o{}", d);
    locals += fmt::format("{} o{} = 0; ", own, d);
    copies += fmt::format("out[{0}] = o{0}; ", d);
    if (c.dynamic) {
      extents += fmt::format(", {}", c.layout.shape()[d].extent);
    }
  }
  std::string along;
  std::string along_locals;
  std::string along_copies;
  for (std::size_t a = 0; a < c.layout.axes().size(); ++a) {
    along += fmt::format(", &o{}", a);
    along_locals += fmt::format("{} o{}; ", own, a);
    along_copies += fmt::format("out[{0}] = o{0}; ", a);
  }
  return code.code +
         fmt::format(
             "{0} {1} {2}_at(const {1} *x) {{ return {3}({4}{5}); }}\n"
             "{0} void {2}_along(const {1} *x, {1} *out) {{ {6}{7}({4}{8}{5}); "
             "{9}}}\n"
             "{0} int {2}_back({1} offset, {1} *out) {{ {10}const int found = "
             "{11}(({12})offset{13}{5}); {14}return found; }}\n",
             qualifier, integer, name, code.offset_function, index, extents,
             along_locals, code.coordinates_function, along, along_copies,
             locals, code.inverse_function, own, outs, copies);
}

}  // namespace stridewise::testing
