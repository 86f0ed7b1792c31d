// SPDX-License-Identifier: Apache-2.0
#include "io/existing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/checked.hpp"
#include "io/tensor.hpp"
#include "layout/piece.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

// "6400 bytes" or "an array of f32, 2x3x5, in Fortran order".
std::string description(const NpyHeader* header, std::size_t bytes) {
  if (header == nullptr) return fmt::format("{} bytes", bytes);
  return fmt::format("an array of {}{}, {}{}",
                     header->big_endian ? "big-endian " : "",
                     header->type ? header->type->name : "another type",
                     print_extents(header->shape),
                     header->fortran_order ? ", in Fortran order" : "");
}

}  // namespace

Result<void> refuse_overwrite(const fs::path& in, const fs::path& out) {
  const Result<bool> same = is_same_file(in, out);
  if (!same) return unexpected(same.error());
  if (*same) {
    return fail(ErrorCode::io,
                out.string() + ": is the input; it is not overwritten");
  }
  return {};
}

Result<std::int64_t> keep_existing(const fs::path& out, const NpyHeader* header,
                                   const Layout& layout,
                                   std::span<std::byte> data) {
  const std::int64_t all = std::ssize(data);
  const ContainerPath place = split_container_path(out.native());
  const Result<bool> exists = file_exists(place.file);
  if (!exists) return unexpected(exists.error());
  if (!*exists) return all;
  const Result<TensorFile> old = open_tensor(out);
  // A file that has no tensor of that name gets one.
  if (!old && place.name && old.error().code == ErrorCode::unknown_name) {
    return all;
  }
  if (!old) return unexpected(old.error());
  const std::int64_t has = std::ssize(old->data());
  const bool ends_early = header == nullptr && !old->npy && has < all &&
                          8 * has >= layout.used_bits();
  const bool same =
      (has == all || ends_early) &&
      (header == nullptr ||
       (old->npy && old->npy->type == header->type &&
        old->npy->shape == header->shape && !old->npy->big_endian &&
        (!old->npy->fortran_order || header->shape.size() < 2)));
  if (!same) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: what it holds can stay only where it has this "
                            "layout already: {}; it is {}",
                            out.string(), description(header, data.size()),
                            description(old->npy ? &*old->npy : nullptr,
                                        old->data().size())));
  }
  std::ranges::copy(old->data(), data.begin());
  return has;
}

namespace {

void swap_bytes(std::byte* value, std::int64_t bytes) {
  std::reverse(value, value + bytes);
}

}  // namespace

void swap_elements(const Layout& layout, const ElementType& type,
                   const ConvertOptions& options, std::span<std::byte> data) {
  const std::int64_t part = type.kind == ElementKind::complex_floating
                                ? type.bytes() / 2
                                : type.bytes();
  constexpr std::int64_t slice = 1 << 16;
  const auto swap_slice = [&](std::int64_t task) {
    std::array<std::int64_t, detail::max_dims> storage = {};
    const auto index = std::span(storage).first(layout.shape().size());
    const std::int64_t end = std::min((task + 1) * slice, layout.places());
    for (std::int64_t place = task * slice; place < end; ++place) {
      if (options.fill == Fill::keep &&
          layout.element_at(place, index) != Place::element) {
        continue;
      }
      std::byte* element = data.data() + place * type.bytes();
      for (std::int64_t at = 0; at < type.bytes(); at += part) {
        swap_bytes(element + at, part);
      }
    }
  };
  options.parallel_for(ceil_div(layout.places(), slice), swap_slice);
}

}  // namespace stridewise
