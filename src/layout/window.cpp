// A box of a tensor's indices as a layout of the same memory: each digit takes its dim
// with a bias, and with as many places after it as the box leaves out.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/utf8.hpp"
#include "layout/data.hpp"
#include "stridewise/layout.hpp"

namespace stridewise {
namespace {

// What a dim's window leaves out on either side.
struct Margin {
  std::string dim;
  std::int64_t before;
  std::int64_t after;
};

// Rewrites the digits of an expression. The first error stays.
class Narrowing {
 public:
  explicit Narrowing(std::vector<Margin> margins)
      : margins_(std::move(margins)) {}

  // NOLINTBEGIN(misc-no-recursion): bodies hold digits, which hold bodies
  Digit digit(Digit digit) {
    if (const Margin* margin = margin_of(digit.dim)) {
      const Checked bias = add(digit.bias, margin->before);
      const Checked after = add(digit.after, margin->after);
      if (!bias || !after) {
        failed(ErrorCode::overflow,
               "the bias of " + digit.dim + " overflows 64 bits");
        return digit;
      }
      digit.bias = *bias;
      digit.after = *after;
    }
    std::vector<Body> fused;
    for (const Body& body : digit.fused) fused.push_back(this->body(body));
    digit.fused = std::move(fused);
    std::vector<Twist> twists;
    for (const Twist& twist : digit.twists) {
      twists.push_back({twist.kind, this->digit(twist.digit)});
    }
    digit.twists = std::move(twists);
    const bool biased = digit.bias != 0 || digit.after != 0;
    return biased && digit.share != Share::none
               ? shares_of_fused(std::move(digit))
               : digit;
  }

  Body body(Body body) {
    terms(body.terms);
    body.parts = parts(body.parts);
    return body;
  }

  NestedList<Part> parts(const NestedList<Part>& parts) {
    std::vector<Part> narrowed;
    for (Part part : parts) {
      for (const Slice& slice : part.slices) {
        if (margin_of(slice.dim) != nullptr) no_window(slice.dim, "sliced");
      }
      part.body = body(std::move(part.body));
      narrowed.push_back(std::move(part));
    }
    return narrowed;
  }
  // NOLINTEND(misc-no-recursion)

  Result<Expression> expression(Expression expression) {
    for (FusedIndex& fused : expression.fused) {
      fused.body = body(std::move(fused.body));
    }
    for (Axis& axis : expression.axes) {
      terms(axis.terms);
      axis.parts = parts(axis.parts);
    }
    if (error_) return unexpected(*error_);
    return expression;
  }

 private:
  // Shares are of whole dims: those of one with a bias are written as of a fused index
  // that has it alone.
  static Digit shares_of_fused(Digit digit) {
    Term term{.digit = {.dim = std::exchange(digit.dim, {})}};
    term.digit.bias = std::exchange(digit.bias, 0);
    term.digit.after = std::exchange(digit.after, 0);
    digit.fused = std::vector<Body>{Body{.terms = {std::move(term)}}};
    return digit;
  }

  // NOLINTNEXTLINE(misc-no-recursion): digits hold bodies
  void terms(std::vector<Term>& terms) {
    for (Term& term : terms) {
      if (term.copies != 0) continue;
      if (!term.cuts.empty() && margin_of(term.digit.dim) != nullptr) {
        no_window(term.digit.dim, "cut");
      }
      term.digit = digit(std::move(term.digit));
    }
  }

  const Margin* margin_of(const std::string& dim) const {
    const auto found = std::ranges::find(margins_, dim, &Margin::dim);
    return found == margins_.end() ? nullptr : &*found;
  }

  void no_window(const std::string& dim, const char* how) {
    failed(ErrorCode::unsupported,
           fmt::format("dim {} is {}, so that a window of it is no layout: "
                       "take one of other dims",
                       dim, how));
  }

  void failed(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{code, std::move(message)};
  }

  std::vector<Margin> margins_;
  std::optional<Error> error_ = {};
};

unexpected<Error> bad_range(const Slice& range, const std::string& why) {
  return fail(
      ErrorCode::invalid_value,
      fmt::format("the window {}={}..{}: {}", printable(range.dim), range.low,
                  range.high < 0 ? "" : std::to_string(range.high), why));
}

}  // namespace

Result<Shape> box_of(const Shape& shape, std::span<const Slice> ranges) {
  Shape box = shape;
  std::vector<std::string> named;
  for (const Slice& range : ranges) {
    const auto dim = std::ranges::find(box, range.dim, &Dim::name);
    if (dim == box.end()) return bad_range(range, "the tensor has no such dim");
    if (std::ranges::find(named, range.dim) != named.end()) {
      return bad_range(range, "the dim has a range already");
    }
    named.push_back(range.dim);
    const std::int64_t high = range.high < 0 ? dim->extent : range.high;
    if (range.low < 0 || high > dim->extent) {
      return bad_range(range,
                       fmt::format("the dim has {} indices", dim->extent));
    }
    if (range.low >= high) return bad_range(range, "it is empty");
    dim->extent = high - range.low;
  }
  return box;
}

Result<Layout> Layout::window(std::span<const Slice> ranges) const {
  if (tensor() < 0) {
    return fail(ErrorCode::mismatch,
                "a window of several tensors: choose one of them first");
  }
  const Result<Shape> box = box_of(shape(), ranges);
  if (!box) return unexpected(box.error());
  Shape narrow = data_->shape;
  std::vector<Margin> margins;
  for (const Slice& range : ranges) {
    const auto dim = std::ranges::find(narrow, range.dim, &Dim::name);
    if (dim == narrow.end()) {
      return bad_range(range, "the dim is a digit of another");
    }
    const std::int64_t whole = dim->extent;
    dim->extent = std::ranges::find(*box, range.dim, &Dim::name)->extent;
    const std::int64_t after = whole - dim->extent - range.low;
    if (range.low != 0 || after != 0) {
      margins.push_back({range.dim, range.low, after});
    }
  }
  Result<Expression> expression =
      Narrowing(std::move(margins)).expression(data_->expression);
  if (!expression) return unexpected(expression.error());
  Result<Layout> memory = bind(*expression, narrow, data_->binding);
  if (!memory) return memory;
  return memory->tensor() >= 0 ? memory : memory->part(tensor_->tensor.name);
}

}  // namespace stridewise
