// SPDX-License-Identifier: Apache-2.0
#include "stridewise/vendor/mli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/checked.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::mli {
namespace {

using Dims = std::vector<std::int64_t>;

unexpected<Error> status(std::string_view name, std::string message,
                         ErrorCode code = ErrorCode::invalid_value) {
  return fail(code, fmt::format("{}: {}", name, message));
}

std::int64_t at_or(const Dims& values, std::size_t k, std::int64_t other) {
  return k < values.size() ? values[k] : other;
}

// d0:stride0 d1:stride1 ..., named by source dims.
Expression strided(std::span<const std::int64_t> strides,
                   std::span<const std::int64_t> dims) {
  Axis axis;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    axis.terms.push_back(Term{Digit{fmt::format("d{}", dims[k])},
                              Step{Step::Kind::exact, strides[k]}});
  }
  return Expression{{axis}};
}

Dims identity(std::size_t rank) {
  Dims dims(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    dims[k] = static_cast<std::int64_t>(k);
  }
  return dims;
}

}  // namespace

Result<std::int64_t> required_elements(
    std::span<const std::int64_t> shape,
    std::span<const std::int64_t> mem_stride) {
  if (shape.size() > max_rank || shape.size() != mem_stride.size()) {
    return status("BAD_TENSOR",
                  fmt::format("{} extents and {} strides; the rank is at most "
                              "{}",
                              shape.size(), mem_stride.size(), max_rank));
  }
  Checked inner = 1;
  Checked required = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] < 1 || mem_stride[d] < 1) {
      return status("BAD_TENSOR",
                    fmt::format("shape[{0}] = {1} and mem_stride[{0}] = {2} "
                                "must be positive",
                                d, shape[d], mem_stride[d]));
    }
    if (inner && mem_stride[d] < *inner) {
      return status("BAD_TENSOR",
                    fmt::format("mem_stride[{}] = {} is under {}: strides must "
                                "nest",
                                d, mem_stride[d], *inner));
    }
    inner = mul(shape[d], mem_stride[d]);
    required = add(required, mul(shape[d] - 1, mem_stride[d]));
    if (!inner || !required) {
      return status("BAD_TENSOR", "the size overflows 64 bits",
                    ErrorCode::overflow);
    }
  }
  return *required;
}

Result<void> check(const Tensor& tensor) {
  if (tensor.element_bytes < 1) {
    return status("BAD_TENSOR",
                  fmt::format("elements of {} bytes", tensor.element_bytes));
  }
  const Result<std::int64_t> required =
      required_elements(tensor.shape, tensor.mem_stride);
  if (!required) return unexpected(required.error());
  const Checked bytes = mul(*required, tensor.element_bytes);
  const auto capacity = static_cast<std::int64_t>(tensor.data.size());
  if (!bytes || *bytes > capacity) {
    return status("NOT_ENGH_MEM",
                  fmt::format("{} elements of {} bytes in a buffer of {}",
                              *required, tensor.element_bytes, capacity));
  }
  return {};
}

Result<Dims> permuted_shape(std::span<const std::int64_t> shape,
                            std::span<const std::int64_t> perm_dim) {
  const std::size_t rank = shape.size();
  if (perm_dim.size() < rank) {
    return status("BAD_FUNC_CFG", fmt::format("{} entries of perm_dim for rank "
                                              "{}",
                                              perm_dim.size(), rank));
  }
  Dims permuted;
  std::vector<bool> used(rank, false);
  for (std::size_t k = 0; k < rank; ++k) {
    const std::int64_t d = perm_dim[k];
    if (d < 0 || d >= static_cast<std::int64_t>(rank) ||
        used[static_cast<std::size_t>(d)]) {
      return status(
          "BAD_FUNC_CFG",
          fmt::format("perm_dim[{}] = {} repeats or is out of range", k, d));
    }
    used[static_cast<std::size_t>(d)] = true;
    permuted.push_back(shape[static_cast<std::size_t>(d)]);
  }
  return permuted;
}

Result<void> permute(const Tensor& in, std::span<const std::int64_t> perm_dim,
                     Tensor& out) {
  for (const Tensor* tensor : {&in, static_cast<const Tensor*>(&out)}) {
    if (auto checked = check(*tensor); !checked) return checked;
  }
  const Result<Dims> permuted = permuted_shape(in.shape, perm_dim);
  if (!permuted) return unexpected(permuted.error());
  if (out.shape != *permuted) {
    return status("SHAPE_MISMATCH", "out is not of the permuted shape",
                  ErrorCode::mismatch);
  }
  if (in.element_bytes != out.element_bytes) {
    return status("TYPE_MISMATCH",
                  fmt::format("elements of {} and {} bytes", in.element_bytes,
                              out.element_bytes),
                  ErrorCode::mismatch);
  }
  const std::less<const std::byte*> before;
  const bool apart =
      !before(out.data.data(), in.data.data() + in.data.size()) ||
      !before(in.data.data(), out.data.data() + out.data.size());
  if (!apart) {
    return status("INCOMPATEBLE_TENSORS", "the buffers overlap",
                  ErrorCode::mismatch);
  }
  Shape shape;
  const Dims dims = identity(in.shape.size());
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    shape.push_back({fmt::format("d{}", d), in.shape[d]});
  }
  const Result<Layout> src =
      Layout::bind(strided(in.mem_stride, dims), shape, in.element_bytes);
  if (!src) return unexpected(src.error());
  const Result<Layout> dst =
      Layout::bind(strided(out.mem_stride, perm_dim), shape, in.element_bytes);
  if (!dst) return unexpected(dst.error());
  const Result<Plan> plan = Plan::make(*src, *dst, Fill::keep);
  if (!plan) return unexpected(plan.error());
  plan->run(in.data.data(), out.data.data());
  return {};
}

Result<Moved> moved(const Tensor& in, const Move& move) {
  if (auto checked = check(in); !checked) return unexpected(checked.error());
  const std::size_t rank = in.shape.size();
  Dims sizes(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t step = at_or(move.subsample, d, 1);
    const std::int64_t offset = at_or(move.offset, d, 0);
    const std::int64_t pre = at_or(move.pad_pre, d, 0);
    const std::int64_t post = at_or(move.pad_post, d, 0);
    const Checked frame = add(in.shape[d], add(pre, post));
    if (step < 1 || offset < 0 || pre < 0 || post < 0 || !frame) {
      return status("BAD_FUNC_CFG",
                    "a negative offset or padding, or a "
                    "subsample that is not positive");
    }
    const std::int64_t asked = at_or(move.size, d, 0);
    const std::int64_t size = asked == 0 ? *frame - offset : asked;
    if (size < 1 || size > *frame - offset) {
      return status("BAD_FUNC_CFG",
                    fmt::format("{} from {} is outside the padded {} of dim {}",
                                size, offset, *frame, d));
    }
    sizes[d] = ceil_div(size, step);
  }
  const Dims perm = move.perm_dim.empty() ? identity(rank) : move.perm_dim;
  Result<Dims> shape = permuted_shape(sizes, perm);
  if (!shape) return unexpected(shape.error());
  Moved result{*std::move(shape), Dims(rank)};
  Checked dense = 1;
  for (std::size_t k = rank; k-- > 0;) {
    const std::int64_t start = at_or(move.dst_offset, k, 0);
    const Checked end = add(result.shape[k], start);
    if (start < 0 || !end || !dense) {
      return status("BAD_FUNC_CFG", "a dst_offset out of range");
    }
    result.shape[k] = *end;
    const std::int64_t given = at_or(move.dst_mem_stride, k, 0);
    result.mem_stride[k] = given == 0 ? *dense : given;
    dense = mul(result.mem_stride[k], result.shape[k]);
  }
  return result;
}

Result<Moved> move_tensor(const Tensor& in, const Move& move,
                          std::span<std::byte> dst) {
  Result<Moved> result = moved(in, move);
  if (!result) return result;
  const Tensor out{result->shape, result->mem_stride, in.element_bytes, dst};
  if (auto checked = check(out); !checked) return unexpected(checked.error());

  const std::size_t rank = in.shape.size();
  const Dims perm = move.perm_dim.empty() ? identity(rank) : move.perm_dim;
  const auto width = static_cast<std::size_t>(in.element_bytes);
  Dims index(rank);  // of out
  for (std::size_t k = 0; k < rank; ++k) {
    index[k] = at_or(move.dst_offset, k, 0);
  }
  for (;;) {
    std::int64_t from = 0;
    std::int64_t to = 0;
    bool inside = true;
    for (std::size_t k = 0; k < rank; ++k) {
      const auto d = static_cast<std::size_t>(perm[k]);
      const std::int64_t x = (index[k] - at_or(move.dst_offset, k, 0)) *
                                 at_or(move.subsample, d, 1) +
                             at_or(move.offset, d, 0) -
                             at_or(move.pad_pre, d, 0);
      inside = inside && x >= 0 && x < in.shape[d];
      if (inside) from += x * in.mem_stride[d];
      to += index[k] * result->mem_stride[k];
    }
    std::byte* place = dst.data() + to * in.element_bytes;
    if (inside) {
      std::memcpy(place, in.data.data() + from * in.element_bytes, width);
    } else {
      std::memset(place, 0, width);
    }
    std::size_t k = rank;
    while (k > 0 && ++index[k - 1] == result->shape[k - 1]) {
      --k;
      index[k] = at_or(move.dst_offset, k, 0);
    }
    if (k == 0) return result;
  }
}

}  // namespace stridewise::mli
