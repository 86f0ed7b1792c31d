// Whether names are of files. Where the system cannot tell, "no" would lose what is there.
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "io/system.hpp"
#include "stridewise/io.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

// nullopt: nothing has this name.
Result<std::optional<struct stat>> status_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) {
    return std::nullopt;
  }
  return io_error(path, "cannot look at it", errno);
}

}  // namespace

Result<bool> file_exists(const fs::path& path) {
  const auto status = status_of(path);
  if (!status) return unexpected(status.error());
  return status->has_value();
}

Result<bool> is_same_file(const fs::path& a, const fs::path& b) {
  const auto of_a = status_of(a);
  if (!of_a) return unexpected(of_a.error());
  const auto of_b = status_of(b);
  if (!of_b) return unexpected(of_b.error());
  return *of_a && *of_b && is_same_file(**of_a, **of_b);
}

}  // namespace stridewise
