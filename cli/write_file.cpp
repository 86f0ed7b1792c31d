// SPDX-License-Identifier: Apache-2.0
#include "write_file.hpp"

#include <algorithm>
#include <span>

#include "common.hpp"

namespace stridewise::cli {

void write_file(const std::filesystem::path& path, std::int64_t size,
                const std::function<void(std::byte*)>& fill) {
  OutputFile output = value_of(OutputFile::create(path, size));
  fill(output.bytes().data());
  if (auto committed = output.commit(); !committed) {
    throw Failure{committed.error()};
  }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, static_cast<std::int64_t>(text.size()),
             [&](std::byte* data) {
               std::ranges::copy(std::as_bytes(std::span(text)), data);
             });
}

}  // namespace stridewise::cli
