// stridewise: the command line. One file a command; this one joins them and
// turns every failure into an exit code.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "common.hpp"

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
    std::cout << dump(json);
  }
  return exit_bad_input;
}

// A command that does not exist: the nearest that does.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word.starts_with('-')) continue;
    const std::string hint = nearest(word, names);
    return hint.empty() ? "" : fmt::format("; did you mean '{}'?", hint);
  }
  return "";
}

// "help COMMAND" is "COMMAND --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool help = !arguments.empty() && arguments[0] == "help";
  if (help) {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  // CLI11 takes them from the back.
  std::ranges::reverse(arguments);
  return arguments;
}

int run(int argc, char** argv) {
  Context context;
  // Known before parsing, so that its errors are JSON too.
  context.json = std::any_of(argv, argv + argc, [](const char* argument) {
    return std::string_view(argument) == "--json";
  });
  CLI::App app{about, "stridewise"};
  app.footer(footer);
  app.set_version_flag("--version", "stridewise " STRIDEWISE_VERSION);
  app.require_subcommand(0, 1);
  app.fallthrough();
  app.add_flag("--json", context.json,
               "print one JSON object on stdout, nothing else");
  const Command program(app);
  add_list(program, context);
  add_show(program, context);
  add_at(program, context);
  add_who(program, context);
  add_convert(program, context);
  add_plan(program, context);
  add_emit(program, context);
  add_devices(program, context);
  add_draw(program, context);
  add_kernels(program, context);
  add_bench(program, context);
  add_demo(program, context);
  add_probe(program, context);
  add_infer(program, context);
  add_diff(program, context);
  add_decode(program, context);
  add_check(program, context);
  for (CLI::App* command : app.get_subcommands({})) {
    command->add_flag("--json", context.json, "print one JSON object");
  }
  try {
    app.parse(arguments_of(argc, argv));
    if (app.get_subcommands().empty()) {
      if (context.json) {
        return report(context, {ErrorCode::mismatch, "--json needs a command"});
      }
      std::cout << app.help();
    }
  } catch (const CLI::CallForHelp&) {
    const bool unknown = app.get_subcommands().empty() && argc > 2 &&
                         std::string_view(argv[1]) == "help" &&
                         argv[2][0] != '-';
    if (unknown) {
      return report(context,
                    {ErrorCode::unknown_name,
                     fmt::format("there is no command '{}'{}", argv[2],
                                 suggestion(app, argc - 1, argv + 1))});
    }
    std::cout << app.help();
    return exit_done;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << '\n';
    return exit_done;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command =
        chosen.empty() ? "" : " " + chosen.front()->get_name();
    return report(
        context, {ErrorCode::invalid_value,
                  fmt::format("{}{} (see stridewise{} --help)", error.what(),
                              chosen.empty() ? suggestion(app, argc, argv) : "",
                              command)});
  } catch (const Failure& failure) {
    return report(context, failure.error);
  } catch (const std::bad_alloc&) {
    return report(context, {ErrorCode::overflow, "not enough memory"});
  } catch (const std::exception& error) {
    return report(context, {ErrorCode::io, error.what()});
  }
  return context.exit_code;
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
  return stridewise::cli::checked(stridewise::cli::run(argc, argv));
}
