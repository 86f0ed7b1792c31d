// SPDX-License-Identifier: Apache-2.0
#include "io/unfinished.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <utility>

#include "io/system.hpp"
#include "stridewise/io.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view name_begin = ".stridewise.";
constexpr std::string_view name_end = ".new";

// A file is made before it is marked; no program takes longer for that.
constexpr std::time_t least_age_of_leftovers_seconds = 60;

// Names as handlers of signals need them. Whoever takes one out owns its memory.
std::array<std::atomic<char*>, 64> names;

// The slot of the name; -1: none is free.
int remember(const fs::path& path) {
  const std::size_t bytes = path.native().size() + 1;
  char* const copy = new char[bytes];
  std::memcpy(copy, path.c_str(), bytes);
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    char* free = nullptr;
    if (names[slot].compare_exchange_strong(free, copy)) {
      return static_cast<int>(slot);
    }
  }
  delete[] copy;
  return -1;
}

void forget_name(int slot) {
  if (slot < 0) return;
  delete[] names[static_cast<std::size_t>(slot)].exchange(nullptr);
}

// Processes of two machines, or of two namespaces, may have the same number.
std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) == sizeof bits) return bits;
  struct timespec now {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec) +
         (static_cast<std::uint64_t>(::getpid()) << 40);
}

// Removes the file, if no program has it in work.
void remove_leftover(const fs::path& path) {
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (std::time(nullptr) - status.st_ctime < least_age_of_leftovers_seconds) {
    return;
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
}

void remove_leftovers(const fs::path& folder) {
  // fs::directory_iterator ends the process where memory runs out.
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()),
                                                 &::closedir);
  if (open == nullptr) return;
  while (const dirent* const entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(name_begin) && name.ends_with(name_end)) {
      remove_leftover(folder / name);
    }
  }
}

}  // namespace

UnfinishedName::UnfinishedName(const fs::path& folder)
    : path_(folder /
            fmt::format("{}{:016x}{}", name_begin, random_bits(), name_end)) {
  remove_leftovers(folder);
  slot_ = remember(path_);
}

UnfinishedName::UnfinishedName(UnfinishedName&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      slot_(std::exchange(other.slot_, -1)) {}

UnfinishedName& UnfinishedName::operator=(UnfinishedName&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(slot_, other.slot_);
  return *this;
}

UnfinishedName::~UnfinishedName() {
  if (!path_.empty()) ::unlink(path_.c_str());
  release();
}

void UnfinishedName::release() {
  forget_name(std::exchange(slot_, -1));
  path_.clear();
}

void mark_unfinished(int descriptor) {
  static_cast<void>(::flock(descriptor, LOCK_EX | LOCK_NB));
}

void remove_unfinished_files() noexcept {
  for (std::atomic<char*>& name : names) {
    const char* const path = name.exchange(nullptr);
    if (path != nullptr) ::unlink(path);
  }
}

}  // namespace stridewise
