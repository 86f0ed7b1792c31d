// SPDX-License-Identifier: Apache-2.0
#include "layout/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "layout/scope.hpp"

namespace stridewise::detail {
namespace {

Result<std::int64_t> aligned(std::int64_t natural, std::int64_t bytes,
                             std::int64_t unit, const std::string& what) {
  const Checked alignment = mul(bytes, 8);
  const Checked whole = alignment
                            ? lcm(*alignment, std::max<std::int64_t>(unit, 1))
                            : std::nullopt;
  const Checked bits = whole ? round_up(natural, *whole) : std::nullopt;
  if (!bits || *bits > largest) return too_large(what);
  return *bits;
}

}  // namespace

Result<std::int64_t> stride_bits(const Step& step, const std::string& name,
                                 std::int64_t natural, std::int64_t unit) {
  if (step.kind == Step::Kind::natural) return natural;
  if (step.kind == Step::Kind::aligned) {
    if (step.value < 1) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("an alignment of {} bytes", step.value));
    }
    return aligned(natural, step.value, unit, "the aligned stride of " + name);
  }
  const bool bytes = step.kind == Step::Kind::bytes;
  if (!bytes && unit == 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("the stride of {} steps over parts whose elements "
                            "differ in width: write it in bytes, {}:{}B",
                            name, name, step.value));
  }
  const Checked bits = mul(step.value, bytes ? 8 : unit);
  if (!bits || *bits > largest || *bits < -largest) {
    return too_large("the stride of " + name);
  }
  return *bits;
}

Result<std::int64_t> pitch_bits(const Step& pitch, const std::string& axis,
                                std::int64_t natural,
                                std::int64_t element_bits) {
  if (pitch.kind == Step::Kind::natural) return natural;
  if (pitch.value < 1) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a pitch of {} bytes", pitch.value));
  }
  if (pitch.kind == Step::Kind::aligned) {
    return aligned(natural, pitch.value, element_bits,
                   "the aligned pitch of axis " + axis);
  }
  const Checked bits = mul(pitch.value, 8);
  if (!bits || *bits > largest) return too_large("the pitch of axis " + axis);
  if (*bits < natural) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("each {} takes {} bytes, more than the {} bytes from one "
                    "to the next",
                    axis, ceil_div(natural, 8), pitch.value));
  }
  if (element_bits > 8 && *bits % element_bits != 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("the pitch of axis {}, {} bytes, is not a multiple "
                            "of the element's {} bytes",
                            axis, pitch.value, element_bits / 8));
  }
  return *bits;
}

Result<void> Space::add(std::int64_t extent, std::int64_t stride,
                        const std::string& name) {
  const Checked reach = mul(extent, stride);
  const Checked last = stridewise::add(
      last_, mul(std::max<std::int64_t>(extent - 1, 0), stride));
  if (!reach || !last || *reach > largest || *last > largest) {
    return too_large("the space of dim " + name);
  }
  space_ = std::max(space_, *reach);
  last_ = *last;
  return {};
}

}  // namespace stridewise::detail
