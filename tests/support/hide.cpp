// Preloaded into a program: hides nameless files (HIDE=tmpfile), or /proc (HIDE=proc), as
// systems do that have none; refuses threads beyond the number HIDE=threads:N has; lets it
// be a minute later (HIDE=minute).
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace {

std::string_view hidden() {
  const char* const text = std::getenv("HIDE");
  return text == nullptr ? "" : text;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_unless_nameless(const char* path, int flags, mode_t mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE && hidden() == "tmpfile") {
    errno = EOPNOTSUPP;
    return -1;
  }
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return open_unless_nameless(path, flags, mode);
}

int stat(const char* path, struct stat* status) noexcept {
  if (std::string_view(path).starts_with("/proc/") && hidden() == "proc") {
    errno = ENOENT;
    return -1;
  }
  return real<int(const char*, struct stat*)>("stat")(path, status);
}

std::time_t time(std::time_t* at) noexcept {
  const std::time_t now = real<std::time_t(std::time_t*)>("time")(nullptr) +
                          (hidden() == "minute" ? 61 : 0);
  if (at != nullptr) *at = now;
  return now;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*run)(void*), void* argument) noexcept {
  static std::atomic<int> made = 0;
  constexpr std::string_view threads = "threads:";
  if (hidden().starts_with(threads) &&
      made++ >= std::atoi(hidden().substr(threads.size()).data())) {
    return EAGAIN;
  }
  using Create =
      int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return real<Create>("pthread_create")(thread, attributes, run, argument);
}

}  // extern "C"
