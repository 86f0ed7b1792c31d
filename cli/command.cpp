// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace stridewise::cli {

Option& Option::required() {
  option_->required();
  return *this;
}
Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}
Option& Option::in_range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
Option& Option::not_negative() {
  const auto fault = [](const std::string& text) {
    double value = 0;
    const bool number = CLI::detail::lexical_cast(text, value);
    return number && value >= 0 ? std::string()
                                : "'" + text + "' is no number of 0 or more";
  };
  option_->check(CLI::Validator(fault, "NONNEGATIVE"));
  return *this;
}
Option& Option::one_of(std::initializer_list<int> values) {
  option_->check(CLI::IsMember(values));
  return *this;
}
Option& Option::check(std::function<std::string(const std::string&)> fault) {
  option_->check(std::move(fault));
  return *this;
}
Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}
Option& Option::expects(int least, int most) {
  option_->expected(least, most);
  return *this;
}
Option& Option::one_word_each() {
  option_->allow_extra_args(false);
  return *this;
}

Command Command::add_command(const std::string& name,
                             const std::string& about) {
  return Command(*app_->add_subcommand(name, about));
}

namespace {

// CLI11 takes the nearest number of 64 bits for one beyond them.
std::string fault_of_number(const std::string& text) {
  errno = 0;
  (void)std::strtoll(text.c_str(), nullptr, 0);
  return errno == ERANGE ? text + " does not fit 64 bits" : "";
}

}  // namespace

template <class Value>
Option Command::add_option(const std::string& names, Value& value,
                           const std::string& about) {
  CLI::Option* const option = app_->add_option(names, value, about);
  if constexpr (std::is_same_v<Value, std::int64_t> ||
                std::is_same_v<Value, std::optional<std::int64_t>>) {
    option->check(fault_of_number, "");
  }
  return Option(option);
}
template Option Command::add_option(const std::string&, int&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::int64_t&,
                                    const std::string&);
template Option Command::add_option(const std::string&, float&,
                                    const std::string&);
template Option Command::add_option(const std::string&, double&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::string&,
                                    const std::string&);
template Option Command::add_option(const std::string&,
                                    std::optional<std::int64_t>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&,
                                    const std::string&);
template Option Command::add_option(const std::string&,
                                    std::optional<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&,
                                    std::vector<std::string>&,
                                    const std::string&);

Option Command::add_flag(const std::string& names, bool& value,
                         const std::string& about) {
  return Option(app_->add_flag(names, value, about));
}

Command Command::add_choice(const std::string& name, const std::string& about) {
  CLI::Option_group* const group = app_->add_option_group(name, about);
  group->require_option(1);
  return Command(*group);
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}

bool Command::given(const std::string& name) const {
  return app_->count(name) > 0;
}

Program::Program(const std::string& name, const std::string& about,
                 const std::string& footer, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, name)) {
  app_->footer(footer);
  app_->set_version_flag("--version", version);
  app_->require_subcommand(0, 1);
  app_->fallthrough();
}

Program::~Program() = default;

Command Program::root() { return Command(*app_); }

void Program::add_common_flag(const std::string& name, bool& value,
                              const std::string& about) {
  app_->add_flag(name, value, about);
  for (CLI::App* command : app_->get_subcommands({})) {
    command->add_flag(name, value, about);
  }
}

void Program::add_common_option(const std::string& name,
                                std::vector<std::string>& values,
                                const std::string& about) {
  Command(*app_).add_option(name, values, about).one_word_each();
  for (CLI::App* command : app_->get_subcommands({})) {
    Command(*command).add_option(name, values, about).one_word_each();
  }
}

std::vector<std::string> Program::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string Program::help() const { return app_->help(); }

Outcome Program::run(std::vector<std::string> arguments) {
  const auto command = [&] {
    const auto chosen = app_->get_subcommands();
    return chosen.empty() ? std::string() : chosen.front()->get_name();
  };
  // CLI11 takes them from the back.
  std::ranges::reverse(arguments);
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return {Outcome::Kind::help, app_->help(), command()};
  } catch (const CLI::CallForVersion& version) {
    return {Outcome::Kind::version, version.what(), command()};
  } catch (const CLI::ParseError& error) {
    return {Outcome::Kind::bad, error.what(), command()};
  }
  return {Outcome::Kind::ran, {}, command()};
}

}  // namespace stridewise::cli
