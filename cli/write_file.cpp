// SPDX-License-Identifier: Apache-2.0
#include "write_file.hpp"

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

}  // namespace stridewise::cli
