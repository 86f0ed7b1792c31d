// The digits of an expression whose extents are parameters of the code: what
// bind.cpp calculates, with names. From the last axis to the first, and in an
// axis from the last term, because natural strides are what lies to the right.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "emit/subject.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::emitter {
namespace {

class Binder {
 public:
  Binder(const Expression& expression, std::int64_t element_bytes,
         Subject& subject)
      : expression_(expression),
        element_bytes_(element_bytes),
        subject_(subject) {}

  Result<void> run(std::span<const std::string> dims) {
    Value pitch = 1;  // of the axis, in elements
    for (std::size_t a = expression_.axes.size(); a-- > 0;) {
      const Axis& axis = expression_.axes[a];
      if (a + 1 < expression_.axes.size()) {
        const Result<Value> stepped = step_of(axis.pitch, places_, "a pitch");
        if (!stepped) return unexpected(stepped.error());
        if (axis.pitch.kind != Step::Kind::natural) leave_room();
        pitch = *stepped;
        pitch = define(fmt::format("pitch{}", a), pitch);
      }
      if (auto bound = bind_axis(a, pitch, dims); !bound) return bound;
    }
    std::ranges::reverse(subject_.terms);
    subject_.places = places_;
    return {};
  }

 private:
  // The last term that was bound does not fill what is left of it.
  void leave_room() {
    if (!subject_.terms.empty()) subject_.terms.back().fills = false;
  }

  // A new constant of the code, where the value is worth a name.
  Value define(std::string name, Value value) {
    if (value.is_atom()) return value;
    subject_.definitions.push_back({name, std::move(value)});
    return variable(std::move(name));
  }

  // `natural` elements as a step says: itself, or `value` bytes, or rounded up
  // to a multiple of them.
  Result<Value> step_of(const Step& step, const Value& natural,
                        std::string_view what) const {
    if (step.kind == Step::Kind::natural) return natural;
    if (step.kind == Step::Kind::exact) {
      if (step.value >= 1 && step.value % element_bytes_ == 0) {
        return Value(step.value / element_bytes_);
      }
      return fail(ErrorCode::invalid_value,
                  fmt::format("{} of {} bytes is not whole elements of {} "
                              "bytes",
                              what, step.value, element_bytes_));
    }
    return rounded_up(natural, step.value, element_bytes_);
  }

  // `natural` steps of `step_bytes` each, so many that they are a multiple of
  // `bytes`.
  static Result<Value> rounded_up(const Value& natural, std::int64_t bytes,
                                  std::int64_t step_bytes) {
    const Checked unit = bytes < 1 ? Checked() : lcm(bytes, step_bytes);
    if (!unit) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("an alignment to {} bytes", bytes));
    }
    const std::int64_t steps = *unit / step_bytes;
    return (natural + (steps - 1)) / steps * steps;
  }

  Result<Value> stride_of(const Term& term, const Value& natural,
                          const Value& pitch) const {
    switch (term.stride.kind) {
      case Step::Kind::natural:
        return natural;
      case Step::Kind::exact:
        if (term.stride.value > 0) return Value(term.stride.value);
        return fail(ErrorCode::unsupported,
                    fmt::format("a stride of {} for {}, whose extent is not "
                                "known",
                                term.stride.value, term.digit.dim));
      case Step::Kind::aligned:
      case Step::Kind::bytes:
        break;
    }
    const Checked step_bytes =
        pitch.known() ? mul(*pitch.known(), element_bytes_) : std::nullopt;
    if (step_bytes) {
      return rounded_up(natural, term.stride.value, *step_bytes);
    }
    return fail(ErrorCode::unsupported,
                fmt::format("the stride of {} is aligned in steps whose bytes "
                            "depend on the shape; emit code for a shape",
                            term.digit.dim));
  }

  Result<std::int64_t> base_of(const Axis& axis, const Value& pitch) const {
    if (!axis.base_in_bytes) return axis.base;
    const Checked step_bytes =
        pitch.known() ? mul(*pitch.known(), element_bytes_) : std::nullopt;
    if (step_bytes && axis.base % *step_bytes == 0) {
      return axis.base / *step_bytes;
    }
    return fail(ErrorCode::unsupported,
                fmt::format("an axis begins at byte {}: how many steps that "
                            "is depends on the shape, or they are not whole; "
                            "emit code for a shape",
                            axis.base));
  }

  Result<void> bind_axis(std::size_t a, const Value& pitch,
                         std::span<const std::string> dims) {
    const Axis& axis = expression_.axes[a];
    const Result<std::int64_t> base = base_of(axis, pitch);
    if (!base) return unexpected(base.error());
    Value space = 1;
    Value last = 1;      // the last position and 1
    bool nested = true;  // space is never less than `last`
    std::int64_t largest_given = 0;
    for (std::size_t k = axis.terms.size(); k-- > 0;) {
      const Term& term = axis.terms[k];
      const auto dim = std::ranges::find(dims, term.digit.dim);
      if (dim == dims.end()) {
        return fail(ErrorCode::unknown_name,
                    fmt::format("the layout has a dim '{}' that is not given",
                                term.digit.dim));
      }
      const auto d = static_cast<std::int32_t>(dim - dims.begin());
      Result<Value> stride = stride_of(term, space, pitch);
      if (!stride) return unexpected(stride.error());
      const bool given = term.stride.kind == Step::Kind::exact;
      if (given && term.stride.value <= largest_given) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("strides that are given must fall from left to "
                        "right; the {} of {} does not exceed {}",
                        term.stride.value, term.digit.dim, largest_given));
      }
      if (given) largest_given = term.stride.value;
      const std::string number = fmt::format("{}", subject_.terms.size());
      if (term.stride.kind != Step::Kind::natural) {
        stride = define("stride" + number, *stride);
      }
      if (term.stride.kind != Step::Kind::natural) leave_room();
      const Value flat = *stride * pitch;
      const Value extent = extent_of(term.digit, d);
      subject_.terms.push_back({.dim = d,
                                .axis = static_cast<std::int32_t>(a),
                                .bias = term.digit.bias,
                                .div = term.digit.div,
                                .mod = term.digit.mod,
                                .stride = *stride,
                                .flat_stride = define("flat" + number, flat),
                                .fills = !given});
      const Value reach = extent * *stride;
      last = last + (extent - 1) * *stride;
      if (given) {
        nested = false;
        space = larger(space, reach);
      } else {
        space = reach;
      }
      space = define("space" + number, space);
    }
    if (!nested) space = larger(space, last);
    if (*base != 0) leave_room();
    const std::string name = axis.name.empty() ? default_name(a) : axis.name;
    subject_.axes[a] = {*base, name + "_out"};
    subject_.base_offset = subject_.base_offset + pitch * *base;
    places_ = (space + *base) * pitch;
    places_ = define(fmt::format("size{}", a), places_);
    return {};
  }

  Value extent_of(const Digit& digit, std::int32_t dim) const {
    if (digit.mod != 0) return digit.mod;
    const Value& extent = subject_.dims[static_cast<std::size_t>(dim)].extent;
    return (extent + (digit.bias + digit.div - 1)) / digit.div;
  }

  static Value larger(const Value& a, const Value& b) {
    if (a.known() && b.known()) return std::max(*a.known(), *b.known());
    return {fmt::format("({0} > {1} ? {0} : {1})", a.within(Binding::atom),
                        b.within(Binding::atom)),
            Binding::atom};
  }

  std::string default_name(std::size_t a) const {
    const bool last = a + 1 == expression_.axes.size();
    const bool taken = std::ranges::any_of(
        expression_.axes, [](const Axis& x) { return x.name == "offset"; });
    return last && !taken ? "offset" : fmt::format("axis{}", a);
  }

  const Expression& expression_;
  std::int64_t element_bytes_;
  Subject& subject_;
  Value places_ = 1;  // that all axes to the right take
};

}  // namespace

Result<Subject> dynamic_subject(const Expression& expression,
                                std::span<const std::string> dims,
                                std::int64_t element_bytes) {
  Subject subject{.title = fmt::format("{}, any shape, {} {} an element",
                                       print(expression), element_bytes,
                                       element_bytes == 1 ? "byte" : "bytes"),
                  .dynamic = true};
  for (const std::string& dim : dims) {
    subject.dims.push_back(
        {identifier(dim), variable(dim + "_extent"), dim + "_out"});
  }
  subject.axes.resize(expression.axes.size());
  Binder binder(expression, element_bytes, subject);
  if (auto bound = binder.run(dims); !bound) {
    return unexpected(bound.error());
  }
  return subject;
}

}  // namespace stridewise::emitter
