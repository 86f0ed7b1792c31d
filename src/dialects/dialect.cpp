// SPDX-License-Identifier: Apache-2.0
#include "stridewise/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "dialects/read.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

constexpr std::array<std::pair<std::string_view, Dialect>, 8> named_dialects = {
    {{"onednn", Dialect::onednn},
     {"tvm", Dialect::tvm},
     {"openvino", Dialect::openvino},
     {"xla", Dialect::xla},
     {"cute", Dialect::cute},
     {"tirx", Dialect::tirx},
     {"numpy", Dialect::numpy},
     {"torch", Dialect::torch}}};

}  // namespace

std::vector<std::string> dialect_names() {
  std::vector<std::string> names;
  for (const auto& [name, dialect] : named_dialects) names.emplace_back(name);
  return names;
}

Result<Dialect> parse_dialect(std::string_view name) {
  for (const auto& [known, dialect] : named_dialects) {
    if (known == name) return dialect;
  }
  const std::vector<std::string> names = dialect_names();
  const std::string hint = nearest(name, names);
  return fail(ErrorCode::unknown_name,
              fmt::format("no dialect '{}'{}; there are {}", name,
                          hint.empty() ? "" : " (did you mean " + hint + "?)",
                          fmt::join(names, ", ")));
}

std::optional<Result<DialectText>> read_dialect(
    std::string_view text, std::span<const std::string> known_dims) {
  using namespace dialects;
  for (const auto read : {read_xla, read_cute, read_tirx, read_strides}) {
    if (Reading reading = read(text, known_dims)) return reading;
  }
  for (const auto read : {read_letters, read_openvino}) {
    if (Reading reading = read(text)) return reading;
  }
  return std::nullopt;
}

namespace dialects {

DialectText of_rank(std::size_t rank, KnownDims known) {
  DialectText text;
  if (known.size() == rank) {
    text.dims.assign(known.begin(), known.end());
    return text;
  }
  text.positional = true;
  for (std::size_t d = 0; d < rank; ++d) {
    text.dims.emplace_back(1, static_cast<char>('a' + d));
  }
  return text;
}

Expression memory_of(std::vector<Term> terms) {
  Expression expression;
  expression.axes.push_back(Axis{.terms = std::move(terms)});
  return expression;
}

}  // namespace dialects
}  // namespace stridewise
