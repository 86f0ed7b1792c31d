// Sizes that do not fit, and what might have been meant.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "stridewise/diff.hpp"

namespace stridewise {

Result<void> inspect::check_bytes(const Layout& layout,
                                  std::span<const std::byte> bytes,
                                  const ElementType& type,
                                  std::string_view name) {
  if (!layout.valid()) return unexpected(*layout.defect());
  if (layout.element_bytes() != type.bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: a layout of elements of {} bytes and type {}",
                            name, layout.element_bytes(), type.name));
  }
  if (static_cast<std::int64_t>(bytes.size()) != layout.size_bytes()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{} has {} bytes, its layout {}", name,
                            bytes.size(), layout.size_bytes()));
  }
  return {};
}

namespace {

// Without padding, and the same digits with a natural stride each.
std::int64_t size_without(const Layout& layout, bool alignment_only) {
  Expression expression = layout.expression();
  for (Axis& axis : expression.axes) {
    axis.pitch = axis.pitch.kind == Step::Kind::aligned ? Step{} : axis.pitch;
    for (Term& term : axis.terms) {
      if (term.stride.kind == Step::Kind::aligned || !alignment_only) {
        term.stride = {};
      }
    }
  }
  const Result<Layout> natural =
      Layout::bind(expression, layout.shape(), layout.element_bytes());
  return natural ? natural->size_bytes() : -1;
}

// The same with another modulus in the first digit of an outer axis: other
// numbers of processors.
void add_counts(const Layout& layout, std::int64_t bytes,
                std::vector<std::string>& sentences) {
  const Expression& expression = layout.expression();
  if (expression.axes.size() < 2) return;
  const Axis& axis = expression.axes.front();
  const std::int64_t pitch = layout.axes().front().pitch_bytes;
  if (axis.terms.size() != 1 || axis.terms[0].digit.mod == 0) return;
  const std::int64_t has = layout.axes().front().extent;
  if (bytes % pitch == 0 && bytes / pitch != has && bytes >= pitch) {
    sentences.push_back(
        fmt::format("{} {} of {} bytes each, where the layout has {}",
                    bytes / pitch, layout.axes().front().name, pitch, has));
  }
}

}  // namespace

std::vector<std::string> explain_size(const Layout& layout,
                                      const ElementType& type,
                                      std::int64_t bytes) {
  std::vector<std::string> sentences;
  const std::int64_t size = layout.size_bytes();
  if (bytes == size) return sentences;
  if (bytes == 0) return {"the file is empty"};
  const std::int64_t elements_only = layout.elements() * layout.element_bytes();
  if (bytes == elements_only) {
    sentences.push_back(
        fmt::format("as large as the {} elements alone: written without "
                    "padding",
                    layout.elements()));
  }
  if (bytes != elements_only && bytes == size_without(layout, true)) {
    sentences.emplace_back("as large as the layout without its alignments");
  }
  // The last padding is not always written.
  std::vector<std::int64_t> last;
  for (const Dim& dim : layout.shape()) last.push_back(dim.extent - 1);
  if (layout.elements() > 0) {
    std::int64_t end = 0;
    std::vector<std::int64_t> index(last.size(), 0);
    // Offsets grow in each dim of a layout without bias; where they do not, this
    // is one of its places all the same.
    end = (layout.offset(last) + 1) * layout.element_bytes();
    if (bytes == end && bytes != elements_only) {
      sentences.emplace_back(
          "ends with the last element: the padding after it is missing");
    }
  }
  for (const std::int64_t unit : {64, 128, 256, 512, 4096, 65536}) {
    if (bytes > size && ceil_div(size, unit) * unit == bytes) {
      sentences.push_back(fmt::format(
          "the layout's {} bytes rounded up to a multiple of {}", size, unit));
      break;
    }
  }
  if (layout.elements() > 0 && size > 0) {
    std::vector<std::string> types;
    for (const ElementType& other : element_types()) {
      if (other.bits == type.bits) continue;
      const Result<Layout> bound =
          Layout::bind(layout.expression(), layout.shape(), other.bytes());
      if (bound && bound->size_bytes() == bytes) {
        types.emplace_back(other.name);
      }
    }
    if (!types.empty()) {
      sentences.push_back(
          fmt::format("the size of another type: {}", fmt::join(types, ", ")));
    }
  }
  add_counts(layout, bytes, sentences);
  if (size > 0 && bytes > size && bytes % size == 0) {
    sentences.push_back(
        fmt::format("{} of these tensors, one after the other", bytes / size));
  }
  // One dim with another extent.
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    Shape shape = layout.shape();
    for (const std::int64_t by : {-1, 1}) {
      shape[d].extent = layout.shape()[d].extent + by;
      if (shape[d].extent < 1) continue;
      const Result<Layout> bound =
          Layout::bind(layout.expression(), shape, layout.element_bytes());
      if (bound && bound->size_bytes() == bytes) {
        sentences.push_back(
            fmt::format("the size with {}={}", shape[d].name, shape[d].extent));
      }
    }
  }
  if (sentences.empty()) {
    sentences.push_back(bytes < size
                            ? fmt::format("{} bytes are missing", size - bytes)
                            : fmt::format("{} bytes too many", bytes - size));
  }
  return sentences;
}

}  // namespace stridewise
