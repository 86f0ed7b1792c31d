// SPDX-License-Identifier: Apache-2.0
#include "write_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "common.hpp"
#include "sidecar.hpp"
#include "stridewise/container.hpp"

namespace stridewise::cli {

namespace {

// Whether a descriptor writes to the file of this name. One in its place would take
// away what is written there.
bool is_open_as(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

void check_not_stdout(const std::filesystem::path& path) {
  if (path.empty()) {
    throw Failure{{ErrorCode::invalid_value, "OUT has no name"}};
  }
  const bool dash = path == "-";
  if (!dash && !is_open_as(STDOUT_FILENO, path) &&
      !is_open_as(STDERR_FILENO, path)) {
    return;
  }
  throw Failure{
      {ErrorCode::unsupported,
       fmt::format("{}: stdout and stderr are not written to; name a file{}",
                   path.string(), dash ? " (./- for one of that name)" : "")}};
}

void check_whole_file(const std::filesystem::path& path) {
  if (!split_container_path(path.native()).name) return;
  throw Failure{{ErrorCode::unsupported,
                 path.string() +
                     ": only convert and decode write a tensor of "
                     "a file; use .npy, then 'stridewise convert'"}};
}

void add_sync(Command command, Context& context) {
  command.add_flag("--sync", context.synced,
                   "the file is on the disk when the command ends, and "
                   "outlives a loss of power");
}

void write_file(const std::filesystem::path& path, std::int64_t size, Sync sync,
                const std::function<void(std::byte*)>& fill) {
  check_not_stdout(path);
  OutputFile output = value_of(OutputFile::create(path, size));
  fill(output.bytes().data());
  value_of(remove_sidecars(path));
  value_of(output.commit(sync));
}

void write_file(const std::filesystem::path& path, std::string_view text,
                Sync sync) {
  write_file(path, static_cast<std::int64_t>(text.size()), sync,
             [&](std::byte* data) {
               std::ranges::copy(std::as_bytes(std::span(text)), data);
             });
}

}  // namespace stridewise::cli
