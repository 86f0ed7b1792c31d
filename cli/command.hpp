// A command and its options. They are CLI11's, which only command.cpp and main.cpp
// read: it takes longer to compile than any command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

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

}  // namespace stridewise::cli
