// A subject -> source text in one of the languages.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/expects.hpp"
#include "base/identifier.hpp"
#include "emit/pieces.hpp"
#include "emit/subject.hpp"
#include "emit/writer.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

using emitter::Body;
using emitter::Dialect;
using emitter::Subject;

constexpr std::array<std::pair<std::string_view, EmitLanguage>, 3> languages = {
    {{"c", EmitLanguage::c},
     {"opencl", EmitLanguage::opencl},
     {"cuda", EmitLanguage::cuda}}};

Result<void> check_name(const std::string& name) {
  if (!is_identifier(name)) {
    return fail(ErrorCode::invalid_value,
                fmt::format("'{}' is no identifier: functions' names begin "
                            "with it",
                            name));
  }
  // OpenCL has a function get_global_offset of its own.
  if (name == "get_global") {
    return fail(ErrorCode::invalid_value,
                "get_global_offset is a function of OpenCL; another name is "
                "needed");
  }
  return {};
}

std::vector<std::string> with_extents(const Subject& subject,
                                      const std::string& integer,
                                      std::vector<std::string> parameters) {
  if (!subject.dynamic) return parameters;
  for (const emitter::SubjectDim& dim : subject.dims) {
    parameters.push_back(integer + " " + dim.extent.text());
  }
  return parameters;
}

std::string offset_function(const Subject& subject, const Dialect& dialect,
                            const std::string& name) {
  std::vector<std::string> parameters;
  for (const emitter::SubjectDim& dim : subject.dims) {
    parameters.push_back(dialect.integer + " " + dim.name);
  }
  Body body(dialect.integer);
  body.line(fmt::format("return {};", sum_of(subject, merged(subject, false),
                                             subject.base_offset, false)
                                          .text()));
  return function(dialect, dialect.integer, name,
                  with_extents(subject, dialect.integer, parameters), subject,
                  body);
}

std::string coordinates_function(const Subject& subject, const Dialect& dialect,
                                 const std::string& name) {
  std::vector<std::string> parameters;
  for (const emitter::SubjectDim& dim : subject.dims) {
    parameters.push_back(dialect.integer + " " + dim.name);
  }
  Body body(dialect.integer);
  const std::vector<emitter::SubjectTerm> all = merged(subject, true);
  for (std::size_t a = 0; a < subject.axes.size(); ++a) {
    const emitter::SubjectAxis& axis = subject.axes[a];
    std::vector<emitter::SubjectTerm> terms;
    std::ranges::copy_if(all, std::back_inserter(terms), [a](const auto& term) {
      return term.axis == static_cast<std::int32_t>(a);
    });
    parameters.push_back(fmt::format("{} *{}", dialect.integer, axis.out));
    body.line(fmt::format("*{} = {};", axis.out,
                          sum_of(subject, terms, axis.base, true).text()));
  }
  return function(dialect, "void", name,
                  with_extents(subject, dialect.integer, parameters), subject,
                  body);
}

std::string inverse_function(const Subject& subject, const Dialect& dialect,
                             const std::string& name) {
  std::vector<std::string> parameters = {dialect.integer + " offset"};
  for (const emitter::SubjectDim& dim : subject.dims) {
    parameters.push_back(fmt::format("{} *{}", dialect.integer, dim.out));
  }
  Body body(dialect.integer);
  write_inverse(subject, body);
  return function(dialect, "int", name,
                  with_extents(subject, dialect.integer, parameters), subject,
                  body);
}

// Whether the numbers that an expression itself has fit 31 bits.
bool fits_narrow(const Expression& expression) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return std::ranges::all_of(expression.axes, [](const Axis& axis) {
    return axis.base <= most && axis.pitch.value <= most &&
           std::ranges::all_of(axis.terms, [](const Term& term) {
             return term.digit.bias <= most && term.digit.div <= most &&
                    term.digit.mod <= most && term.stride.value <= most;
           });
  });
}

unexpected<Error> not_yet() {
  return fail(ErrorCode::unsupported,
              "code for all shapes is emitted for layouts of plain digits "
              "alone: give the shape");
}

EmittedCode write(const Subject& subject, const EmitOptions& options,
                  std::int32_t bits) {
  const Dialect dialect = emitter::dialect_of(options.language, bits);
  EmittedCode emitted{.code = {},
                      .offset_function = options.name + "_offset",
                      .coordinates_function = options.name + "_coordinates",
                      .inverse_function = options.name + "_index",
                      .bits = bits};
  emitted.code =
      "// " + subject.title + "\n" + dialect.prologue +
      "// The element offset of an index.\n" +
      offset_function(subject, dialect, emitted.offset_function) +
      "\n// The coordinate along each axis, slowest first.\n" +
      coordinates_function(subject, dialect, emitted.coordinates_function) +
      "\n// 1 and the index of the element at an offset; 0 where there is "
      "none.\n" +
      inverse_function(subject, dialect, emitted.inverse_function);
  return emitted;
}

}  // namespace

Result<EmitLanguage> parse_emit_language(std::string_view name) {
  for (const auto& [known, language] : languages) {
    if (known == name) return language;
  }
  return fail(ErrorCode::unknown_name,
              fmt::format("no language '{}': c, opencl or cuda", name));
}

namespace {
[[maybe_unused]] bool there_are(const EmitOptions& options) {
  return options.language <= EmitLanguage::cuda &&
         options.bits <= EmitBits::wide;
}
}  // namespace

Result<EmittedCode> emit(const Layout& layout, const EmitOptions& options) {
  STRIDEWISE_EXPECTS(there_are(options), "emit: a valid language and integers");
  if (auto checked = check_name(options.name); !checked) {
    return unexpected(checked.error());
  }
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  if (!layout.valid() || !layout.plain() || layout.element_bits() % 8 != 0) {
    return emitter::emit_pieces(layout, options);
  }
  const Subject subject = emitter::subject_of(layout);
  const bool narrow = emitter::fits_narrow(subject);
  if (!narrow && options.bits == EmitBits::narrow) {
    return fail(ErrorCode::overflow,
                fmt::format("{} places and what leads to them do not fit 32 "
                            "bits",
                            layout.places()));
  }
  EmittedCode emitted = write(
      subject, options, narrow && options.bits != EmitBits::wide ? 32 : 64);
  emitted.offset_bits = layout.element_bits();
  return emitted;
}

Result<EmittedCode> emit_dynamic(const Expression& expression,
                                 std::span<const std::string> dims,
                                 std::int64_t element_bytes,
                                 const EmitOptions& options) {
  STRIDEWISE_EXPECTS(there_are(options),
                     "emit_dynamic: a valid language and integers");
  if (auto checked = check_name(options.name); !checked) {
    return unexpected(checked.error());
  }
  if (!expression.plain()) return not_yet();
  // What a shape does not change is checked by binding to a small one.
  Shape ones;
  for (const std::string& dim : dims) ones.push_back({dim, 1});
  if (const Result<Layout> bound =
          Layout::bind(expression, ones, element_bytes);
      !bound) {
    return unexpected(bound.error());
  }
  const Result<Subject> subject =
      emitter::dynamic_subject(expression, dims, element_bytes);
  if (!subject) return unexpected(subject.error());
  const bool narrow = options.bits == EmitBits::narrow;
  if (narrow && !fits_narrow(expression)) {
    return fail(ErrorCode::overflow,
                "the layout has numbers that do not fit 32 bits");
  }
  EmittedCode emitted = write(*subject, options, narrow ? 32 : 64);
  emitted.offset_bits = 8 * element_bytes;
  return emitted;
}

}  // namespace stridewise
