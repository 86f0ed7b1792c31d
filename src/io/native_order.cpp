// Arrays in Fortran order or of big-endian elements, as most code expects them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/checked.hpp"
#include "io/existing.hpp"
#include "io/tensor.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {
namespace {

// The array's elements with the first dim fastest, and with the last one.
Result<Layout> ordered(const NpyHeader& npy, bool fortran) {
  Axis axis;
  Shape shape;
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < npy.shape.size(); ++d) {
    shape.push_back({fmt::format("d{}", d), npy.shape[d]});
    Term term{.digit = {.dim = shape.back().name}};
    // No overflow: the header's size has been checked.
    if (fortran) term.stride = Step{Step::Kind::exact, stride};
    stride *= std::max<std::int64_t>(npy.shape[d], 1);
    axis.terms.push_back(std::move(term));
  }
  return Layout::bind(Expression{{std::move(axis)}}, shape, npy.element_bytes);
}

void swap_each(std::span<std::byte> bytes, std::int64_t width) {
  for (auto at = bytes.begin(); at != bytes.end(); at += width) {
    std::reverse(at, at + width);
  }
}

// The bytes that the copy of a tensor has room for. Error overflow: there is none.
Result<std::unique_ptr<std::byte[]>> room_for(const TensorFile& file) {
  std::unique_ptr<std::byte[]> room(
      new (std::nothrow) std::byte[static_cast<std::size_t>(file.data_bytes)]);
  if (room) return room;
  return fail(ErrorCode::overflow,
              fmt::format("{}: no memory for a copy of {} bytes",
                          file.path.string(), file.data_bytes));
}

void take(TensorFile& file, std::unique_ptr<std::byte[]> copy) {
  file.memory = std::move(copy);
  file.file = MappedFile();
  file.data_offset = 0;
}

}  // namespace

Result<TensorFile> with_bytes_reversed(TensorFile file, std::int64_t width,
                                       std::int64_t first) {
  auto copy = room_for(file);
  if (!copy) return unexpected(copy.error());
  std::ranges::copy(file.data(), copy->get());
  const std::int64_t whole =
      std::max<std::int64_t>(file.data_bytes - first, 0) / width * width;
  swap_each({copy->get() + first, static_cast<std::size_t>(whole)}, width);
  take(file, *std::move(copy));
  return file;
}

Result<TensorFile> in_native_order(TensorFile file) {
  if (!file.npy) return file;
  NpyHeader& npy = *file.npy;
  const bool fortran = npy.fortran_order && npy.shape.size() > 1;
  if (!fortran && !npy.big_endian) return file;
  auto copy = room_for(file);
  if (!copy) return unexpected(copy.error());
  const Result<Layout> from = ordered(npy, fortran);
  if (!from) return unexpected(from.error());
  const Result<Layout> to = ordered(npy, false);
  if (!to) return unexpected(to.error());
  const Result<Plan> plan = Plan::make(*from, *to);
  if (!plan) return unexpected(plan.error());
  plan->run(file.data().data(), copy->get());
  if (npy.big_endian) {
    const bool complex =
        npy.type && npy.type->kind == ElementKind::complex_floating;
    swap_each({copy->get(), static_cast<std::size_t>(file.data_bytes)},
              npy.element_bytes / (complex ? 2 : 1));
  }
  npy.fortran_order = false;
  npy.big_endian = false;
  take(file, *std::move(copy));
  return file;
}

}  // namespace stridewise
