// The catalogue by vendor, and a tensor for each entry that shows it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reply.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::explorer {
namespace {

std::int64_t usual_extent(const std::string& dim, std::size_t rank) {
  if (rank > 3) {
    if (dim == "n" || dim == "d" || dim == "kv" || dim == "b") return 2;
    if (dim == "h" || dim == "w") return 3;
    if (dim == "c" || dim == "i" || dim == "o") return 17;
  }
  if (dim == "k") return 64;
  if (dim == "m" || dim == "x") return 16;
  return 8;
}

// Parameters that must be given: the first of their choices, or a number.
std::string text_of(const CatalogueEntry& entry, std::int64_t number) {
  std::string given;
  for (const CatalogueParam& param : entry.params) {
    if (!param.default_value.empty()) continue;
    given += fmt::format("{}{}={}", given.empty() ? "" : ",", param.name,
                         param.choices.empty()
                             ? std::to_string(std::max(number, param.min))
                             : param.choices.front().name);
  }
  return given.empty() ? entry.name : fmt::format("{}({})", entry.name, given);
}

struct Example {
  std::string layout;
  Shape shape;
  std::string dtype;
  std::string tables = {};
};

// Entries in an order of no pattern, for tables that the layout leaves open.
Binding binding_of(const LayoutSource& source, const ElementType& type,
                   std::int64_t entries) {
  Binding binding{.element_bits = type.bits, .tables = {}};
  for (const std::string& name : source.expression.tables()) {
    std::vector<std::int64_t>& table = binding.tables[name];
    for (std::int64_t k = 0; k < entries; ++k) {
      table.push_back((k * 5 + 2) % entries);
    }
  }
  return binding;
}

std::string print(const Binding& binding) {
  std::string text;
  for (const auto& [name, entries] : binding.tables) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", name,
                        fmt::join(entries, ","));
  }
  return text;
}

bool shows(Example& example) {
  const auto source = resolve_layout(example.layout);
  const auto type = parse_element_type(example.dtype);
  if (!source || !type) return false;
  for (const std::int64_t entries : {0, 4, 8, 1, 2, 16, 32, 64, 128}) {
    const Binding binding = binding_of(*source, *type, entries);
    const auto layout = source->bind(example.shape, binding);
    if (layout && !layout->defect()) {
      example.tables = print(binding);
      return true;
    }
    if (binding.tables.empty()) break;
  }
  return false;
}

// The first that its vendor allows: of small extents, then of equal ones.
std::optional<Example> example_of(const CatalogueEntry& entry) {
  for (const char* const dtype :
       {"f32", "f16", "s8", "u4", "u2", "u3", "u1", "u6", "u10", "u12"}) {
    for (const std::int64_t extent : {0, 4, 16, 32, 64, 128, 256, 1, 512}) {
      for (const std::int64_t number : {4, 40, 100}) {
        Example example{text_of(entry, number), {}, dtype};
        for (const std::string& dim : entry.dims) {
          example.shape.push_back(
              {dim,
               extent > 0 ? extent : usual_extent(dim, entry.dims.size())});
        }
        if (shows(example)) return example;
      }
    }
  }
  return std::nullopt;
}

Json params_json(const CatalogueEntry& entry) {
  Json params = Json::array();
  for (const CatalogueParam& param : entry.params) {
    Json choices = Json::array();
    for (const auto& choice : param.choices) choices.push_back(choice.name);
    params.push_back({{"name", param.name},
                      {"default", param.default_value},
                      {"doc", param.doc},
                      {"choices", std::move(choices)}});
  }
  return params;
}

Json entry_json(const CatalogueEntry& entry) {
  Json checks = Json::array();
  for (const CatalogueCheck& one : entry.checks) checks.push_back(one.message);
  return {{"name", entry.name},           {"vendor", entry.vendor},
          {"summary", entry.summary},     {"aliases", entry.aliases},
          {"dims", entry.dims},           {"expression", entry.expression},
          {"params", params_json(entry)}, {"checks", std::move(checks)},
          {"source", entry.source},       {"errata", entry.errata}};
}

}  // namespace

// All entries; with "name", a tensor that shows that one.
Reply presets(const Request& request) {
  if (!request.has("name")) {
    Json entries = Json::array();
    for (const CatalogueEntry& entry : catalogue()) {
      entries.push_back(entry_json(entry));
    }
    return Json{{"entries", std::move(entries)}};
  }
  const auto entry = catalogue().find(request.text("name"));
  if (!entry) {
    return fail(ErrorCode::unknown_name,
                "no layout '" + request.text("name") + "'");
  }
  const auto example = example_of(*entry);
  if (!example) {
    return fail(ErrorCode::unsupported,
                entry->name + " has no tensor that shows it: give its sizes");
  }
  return Json{{"layout", example->layout},
              {"shape", stridewise::print(example->shape)},
              {"dtype", example->dtype},
              {"tables", example->tables}};
}

}  // namespace stridewise::explorer
