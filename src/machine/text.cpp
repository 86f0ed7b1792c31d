// SPDX-License-Identifier: Apache-2.0
#include "machine/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

using Field =
    std::variant<double Profile::*, std::int64_t Profile::*, bool Profile::*>;
struct Number {
  std::string_view name;
  Field field;
  // Sizes beyond which a plan could not be made, or would take minutes.
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 40;
};

const auto numbers = std::to_array<Number>({
    {"transpose_kib_cycles", &Profile::transpose_kib_cycles},
    {"transpose_byte_factor", &Profile::transpose_byte_factor},
    {"transpose_pair_factor", &Profile::transpose_pair_factor},
    {"plane_cycles", &Profile::plane_cycles},
    {"strip_cycles", &Profile::strip_cycles},
    {"chunk_line_cycles", &Profile::chunk_line_cycles},
    {"zip_kib_cycles", &Profile::zip_kib_cycles},
    {"copy_line_cycles", &Profile::copy_line_cycles},
    {"short_run_cycles", &Profile::short_run_cycles},
    {"long_run_cycles", &Profile::long_run_cycles},
    {"piece_cycles", &Profile::piece_cycles},
    {"source_cycles", &Profile::source_cycles},
    {"piece_begin_cycles", &Profile::piece_begin_cycles},
    {"source_begin_cycles", &Profile::source_begin_cycles},
    {"split_load_cycles", &Profile::split_load_cycles},
    {"split_store_cycles", &Profile::split_store_cycles},
    {"call_cycles", &Profile::call_cycles},
    {"block_cycles", &Profile::block_cycles},
    {"scattered_byte_cycles", &Profile::scattered_byte_cycles},
    {"staged_advantage", &Profile::staged_advantage},
    {"near_bytes", &Profile::near_bytes},
    {"min_streamed_bytes", &Profile::min_streamed_bytes},
    {"call_bytes", &Profile::call_bytes},
    {"planes_bytes", &Profile::planes_bytes},
    {"program_bytes", &Profile::program_bytes},
    {"near_stage_bytes", &Profile::near_stage_bytes},
    {"far_stage_bytes", &Profile::far_stage_bytes},
    {"far_run_bytes", &Profile::far_run_bytes},
    {"far_ahead_bytes", &Profile::far_ahead_bytes},
    {"far_strips", &Profile::far_strips},
    {"near_strips", &Profile::near_strips},
    {"l1_ways", &Profile::l1_ways},
    {"whole_lines", &Profile::whole_lines},
    {"task_bytes", &Profile::task_bytes},
    {"half_line_share", &Profile::half_line_share},
    {"lane_share", &Profile::lane_share},
    {"dense_bytes", &Profile::dense_bytes},
    {"long_run_bytes", &Profile::long_run_bytes},
    {"converted_run", &Profile::converted_run, 1, 4096},
    {"fused_zeros_bytes", &Profile::fused_zeros_bytes, 1, 4096},
    {"program_run_bytes", &Profile::program_run_bytes, 16, 4096},
    {"program_sources", &Profile::program_sources, 1, 64},
    {"program_runs", &Profile::program_runs, 1, 64},
    {"program_tiles", &Profile::program_tiles, 1, 1024},
    {"transpose_bytes", &Profile::transpose_bytes, 1024, 1 << 24},
    {"column_bytes", &Profile::column_bytes, 64, 65536},
    {"columns_bytes", &Profile::columns_bytes, 64, 1 << 24},
    {"short_row_lines", &Profile::short_row_lines, 1, 64},
    {"short_row_strips", &Profile::short_row_strips, 1, 64},
    {"zip_bytes", &Profile::zip_bytes, 256, 1 << 24},
    {"copy_bytes", &Profile::copy_bytes, 4096, 1 << 30},
    {"min_relayed_bytes", &Profile::min_relayed_bytes, 1024,
     std::int64_t{1} << 40},
    {"relay_bytes", &Profile::relay_bytes, 4096, 1 << 30},
});

std::string_view trimmed(std::string_view text) {
  const auto blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

bool read(std::string_view text, std::int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && at == end;
}

// Not every standard library has from_chars for these, and the C library reads those of a
// locale: the locale's sign takes the place of the point.
bool read(std::string_view text, double& number) {
  std::string local(text);
  if (local.find_first_not_of("0123456789.eE+-") != std::string::npos) {
    return false;
  }
  std::ranges::replace(local, '.', *std::localeconv()->decimal_point);
  char* end = nullptr;
  number = std::strtod(local.c_str(), &end);
  return !local.empty() && *end == '\0';
}

// Whether the text is a value that the number may have.
bool set(Profile& profile, const Number& of, std::string_view text) {
  constexpr double most_cycles = 1e9;
  const Field& field = of.field;
  if (const auto* const cycles = std::get_if<double Profile::*>(&field)) {
    double& number = profile.*(*cycles);
    return read(text, number) && number >= 0 && number <= most_cycles;
  }
  if (const auto* const bytes = std::get_if<std::int64_t Profile::*>(&field)) {
    std::int64_t& number = profile.*(*bytes);
    return read(text, number) && number >= of.least && number <= of.most;
  }
  bool& whether = profile.*std::get<bool Profile::*>(field);
  whether = text == "true";
  return whether || text == "false";
}

std::string printed(const Profile& profile, const Field& field) {
  return std::visit(
      [&](auto member) { return fmt::format("{}", profile.*member); }, field);
}

class Reader {
 public:
  explicit Reader(Machine base) : machine_(std::move(base)) {
    machine_.name = "profile";
  }

  Result<Machine> read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view all = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      all = trimmed(all.substr(0, std::min(all.find('#'), all.size())));
      if (all.empty()) continue;
      if (auto done = setting(all); !done) return unexpected(done.error());
    }
    return machine_;
  }

 private:
  Result<void> setting(std::string_view all) {
    const std::size_t equals = all.find('=');
    if (equals == std::string_view::npos) {
      return fault(fmt::format("'{}' is no setting: name = value", all));
    }
    const std::string_view name = trimmed(all.substr(0, equals));
    const std::string_view value = trimmed(all.substr(equals + 1));
    if (name == "name") return named(value);
    if (name == "like") return like(value);
    if (name == "isa") return isa(value);
    if (name == "without") return without(value);
    const auto number = std::ranges::find(numbers, name, &Number::name);
    if (number == numbers.end()) return unknown(name);
    set_ = true;
    if (!set(machine_.profile, *number, value)) {
      return fault(fmt::format("'{}' is no value of {}", value, name));
    }
    return {};
  }

  Result<void> named(std::string_view value) {
    const bool plain =
        std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
    if (!plain) return fault("a name is of plain characters");
    machine_.name = value;
    return {};
  }

  Result<void> like(std::string_view value) {
    const auto machine = named_machine(value);
    if (!machine) return fault(fmt::format("no machine is named '{}'", value));
    if (set_) return fault("'like' stands before what differs");
    machine_.isa = machine->isa;
    machine_.profile = machine->profile;
    machine_.lacks = machine->lacks;
    return {};
  }

  Result<void> isa(std::string_view value) {
    constexpr std::array all = {Isa::portable, Isa::sse4, Isa::avx2,
                                Isa::avx512, Isa::avx512_vbmi};
    const auto named = std::ranges::find(all, value, isa_name);
    if (named == all.end()) {
      return fault(fmt::format("no instruction set is named '{}'", value));
    }
    machine_.isa = *named;
    set_ = true;
    return {};
  }

  Result<void> without(std::string_view value) {
    machine_.lacks = {};
    set_ = true;
    while (!value.empty()) {
      const std::size_t comma = std::min(value.find(','), value.size());
      const std::string_view name = trimmed(value.substr(0, comma));
      value.remove_prefix(std::min(comma + 1, value.size()));
      const auto way = std::ranges::find(way_names, name);
      if (way == way_names.end()) {
        return fault(fmt::format("no way is named '{}'; there are {}", name,
                                 fmt::join(way_names, ", ")));
      }
      machine_.lacks[static_cast<std::size_t>(way - way_names.begin())] = true;
    }
    return {};
  }

  Result<void> unknown(std::string_view name) const {
    std::vector<std::string> names = {"name", "like", "isa", "without"};
    for (const Number& number : numbers) names.emplace_back(number.name);
    const std::string hint = nearest(name, names);
    return fault(
        fmt::format("no profile has '{}'{}", name,
                    hint.empty() ? "" : "; did you mean " + hint + "?"));
  }

  [[nodiscard]] Result<void> fault(const std::string& what) const {
    return fail(ErrorCode::syntax, fmt::format("line {}: {}", line_, what));
  }

  Machine machine_;
  std::int64_t line_ = 0;
  bool set_ = false;  // something that `like` would undo
};

}  // namespace

std::string print(const Machine& machine) {
  std::string text =
      fmt::format("name = {}\nisa = {}\n", machine.name, isa_name(machine.isa));
  std::vector<std::string_view> lacks;
  for (std::size_t k = 0; k < ways; ++k) {
    if (machine.lacks[k]) lacks.push_back(way_names[k]);
  }
  text += fmt::format("without = {}\n", fmt::join(lacks, ", "));
  for (const Number& number : numbers) {
    text += fmt::format("{} = {}\n", number.name,
                        printed(machine.profile, number.field));
  }
  return text;
}

Result<Machine> machine_of(std::string_view text) {
  if (text.empty()) return this_machine();
  if (text.find('=') != std::string_view::npos) {
    return read_machine(text, this_machine());
  }
  if (auto named = named_machine(text)) return *std::move(named);
  std::vector<std::string> names;
  for (const Machine& machine : known_machines()) {
    names.push_back(machine.name);
  }
  const std::string hint = nearest(text, names);
  return fail(
      ErrorCode::unknown_name,
      fmt::format("no machine is named '{}'{}", text,
                  hint.empty()
                      ? fmt::format("; there are {}", fmt::join(names, ", "))
                      : fmt::format("; did you mean {}?", hint)));
}

Result<Machine> read_machine(std::string_view text, Machine base) {
  return Reader(std::move(base)).read(text);
}

}  // namespace stridewise
