// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/pieces.hpp"

namespace stridewise::emitter {

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

}  // namespace stridewise::emitter
