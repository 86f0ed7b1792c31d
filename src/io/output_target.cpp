// SPDX-License-Identifier: Apache-2.0
#include "io/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/checked.hpp"
#include "io/system.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

unexpected<Error> refuse(const fs::path& path, std::string_view why) {
  return fail(ErrorCode::io, fmt::format("{}: {}", path.string(), why));
}

// Links of /proc lead to files whatever those are called now: /proc/self/exe.
bool is_of_system(const fs::path& link) {
  struct statfs disk {};
  return ::statfs(folder_of(link).c_str(), &disk) == 0 &&
         disk.f_type == PROC_SUPER_MAGIC;
}

// Where a link leads to. What has no name there, as a pipe behind /dev/stdout, is told
// under the name that was given.
Result<fs::path> followed(const fs::path& given) {
  struct stat status {};
  if (::lstat(given.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
    return given;
  }
  if (::stat(given.c_str(), &status) != 0) {
    if (errno != ENOENT)
      return io_error(given, "cannot follow the link", errno);
    std::error_code none;
    return refuse(given,
                  fmt::format("is a link to {}, which does not exist; name "
                              "that, or remove the link",
                              fs::read_symlink(given, none).string()));
  }
  if (is_of_system(given)) {
    return refuse(given, "stands for what a process has open, not for a name");
  }
  std::error_code unnamed;
  fs::path target = fs::canonical(given, unnamed);
  return unnamed ? given : target;
}

// Another file system may be mounted on a file, which no rename() replaces.
bool is_mounted_by_itself(const OutputTarget& target) {
  struct statx file {
  }, folder{};
  const auto ask = [](const fs::path& path, struct statx& answer) {
    return ::statx(AT_FDCWD, path.c_str(), 0, STATX_MNT_ID, &answer) == 0 &&
           (answer.stx_mask & STATX_MNT_ID) != 0;
  };
  return ask(target.path, file) && ask(target.folder, folder) &&
         file.stx_mnt_id != folder.stx_mnt_id;
}

// In a folder such as /tmp each may replace only what is theirs.
bool is_kept_for_its_owner(const OutputTarget& target) {
  struct stat folder {};
  const uid_t user = ::geteuid();
  return user != 0 && ::stat(target.folder.c_str(), &folder) == 0 &&
         (folder.st_mode & S_ISVTX) != 0 && folder.st_uid != user &&
         target.status.st_uid != user;
}

Result<void> check_replaceable(const OutputTarget& target) {
  const fs::path& path = target.path;
  if (!S_ISREG(target.status.st_mode)) {
    return refuse(path, "exists and is not a regular file");
  }
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return io_error(path, "exists and cannot be written", errno);
  }
  if (target.status.st_nlink > 1) {
    return refuse(path,
                  fmt::format("has {} names (hard links), and a new file would "
                              "have only this one; remove it first",
                              target.status.st_nlink));
  }
  if (is_mounted_by_itself(target)) {
    return refuse(path,
                  "is mounted by itself, so that no file can take its name; "
                  "mount its folder");
  }
  if (is_kept_for_its_owner(target)) {
    return refuse(path,
                  "is another user's, in a folder where only owners may "
                  "replace their files");
  }
  return {};
}

}  // namespace

Result<OutputTarget> find_output_target(const fs::path& given) {
  if (given.empty()) return io_error(given, "cannot create", ENOENT);
  Result<fs::path> path = followed(given);
  if (!path) return unexpected(path.error());
  OutputTarget target{.path = *path, .folder = folder_of(*path)};
  target.exists = ::stat(target.path.c_str(), &target.status) == 0;
  if (!target.exists && errno != ENOENT) {
    return io_error(given, "cannot create", errno);
  }
  if (!target.exists) return target;
  if (Result<void> allowed = check_replaceable(target); !allowed) {
    return unexpected(allowed.error());
  }
  return target;
}

Result<void> check_free_space(const OutputTarget& target, std::int64_t size) {
  struct statvfs disk {};
  if (::statvfs(target.folder.c_str(), &disk) != 0) {
    return io_error(target.folder, "cannot write there", errno);
  }
  const std::uint64_t unit = disk.f_frsize;
  const auto needed = static_cast<std::uint64_t>(size) / unit +
                      (static_cast<std::uint64_t>(size) % unit != 0 ? 1 : 0);
  if (needed <= disk.f_bavail) return {};
  return refuse(target.path, fmt::format("needs {} bytes, but only {} are free "
                                         "there",
                                         size, disk.f_bavail * unit));
}

}  // namespace stridewise
