// stridewise: the command line. One file a command; this one joins them and
// turns every failure into an exit code.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "catalogues.hpp"
#include "common.hpp"
#include "signals.hpp"

namespace stridewise::cli {
namespace {

constexpr const char* about =
    R"(Where is this element, what is at this byte, and move it from that layout to
this one: for any tensor layout, from one line of text.

  stridewise at nChw16c --shape 2x17x5x4 n=1,c=16,h=4,w=3
  stridewise who nChw16c --shape 2x17x5x4 --byte 4096
  stridewise convert in.npy out.bin --from nchw --to 'mace.channel'
  stridewise decode dump.bin out.npy --from 'okk.aligned(npus=64,start=2)' \
      --shape 2x70x14x14 --dtype f32

A LAYOUT is one of
  an expression     'n c/8 h w c%8'    memory slowest first; c/8 and c%8 are digits
                    'row=n h | pixel=c/4 w | lane=c%4'    axes, slowest first
                    'n:120 c:30 h:8 w'                    free strides, in elements
                    'npu=(c+2)%64 | n (c+2)/64:^128B h w' a start, an alignment
  a oneDNN tag      nchw, nChw16c, aBcd16b, OIhw4i16o4i: any tag of the grammar
  a catalogue name  mace.channel, okk.matrix(npus=4,w=15): see 'stridewise list')";

constexpr const char* footer =
    "Exit codes: 0 done, 1 the answer is no, 2 bad input or another error.\n"
    "'stridewise COMMAND --help' explains a command.";

int report(const Context& context, Error error) {
  error.message = one_line(error.message);
  std::cerr << "stridewise: " << error.to_string() << '\n';
  if (context.json) {
    Json json = {{"error", error.message}};
    if (error.position >= 0) json["position"] = error.position;
    std::cout << json.lines() << '\n';
  }
  return exit_bad_input;
}

// A command that does not exist: the nearest that does.
std::string suggestion(const Program& program,
                       const std::vector<std::string>& arguments) {
  const auto word = std::ranges::find_if(
      arguments, [](const auto& one) { return !one.starts_with('-'); });
  if (word == arguments.end()) return "";
  const std::string hint = nearest(*word, program.command_names());
  return hint.empty() ? "" : fmt::format("; did you mean '{}'?", hint);
}

void add_commands(Program& program, Context& context) {
  const Command root = program.root();
  for (const auto add :
       {add_list,  add_ls,      add_show,    add_at,   add_who,     add_convert,
        add_plan,  add_emit,    add_devices, add_draw, add_kernels, add_bench,
        add_demo,  add_probe,   add_infer,   add_diff, add_doctor,  add_decode,
        add_check, add_offsets, add_advise}) {
    add(root, context);
  }
  program.add_common_option(
      "--catalogue", catalogue_files(),
      "a file of named layouts, beside those known (docs/catalogue.md)");
  program.add_common_flag("--json", context.json,
                          "print one JSON object on stdout, nothing else");
}

// Answers what no command does: help, the version, and what cannot be read.
int finish(const Program& program, const Context& context,
           const std::vector<std::string>& arguments, const Outcome& outcome,
           bool asked_for_help) {
  switch (outcome.kind) {
    case Outcome::Kind::ran:
      if (!outcome.command.empty()) return context.exit_code;
      if (context.json) {
        return report(context, {ErrorCode::mismatch, "--json needs a command"});
      }
      std::cout << program.help();
      return exit_done;
    case Outcome::Kind::help:
      // "help COMMAND" of a command that there is not
      if (asked_for_help && outcome.command.empty() && arguments.size() > 1 &&
          !arguments[0].starts_with('-')) {
        return report(context,
                      {ErrorCode::unknown_name,
                       fmt::format("there is no command '{}'{}", arguments[0],
                                   suggestion(program, arguments))});
      }
      std::cout << outcome.text;
      return exit_done;
    case Outcome::Kind::version:
      std::cout << outcome.text << '\n';
      return exit_done;
    case Outcome::Kind::bad:
      break;
  }
  const std::string& command = outcome.command;
  return report(
      context,
      {ErrorCode::invalid_value,
       fmt::format("{}{} (see stridewise{} --help)", outcome.text,
                   command.empty() ? suggestion(program, arguments) : "",
                   command.empty() ? "" : " " + command)});
}

int run(std::vector<std::string> arguments) {
  Context context;
  // Known before parsing, so that its errors are JSON too.
  context.json = std::ranges::find(arguments, "--json") != arguments.end();
  handle_signals(context.json);
  // "help COMMAND" is "COMMAND --help".
  const bool asked_for_help = !arguments.empty() && arguments[0] == "help";
  if (asked_for_help) {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  Program program("stridewise", about, footer,
                  "stridewise " STRIDEWISE_VERSION);
  add_commands(program, context);
  try {
    const Outcome outcome = program.run(arguments);
    return finish(program, context, arguments, outcome, asked_for_help);
  } catch (const Failure& failure) {
    return report(context, failure.error);
  } catch (const std::bad_alloc&) {
    return report(context, {ErrorCode::overflow, "not enough memory"});
  } catch (const std::exception& error) {
    return report(context, {ErrorCode::io, error.what()});
  }
}

// A closed stdin, stdout or stderr would be the number of the next file that is
// opened, and messages would land in it. Reading from, or writing to, what
// stands in for it fails as if it were closed.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    static_cast<void>(
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// Who asked for an answer and did not get it must not be told that all is well.
int checked(int code) {
  if (code == exit_bad_input || std::cout.flush()) return code;
  std::cerr << "stridewise: stdout: cannot be written\n";
  return exit_bad_input;
}

}  // namespace
}  // namespace stridewise::cli

int main(int argc, char** argv) {
  stridewise::cli::keep_standard_streams();
  return stridewise::cli::checked(
      stridewise::cli::run({argv + std::min(argc, 1), argv + argc}));
}
