// SPDX-License-Identifier: Apache-2.0
#include "write_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "common.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {

void check_not_stdout(const std::filesystem::path& path) {
  const std::string name = path.string();
  // A file behind these is written to by others: a new one in its place would take
  // away what they write.
  const bool stream = name.starts_with("/dev/std") ||
                      name.starts_with("/dev/fd/") ||
                      name.starts_with("/proc/");
  if (name != "-" && !stream) return;
  throw Failure{
      {ErrorCode::unsupported,
       fmt::format("{}: stdout is not written to; name a file{}", name,
                   stream ? "" : " (./- for one of that name)")}};
}

void write_file(const std::filesystem::path& path, std::int64_t size,
                const std::function<void(std::byte*)>& fill) {
  check_not_stdout(path);
  OutputFile output = value_of(OutputFile::create(path, size));
  fill(output.bytes().data());
  if (auto removed = remove_sidecars(path); !removed) {
    throw Failure{removed.error()};
  }
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
