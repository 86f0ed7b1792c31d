// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

#include "catalogues.hpp"

namespace stridewise::cli {

namespace {

// Characters of two and three bytes that a terminal obeys instead of showing them: C1
// controls, and those that turn the direction of what is written.
bool commands_terminal(std::string_view character) {
  static constexpr auto obeyed = std::to_array<std::string_view>(
      {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
       "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac",
       "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa7",
       "\xe2\x81\xa8", "\xe2\x81\xa9", "\xef\xbb\xbf"});
  const bool c1 = character.size() == 2 && character[0] == '\xc2' &&
                  static_cast<unsigned char>(character[1]) < 0xa0;
  return c1 || std::ranges::find(obeyed, character) != obeyed.end();
}

// Bytes of the UTF-8 character at `at`; 0 where there is none that shows.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7f ? 0 : 1;
  const std::size_t bytes = lead < 0xc2   ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((static_cast<unsigned char>(text[at + k]) & 0xc0) != 0x80) return 0;
  }
  const std::string_view character = std::string_view(text).substr(at, bytes);
  return commands_terminal(character) ? 0 : bytes;
}

}  // namespace

namespace {

// Characters that print, and those of `kept`; all others are escaped.
std::string escaped(const std::string& text, std::string_view kept) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const bool keeps = kept.find(text[at]) != std::string_view::npos;
    const std::size_t bytes = keeps ? 1 : character_bytes(text, at);
    line += bytes > 0 ? text.substr(at, bytes)
                      : fmt::format("\\x{:02x}",
                                    static_cast<unsigned char>(text[at]));
    at += std::max<std::size_t>(bytes, 1);
  }
  return line;
}

}  // namespace

std::string one_line(const std::string& text) {
  constexpr std::size_t longest = 600;
  std::string line = escaped(text, "");
  if (line.size() > longest) {
    line.replace(longest / 2, line.size() - longest, " ... ");
  }
  return line;
}

std::string printable(const std::string& text) { return escaped(text, "\n\t"); }

void Context::answer(const Json& value, const std::string& text) const {
  answer_styled(value, json ? "" : printable(text));
}

void Context::answer_styled(const Json& value, const std::string& text) const {
  errno = 0;
  std::cout << (json ? value.lines() + "\n" : text) << std::flush;
  if (std::cout) return;
  const int why = errno;
  throw Failure{{ErrorCode::io,
                 fmt::format("stdout: {}", why != 0 ? std::strerror(why)
                                                    : "cannot be written")}};
}

namespace {

std::vector<std::string> letters(std::size_t rank) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < rank; ++d) {
    names.emplace_back(1, static_cast<char>('a' + d));
  }
  return names;
}

// How many numbers the text of a shape has; 0: it is none of numbers.
std::size_t rank_of(const std::string& shape) {
  constexpr std::size_t most = 26;
  for (std::size_t rank = 1; rank <= most; ++rank) {
    if (parse_shape(shape, letters(rank))) return rank;
  }
  return 0;
}

}  // namespace

std::vector<LayoutSource> resolve_all(std::span<const std::string> layouts,
                                      const std::string& shape) {
  std::vector<std::string> known_dims;
  if (const Result<Shape> named = parse_shape(shape)) {
    known_dims = names_of(*named);
  }
  std::vector<LayoutSource> sources;
  for (const std::string& text : layouts) {
    LayoutSource source =
        value_of(resolve_layout(text, known_dims, known_layouts()));
    const std::size_t rank = rank_of(shape);
    // A text that tells the number of elements alone is of any dims: a, b, c ...
    if (source.elements != 0 && known_dims.empty() && rank > 1) {
      source = value_of(resolve_layout(text, letters(rank), known_layouts()));
      source.positional_dims = true;
    }
    sources.push_back(std::move(source));
  }
  if (sources.size() == 2) align_dims(sources[0], sources[1]);
  return sources;
}

void take_told(std::string& shape, std::span<const LayoutSource> layouts) {
  if (!shape.empty()) return;
  if (const Result<Shape> told = shape_of("", layouts)) shape = print(*told);
}

Shape shape_for(const std::string& text,
                std::span<const LayoutSource> layouts) {
  Result<Shape> shape = shape_of(text, layouts);
  if (!shape && text.empty()) shape.error().message += ": give --shape";
  return value_of(std::move(shape));
}

std::vector<std::string> names_of(const Shape& shape) {
  std::vector<std::string> names;
  for (const Dim& dim : shape) names.push_back(dim.name);
  return names;
}

Json named(const Shape& shape) {
  Json json = Json::object();
  for (const Dim& dim : shape) json[dim.name] = dim.extent;
  return json;
}

Json named(const Shape& shape, std::span<const std::int64_t> index) {
  Json json = Json::object();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    json[shape[d].name] = index[d];
  }
  return json;
}

std::string print_index(const Shape& shape,
                        std::span<const std::int64_t> index) {
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += fmt::format("{}{}={}", d == 0 ? "" : ",", shape[d].name, index[d]);
  }
  return text;
}

Json coordinates(const Layout& layout,
                 std::span<const std::int64_t> coordinates) {
  Json json = Json::object();
  for (std::size_t k = 0; k < layout.axes().size(); ++k) {
    json[layout.axes()[k].name] = coordinates[k];
  }
  return json;
}

std::string print_coordinates(const Layout& layout,
                              std::span<const std::int64_t> coordinates) {
  std::string text;
  for (std::size_t k = 0; k < layout.axes().size(); ++k) {
    text += fmt::format("{}{}={}", k == 0 ? "" : ",", layout.axes()[k].name,
                        coordinates[k]);
  }
  return text;
}

namespace {

void add_loops(const std::vector<PlanLoop>& loops, bool in_kernel, Json& to) {
  for (const PlanLoop& loop : loops) {
    to.push_back({{"count", loop.count},
                  {"src_stride_bytes", loop.src_stride},
                  {"dst_stride_bytes", loop.dst_stride},
                  {"in_kernel", in_kernel}});
  }
}

Json loops_json(const PlanNest& nest) {
  Json loops = Json::array();
  add_loops(nest.loops, false, loops);
  const auto add_side = [&](const std::vector<PlanLoop>& many,
                            const PlanLoop& one) {
    add_loops(many.empty() ? std::vector{one} : many, true, loops);
  };
  add_side(nest.rows, nest.tile[0]);
  add_side(nest.columns, nest.tile[1]);
  return loops;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): steps have no steps
Json nest_json(const PlanNest& nest) {
  Json steps = Json::array();
  for (const PlanNest& step : nest.steps) steps.push_back(nest_json(step));
  return {{"kernel", nest.kernel},
          {"kind", nest.fills ? "zero" : "move"},
          {"element_bytes", nest.element_bytes},
          {"zeros", nest.zeros},
          {"streams", nest.streams},
          {"staged", nest.staged},
          {"bytes", nest.bytes},
          {"src_offset_bytes", nest.src_offset},
          {"dst_offset_bytes", nest.dst_offset},
          {"loops", loops_json(nest)},
          {"steps", std::move(steps)}};
}

Json plan_json(const Plan& plan) {
  Json nests = Json::array();
  // The largest move is what the plan is about.
  const PlanNest* largest = nullptr;
  const std::vector<PlanNest> planned = plan.nests();
  for (const PlanNest& nest : planned) {
    nests.push_back(nest_json(nest));
    if (nest.fills) continue;
    if (largest == nullptr || nest.bytes > largest->bytes) largest = &nest;
  }
  return {{"kernel", largest != nullptr ? Json(largest->kernel) : "none"},
          {"loops", largest != nullptr ? loops_json(*largest) : Json::array()},
          {"nests", std::move(nests)},
          {"tasks", plan.tasks()},
          {"uses_threads", plan.uses_threads()},
          {"bytes_read", plan.bytes_read()},
          {"bytes_written", plan.bytes_written()},
          {"src_bytes", plan.src_bytes()},
          {"dst_bytes", plan.dst_bytes()},
          {"text", plan.to_string()}};
}

std::string machine_text(const std::string& machine) {
  const std::vector<std::string> names = machine_names();
  const bool named = std::ranges::find(names, machine) != names.end();
  std::error_code none;
  if (named || !std::filesystem::is_regular_file(machine, none)) return machine;
  constexpr std::size_t most_bytes = 1 << 16;
  std::ifstream file(machine, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  Result<std::string> profile =
      text.find('=') == std::string::npos || text.size() > most_bytes
          ? fail(ErrorCode::syntax, "no profile of a machine")
          : machine_profile(text);
  if (!profile)
    profile.error().message = machine + ": " + profile.error().message;
  value_of(std::move(profile));
  return text;
}

std::string print_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string print_bytes(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=,:+@%").find(static_cast<char>(c)) !=
               std::string_view::npos;
  };
  if (!word.empty() && !word.starts_with('-') &&
      std::ranges::all_of(word, plain)) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

std::string shell_file(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

}  // namespace stridewise::cli
