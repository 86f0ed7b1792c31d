// SPDX-License-Identifier: Apache-2.0
#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "common.hpp"

namespace stridewise::cli {
namespace {

volatile std::sig_atomic_t prints_json = 0;

// A handler may call little more than this.
void print(int stream, std::string_view text) {
  [[maybe_unused]] const auto written =
      ::write(stream, text.data(), text.size());
}

[[noreturn]] void fail_for_bytes(int) {
  remove_unfinished_files();
  print(STDERR_FILENO,
        "stridewise: a file was cut short, or its disk failed, while it was "
        "in use\n");
  if (prints_json != 0) {
    print(STDOUT_FILENO,
          "{\"error\": \"a file was cut short, or its disk failed, while it "
          "was in use\"}\n");
  }
  ::_exit(exit_bad_input);
}

// As if there were no handler.
void end_by(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void handle_signals(bool json) {
  prints_json = json ? 1 : 0;
  // Writing beyond a limit is an error of the call then.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, fail_for_bytes);
  for (const int signal :
       {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU}) {
    // What nohup ignores stays ignored.
    if (std::signal(signal, end_by) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

}  // namespace stridewise::cli
