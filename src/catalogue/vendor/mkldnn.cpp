// SPDX-License-Identifier: Apache-2.0
#include "stridewise/vendor/mkldnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::mkldnn {
namespace {

using Dims = std::vector<std::int64_t>;

unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid_value, std::move(message));
}

// The product of the inner blocks of each dim.
Dims block_products(const MemoryDesc& desc) {
  Dims blocks(desc.dims.size(), 1);
  for (std::size_t k = 0; k < desc.inner_dims.size(); ++k) {
    blocks[static_cast<std::size_t>(desc.inner_dims[k])] *=
        desc.inner_blocks[k];
  }
  return blocks;
}

Result<void> check_dims(std::span<const std::int64_t> dims) {
  for (const std::int64_t dim : dims) {
    if (dim < 0) return invalid(fmt::format("a negative dim: {}", dim));
  }
  return {};
}

// Each stride, ascending, must pass what the smaller ones take. Strides of 0
// broadcast; a dim of one step takes no space.
Result<void> check_overlap(std::span<const std::int64_t> dims,
                           std::span<const std::int64_t> strides) {
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t d) { return strides[d]; });
  Checked least = 1;
  for (const std::size_t d : order) {
    if (strides[d] < 0) return invalid("a negative stride");
    if (strides[d] == 0 || dims[d] == 1) continue;
    if (strides[d] < *least) {
      return invalid(
          fmt::format("elements overlap: stride {} of dim {} is "
                      "under {}",
                      strides[d], d, *least));
    }
    least = mul(strides[d], dims[d]);
    if (!least) return fail(ErrorCode::overflow, "strides overflow 64 bits");
  }
  return {};
}

}  // namespace

Result<MemoryDesc> describe(std::string_view tag,
                            std::span<const std::int64_t> dims) {
  const Result<Tag> parsed = parse_tag(tag);
  if (!parsed) return unexpected(parsed.error());
  if (auto checked = check_dims(dims); !checked) {
    return unexpected(checked.error());
  }
  if (dims.empty()) return MemoryDesc{};
  if (dims.size() != parsed->dims.size()) {
    return invalid(fmt::format("{} dims for tag {}, which has {}", dims.size(),
                               tag, parsed->dims.size()));
  }
  Shape shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    shape.push_back({parsed->dims[d], dims[d]});
  }
  const Result<Layout> layout = Layout::bind(parsed->expression, shape, 1);
  if (!layout) return unexpected(layout.error());

  MemoryDesc desc;
  desc.dims.assign(dims.begin(), dims.end());
  desc.strides.resize(dims.size());
  for (const BoundTerm& term : layout->terms()) {
    const auto d = static_cast<std::size_t>(term.dim);
    if (term.mod == 0) {
      desc.strides[d] = term.flat_stride;
    } else {
      desc.inner_dims.push_back(term.dim);
      desc.inner_blocks.push_back(term.mod);
    }
  }
  const Dims blocks = block_products(desc);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    desc.padded_dims.push_back(ceil_div(dims[d], blocks[d]) * blocks[d]);
  }
  return desc;
}

Result<MemoryDesc> describe_strided(std::span<const std::int64_t> dims,
                                    std::span<const std::int64_t> strides) {
  if (auto checked = check_dims(dims); !checked) {
    return unexpected(checked.error());
  }
  MemoryDesc desc;
  desc.dims.assign(dims.begin(), dims.end());
  desc.padded_dims = desc.dims;
  desc.strides.assign(strides.begin(), strides.end());
  if (strides.empty()) {
    desc.strides.resize(dims.size());
    Checked stride = 1;
    for (std::size_t d = dims.size(); d-- > 0;) {
      if (!stride) return fail(ErrorCode::overflow, "strides overflow 64 bits");
      desc.strides[d] = *stride;
      stride = mul(stride, std::max<std::int64_t>(dims[d], 1));
    }
  }
  if (desc.strides.size() != dims.size()) {
    return invalid(
        fmt::format("{} strides for {} dims", strides.size(), dims.size()));
  }
  if (auto checked = check_overlap(dims, desc.strides); !checked) {
    return unexpected(checked.error());
  }
  return desc;
}

Result<std::int64_t> size_bytes(const MemoryDesc& desc,
                                std::int64_t element_bytes, SizeRule rule) {
  STRIDEWISE_EXPECTS(rule <= SizeRule::v2, "mkldnn::size_bytes: a valid rule");
  if (desc.dims.empty() || std::ranges::find(desc.dims, 0) != desc.dims.end()) {
    return 0;
  }
  const Dims blocks = block_products(desc);
  const std::int64_t block = std::accumulate(
      blocks.begin(), blocks.end(), std::int64_t{1}, std::multiplies<>());
  Checked most = 1;
  for (std::size_t d = 0; d < desc.dims.size(); ++d) {
    const std::int64_t count = desc.padded_dims[d] / blocks[d];
    const bool counts = rule == SizeRule::v0_16 || count != 1;
    const Checked reach = mul(count, counts ? desc.strides[d] : 1);
    most = most && reach ? Checked(std::max(*most, *reach)) : std::nullopt;
  }
  if (rule == SizeRule::v0_16 && most) most = std::max(*most, block);
  if (rule == SizeRule::v2 && most == 1) most = block;
  const Checked bytes = mul(most, element_bytes);
  if (!bytes) return fail(ErrorCode::overflow, "the size overflows 64 bits");
  return *bytes;
}

Result<MemoryDesc> submemory(const MemoryDesc& desc,
                             std::span<const std::int64_t> dims,
                             std::span<const std::int64_t> offsets) {
  const std::size_t rank = desc.dims.size();
  if (dims.size() != rank || offsets.size() != rank) {
    return invalid(fmt::format("{} dims and {} offsets for {} dims",
                               dims.size(), offsets.size(), rank));
  }
  const Dims blocks = block_products(desc);
  MemoryDesc part = desc;
  for (std::size_t d = 0; d < rank; ++d) {
    const Checked end = add(offsets[d], dims[d]);
    if (offsets[d] < 0 || dims[d] < 0 || !end || *end > desc.dims[d]) {
      return invalid(fmt::format("{} from {} is outside the {} of dim {}",
                                 dims[d], offsets[d], desc.dims[d], d));
    }
    const bool at_border = *end == desc.dims[d];
    if (offsets[d] % blocks[d] != 0 ||
        (dims[d] % blocks[d] != 0 && dims[d] > blocks[d] && !at_border)) {
      return fail(ErrorCode::unsupported,
                  fmt::format("{} from {} of dim {} is not on whole blocks of "
                              "{}",
                              dims[d], offsets[d], d, blocks[d]));
    }
    part.dims[d] = dims[d];
    part.padded_dims[d] =
        at_border ? desc.padded_dims[d] - offsets[d] : dims[d];
    part.offset0 += offsets[d] / blocks[d] * desc.strides[d];
  }
  return part;
}

}  // namespace stridewise::mkldnn
