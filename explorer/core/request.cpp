// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "stridewise/notation.hpp"

namespace stridewise::explorer {

Request::Request(std::string_view text) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find('\0'), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  };
  while (!text.empty()) {
    std::string name = next();
    words_.insert_or_assign(std::move(name), next());
  }
}

const std::string& Request::text(std::string_view name) const {
  static const std::string none;
  const auto found = words_.find(name);
  return found == words_.end() ? none : found->second;
}

Result<std::int64_t> Request::number(std::string_view name,
                                     std::int64_t otherwise) const {
  return has(name) ? parse_count(text(name)) : otherwise;
}

Result<std::vector<LayoutSource>> sources_of(const Request& request) {
  std::vector<std::string> known;
  if (const Result<Shape> named = parse_shape(request.text("shape"))) {
    for (const Dim& dim : *named) known.push_back(dim.name);
  }
  std::vector<LayoutSource> sources;
  for (const char* const name : {"layout", "to"}) {
    if (!request.has(name) && !sources.empty()) continue;
    Result<LayoutSource> source = resolve_layout(request.text(name), known);
    if (!source) return unexpected(source.error());
    sources.push_back(*std::move(source));
  }
  if (sources.size() == 2) align_dims(sources[0], sources[1]);
  return sources;
}

Result<ElementType> type_of(const Request& request,
                            const LayoutSource& layout) {
  if (request.has("dtype")) return parse_element_type(request.text("dtype"));
  if (!layout.element_type.empty()) {
    return parse_element_type(layout.element_type);
  }
  if (layout.element_bits == 0 || layout.element_bits == 32) {
    return parse_element_type("f32");
  }
  return parse_element_type(fmt::format("u{}", layout.element_bits));
}

Result<Binding> binding_of(const Request& request, const ElementType& type) {
  Binding binding{.element_bits = type.bits, .tables = {}};
  std::string_view rest = request.text("tables");
  const auto next = [](std::string_view& text, char end) {
    const std::string_view word = text.substr(0, text.find(end));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
  };
  while (!rest.empty()) {
    std::string_view entries = next(rest, ';');
    const std::string name(next(entries, '='));
    std::vector<std::int64_t>& table = binding.tables[name];
    while (!entries.empty()) {
      const Result<std::int64_t> entry = parse_count(next(entries, ','));
      if (!entry) return unexpected(entry.error());
      table.push_back(*entry);
    }
  }
  return binding;
}

Result<Subject> subject_of(const Request& request) {
  Result<std::vector<LayoutSource>> sources = sources_of(request);
  if (!sources) return unexpected(sources.error());
  const Result<ElementType> type = type_of(request, sources->front());
  if (!type) return unexpected(type.error());
  const Result<Shape> shape = shape_of(request.text("shape"), *sources);
  if (!shape) return unexpected(shape.error());
  const Result<Binding> binding = binding_of(request, *type);
  if (!binding) return unexpected(binding.error());
  std::vector<Layout> bound;
  for (const LayoutSource& source : *sources) {
    Result<Layout> layout = source.bind(*shape, *binding);
    if (layout && request.has("part") && layout->tensor() < 0) {
      layout = layout->part(request.text("part"));
    }
    if (!layout) return unexpected(layout.error());
    bound.push_back(*std::move(layout));
  }
  std::optional<Layout> to;
  if (bound.size() == 2) to = bound[1];
  if (to && to->shape() != bound[0].shape()) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("two tensors: {} has {}, {} has {}", request.text("layout"),
                    stridewise::print(bound[0].shape()), request.text("to"),
                    stridewise::print(to->shape())));
  }
  return Subject{*std::move(sources), *type, *shape, bound[0], std::move(to)};
}

}  // namespace stridewise::explorer
