// A network's file -> a network. docs/advise.md tells the keys.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "catalogue/toml_reader.hpp"
#include "stridewise/element.hpp"
#include "stridewise/network.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

class NetworkReader : private TomlReader {
 public:
  explicit NetworkReader(std::string_view file) : TomlReader(file) {}

  Result<Network> read(const toml::table& file) {
    expect_keys(file, {"layouts", "tensors", "operations"});
    layouts_ = texts(file, "layouts");
    each_named(file, "tensors",
               [&](const std::string& name, const toml::table& table) {
                 network_.tensors.push_back(tensor(name, table));
               });
    for (const toml::table* operation : tables(file, "operations")) {
      network_.operations.push_back(this->operation(*operation));
    }
    if (failed()) return unexpected(error());
    return std::move(network_);
  }

 private:
  NetworkTensor tensor(const std::string& name, const toml::table& table) {
    expect_keys(table, {"shape", "dtype", "layouts", "converts"});
    NetworkTensor made{.name = name, .shape = {}};
    const std::string shape = text(table, "shape", true);
    static const std::vector<std::string> usual = {"n", "c", "h", "w"};
    const bool named = shape.find('=') != std::string::npos;
    Result<Shape> parsed =
        named ? parse_shape(shape) : parse_shape(shape, usual);
    if (!parsed) {
      fault(table,
            fmt::format("tensor '{}': {}", name, parsed.error().message));
    } else {
      made.shape = *std::move(parsed);
    }
    const std::string dtype = text(table, "dtype", false);
    const Result<ElementType> type =
        parse_element_type(dtype.empty() ? "f32" : dtype);
    if (!type) {
      fault(table, fmt::format("tensor '{}': {}", name, type.error().message));
    } else {
      made.element_bits = type->bits;
    }
    made.layouts = texts(table, "layouts");
    if (const toml::node* node = table.get("converts")) {
      const auto value = node->value_exact<bool>();
      if (!value) fault(*node, "'converts' must be true or false");
      made.converts = value.value_or(true);
    }
    return made;
  }

  NetworkOperation operation(const toml::table& table) {
    expect_keys(table, {"name", "reads", "writes", "accepts"});
    NetworkOperation made;
    made.name = text(table, "name", true);
    made.reads = texts(table, "reads");
    made.writes = texts(table, "writes");
    const toml::node* const accepts = table.get("accepts");
    if (accepts == nullptr) {
      for (const std::string& layout : layouts_) {
        made.choices.push_back(everywhere(made, layout));
      }
      return made;
    }
    const toml::array* const list = accepts->as_array();
    if (list == nullptr) {
      fault(*accepts, "'accepts' must be a list");
      return made;
    }
    for (const toml::node& one : *list) {
      made.choices.push_back(choice(made, one));
    }
    return made;
  }

  static NetworkChoice everywhere(const NetworkOperation& operation,
                                  const std::string& layout) {
    NetworkChoice choice;
    for (const std::string& name : operation.reads) {
      choice.layouts.insert_or_assign(name, layout);
    }
    for (const std::string& name : operation.writes) {
      choice.layouts.insert_or_assign(name, layout);
    }
    return choice;
  }

  // "nchw", { layouts = "nchw", cost = 1e6 } or { layouts = { x = "nchw" }, cost = 1e6 }.
  NetworkChoice choice(const NetworkOperation& operation,
                       const toml::node& node) {
    if (const auto layout = node.value_exact<std::string>()) {
      return everywhere(operation, *layout);
    }
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      fault(node, "a choice is a layout, or { layouts = ..., cost = ... }");
      return {};
    }
    expect_keys(*table, {"layouts", "cost"});
    NetworkChoice made;
    const toml::node* const layouts = table->get("layouts");
    if (layouts == nullptr) {
      fault(*table, "'layouts' is missing");
    } else if (const toml::table* const each = layouts->as_table()) {
      for (const auto& [name, value] : *each) {
        made.layouts.emplace(name.str(), text(*each, name.str(), true));
      }
    } else {
      made = everywhere(operation, text(*table, "layouts", true));
    }
    if (const toml::node* cost = table->get("cost")) {
      const auto value = cost->value<double>();
      if (!value) fault(*cost, "'cost' must be a number");
      made.cost = value.value_or(0);
    }
    return made;
  }

  std::vector<std::string> layouts_;
  Network network_;
};

}  // namespace

Result<Network> read_network(std::string_view text, std::string_view file) {
  const Result<toml::table> table = parse_toml(text, file);
  if (!table) return unexpected(table.error());
  return NetworkReader(file).read(*table);
}

}  // namespace stridewise
