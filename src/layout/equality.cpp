// Expressions are equal where their texts are.
// SPDX-License-Identifier: Apache-2.0
#include <tuple>

#include "stridewise/layout.hpp"

namespace stridewise {
namespace {

// A base of nothing has no unit.
template <class T>
bool same_base(const T& a, const T& b) {
  return a.base == b.base &&
         (a.base == 0 || a.base_in_bytes == b.base_in_bytes);
}

// That of an axis is of bytes, whichever way it says so.
Step pitch_of(const Axis& axis) {
  Step pitch = axis.pitch;
  if (pitch.kind == Step::Kind::bytes) pitch.kind = Step::Kind::exact;
  return pitch;
}

}  // namespace

bool operator==(const Step& a, const Step& b) {
  return a.kind == b.kind &&
         (a.kind == Step::Kind::natural || a.value == b.value);
}

bool operator==(const Slice& a, const Slice& b) {
  return a.dim == b.dim && a.low == b.low &&
         (a.high == b.high || (a.high < 0 && b.high < 0));
}

// NOLINTBEGIN(misc-no-recursion): bodies hold digits, which hold bodies

bool operator==(const Digit& a, const Digit& b) {
  const auto numbers = [](const Digit& digit) {
    return std::tie(digit.bias, digit.div, digit.mod, digit.after, digit.share,
                    digit.reversed);
  };
  return numbers(a) == numbers(b) && a.fused == b.fused &&
         (!a.fused.empty() || a.dim == b.dim) &&
         (a.share == Share::none || a.shares == b.shares) &&
         a.table == b.table && a.twists == b.twists;
}

bool operator==(const Term& a, const Term& b) {
  if (a.copies != b.copies || a.cuts != b.cuts) return false;
  if (!a.cuts.empty()) return a.digit.dim == b.digit.dim;
  return a.stride == b.stride && (a.copies != 0 || a.digit == b.digit);
}

bool operator==(const Body& a, const Body& b) {
  return same_base(a, b) && a.terms == b.terms && a.parts == b.parts;
}

bool operator==(const Axis& a, const Axis& b) {
  return a.name == b.name && same_base(a, b) && a.terms == b.terms &&
         pitch_of(a) == pitch_of(b) && a.parts == b.parts;
}

// NOLINTEND(misc-no-recursion)

}  // namespace stridewise
