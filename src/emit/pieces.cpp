// SPDX-License-Identifier: Apache-2.0
#include "emit/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"

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

// The largest number that the code of a unit or of what inverts it has.
std::int64_t most_of(const detail::Unit& unit, const Piece& piece) {
  const auto& of = piece.variables[static_cast<std::size_t>(unit.variable)];
  return std::max({saturated(add(of.extent, unit.bias)), unit.div.value(),
                   unit.mod, saturated(mul(unit.extent, 2))});
}

std::int64_t most_of(const TwistedDigit& digit, const Piece& piece) {
  std::int64_t most = most_of(digit.unit, piece);
  for (const detail::BoundTwist& twist : digit.twists) {
    most = std::max(
        most, saturated(add(most_of(twist.unit, piece), digit.unit.extent)));
  }
  return most;
}

std::int64_t most_of(const Piece& piece) {
  std::int64_t most = 0;
  for (const Variable& variable : piece.variables) {
    most = std::max({most, saturated(mul(variable.extent, variable.scale)),
                     saturated(add(variable.low, variable.extent)),
                     variable.divisor.value()});
    std::int64_t sum = variable.low;
    for (const detail::FusedTerm& term : variable.fused) {
      most = std::max(most, most_of(term.digit, piece));
      sum =
          saturated(add(sum, saturated(mul(term.digit.extent(), term.stride))));
    }
    most = std::max(most, sum);
  }
  for (const detail::PieceTerm& term : piece.terms) {
    if (term.copies == 0) most = std::max(most, most_of(term.digit, piece));
  }
  return most;
}

// Of the steps of the inverse, whose slots hold no more than `values`.
std::int64_t most_of(const detail::PieceInverse& inverse, std::int64_t values) {
  std::int64_t most = 0;
  for (const detail::DecodeStep& step : inverse.steps) {
    std::int64_t sum = saturated(
        add(saturated(add(step.bias, saturated(mul(step.modulus, 2)))),
            saturated(add(step.low, step.wrap))));
    for (const detail::DecodeStep::Part& part : step.parts) {
      sum = saturated(add(sum, saturated(mul(part.weight, values))));
    }
    most = std::max(most, sum);
  }
  return most;
}

// Whether all that the code calculates fits 31 bits, with some to spare.
bool fits_narrow(const PiecedSubject& subject) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (subject.data.size_bits > most) return false;
  return std::ranges::all_of(subject.tensor.pieces, [&](std::int32_t p) {
    const auto k = static_cast<std::size_t>(p);
    const std::int64_t values = most_of(subject.data.pieces[k]);
    return values <= most && most_of(subject.data.inverses[k], values) <= most;
  });
}

// Names of dims such as k/32 are no identifiers.
std::string as_word(std::string name) {
  std::ranges::replace(name, '/', '_');
  return name;
}

std::string title_of(const Layout& layout, const PiecedSubject& subject) {
  const Tensor& tensor = subject.tensor.tensor;
  return fmt::format("{}{}{} of {}, {} bits an element",
                     print(layout.expression()),
                     tensor.name.empty() ? "" : ", part ", tensor.name,
                     print(layout.shape()), tensor.element_bits);
}

// Coordinates from the place: one division an axis.
Result<void> write_coordinates(const PiecedSubject& subject,
                               const std::string& offset_call, Body& body) {
  body.constant("place", Value(offset_call, Binding::atom));
  Value rest = variable("place");
  const auto& axes = subject.data.axes;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::string out = axes[a].name + "_out";
    const std::int64_t pitch = axes[a].pitch_bits;
    const bool last = a + 1 == axes.size();
    if (pitch % subject.unit == 0) {
      const std::int64_t steps = pitch / subject.unit;
      body.line(fmt::format("*{} = {};", out, (rest / steps).text()));
      if (!last) rest = rest % steps;
    } else if (last && subject.unit % pitch == 0) {
      body.line(fmt::format("*{} = {};", out,
                            (rest * (subject.unit / pitch)).text()));
    } else {
      return fail(ErrorCode::unsupported,
                  fmt::format("a step of axis {} is no whole number of places",
                              axes[a].name));
    }
  }
  return {};
}

// The qualifier of arrays, and whether they stand in the functions that use them: those
// of host and device share no memory.
struct ArrayStyle {
  std::string qualifier;
  bool within;
};
ArrayStyle style_of(EmitLanguage language, const std::string& integer) {
  switch (language) {
    case EmitLanguage::opencl:
      return {"__constant " + integer, false};
    case EmitLanguage::cuda:
      return {"static const " + integer, true};
    case EmitLanguage::c:
      break;
  }
  return {"static const " + integer, false};
}

}  // namespace

std::string Tables::add(const std::string& kind,
                        std::vector<std::int64_t> entries) {
  const auto [name, fresh] = names_.try_emplace(
      entries, fmt::format("{}_{}{}", prefix_, kind, names_.size()));
  if (fresh) arrays_.emplace_back(name->second, std::move(entries));
  return name->second;
}

std::string Tables::forward(const detail::BoundTable& table) {
  return add("table", table.entries);
}

std::string Tables::backward(const detail::BoundTable& table,
                             std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(table.extent));
  for (std::size_t v = 0; v < positions.size(); ++v) {
    positions[v] = table.position(static_cast<std::int64_t>(v), count);
  }
  return add("position", std::move(positions));
}

std::string Tables::definitions(const std::string& qualifier,
                                const std::string& code, int depth) const {
  Body body("");
  body.indent(depth - 1);
  for (const auto& [name, entries] : arrays_) {
    if (code.find(name + "[") == std::string::npos) continue;
    body.line(fmt::format("{} {}[] = {{{}}};", qualifier, name,
                          fmt::join(entries, ", ")));
  }
  return body.text();
}

PiecedSubject pieced_subject(const Layout& layout) {
  const detail::LayoutData& data = detail::LayoutAccess::data(layout);
  const detail::TensorData& tensor = detail::LayoutAccess::tensor(layout);
  PiecedSubject subject{data, tensor, {}, {}};
  for (const Dim& dim : layout.shape()) {
    std::string name = as_word(dim.name);
    // k/32 and k_32 are two; the bit has a name of its own.
    while (name == "bit" || std::ranges::find(subject.outs, name + "_out") !=
                                subject.outs.end()) {
      name += "_";
    }
    subject.dims.push_back(identifier(name));
    subject.outs.push_back(name + "_out");
  }
  subject.bitwise = tensor.tensor.bitwise;
  for (const std::int32_t p : tensor.pieces) {
    subject.bitwise =
        subject.bitwise || data.pieces[static_cast<std::size_t>(p)].unit !=
                               tensor.tensor.element_bits;
  }
  subject.unit = subject.bitwise ? 1 : tensor.place_bits;
  return subject;
}

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

Result<EmittedCode> emit_pieces(const Layout& layout,
                                const EmitOptions& options) {
  const PiecedSubject subject = pieced_subject(layout);
  const bool narrow = fits_narrow(subject);
  if (!narrow && options.bits == EmitBits::narrow) {
    return fail(ErrorCode::overflow,
                fmt::format("{} bits and what leads to them do not fit 32 bits",
                            layout.size_bits()));
  }
  const std::int32_t bits = narrow && options.bits != EmitBits::wide ? 32 : 64;
  const Dialect dialect = dialect_of(options.language, bits);
  EmittedCode emitted{.code = {},
                      .offset_function = options.name + "_offset",
                      .coordinates_function = options.name + "_coordinates",
                      .inverse_function = options.name + "_index",
                      .bits = bits,
                      .offset_bits = subject.unit,
                      .bitwise = subject.bitwise};
  std::vector<std::string> arguments = subject.dims;
  if (subject.bitwise) arguments.emplace_back("bit");
  std::vector<std::string> indices;
  for (const std::string& argument : arguments) {
    indices.push_back(dialect.integer + " " + argument);
  }
  const std::string call = fmt::format("{}({})", emitted.offset_function,
                                       fmt::join(arguments, ", "));
  Tables tables(options.name);
  Body offset(dialect.integer);
  write_offset(subject, tables, offset);
  Body coordinates(dialect.integer);
  if (auto written = write_coordinates(subject, call, coordinates); !written) {
    return unexpected(written.error());
  }
  Body index(dialect.integer);
  const Result<void> inverse = layout.valid()
                                   ? write_index(subject, call, tables, index)
                                   : Result<void>(unexpected(*layout.defect()));
  if (!inverse) emitted.inverse_function.clear();
  std::vector<std::string> axis_outs = indices;
  for (const BoundAxis& axis : layout.axes()) {
    axis_outs.push_back(fmt::format("{} *{}_out", dialect.integer, axis.name));
  }
  std::vector<std::string> index_outs = {dialect.integer + " offset"};
  for (const std::string& out : subject.outs) {
    index_outs.push_back(fmt::format("{} *{}", dialect.integer, out));
  }
  if (subject.bitwise) index_outs.push_back(dialect.integer + " *bit_out");

  const ArrayStyle style = style_of(options.language, dialect.integer);
  const Subject nothing{.title = ""};
  const auto written = [&](const std::string& result, const std::string& name,
                           const std::vector<std::string>& parameters,
                           const Body& body) {
    Body with_arrays(dialect.integer);
    if (style.within) {
      with_arrays.raw(tables.definitions(style.qualifier, body.text(), 1));
    }
    with_arrays.raw(body.text());
    return function(dialect, result, name, parameters, nothing, with_arrays);
  };
  const std::string functions =
      fmt::format("// The offset of an index, in steps of {} bit{}{}.\n",
                  subject.unit, subject.unit == 1 ? "" : "s",
                  subject.bitwise ? ", of that bit of the element" : "") +
      written(dialect.integer, emitted.offset_function, indices, offset) +
      "\n// The coordinate along each axis, slowest first.\n" +
      written("void", emitted.coordinates_function, axis_outs, coordinates) +
      (inverse ? "\n// 1 and the index of the element at an offset; 0 where "
                 "there is none.\n" +
                     written("int", emitted.inverse_function, index_outs, index)
               : fmt::format("\n// No index at an offset: {}.\n",
                             inverse.error().message));
  const std::string arrays =
      style.within ? "" : tables.definitions(style.qualifier, functions, 0);
  emitted.code = "// " + title_of(layout, subject) + "\n" + dialect.prologue +
                 arrays + (arrays.empty() ? "" : "\n") + functions;
  return emitted;
}

}  // namespace stridewise::emitter
