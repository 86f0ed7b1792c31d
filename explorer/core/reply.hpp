// What the page is told: JSON, with numbers that JavaScript holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "json.hpp"
#include "request.hpp"

namespace stridewise::explorer {

using cli::Json;
using Reply = Result<Json>;

// A number; as text where a double would round it.
[[nodiscard]] Json count(std::int64_t number);
// {"n": 1, "c": 16}; without values, the extents.
[[nodiscard]] Json named(const Shape& shape);
[[nodiscard]] Json named(const Shape& shape,
                         std::span<const std::int64_t> index);
// "n=1,c=16"
[[nodiscard]] std::string index_text(const Shape& shape,
                                     std::span<const std::int64_t> index);
[[nodiscard]] Json coordinates_at(const Layout& layout, std::int64_t bit);
[[nodiscard]] Json error_json(const Error& error);

// Each answers one question of the page; what it takes stands at its definition.
[[nodiscard]] Reply presets(const Request& request);
[[nodiscard]] Reply complete(const Request& request);
[[nodiscard]] Reply needs(const Request& request);
[[nodiscard]] Reply facts(const Request& request);
[[nodiscard]] Reply draw(const Request& request);
[[nodiscard]] Reply memory_map(const Request& request);
[[nodiscard]] Reply at(const Request& request);
[[nodiscard]] Reply who(const Request& request);
[[nodiscard]] Reply plan(const Request& request);
[[nodiscard]] Reply code(const Request& request);
[[nodiscard]] Reply open_file(const Request& request);
[[nodiscard]] Reply close_file(const Request& request);
[[nodiscard]] Reply values(const Request& request);
[[nodiscard]] Reply check(const Request& request);
[[nodiscard]] Reply compare(const Request& request);
[[nodiscard]] Reply infer_layout(const Request& request);

}  // namespace stridewise::explorer
