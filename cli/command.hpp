// The program, its commands and their options. They are CLI11's, which only
// command.cpp reads: it takes longer to compile than any command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stridewise::cli {

// One option or positional argument. Each call returns *this.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  // --help shows what the variable holds now.
  Option& show_default();
  Option& in_range(int least, int most);
  Option& not_negative();
  Option& one_of(std::initializer_list<int> values);
  // `fault` tells what is wrong with a text; empty: nothing.
  Option& check(std::function<std::string(const std::string& text)> fault);
  Option& excludes(const Option& other);
  // From `least` to `most` words.
  Option& expects(int least, int most);
  // One word each time that it is given, not all that follow.
  Option& one_word_each();

 private:
  CLI::Option* option_;
};

// A command, by reference: copies are the same one.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_command(const std::string& name, const std::string& about);
  // `names`: "--long,-l", or "NAME" of a positional argument. Value: an int, int64_t,
  // float, double or std::string, std::optional of a std::string or int64_t, or
  // std::vector<std::string>. It must live as long as the command.
  template <class Value>
  Option add_option(const std::string& names, Value& value,
                    const std::string& about);
  Option add_flag(const std::string& names, bool& value,
                  const std::string& about);
  // Options of which exactly one must be given.
  Command add_choice(const std::string& name, const std::string& about);

  void footer(const std::string& text);
  // What the command does, once its options are read.
  void callback(std::function<void()> run);
  // Whether the option was given.
  [[nodiscard]] bool given(const std::string& name) const;

 private:
  CLI::App* app_;
};

// What became of a command line.
struct Outcome {
  enum class Kind : std::uint8_t { ran, help, version, bad };
  Kind kind = Kind::ran;
  std::string text;     // what to print: help, version, or the error
  std::string command;  // the command that was named; empty: none
};

class Program {
 public:
  Program(const std::string& name, const std::string& about,
          const std::string& footer, const std::string& version);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Command root();
  // Adds a flag to the program and to all of its commands. After those.
  void add_common_flag(const std::string& name, bool& value,
                       const std::string& about);
  // The same for an option that may be given several times.
  void add_common_option(const std::string& name,
                         std::vector<std::string>& values,
                         const std::string& about);
  [[nodiscard]] std::vector<std::string> command_names() const;
  [[nodiscard]] std::string help() const;

  // Reads the arguments and runs the command that they name. What the command
  // throws passes through.
  [[nodiscard]] Outcome run(std::vector<std::string> arguments);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace stridewise::cli
