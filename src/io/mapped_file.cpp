// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "stridewise/io.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;

unexpected<Error> io_error(const fs::path& path, std::string_view what,
                           int code) {
  return fail(ErrorCode::io, fmt::format("{}: {}: {}", path.string(), what,
                                         std::strerror(code)));
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Closes a descriptor unless it was handed on.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

Result<void*> map(const fs::path& path, int descriptor, std::size_t size,
                  int protection) {
  if (size == 0) return nullptr;
  void* data = ::mmap(nullptr, size, protection, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return io_error(path, "cannot map", errno);
  return data;
}

}  // namespace

// ------------------------------------------------------------ MappedFile ---

Result<MappedFile> MappedFile::open(const fs::path& path) {
  // O_NONBLOCK: a pipe without a writer must be an error, not a wait.
  const Descriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return io_error(path, "cannot open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return io_error(path, "cannot read its size", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::io, path.string() + ": not a regular file");
  }
  MappedFile mapped;
  mapped.size_ = static_cast<std::size_t>(status.st_size);
  const Result<void*> data = map(path, file.get(), mapped.size_, PROT_READ);
  if (!data) return unexpected(data.error());
  mapped.data_ = *data;
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

std::span<const std::byte> MappedFile::bytes() const {
  return {static_cast<const std::byte*>(data_), size_};
}

void MappedFile::forget(std::int64_t first, std::int64_t count) const noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (first < 0 || count < 0 || static_cast<std::size_t>(first) >= size_)
    return;
  const auto at = static_cast<std::size_t>(first);
  const std::size_t begin = (at + page - 1) / page * page;
  const std::size_t end =
      (at + std::min(static_cast<std::size_t>(count), size_ - at)) / page *
      page;
  if (begin >= end) return;
  ::madvise(static_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

// ------------------------------------------------------------ OutputFile ---

Result<OutputFile> OutputFile::create(const fs::path& given,
                                      std::int64_t size) {
  if (size < 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("{}: a size of {} bytes", given.string(), size));
  }
  // What a link points to is replaced, not the link. What has no name there, as a
  // pipe behind /dev/stdout, is told under the name that was given.
  std::error_code none;
  fs::path path = given;
  if (fs::is_symlink(given, none) && fs::exists(given, none)) {
    path = fs::canonical(given, none);
    if (none) path = given;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::io,
                path.string() + ": exists and is not a regular file");
  }
  const fs::path folder = folder_of(path);
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) {
    return io_error(folder, "cannot write there", errno);
  }
  const std::uint64_t unit = disk.f_frsize;
  const std::uint64_t needed =
      (static_cast<std::uint64_t>(size) + unit - 1) / unit;
  if (needed > disk.f_bavail) {
    return fail(ErrorCode::io,
                fmt::format("{}: needs {} bytes, but only {} are free there",
                            path.string(), size, disk.f_bavail * unit));
  }
  // No more than permissions: whoever runs a setuid file is its owner meanwhile, and the
  // owner may be another one now.
  const mode_t mode = exists ? status.st_mode & 0777 : 0666;

  OutputFile output;
  output.path_ = path;
  output.size_ = static_cast<std::size_t>(size);
  output.descriptor_ =
      ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (output.descriptor_ < 0 &&
      (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    const fs::path hidden =
        folder / fmt::format(".stridewise.{}.new", ::getpid());
    output.descriptor_ =
        ::open(hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (output.descriptor_ >= 0) output.hidden_name_ = hidden;
  }
  if (output.descriptor_ < 0) return io_error(path, "cannot create", errno);
  // Only root may give a file away, and then its owner can read it as before.
  if (exists && ::geteuid() == 0) {
    static_cast<void>(
        ::fchown(output.descriptor_, status.st_uid, status.st_gid) == 0);
  }
  if (exists && ::fchmod(output.descriptor_, mode) != 0) {
    return io_error(path, "cannot set its mode", errno);
  }
  // Reserves the blocks now: a mapping of a file with holes would be killed by
  // a signal when the disk fills up later.
  if (size > 0) {
    if (const int code = ::posix_fallocate(output.descriptor_, 0, size);
        code != 0) {
      return io_error(path, fmt::format("cannot reserve {} bytes", size), code);
    }
  }
  const Result<void*> data =
      map(path, output.descriptor_, output.size_, PROT_READ | PROT_WRITE);
  if (!data) return unexpected(data.error());
  output.data_ = *data;
  return output;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      hidden_name_(std::exchange(other.hidden_name_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

OutputFile::~OutputFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!hidden_name_.empty()) ::unlink(hidden_name_.c_str());
}

std::span<std::byte> OutputFile::bytes() const {
  return {static_cast<std::byte*>(data_), size_};
}

Result<void> OutputFile::cut_to(std::int64_t size) {
  if (::ftruncate(descriptor_, size) == 0) return {};
  return io_error(path_, "cannot write", errno);
}

Result<void> OutputFile::commit() {
  if (hidden_name_.empty()) {
    // A nameless file can be linked but not renamed, and linking does not
    // replace: it gets a name of its own first.
    const fs::path folder = folder_of(path_);
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    fs::path name;
    int code = EEXIST;
    for (int attempt = 0; attempt < 100 && code == EEXIST; ++attempt) {
      name = folder / fmt::format(".stridewise.{}.{}", ::getpid(), attempt);
      code = ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(),
                      AT_SYMLINK_FOLLOW) == 0
                 ? 0
                 : errno;
    }
    if (code != 0) return io_error(path_, "cannot create", code);
    hidden_name_ = name;
  }
  if (::rename(hidden_name_.c_str(), path_.c_str()) != 0) {
    return io_error(path_, "cannot create", errno);
  }
  hidden_name_.clear();
  return {};
}

}  // namespace stridewise
