// What all commands share: how they fail, what they print, and the options that
// name a layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "json.hpp"
#include "stridewise/stridewise.hpp"

namespace stridewise::cli {

// Exit codes: the whole contract.
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;         // the answer is "no"
inline constexpr int exit_bad_input = 2;  // and any other error

// Ends a command with an error; main() prints it.
struct Failure {
  Error error;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Failure{std::move(result.error())};
  return *std::move(result);
}

inline void value_of(const Result<void>& result) {
  if (!result) throw Failure{result.error()};
}

// One printable line: control characters and what is no UTF-8 are escaped, and a
// middle that nobody would read is left out.
[[nodiscard]] std::string one_line(const std::string& text);
// The same of text of several lines, all of it: lines stay lines.
[[nodiscard]] std::string printable(const std::string& text);

// What main() hands each command: the global options, and where it leaves its
// exit code.
struct Context {
  bool json = false;
  bool synced = false;  // --sync
  int exit_code = exit_done;

  // Of the files that the command writes.
  [[nodiscard]] Sync sync() const { return synced ? Sync::now : Sync::later; }
  // Writes the command's answer: `json` with --json, else `text`, printable. Throws
  // Failure where stdout does not take it.
  void answer(const Json& value, const std::string& text) const;
  // The same of text with a terminal's colours, as it is.
  void answer_styled(const Json& value, const std::string& text) const;
};

// Each adds one subcommand to the program.
void add_list(Command app, Context& context);
void add_ls(Command app, Context& context);
void add_offsets(Command app, Context& context);
void add_show(Command app, Context& context);
void add_at(Command app, Context& context);
void add_who(Command app, Context& context);
void add_convert(Command app, Context& context);
void add_plan(Command app, Context& context);
void add_emit(Command app, Context& context);
void add_devices(Command app, Context& context);
void add_kernels(Command app, Context& context);
void add_bench(Command app, Context& context);
void add_demo(Command app, Context& context);
void add_probe(Command app, Context& context);
void add_decode(Command app, Context& context);
void add_diff(Command app, Context& context);
void add_doctor(Command app, Context& context);
void add_check(Command app, Context& context);
void add_infer(Command app, Context& context);
void add_draw(Command app, Context& context);
void add_advise(Command app, Context& context);

// The shape that `text` gives to `layouts`, all of one tensor: named, or in the
// logical order of the first layout that has one. Ends the command where numbers
// alone have two readings.
[[nodiscard]] Shape shape_for(const std::string& text,
                              std::span<const LayoutSource> layouts);

// Fills an empty text with the extents that a layout's own text tells, if one does.
void take_told(std::string& shape, std::span<const LayoutSource> layouts);

// Resolves texts of layouts that share a shape's dims.
[[nodiscard]] std::vector<LayoutSource> resolve_all(
    std::span<const std::string> layouts, const std::string& shape);

[[nodiscard]] std::vector<std::string> names_of(const Shape& shape);

// {"n": 2, "c": 17}
[[nodiscard]] Json named(const Shape& shape);
// {"n": 1, "c": 16}
[[nodiscard]] Json named(const Shape& shape,
                         std::span<const std::int64_t> index);
// "n=1,c=16"
[[nodiscard]] std::string print_index(const Shape& shape,
                                      std::span<const std::int64_t> index);
[[nodiscard]] Json coordinates(const Layout& layout,
                               std::span<const std::int64_t> coordinates);
[[nodiscard]] std::string print_coordinates(
    const Layout& layout, std::span<const std::int64_t> coordinates);

[[nodiscard]] Json nest_json(const PlanNest& nest);
[[nodiscard]] Json plan_json(const Plan& plan);

// What PlanOptions::machine takes: a name of a machine, or nothing, as it is; of a file, the profile that
// it holds. Throws Failure: a file that holds none.
[[nodiscard]] std::string machine_text(const std::string& machine);

// "1.25 ms"
[[nodiscard]] std::string print_seconds(double seconds);

// "64.0 MiB"
[[nodiscard]] std::string print_bytes(double bytes);

// A word as a shell takes it: quoted where it must be.
[[nodiscard]] std::string shell_word(const std::string& word);
// The same of a file, whose name no command takes for an option.
[[nodiscard]] std::string shell_file(const std::string& path);

}  // namespace stridewise::cli
