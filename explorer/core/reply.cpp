// SPDX-License-Identifier: Apache-2.0
#include "reply.hpp"

#include <fmt/format.h>

#include <vector>

namespace stridewise::explorer {

Json count(std::int64_t number) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (number >= -exact && number <= exact) return number;
  return std::to_string(number);
}

Json named(const Shape& shape) {
  Json json = Json::object();
  for (const Dim& dim : shape) json[dim.name] = count(dim.extent);
  return json;
}

Json named(const Shape& shape, std::span<const std::int64_t> index) {
  Json json = Json::object();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    json[shape[d].name] = count(index[d]);
  }
  return json;
}

std::string index_text(const Shape& shape,
                       std::span<const std::int64_t> index) {
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += fmt::format("{}{}={}", d == 0 ? "" : ",", shape[d].name, index[d]);
  }
  return text;
}

Json coordinates_at(const Layout& layout, std::int64_t bit) {
  std::vector<std::int64_t> at(layout.axes().size());
  layout.coordinates_at(bit, at);
  Json json = Json::object();
  for (std::size_t k = 0; k < at.size(); ++k) {
    json[layout.axes()[k].name] = count(at[k]);
  }
  return json;
}

Json error_json(const Error& error) {
  return {{"message", error.message},
          {"text", error.text},
          {"position", error.position},
          {"report", error.to_string()}};
}

}  // namespace stridewise::explorer
