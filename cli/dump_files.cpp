// SPDX-License-Identifier: Apache-2.0
#include "dump_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace stridewise::cli {

namespace fs = std::filesystem;

TensorShape tensor_shape(const std::string& text) {
  if (text.find('=') != std::string::npos) return {value_of(parse_shape(text))};
  const auto extents = static_cast<std::size_t>(
      1 + std::count_if(text.begin(), text.end(),
                        [](char c) { return c == 'x' || c == ','; }));
  constexpr std::array<std::string_view, 6> families = {"",    "x",    "nc",
                                                        "ncw", "nchw", "ncdhw"};
  const std::string_view letters = extents < families.size()
                                       ? families[extents]
                                       : "abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < std::min(extents, letters.size()); ++d) {
    dims.emplace_back(1, letters[d]);
  }
  return {value_of(parse_shape(text, dims)), true};
}

fs::path series_name(const fs::path& path, int k) {
  fs::path name = path;
  return name.replace_extension(
      fmt::format(".{}{}", k, path.extension().string()));
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code ignored;
  std::vector<fs::path> files;
  if (!fs::exists(path, ignored)) {
    while (fs::exists(series_name(path, static_cast<int>(files.size())),
                      ignored)) {
      files.push_back(series_name(path, static_cast<int>(files.size())));
    }
    while (files.empty() ||
           fs::exists(fmt::format("{}.{}", path.string(), files.size()),
                      ignored)) {
      const std::string name =
          fmt::format("{}.{}", path.string(), files.size());
      if (!fs::exists(name, ignored)) break;
      files.emplace_back(name);
    }
  }
  if (files.empty()) files.push_back(path);  // its error is told when opened
  return files;
}

void turn_signals_into_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, [](int) {
    constexpr std::string_view message =
        "stridewise: a file changed its size while it was read\n";
    [[maybe_unused]] const auto written =
        ::write(2, message.data(), message.size());
    ::_exit(exit_bad_input);
  });
}

}  // namespace stridewise::cli
