// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "emit/pieces.hpp"

namespace stridewise::emitter {
namespace {

using detail::Piece;
using detail::TwistedDigit;
using detail::Variable;

// One piece: conditions of its slices, its variables, its place.
class PieceWriter {
 public:
  PieceWriter(const PiecedSubject& subject, const Piece& piece, Tables& tables,
              Body& body)
      : subject_(subject), piece_(piece), tables_(tables), body_(body) {}

  // True: an index may be of another piece.
  bool write() {
    for (std::size_t k = 0; k < piece_.variables.size(); ++k) {
      values_.push_back(value_of(piece_.variables[k], k));
    }
    Value place = piece_.base / subject_.unit;
    for (const detail::PieceTerm& term : piece_.terms) {
      if (term.copies != 0) continue;
      place = place + digit(term.digit) * (term.stride / subject_.unit);
    }
    if (subject_.bitwise && piece_.bit_variable >= 0) {
      place = place + values_[static_cast<std::size_t>(piece_.bit_variable)];
    }
    body_.line(fmt::format("return {};", place.text()));
    const bool conditional = depth_ > 0;
    for (; depth_ > 0; --depth_) {
      body_.indent(-1);
      body_.line("}");
    }
    return conditional;
  }

 private:
  Value value_of(const Variable& variable, std::size_t k) {
    const auto source = static_cast<std::size_t>(variable.source);
    switch (variable.kind) {
      case Variable::Kind::dim:
        if (variable.own_dim < 0) return 0;
        return emitter::variable(
                   subject_.dims[static_cast<std::size_t>(variable.own_dim)]) *
               variable.scale;
      case Variable::Kind::bit:
        return subject_.bitwise ? emitter::variable("bit") : Value(0);
      case Variable::Kind::fused: {
        Value sum = variable.low;
        for (const detail::FusedTerm& term : variable.fused) {
          sum = sum + digit(term.digit) * term.stride;
        }
        if (sum.known() || sum.is_atom()) return sum;
        const std::string name = fmt::format("fused{}", k);
        body_.constant(name, sum);
        return emitter::variable(name);
      }
      case Variable::Kind::slice:
        return sliced(variable, source);
      case Variable::Kind::rest:
        return values_[source] % variable.divisor.value();
    }
    return 0;
  }

  Value sliced(const Variable& variable, std::size_t source) {
    const Value& parent = values_[source];
    const std::int64_t end = variable.low + variable.extent;
    std::string condition;
    if (variable.low > 0) {
      condition =
          fmt::format("{} >= {}", parent.within(Binding::sum), variable.low);
    }
    if (end < piece_.variables[source].extent) {
      condition += fmt::format("{}{} < {}", condition.empty() ? "" : " && ",
                               parent.within(Binding::sum), end);
    }
    if (!condition.empty() && !parent.known()) {
      body_.line(fmt::format("if ({}) {{", condition));
      body_.indent(1);
      ++depth_;
    }
    return parent - variable.low;
  }

  Value digit(const TwistedDigit& digit) {
    const auto of = [&](const detail::Unit& unit) {
      const auto v = static_cast<std::size_t>(unit.variable);
      return unit_value(unit, values_[v], piece_.variables[v].extent, tables_);
    };
    Value value = of(digit.unit);
    for (const detail::BoundTwist& twist : digit.twists) {
      Value by = of(twist.unit);
      if (twist.unit.extent > digit.unit.extent) by = by % digit.unit.extent;
      value = twisted(twist.kind, value, by, digit.unit.extent);
    }
    return value;
  }

  const PiecedSubject& subject_;
  const Piece& piece_;
  Tables& tables_;
  Body& body_;
  std::vector<Value> values_;  // of the variables
  int depth_ = 0;
};

}  // namespace

Value unit_value(const detail::Unit& unit, const Value& x, std::int64_t values,
                 Tables& tables) {
  if (unit.count == 1 && unit.table == nullptr) return 0;
  Value v = x + unit.bias;
  if (unit.div.value() != 1) v = v / unit.div.value();
  const std::int64_t most = (values - 1 + unit.bias) / unit.div.value();
  if (unit.mod != 0 && most >= unit.mod) v = v % unit.mod;
  if (unit.reversed) v = Value(unit.count - 1) - v;
  if (unit.table == nullptr) return v;
  if (const auto known = v.known()) {
    return unit.table->entries[static_cast<std::size_t>(*known)];
  }
  return {fmt::format("{}[{}]", tables.forward(*unit.table), v.text()),
          Binding::atom};
}

Value twisted(Twist::Kind kind, const Value& v, const Value& w,
              std::int64_t n) {
  switch (kind) {
    case Twist::Kind::exclusive_or:
      if (v.is(0)) return w;
      if (w.is(0)) return v;
      return {fmt::format("{} ^ {}", v.within(Binding::atom),
                          w.within(Binding::atom)),
              Binding::anything_else};
    case Twist::Kind::plus:
      return (v + w) % n;
    case Twist::Kind::minus:
      return (v + (Value(n) - w)) % n;
  }
  return v;
}

Value untwisted(Twist::Kind kind, const Value& v, const Value& w,
                std::int64_t n) {
  switch (kind) {
    case Twist::Kind::exclusive_or:
      return twisted(kind, v, w, n);
    case Twist::Kind::plus:
      return twisted(Twist::Kind::minus, v, w % n, n);
    case Twist::Kind::minus:
      return (v + w) % n;
  }
  return v;
}

void write_offset(const PiecedSubject& subject, Tables& tables, Body& body) {
  bool open = true;
  for (const std::int32_t p : subject.tensor.pieces) {
    if (!open) break;
    open =
        PieceWriter(subject, subject.data.pieces[static_cast<std::size_t>(p)],
                    tables, body)
            .write();
  }
  if (open) body.line("return -1;");
}

}  // namespace stridewise::emitter
