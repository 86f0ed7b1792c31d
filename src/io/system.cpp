// SPDX-License-Identifier: Apache-2.0
#include "io/system.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stridewise {

namespace fs = std::filesystem;

unexpected<Error> io_error(const fs::path& path, std::string_view what,
                           int code) {
  return fail(
      ErrorCode::io,
      fmt::format("{}: {}: {}",
                  path.empty() ? "a file without a name" : path.string(), what,
                  std::generic_category().message(code)));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool Descriptor::close() {
  const int value = std::exchange(value_, -1);
  return value < 0 || ::close(value) == 0;
}

Result<void*> map(const fs::path& path, int descriptor, std::size_t size,
                  int protection) {
  if (size == 0) return nullptr;
  void* data = ::mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return io_error(path, "cannot map", errno);
  return data;
}

}  // namespace stridewise
