// SPDX-License-Identifier: Apache-2.0
#include "emit/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace stridewise::emitter {
namespace {

constexpr std::size_t width = 80;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Lines of at most `width` characters, broken after commas, else at spaces; what
// follows a break is indented by `hang`.
std::string wrapped(std::string text, std::size_t indent, std::size_t hang) {
  std::string lines;
  std::string begin(indent, ' ');
  while (begin.size() + text.size() > width) {
    const std::size_t room = width - begin.size();
    std::size_t cut = text.rfind(", ", room - 2);
    cut = cut == std::string::npos ? text.rfind(' ', room) : cut + 1;
    if (cut == std::string::npos) cut = text.find(' ');
    if (cut == std::string::npos) break;
    lines += begin + text.substr(0, cut) + "\n";
    text.erase(0, cut + 1);
    begin.assign(hang, ' ');
  }
  return lines + begin + text + "\n";
}

std::string name_of(const std::string& parameter) {
  return parameter.substr(parameter.find_last_of(" *") + 1);
}

}  // namespace

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) &&
        (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

Dialect dialect_of(EmitLanguage language, std::int32_t bits) {
  const bool narrow = bits == 32;
  // Compilers would warn of functions that a file does not use.
  switch (language) {
    case EmitLanguage::opencl:
      return {"", "static inline __attribute__((unused))",
              narrow ? "int" : "long"};
    case EmitLanguage::cuda:
      return {"", "static __host__ __device__ inline __attribute__((unused))",
              narrow ? "int" : "long long"};
    case EmitLanguage::c:
      break;
  }
  return {"#include <stdint.h>\n\n", "static inline __attribute__((unused))",
          narrow ? "int32_t" : "int64_t"};
}

void Body::line(const std::string& text) {
  const auto indent = static_cast<std::size_t>(2 * depth_);
  text_ += wrapped(text, indent, indent + 4);
}

void Body::constant(const std::string& name, const Value& value) {
  line(fmt::format("const {} {} = {};", integer_, name, value.text()));
}

std::string function(const Dialect& dialect, const std::string& result,
                     const std::string& name,
                     const std::vector<std::string>& parameters,
                     const Subject& subject, const Body& body) {
  std::string text = body.text();
  for (std::size_t k = subject.definitions.size(); k-- > 0;) {
    const Definition& definition = subject.definitions[k];
    if (!mentions(text, definition.name)) continue;
    Body constant(body.integer());
    constant.constant(definition.name, definition.value);
    text.insert(0, constant.text());
  }
  std::string unused;
  for (const std::string& parameter : parameters) {
    if (!mentions(text, name_of(parameter))) {
      unused += "  (void)" + name_of(parameter) + ";\n";
    }
  }
  const std::string head =
      fmt::format("{} {} {}(", dialect.qualifier, result, name);
  return wrapped(
             fmt::format("{}{}) {{", head,
                         parameters.empty()
                             ? "void"
                             : fmt::format("{}", fmt::join(parameters, ", "))),
             0, 4) +
         unused + text + "}\n";
}

Value sum_of(const Subject& subject, const std::vector<SubjectTerm>& terms,
             const Value& base, bool by_axis) {
  Value sum = 0;
  for (const SubjectTerm& term : terms) {
    const SubjectDim& dim = subject.dims[static_cast<std::size_t>(term.dim)];
    const Value& stride = by_axis ? term.stride : term.flat_stride;
    const Value part = digit_of(subject, term, variable(dim.name)) * stride;
    sum = sum + part;
  }
  return sum + base;
}

}  // namespace stridewise::emitter
