// SPDX-License-Identifier: Apache-2.0
#include "emit/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "stridewise/notation.hpp"

namespace stridewise::emitter {
namespace {

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

// The argument that is the bit of an element.
const std::string bit_name = "bit";  // NOLINT(cert-err58-cpp): fits in place

// The code of one layout, function by function.
class PiecedCode {
 public:
  PiecedCode(const Layout& layout, const EmitOptions& options,
             std::int32_t bits)
      : layout_(layout),
        subject_(pieced_subject(layout)),
        dialect_(dialect_of(options.language, bits)),
        style_(style_of(options.language, dialect_.integer)),
        tables_(options.name),
        emitted_{.code = {},
                 .offset_function = options.name + "_offset",
                 .coordinates_function = options.name + "_coordinates",
                 .inverse_function = options.name + "_index",
                 .bits = bits,
                 .offset_bits = subject_.unit,
                 .bitwise = subject_.bitwise} {
    arguments_ = subject_.dims;
    if (subject_.bitwise) arguments_.push_back(bit_name);
    for (const std::string& argument : arguments_) {
      indices_.push_back(dialect_.integer + " " + argument);
    }
  }

  Result<EmittedCode> run() && {
    Body offset(dialect_.integer);
    write_offset(subject_, tables_, offset);
    Body coordinates(dialect_.integer);
    if (auto written = write_coordinates(subject_, offset_call(), coordinates);
        !written) {
      return unexpected(written.error());
    }
    std::string functions =
        fmt::format("// The offset of an index, in steps of {} bit{}{}.\n",
                    subject_.unit, subject_.unit == 1 ? "" : "s",
                    subject_.bitwise ? ", of that bit of the element" : "") +
        written(dialect_.integer, emitted_.offset_function, indices_, offset) +
        "\n// The coordinate along each axis, slowest first.\n" +
        written("void", emitted_.coordinates_function, axis_outs(),
                coordinates);
    functions += inverse();
    const std::string arrays =
        style_.within ? ""
                      : tables_.definitions(style_.qualifier, functions, 0);
    emitted_.code = fmt::format("// {}\n{}{}{}{}", title_of(layout_, subject_),
                                dialect_.prologue, arrays,
                                arrays.empty() ? "" : "\n", functions);
    return std::move(emitted_);
  }

 private:
  [[nodiscard]] std::string offset_call() const {
    return fmt::format("{}({})", emitted_.offset_function,
                       fmt::join(arguments_, ", "));
  }

  [[nodiscard]] std::vector<std::string> axis_outs() const {
    std::vector<std::string> outs = indices_;
    for (const BoundAxis& axis : layout_.axes()) {
      outs.push_back(fmt::format("{} *{}_out", dialect_.integer, axis.name));
    }
    return outs;
  }

  // The function of offset -> index, or a comment that tells why there is none.
  std::string inverse() {
    Body index(dialect_.integer);
    const Result<void> told =
        layout_.valid() ? write_index(subject_, offset_call(), tables_, index)
                        : Result<void>(unexpected(*layout_.defect()));
    if (!told) {
      emitted_.inverse_function.clear();
      return fmt::format("\n// No index at an offset: {}.\n",
                         told.error().message);
    }
    std::vector<std::string> outs = {dialect_.integer + " offset"};
    for (const std::string& out : subject_.outs) {
      outs.push_back(fmt::format("{} *{}", dialect_.integer, out));
    }
    if (subject_.bitwise) outs.push_back(dialect_.integer + " *bit_out");
    return "\n// 1 and the index of the element at an offset; 0 where there is "
           "none.\n" +
           written("int", emitted_.inverse_function, outs, index);
  }

  [[nodiscard]] std::string written(const std::string& result,
                                    const std::string& name,
                                    const std::vector<std::string>& parameters,
                                    const Body& body) const {
    Body with_arrays(dialect_.integer);
    if (style_.within) {
      with_arrays.raw(tables_.definitions(style_.qualifier, body.text(), 1));
    }
    with_arrays.raw(body.text());
    return function(dialect_, result, name, parameters, {.title = ""},
                    with_arrays);
  }

  const Layout& layout_;
  PiecedSubject subject_;
  Dialect dialect_;
  ArrayStyle style_;
  Tables tables_;
  EmittedCode emitted_;
  std::vector<std::string> arguments_;  // of the function of an offset
  std::vector<std::string> indices_;    // the same with their type
};

}  // namespace

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

Result<EmittedCode> emit_pieces(const Layout& layout,
                                const EmitOptions& options) {
  const bool narrow = fits_narrow(pieced_subject(layout));
  if (!narrow && options.bits == EmitBits::narrow) {
    return fail(ErrorCode::overflow,
                fmt::format("{} bits and what leads to them do not fit 32 bits",
                            layout.size_bits()));
  }
  const bool wide = !narrow || options.bits == EmitBits::wide;
  return PiecedCode(layout, options, wide ? 64 : 32).run();
}

}  // namespace stridewise::emitter
