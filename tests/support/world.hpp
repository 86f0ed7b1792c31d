// The collection of layouts (tests/data/world.json), and random layouts of the whole
// grammar: valid ones by construction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {

struct WorldEntry {
  std::string name;
  std::string expression;
  Shape shape;
  Binding binding;
};

inline std::vector<WorldEntry> world() {
  const auto all =
      nlohmann::json::parse(std::ifstream(STRIDEWISE_TEST_DATA "/world.json"));
  std::vector<WorldEntry> entries;
  for (const auto& v : all) {
    WorldEntry entry{v["name"], v["expression"], {}, {}};
    // Dims in the order of the first part that has all; named, so any order will do.
    for (const auto& [name, extent] : v["shape"].items()) {
      entry.shape.push_back({name, extent});
    }
    entry.binding.element_bits = v["parts"][0]["element_bits"];
    if (!v["tables"].is_null()) {
      for (const auto& [name, table] : v["tables"].items()) {
        entry.binding.tables[name] = table.get<std::vector<std::int64_t>>();
      }
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

inline Layout layout_of(const WorldEntry& entry) {
  return *Layout::bind(*parse_expression(entry.expression), entry.shape,
                       entry.binding);
}

// ------------------------------------------------------- random layouts ---

// A permutation of 0 .. count-1 as a table.
inline std::string random_table(std::int64_t count) {
  std::vector<std::int64_t> entries;
  for (std::int64_t k = 0; k < count; ++k) entries.push_back(k);
  shuffle(entries);
  return fmt::format("<{}>", fmt::join(entries, ","));
}

// Digits of one dim that tell it, some reversed or looked up. `name` may be a fused index.
inline std::vector<std::string> random_texts(const std::string& name,
                                             std::int64_t extent) {
  if (extent >= 2 && in_range(0, 5) == 0) {
    const std::int64_t shares = in_range(2, 4);
    return {fmt::format("{}//{}", name, shares),
            fmt::format("{}%%{}", name, shares)};
  }
  std::vector<std::string> texts;
  std::int64_t div = 1;
  const auto add = [&](std::string text, std::int64_t count) {
    const std::int64_t kind = in_range(0, 6);
    if (kind == 0) text = "~" + text;
    if (kind == 1 && count <= 40) text += random_table(count);
    texts.push_back(std::move(text));
  };
  for (std::int64_t blocks = in_range(0, 2); blocks > 0; --blocks) {
    const std::int64_t size = in_range(2, 5);
    std::string text = fmt::format("{}%{}", name, div * size);
    if (div > 1) text += fmt::format("/{}", div);
    add(std::move(text), size);
    div *= size;
  }
  const std::int64_t count = extent == 0 ? 0 : (extent - 1) / div + 1;
  add(div > 1 ? fmt::format("{}/{}", name, div) : name, count);
  return texts;
}

// All dims of a shape as digits in any order, twisted by what stands beside them.
inline std::string random_digits_text(const Shape& shape) {
  std::vector<std::string> items;
  std::string fused;
  std::size_t first = 0;
  // The first two dims fused, and digits of that.
  if (shape.size() >= 2 && in_range(0, 3) == 0) {
    const std::int64_t block = in_range(2, 4);
    fused = fmt::format("({}/{} {} {}%{})", shape[0].name, block, shape[1].name,
                        shape[0].name, block);
    const std::int64_t extent =
        ((shape[0].extent - 1) / block + 1) * shape[1].extent * block;
    for (std::string& text : random_texts(fused, extent)) {
      items.push_back(std::move(text));
    }
    first = 2;
  }
  for (std::size_t d = first; d < shape.size(); ++d) {
    for (std::string& text : random_texts(shape[d].name, shape[d].extent)) {
      items.push_back(std::move(text));
    }
  }
  shuffle(items);
  // A digit of the last dim turns one of the first, which is told by itself.
  if (fused.empty() && shape.size() >= 2 && in_range(0, 1) == 0) {
    const std::string& by = shape.back().name;
    for (std::string& item : items) {
      const std::string& of = shape.front().name;
      if (item.starts_with(of) && item.find('<') == std::string::npos) {
        item += fmt::format("{}{}%{}", in_range(0, 1) == 0 ? "+" : "-", by,
                            in_range(2, 5));
        break;
      }
    }
  }
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "" : " ") + item;
  return text;
}

// A layout of one tensor: cuts, slices, copies, bits, axes and alignments around digits.
inline std::string random_text(const Shape& shape) {
  const std::string digits = random_digits_text(shape);
  const std::string& dim = shape.front().name;
  switch (in_range(0, 9)) {
    case 0:
      return fmt::format("{}!{} {}", dim, in_range(2, 6), digits);
    case 1:
      return fmt::format("{}!{},{} {}", dim, in_range(4, 6), in_range(2, 3),
                         digits);
    case 2: {
      const std::int64_t at =
          in_range(1, std::max<std::int64_t>(shape.front().extent - 1, 1));
      return fmt::format("{{ [{0} 0..{1}] = {2} ; [{0} {1}..] = {3} }}", dim,
                         at, digits, random_digits_text(shape));
    }
    case 3:
      return fmt::format("*{} {}", in_range(2, 3), digits);
    case 4:
      return fmt::format("{} #", digits);
    case 5:
      return fmt::format("# {}", digits);
    case 6:
      return fmt::format("{} ~#", digits);
    case 7:
      return fmt::format("@{} {}", in_range(1, 5), digits);
    case 8:
      return fmt::format("{{ {} ; pad:u8 = *{} {} }}", digits, in_range(2, 3),
                         dim);
    default:
      return digits;
  }
}

inline std::int64_t random_element_bits() {
  return *rc::gen::element<std::int64_t>(1, 2, 3, 4, 5, 6, 8, 10, 16, 24, 32);
}

}  // namespace stridewise::testing
