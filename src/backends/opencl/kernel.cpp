// The kernel of a reorder: the emitted arithmetic of both layouts, and a few
// lines that read, convert and write. The image is walked where there is one
// (dst's, else src's), so that each pixel is touched once; else the places of
// dst.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backends/opencl/internal.hpp"
#include "backends/opencl/kernel_writer.hpp"
#include "stridewise/emit.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::opencl {
namespace {

Result<void> check_side(const Side& side) {
  if (const auto held = check_held(side.layout); !held) return held;
  if (side.layout.element_bits() != side.type.bits) {
    return fail(ErrorCode::mismatch,
                fmt::format("a layout of {} bytes an element for {}",
                            side.layout.element_bytes(), side.type.name));
  }
  if (side.storage == Storage::buffer) return {};
  if (const auto size = image_size(side.layout); !size) {
    return unexpected(size.error());
  }
  if (const auto format = image_format(side.type); !format) {
    return unexpected(format.error());
  }
  return {};
}

// Another piece of memory is written for each element; a copy would stay as it was.
bool has_copies(const Layout& layout) {
  return std::ranges::any_of(layout.pieces(), [](const LayoutPiece& piece) {
    return std::ranges::any_of(piece.digits, [](const LayoutPiece::Digit& d) {
      return d.term.copies != 0;
    });
  });
}

// What the emitted code of both sides must be able to say.
Result<void> check_code(const Side& src, const Side& dst,
                        const EmittedCode& from, const EmittedCode& to,
                        const KernelOptions& options, bool scatters) {
  const bool whole_bytes = !from.bitwise && !to.bitwise &&
                           from.offset_bits % 8 == 0 && to.offset_bits % 8 == 0;
  if (!whole_bytes) {
    return fail(ErrorCode::unsupported,
                "devices move elements whose bytes lie together, each at a "
                "whole byte");
  }
  const bool aligned =
      from.offset_bits == src.type.bits && to.offset_bits == dst.type.bits;
  const bool buffers =
      src.storage == Storage::buffer && dst.storage == Storage::buffer;
  if (!aligned && (src.type != dst.type || !buffers)) {
    return fail(ErrorCode::unsupported,
                "elements that do not lie at multiples of their width move "
                "from buffer to buffer, and keep their values");
  }
  const bool plain = src.layout.plain() && dst.layout.plain();
  if (options.batched && !plain) {
    return fail(ErrorCode::unsupported,
                "a batch is of layouts of plain digits");
  }
  if (scatters && has_copies(dst.layout)) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' has copies, and its places do not tell which "
                            "element they hold",
                            print(dst.layout.expression())));
  }
  return {};
}

// Equal dims, by name; the first one may differ in a batch.
Result<void> check_shapes(const Shape& src, const Shape& dst, bool batched) {
  const auto by_name = [&](Shape shape) {
    if (batched && !shape.empty()) shape[0].extent = 0;
    std::ranges::sort(shape, {}, &Dim::name);
    return shape;
  };
  if (batched && (src.empty() || dst.empty() || src[0].name != dst[0].name)) {
    return fail(ErrorCode::mismatch,
                fmt::format("a batch of {} and {}, which begin with different "
                            "dims",
                            print(src), print(dst)));
  }
  if (by_name(src) == by_name(dst)) return {};
  return fail(ErrorCode::mismatch,
              fmt::format("shapes differ: {} and {}", print(src), print(dst)));
}

Result<void> check_types(const ElementType& src, const ElementType& dst) {
  const auto real = [](const ElementType& type) {
    return type.name == "f32" || type.name == "f16";
  };
  if (src == dst || (real(src) && real(dst))) return {};
  return fail(ErrorCode::unsupported,
              fmt::format("a device turns f32 into f16 and back, not {} into "
                          "{}",
                          src.name, dst.name));
}

// A pixel is written as a whole: it must be of one part of the batch.
Result<void> check_batch(const Side& dst) {
  for (const BoundTerm& term : dst.layout.terms()) {
    if (dst.storage == Storage::image && term.dim == 0 && term.axis == 2 &&
        dst.layout.shape()[0].extent > 1) {
      return fail(ErrorCode::unsupported,
                  fmt::format("pixels of '{}' hold several indices of {}: a "
                              "part of them cannot be written alone",
                              print(dst.layout.expression()),
                              dst.layout.shape()[0].name));
    }
  }
  return {};
}

}  // namespace

Result<KernelSource> kernel_source(const Side& src, const Side& dst,
                                   const KernelOptions& options) {
  if (!dst.layout.valid()) return unexpected(*dst.layout.defect());
  for (const Result<void>& checked :
       {check_side(src), check_side(dst), check_types(src.type, dst.type),
        check_shapes(src.layout.shape(), dst.layout.shape(), options.batched),
        options.batched ? check_batch(dst) : Result<void>()}) {
    if (!checked) return unexpected(checked.error());
  }
  EmitOptions emit_options{.language = EmitLanguage::opencl, .name = "src"};
  Result<EmittedCode> from = emit(src.layout, emit_options);
  emit_options.name = "dst";
  Result<EmittedCode> to = emit(dst.layout, emit_options);
  if (from && to && from->bits != to->bits) {
    emit_options.bits = EmitBits::wide;
    to = emit(dst.layout, emit_options);
    emit_options.name = "src";
    from = emit(src.layout, emit_options);
  }
  if (!from) return unexpected(from.error());
  if (!to) return unexpected(to.error());
  const bool buffers =
      src.storage == Storage::buffer && dst.storage == Storage::buffer;
  const bool told =
      !to->inverse_function.empty() && to->offset_bits == dst.type.bits;
  const bool by_element = buffers && !told;
  if (auto fits = check_code(src, dst, *from, *to, options, by_element);
      !fits) {
    return unexpected(fits.error());
  }
  KernelSource source{.code = {}, .bits = from->bits, .global = {}};
  source.walks_src =
      dst.storage == Storage::buffer && src.storage == Storage::image;
  source.leaves_gaps = (source.walks_src || by_element) && !dst.layout.dense();
  const Side& walked = source.walks_src ? src : dst;
  if (walked.storage == Storage::image) {
    const ImageSize size = *image_size(walked.layout);
    source.global = {static_cast<std::size_t>(size.width),
                     static_cast<std::size_t>(size.height)};
  } else {
    source.global = {static_cast<std::size_t>(
        by_element ? dst.layout.elements()
                   : dst.layout.size_bytes() / dst.type.bytes())};
  }
  source.code = from->code + "\n" + to->code + "\n" +
                write_kernel({src, dst, options, source.bits, from->offset_bits,
                              to->offset_bits, by_element});
  return source;
}

}  // namespace stridewise::opencl
