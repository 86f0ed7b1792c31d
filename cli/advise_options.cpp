// SPDX-License-Identifier: Apache-2.0
#include "advise_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "catalogues.hpp"
#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Failure{{ErrorCode::invalid_value, message}};
}

// "name=number"; the number is nullopt where it is none.
std::pair<std::string, std::optional<double>> assignment(
    const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, std::nullopt};
  double value = 0;
  const char* const begin = text.data() + equals + 1;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || read != end) {
    return {text.substr(0, equals), std::nullopt};
  }
  return {text.substr(0, equals), value};
}

// Whether it is a whole number from 1 on. NaN is none.
bool is_whole(double value, double most) {
  return value >= 1 && value <= most && value == std::floor(value);
}

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Weights read_weights(const std::string& text) {
  Weights weights = default_weights;
  for (const std::string& part : parts_of(text)) {
    const auto [name, value] = assignment(part);
    const auto known = std::ranges::find(cost_names, name);
    if (known == cost_names.end() || !value || !(*value >= 0) || *value > 1e9) {
      refuse(fmt::format("--weights: '{}' is not NAME=NUMBER; the names are {}",
                         part, fmt::join(cost_names, ", ")));
    }
    weights[static_cast<std::size_t>(known - cost_names.begin())] = *value;
  }
  return weights;
}

// A limit of the chip, or of an axis that has none of their names.
Chip read_limits(const std::vector<std::string>& texts) {
  Chip chip;
  for (const std::string& text : texts) {
    if (text.starts_with("bank_axis=") && text.size() > 10) {
      chip.bank_axis = text.substr(10);
      continue;
    }
    const auto [name, value] = assignment(text);
    constexpr double most = 1e15;  // which doubles count exactly
    if (name.empty() || !value || !is_whole(*value, most)) {
      refuse(
          fmt::format("--limit: '{}' is not NAME=NUMBER, of 1 or more", text));
    }
    set_limit(chip, name, static_cast<std::int64_t>(*value));
  }
  return chip;
}

Operation read_operation(const std::string& text) {
  if (const auto operation = operation_named(text)) return *operation;
  refuse(fmt::format("--op is conv, gemm, pool or copy, not '{}'", text));
}

Access read_access(const AdviseCommand& options, const Shape& shape) {
  Access access = access_of(read_operation(options.op), shape);
  if (!options.vector.empty()) {
    const auto [name, lanes] = assignment(options.vector);
    const bool has_lanes = options.vector.find('=') != std::string::npos;
    if (has_lanes && (!lanes || !is_whole(*lanes, 1 << 20))) {
      refuse(
          fmt::format("--vector: '{}' is not DIM or DIM=LANES, of up to "
                      "1048576 lanes",
                      options.vector));
    }
    access.vector_dim = name;
    access.vector_lanes = static_cast<std::int64_t>(lanes.value_or(0));
  }
  if (!options.box.empty()) access.box = value_of(parse_shape(options.box));
  return access;
}

// The catalogue with the families that are files; these become names of vendors.
Catalogue take_files(std::vector<std::string>& families) {
  Catalogue names = known_layouts();
  std::vector<std::string> all;
  for (const std::string& family : families) {
    if (!family.ends_with(".toml")) {
      all.push_back(family);
      continue;
    }
    const Catalogue more =
        value_of(Catalogue::read(text_of_file(family), family));
    if (more.entries().empty()) refuse(family + ": no layouts");
    names = value_of(names.with(more));
    for (const CatalogueEntry& entry : more) {
      std::string vendor = entry.name.substr(0, entry.name.find('.'));
      if (std::ranges::find(all, vendor) == all.end()) {
        all.push_back(std::move(vendor));
      }
    }
  }
  families = std::move(all);
  return names;
}

Shape read_tensor(const std::string& text,
                  const std::vector<std::string>& families,
                  const std::optional<LayoutSource>& from,
                  const Catalogue& names) {
  if (from) return shape_for(text, {&*from, 1});
  if (text.empty()) refuse("give --shape, as 1x64x56x56 or m=128,k=64");
  return value_of(family_shape(text, families, names));
}

}  // namespace

Asked read(const AdviseCommand& command) {
  if (command.why.size() > 2) refuse("--why: one layout, or two");
  if (!command.why.empty() && !command.out.empty()) {
    refuse("--out is a picture of the two best; --why has none");
  }
  Asked asked;
  asked.options.families = command.families;
  asked.names = take_files(asked.options.families);
  if (!command.from.empty()) {
    asked.from = value_of(resolve_layout(command.from, {}, asked.names));
  }
  asked.type = asked.from ? type_for(command.dtype, *asked.from)
                          : value_of(parse_element_type(
                                command.dtype.empty() ? "f32" : command.dtype));
  std::optional<LayoutSource> told = asked.from;
  if (!told && !command.why.empty() && command.families.empty() &&
      command.shape.find('=') == std::string::npos) {
    told = value_of(resolve_layout(command.why.front(), {}, asked.names));
  }
  asked.shape =
      read_tensor(command.shape, asked.options.families, told, asked.names);
  asked.options.access = read_access(command, asked.shape);
  asked.options.chip = read_limits(command.limits);
  asked.options.weights = read_weights(command.weights);
  asked.options.machine = machine_text(command.machine);
  if (asked.from) {
    asked.options.from = value_of(asked.from->bind(
        asked.shape, Binding{.element_bits = asked.type.bits}));
  }
  return asked;
}

}  // namespace stridewise::cli
