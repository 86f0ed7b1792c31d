// SPDX-License-Identifier: Apache-2.0
#include "bench/process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT: kill() is POSIX
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace stridewise::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_line = 1 << 20;

unexpected<Error> system_error(const std::string& what) {
  return fail(ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno)));
}

// "NAME=value" of this process and of `added`, which comes first and so wins.
std::vector<std::string> environment_with(
    const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  return all;
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] void become(char** arguments, char** environment, int socket,
                         int errors, pid_t parent) {
  ::setpgid(0, 0);  // ended together with what it starts
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // killed before the line above
  ::dup2(socket, 0);
  ::dup2(socket, 1);
  ::dup2(errors, 2);
  ::execve(arguments[0], arguments, environment);
  const char* reason = std::strerror(errno);
  [[maybe_unused]] const auto n = ::write(2, reason, std::strlen(reason));
  ::_exit(127);
}

// The last line that is not empty, of the last few KiB.
std::string last_line(int file) {
  std::array<char, 4096> text{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t begin =
      std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t n = ::pread(file, text.data(), text.size(), begin);
  if (n <= 0) return "";
  std::string_view tail(text.data(), static_cast<std::size_t>(n));
  const std::size_t end = tail.find_last_not_of(" \n\r");
  if (end == std::string_view::npos) return "";
  tail = tail.substr(0, end + 1);
  return std::string(tail.substr(tail.find_last_of('\n') + 1));
}

}  // namespace

Result<LineProcess> LineProcess::start(
    const std::filesystem::path& program,
    const std::vector<std::string>& arguments,
    const std::map<std::string, std::string>& environment) {
  const auto pointers_to = [](std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  };
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> word_pointers = pointers_to(words);
  std::vector<std::string> texts = environment_with(environment);
  std::vector<char*> pointers = pointers_to(texts);

  std::array<int, 2> sockets{};
  const int errors = ::memfd_create("stderr", MFD_CLOEXEC);
  if (errors < 0) return system_error(program.string());
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) !=
      0) {
    ::close(errors);
    return system_error(program.string());
  }
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    become(word_pointers.data(), pointers.data(), sockets[1], errors, parent);
  }
  ::close(sockets[1]);
  LineProcess process(pid, sockets[0], errors);
  if (pid < 0) return system_error(program.string());
  return process;
}

LineProcess::LineProcess(LineProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      received_(std::move(other.received_)) {}

LineProcess::~LineProcess() {
  if (pid_ > 0) stop();
  if (socket_ >= 0) ::close(socket_);
  if (errors_ >= 0) ::close(errors_);
}

Error LineProcess::ended() {
  // It may have closed its stdout and live on; it gets a second to end.
  siginfo_t state{};
  for (int k = 0; k < 100; ++k) {
    ::waitid(P_PID, static_cast<id_t>(pid_), &state,
             WEXITED | WNOHANG | WNOWAIT);
    if (state.si_pid != 0) break;
    ::usleep(10'000);
  }
  const int status = stop();
  const std::string words = last_line(errors_);
  const std::string how =
      WIFSIGNALED(status)
          ? fmt::format("ended by signal {}", WTERMSIG(status))
          : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return {ErrorCode::io, words.empty() ? how : how + ": " + words};
}

int LineProcess::stop() {
  ::kill(-pid_, SIGKILL);  // the group, once the child has made it
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

Result<std::string> LineProcess::ask(const std::string& line, int seconds) {
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  // Whether the socket is ready for that before the deadline.
  const auto ready = [&](short events) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    pollfd waiting = {socket_, events, 0};
    return left.count() > 0 &&
           ::poll(&waiting, 1, static_cast<int>(left.count())) != 0;
  };
  const auto late = [&] {
    return fail(ErrorCode::io, fmt::format("no answer in {} s", seconds));
  };
  const std::string out = line + "\n";
  for (std::size_t sent = 0; sent < out.size();) {
    if (!ready(POLLOUT)) return late();
    const ssize_t n = ::send(socket_, out.data() + sent, out.size() - sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return unexpected(ended());
    sent += static_cast<std::size_t>(n);
  }
  for (;;) {
    if (const std::size_t end = received_.find('\n');
        end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    if (received_.size() > longest_line) {
      return fail(ErrorCode::io, "answers with an endless line");
    }
    if (!ready(POLLIN)) return late();
    std::array<char, 4096> part{};
    const ssize_t n = ::recv(socket_, part.data(), part.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return unexpected(ended());
    received_.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace stridewise::cli
