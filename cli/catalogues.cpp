// SPDX-License-Identifier: Apache-2.0
#include "catalogues.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common.hpp"

namespace stridewise::cli {
namespace {

constexpr std::size_t largest_file = std::size_t{16} << 20;

Catalogue read_all() {
  std::vector<std::string> paths = catalogue_files();
  const char* variable = std::getenv("STRIDEWISE_CATALOGUE");
  const std::string listed = variable != nullptr ? variable : "";
  for (std::size_t at = 0; at < listed.size();) {
    const std::size_t end = std::min(listed.find(':', at), listed.size());
    if (end > at) paths.push_back(listed.substr(at, end - at));
    at = end + 1;
  }
  Catalogue all = catalogue();
  for (const std::string& path : paths) {
    const Catalogue own = value_of(Catalogue::read(text_of_file(path), path));
    Result<Catalogue> both = all.with(own);
    if (!both) both.error().message = path + ": " + both.error().message;
    all = value_of(std::move(both));
  }
  return all;
}

}  // namespace

std::string text_of_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::exists(path, none) &&
      !std::filesystem::is_regular_file(path, none)) {
    throw Failure{{ErrorCode::io, path + ": not a regular file"}};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(largest_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (text.empty() && !file.eof())) {
    throw Failure{{ErrorCode::io, fmt::format("{}: {}", path,
                                              errno != 0 ? std::strerror(errno)
                                                         : "cannot be read")}};
  }
  if (text.size() > largest_file) {
    throw Failure{
        {ErrorCode::unsupported,
         fmt::format("{}: a file has up to {} bytes", path, largest_file)}};
  }
  return text;
}

std::vector<std::string>& catalogue_files() {
  static std::vector<std::string> files;
  return files;
}

const Catalogue& known_layouts() {
  static const Catalogue all = read_all();
  return all;
}

}  // namespace stridewise::cli
