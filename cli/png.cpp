// SPDX-License-Identifier: Apache-2.0
#include "png.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common.hpp"

namespace stridewise::cli {
namespace {

constexpr const char* program = "rsvg-convert";

// A nameless file in memory.
class Memory {
 public:
  explicit Memory(const char* name) : file_(::memfd_create(name, MFD_CLOEXEC)) {
    if (file_ < 0) refuse("no memory for a file");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { ::close(file_); }

  [[nodiscard]] int file() const { return file_; }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::write(file_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse("writing to memory");
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    ::lseek(file_, 0, SEEK_SET);
  }

  [[nodiscard]] std::string read() const {
    std::string text(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), 0);
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t n = ::pread(file_, text.data() + at, text.size() - at,
                                static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) refuse("reading from memory");
      at += static_cast<std::size_t>(n);
    }
    return text;
  }

  [[noreturn]] static void refuse(const char* what) {
    throw Failure{
        {ErrorCode::io, fmt::format("{}: {}", what, std::strerror(errno))}};
  }

 private:
  int file_;
};

}  // namespace

std::string png_of(const std::string& svg) {
  const Memory in("svg");
  const Memory out("png");
  const Memory errors("errors");
  in.write(svg);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.file(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.file(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.file(), 2);
  std::array<std::string, 6> words = {program,  "--format", "png",
                                      "--zoom", "2",        "--unlimited"};
  std::array<char*, 7> arguments{};
  for (std::size_t k = 0; k < words.size(); ++k) arguments[k] = words[k].data();
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, program, &actions, nullptr,
                                    arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) {
    throw Failure{{ErrorCode::unsupported,
                   "PNG needs the program rsvg-convert, which is not installed "
                   "(Debian: librsvg2-bin); --out FILE.svg needs nothing"}};
  }
  if (failed != 0) {
    errno = failed;
    Memory::refuse(program);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::string png = out.read();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || png.empty()) {
    throw Failure{{ErrorCode::io,
                   fmt::format("{}: {}", program, one_line(errors.read()))}};
  }
  return png;
}

}  // namespace stridewise::cli
