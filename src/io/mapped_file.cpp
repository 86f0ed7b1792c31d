// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/system.hpp"
#include "stridewise/io.hpp"

namespace stridewise {

namespace fs = std::filesystem;

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

}  // namespace stridewise
