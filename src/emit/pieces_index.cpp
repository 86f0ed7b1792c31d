// The inverse of pieces as code: place -> digits -> the steps that the layout was bound
// with -> index, as in layout/inverse.cpp.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "emit/pieces.hpp"

namespace stridewise::emitter {
namespace {

using detail::DecodeStep;
using detail::Piece;
using detail::PieceInverse;

class IndexWriter {
 public:
  IndexWriter(const PiecedSubject& subject, const Piece& piece,
              const PieceInverse& inverse, const std::string& offset_call,
              const std::string& no, Tables& tables, Body& body)
      : subject_(subject),
        piece_(piece),
        inverse_(inverse),
        offset_call_(offset_call),
        no_(no),
        tables_(tables),
        body_(body) {}

  void write() {
    for (const std::int64_t start : inverse_.start) slots_.emplace_back(start);
    const std::int64_t first = piece_.base / subject_.unit;
    fail_if(fmt::format("offset < {}", first));
    Value rest = variable("offset") - first;
    if (first != 0) rest = named("rest", rest);
    rest = digits(rest);
    for (const DecodeStep& step : inverse_.steps) run(step);
    for (std::size_t k = 0; k < subject_.dims.size(); ++k) {
      const auto dim = static_cast<std::size_t>(subject_.tensor.dims[k]);
      const auto slot = static_cast<std::size_t>(inverse_.dim_slots[dim]);
      constant(subject_.dims[k], slots_[slot]);
    }
    if (subject_.bitwise) {
      constant("bit", inverse_.bit_slot < 0 ? rest + inverse_.bit_low
                                            : at(inverse_.bit_slot));
    }
    if (inverse_.verify) verify();
    for (std::size_t k = 0; k < subject_.dims.size(); ++k) {
      line(fmt::format("*{} = {};", subject_.outs[k], subject_.dims[k]));
    }
    if (subject_.bitwise) line("*bit_out = bit;");
    line("return 1;");
    write_lines();
  }

 private:
  // A statement; a constant where it has a name.
  struct Line {
    std::string text;
    std::string name;
  };
  void line(const std::string& text) { lines_.push_back({text, {}}); }
  void constant(const std::string& name, const Value& value) {
    lines_.push_back(
        {fmt::format("const {} {} = {};", body_.integer(), name, value.text()),
         name});
  }
  // All but constants that nothing uses.
  void write_lines() {
    std::vector<const Line*> used;
    for (auto one = lines_.rbegin(); one != lines_.rend(); ++one) {
      const bool needed = one->name.empty() ||
                          std::ranges::any_of(used, [&](const Line* later) {
                            return mentions(later->text, one->name);
                          });
      if (needed) used.push_back(&*one);
    }
    for (auto one = used.rbegin(); one != used.rend(); ++one) {
      body_.line((*one)->text);
    }
  }

  void fail_if(const std::string& condition) {
    if (!failed_.insert(condition).second) return;  // told already
    line(fmt::format("if ({}) {};", condition, no_));
  }
  const Value& at(std::int32_t slot) const {
    return slots_[static_cast<std::size_t>(slot)];
  }
  // The value under a name, where it is not one already.
  Value named(const std::string& name, const Value& value) {
    if (value.known() || value.is_atom()) return value;
    constant(name, value);
    return variable(name);
  }
  void set(std::int32_t slot, const Value& value) {
    slots_[static_cast<std::size_t>(slot)] =
        named(fmt::format("s{}", slot), value);
  }
  // Whether `value` is not below `end`.
  void fail_beyond(const Value& value, std::int64_t end) {
    if (value.known() && *value.known() < end) return;
    fail_if(fmt::format("{} >= {}", value.within(Binding::sum), end));
  }

  // The terms' values, each one division; returns what is left.
  Value digits(Value rest) {
    std::int64_t high = subject_.data.size_bits / subject_.unit;
    for (std::size_t k = 0; k < inverse_.terms.size(); ++k) {
      const detail::InverseTerm& term = inverse_.terms[k];
      const std::int64_t stride = term.stride.value() / subject_.unit;
      const std::string name = fmt::format("s{}", term.term);
      constant(name, rest / stride);
      slots_[static_cast<std::size_t>(term.term)] = variable(name);
      if (high / stride >= term.count) fail_beyond(variable(name), term.count);
      rest = stride == 1 ? Value(0)
                         : named(fmt::format("rest{}", k), rest % stride);
      high = stride - 1;
    }
    const std::int64_t width = subject_.bitwise ? piece_.unit : 1;
    if (high >= width && !rest.is(0)) fail_beyond(rest, width);
    return rest;
  }

  void run(const DecodeStep& step) {
    switch (step.kind) {
      case DecodeStep::Kind::undo:
        return undo(step);
      case DecodeStep::Kind::raw: {
        Value v = at(step.in) + step.unit.bias;
        if (step.unit.div.value() != 1) v = v / step.unit.div.value();
        return set(step.out, step.unit.mod == 0 ? v : v % step.unit.mod);
      }
      case DecodeStep::Kind::finish: {
        fail_beyond(at(step.in), step.unit.count);
        Value v = at(step.in);
        if (step.unit.reversed) v = Value(step.unit.count - 1) - v;
        if (step.unit.table == nullptr) return set(step.out, v);
        return set(
            step.out,
            {fmt::format("{}[{}]", tables_.forward(*step.unit.table), v.text()),
             Binding::product});
      }
      case DecodeStep::Kind::chain:
        return chain(step);
      case DecodeStep::Kind::offset:
        set(step.out, at(step.in) + step.low);
        if (step.extent < largest) fail_beyond(at(step.out), step.extent);
        return;
      case DecodeStep::Kind::rest:
        return set(step.out, at(step.in) % step.divisor.value());
      case DecodeStep::Kind::split:
        return split(step);
      case DecodeStep::Kind::fuse: {
        Value sum = step.low;
        for (const DecodeStep::Part& part : step.parts) {
          sum = sum + at(part.slot) * part.weight;
        }
        return set(step.out, sum);
      }
      case DecodeStep::Kind::search:
        return search(step);
    }
  }

  void undo(const DecodeStep& step) {
    Value v = at(step.in);
    for (auto t = step.twists.rbegin(); t != step.twists.rend(); ++t) {
      v = untwisted(t->first, v, at(t->second), step.unit.extent);
    }
    if (step.unit.table != nullptr) {
      const std::string positions =
          tables_.backward(*step.unit.table, step.unit.count);
      v = named(fmt::format("t{}", step.out),
                {fmt::format("{}[{}]", positions, v.text()), Binding::product});
      fail_if(v.text() + " < 0");
    } else if (!step.twists.empty()) {
      v = named(fmt::format("t{}", step.out), v);
      fail_beyond(v, step.unit.count);
    }
    set(step.out, step.unit.reversed ? Value(step.unit.count - 1) - v : v);
  }

  void chain(const DecodeStep& step) {
    Value y = 0;
    for (std::size_t k = 0; k < step.parts.size(); ++k) {
      const DecodeStep::Part& part = step.parts[k];
      if (step.redundant && k > 0) {
        y = named(fmt::format("y{}_{}", step.out, k), y % part.weight);
      }
      y = at(part.slot) * part.weight + y;
    }
    const std::int64_t divisor = step.divisor.value();
    if (!step.is_variable) {
      y = y / divisor;
      return set(step.out, step.wrap == 0 ? y : y % step.wrap);
    }
    const std::string name = fmt::format("x{}", step.out);
    if (step.modulus != 0) {
      // low + (y - bias - low) % modulus, from a number that is not negative.
      const std::int64_t back = step.bias + step.low;
      const std::int64_t lift =
          ceil_div(back, step.modulus) * step.modulus - back;
      y = (y + lift) % step.modulus + step.low;
    } else if (step.bias != 0) {
      constant(name + "_sum", y);
      fail_if(fmt::format("{}_sum < {}", name, step.bias + step.low));
      y = variable(name + "_sum") - step.bias;
    }
    const Value x = named(name, y);
    if (step.modulus == 0 && step.bias == 0 && step.low > 0) {
      fail_if(fmt::format("{} < {}", x.within(Binding::sum), step.low));
    }
    if (step.modulus == 0 || step.modulus > step.extent) {
      fail_beyond(x, step.low + step.extent);
    }
    set(step.out, x / divisor);
  }

  void split(const DecodeStep& step) {
    Value rest = at(step.in);
    if (step.low > 0) {
      fail_if(fmt::format("{} < {}", rest.within(Binding::sum), step.low));
      rest = rest - step.low;
    }
    bool whole = false;
    for (std::size_t k = 0; k < step.parts.size(); ++k) {
      const std::int64_t stride = step.strides[k].value();
      if (step.counts[k] <= 1) {
        slots_[static_cast<std::size_t>(step.parts[k].slot)] = 0;
        continue;
      }
      rest = named(fmt::format("f{}_{}", step.in, k), rest);
      set(step.parts[k].slot, rest / stride);
      fail_beyond(at(step.parts[k].slot), step.counts[k]);
      whole = stride == 1;
      rest = whole ? Value(0) : rest % stride;
    }
    if (!rest.is(0)) fail_if(rest.within(Binding::sum) + " != 0");
  }

  // The first value whose digits are those.
  void search(const DecodeStep& step) {
    const std::string name = fmt::format("s{}", step.out);
    std::string differs;
    for (std::size_t k = 0; k < step.parts.size(); ++k) {
      const detail::BoundDigit& digit = step.digits[k];
      Value v = variable(name) + digit.bias;
      if (digit.div != 1) v = v / digit.div;
      if (digit.mod != 0) v = v % digit.mod;
      differs += fmt::format("{}{} != {}", differs.empty() ? "" : " || ",
                             v.within(Binding::sum),
                             at(step.parts[k].slot).within(Binding::sum));
    }
    slots_[static_cast<std::size_t>(step.out)] = variable(name);
    line(fmt::format("{} {} = {};", body_.integer(), name, step.low));
    if (differs.empty()) return;
    const std::int64_t end = step.low + step.extent;
    line(fmt::format("while ({0} < {1} && ({2})) ++{0};", name, end, differs));
    fail_if(fmt::format("{} == {}", name, end));
  }

  // The digits tell more than what was used of them: they must agree.
  void verify() {
    Value place = variable("offset");
    for (std::size_t k = 0; k < piece_.terms.size(); ++k) {
      const detail::PieceTerm& term = piece_.terms[k];
      if (term.copies == 0) continue;
      place = place - slots_[k] * (term.stride / subject_.unit);
    }
    fail_if(fmt::format("{} != {}", offset_call_, place.within(Binding::sum)));
  }

  const PiecedSubject& subject_;
  const Piece& piece_;
  const PieceInverse& inverse_;
  const std::string& offset_call_;
  const std::string& no_;
  Tables& tables_;
  Body& body_;
  std::vector<Value> slots_;
  std::vector<Line> lines_;
  std::set<std::string> failed_;  // conditions
};

}  // namespace

Result<void> write_index(const PiecedSubject& subject,
                         const std::string& offset_call, Tables& tables,
                         Body& body) {
  const bool several = subject.tensor.pieces.size() > 1;
  for (const std::int32_t p : subject.tensor.pieces) {
    const auto k = static_cast<std::size_t>(p);
    const PieceInverse& inverse = subject.data.inverses[k];
    if (inverse.unsolved) return unexpected(*inverse.unsolved);
    if (!inverse.nested) {
      return fail(ErrorCode::unsupported,
                  "strides interleave: what lies at a place would have to be "
                  "searched for");
    }
    if (several) {
      body.line("do {");
      body.indent(1);
    }
    IndexWriter(subject, subject.data.pieces[k], inverse, offset_call,
                several ? "break" : "return 0", tables, body)
        .write();
    if (!several) return {};
    body.indent(-1);
    body.line("} while (0);");
  }
  body.line("return 0;");
  return {};
}

}  // namespace stridewise::emitter
