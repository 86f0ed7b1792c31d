// Another program that answers lines with lines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stridewise/result.hpp"

namespace stridewise::cli {

// Runs a program with its stdin and stdout on a socket. Destroying it ends the
// program and waits for it, so that none is left behind; should this process be
// killed, the kernel kills the program.
class LineProcess {
 public:
  // `environment` is added to this process's own.
  [[nodiscard]] static Result<LineProcess> start(
      const std::filesystem::path& program,
      const std::vector<std::string>& arguments,
      const std::map<std::string, std::string>& environment);

  LineProcess(LineProcess&& other) noexcept;
  LineProcess& operator=(LineProcess&&) = delete;
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;
  ~LineProcess();

  // Sends a line and returns the next that comes back, both without line end.
  // Errors: the program ended (how, and its last words on stderr), answered
  // endlessly, or not within `seconds`. Pre: no earlier error.
  [[nodiscard]] Result<std::string> ask(const std::string& line, int seconds);

 private:
  LineProcess(pid_t pid, int socket, int errors)
      : pid_(pid), socket_(socket), errors_(errors) {}
  [[nodiscard]] Error ended();
  int stop();  // returns how it ended, as waitpid() tells

  pid_t pid_;
  int socket_;
  int errors_;  // a nameless file that holds its stderr
  std::string received_;
};

}  // namespace stridewise::cli
