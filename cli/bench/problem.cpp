// SPDX-License-Identifier: Apache-2.0
#include "bench/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <random>
#include <utility>

namespace stridewise::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view line_form = "name; dtype; src -> dst; shape";
constexpr std::string_view arrow = "->";
constexpr std::size_t longest_file = 1 << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string message) {
  throw Failure{{ErrorCode::syntax, std::move(message)}};
}

// A '#' within parts is the bit of an element.
std::string_view without_comment(std::string_view line) {
  int depth = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '{') ++depth;
    if (line[k] == '}') --depth;
    if (line[k] == '#' && depth <= 0) return line.substr(0, k);
  }
  return line;
}

// name; dtype; src -> dst; shape: layouts may have ';' of their own.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields = split(line, ';');
  const bool nested = line.find('{') != std::string_view::npos ||
                      line.find(":=") != std::string_view::npos;
  if (fields.size() <= 4 || !nested) return fields;
  const auto begin = static_cast<std::size_t>(fields[2].data() - line.data());
  const auto end = static_cast<std::size_t>(fields.back().data() - line.data());
  const std::string_view layouts = line.substr(begin, end - begin);
  return {fields[0], fields[1], trimmed(layouts.substr(0, layouts.rfind(';'))),
          fields.back()};
}

// Every number below `count` once, in an order of no pattern.
std::vector<std::int64_t> scattered(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  std::mt19937_64 random(1);
  for (std::size_t k = numbers.size(); k > 1; --k) {
    std::swap(numbers[k - 1], numbers[random() % k]);
  }
  return numbers;
}

// "part=q" or "T=4096".
void read_option(std::string_view text, Problem& problem) {
  constexpr std::int64_t most_entries = 1 << 20;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    refuse(fmt::format("'{}' is neither part=NAME nor TABLE=COUNT", text));
  }
  const std::string name(trimmed(text.substr(0, equals)));
  const std::string_view value = trimmed(text.substr(equals + 1));
  if (name == "part") {
    problem.part = value;
    return;
  }
  const std::int64_t count = value_of(parse_count(value));
  if (count > most_entries) {
    refuse(
        fmt::format("a table of {} entries; at most {}", count, most_entries));
  }
  problem.tables[name] = scattered(count);
}

Problem parse_line(std::string_view line) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() != 4) {
    refuse(fmt::format("{} field{} where '{}' has 4", fields.size(),
                       fields.size() == 1 ? "" : "s", line_form));
  }
  const std::size_t at = fields[2].find(arrow);
  if (at == std::string_view::npos) {
    refuse(fmt::format("no '->' between two layouts in '{}'", fields[2]));
  }
  Problem problem{std::string(fields[0]),
                  std::string(fields[1]),
                  std::string(trimmed(fields[2].substr(0, at))),
                  std::string(trimmed(fields[2].substr(at + arrow.size()))),
                  std::string(split(fields[3], '|')[0]),
                  true};
  const std::vector<std::string_view> options = split(fields[3], '|');
  for (std::size_t k = 1; k < options.size(); ++k) {
    read_option(options[k], problem);
  }
  const std::array<std::pair<std::string_view, const std::string*>, 4> needed =
      {{{"dtype", &problem.dtype},
        {"src", &problem.src},
        {"dst", &problem.dst},
        {"shape", &problem.shape}}};
  for (const auto& [field, value] : needed) {
    if (value->empty()) {
      refuse(fmt::format("no {}; a line is '{}'", field, line_form));
    }
  }
  return problem;
}

// The types of src and dst: one text for both, or "f32->s8".
std::array<ElementType, 2> types_of(std::string_view text) {
  const std::size_t at = text.find(arrow);
  const auto type_of = [](std::string_view name) {
    return value_of(parse_element_type(trimmed(name)));
  };
  if (at == std::string_view::npos) return {type_of(text), type_of(text)};
  return {type_of(text.substr(0, at)), type_of(text.substr(at + arrow.size()))};
}

// Beside an installed program, or else in the source that it was built from.
fs::path shipped_folder() {
  std::error_code error;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", error).parent_path() /
      STRIDEWISE_PROBLEMS_FROM_BIN;
  if (!error && fs::is_directory(installed, error)) return installed;
  return STRIDEWISE_PROBLEMS;
}

}  // namespace

BoundProblem bind(Problem problem) {
  const auto [src_type, dst_type] = types_of(problem.dtype);
  std::optional<Values> values;
  if (src_type != dst_type) {
    values = {src_type, dst_type};
    value_of(check(*values).map([] { return 0; }));
  }
  std::vector<LayoutSource> sources =
      resolve_all(std::array{problem.src, problem.dst}, problem.shape);
  const Shape shape = problem.in_logical_order
                          ? value_of(read_shape(problem.shape, sources)).logical
                          : shape_for(problem.shape, sources);
  const auto tensor = [&](const LayoutSource& source, const ElementType& type) {
    Layout memory = value_of(source.bind(
        shape, Binding{.element_bits = type.bits, .tables = problem.tables}));
    Layout chosen =
        memory.tensor() < 0 ? value_of(memory.part(problem.part)) : memory;
    if (chosen.defect()) throw Failure{*chosen.defect()};
    return chosen;
  };
  const Layout src = tensor(sources[0], src_type);
  const Layout dst = tensor(sources[1], dst_type);
  if (src.elements() == 0) {
    throw Failure{
        {ErrorCode::invalid_value,
         fmt::format("{} has no element: nothing to measure", print(shape))}};
  }
  if (problem.name.empty()) {
    problem.name = fmt::format("{} {} -> {} {}", problem.dtype, problem.src,
                               problem.dst, problem.shape);
  }
  return {
      std::move(problem),    src_type, dst_type, values, std::move(sources[0]),
      std::move(sources[1]), src,      dst};
}

std::vector<BoundProblem> parse_problems(std::string_view text,
                                         const std::string& file) {
  std::vector<BoundProblem> problems;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(without_comment(line));
    if (line.empty()) continue;
    try {
      problems.push_back(bind(parse_line(line)));
    } catch (Failure& failure) {
      failure.error.message =
          fmt::format("{}:{}: {}", file, number, failure.error.message);
      throw;
    }
  }
  if (problems.empty()) {
    refuse(fmt::format("{}: no problem; a line is '{}'", file, line_form));
  }
  return problems;
}

std::vector<BoundProblem> read_problems(const std::string& file) {
  constexpr std::array<std::string_view, 12> shipped = {
      "small", "medium",      "large",      "default", "planes", "values",
      "world", "activations", "transposes", "weights", "ways",   "ttc"};
  const fs::path path = std::ranges::find(shipped, file) == shipped.end()
                            ? fs::path(file)
                            : shipped_folder() / (file + ".txt");
  const MappedFile mapped = value_of(MappedFile::open(path));
  if (mapped.bytes().size() > longest_file) {
    refuse(fmt::format("{}: {} bytes; a problem file has at most {}",
                       path.string(), mapped.bytes().size(), longest_file));
  }
  const std::string text(reinterpret_cast<const char*>(mapped.bytes().data()),
                         mapped.bytes().size());
  return parse_problems(text, path.filename().string());
}

}  // namespace stridewise::cli
