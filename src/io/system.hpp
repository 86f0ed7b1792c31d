// What files of the operating system have in common: errors, descriptors, mappings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "stridewise/result.hpp"

namespace stridewise {

// "out.bin: cannot map: No such device", of a code that errno had.
[[nodiscard]] unexpected<Error> io_error(const std::filesystem::path& path,
                                         std::string_view what, int code);

[[nodiscard]] std::filesystem::path folder_of(
    const std::filesystem::path& path);

// Of two files that stat() was asked for.
[[nodiscard]] bool is_same_file(const struct stat& a, const struct stat& b);

// Closes a descriptor when it ends. Move-only.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept
      : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  // -1: none.
  [[nodiscard]] int get() const { return value_; }
  // False: what was written did not all arrive. errno tells why.
  bool close();

 private:
  int value_;
};

// Shared with the file; null of no bytes. The protection is as mmap() takes it.
[[nodiscard]] Result<void*> map(const std::filesystem::path& path,
                                int descriptor, std::size_t size,
                                int protection);

}  // namespace stridewise
