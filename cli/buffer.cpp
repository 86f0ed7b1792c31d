// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace stridewise::cli {

Buffer::Buffer(std::int64_t size) : size_(static_cast<std::size_t>(size)) {
  constexpr std::size_t page = 4096;
  const std::size_t rounded = (size_ + page) / page * page;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(page, rounded)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 1, rounded);
}

void Buffer::Free::operator()(std::byte* p) const { std::free(p); }

}  // namespace stridewise::cli
