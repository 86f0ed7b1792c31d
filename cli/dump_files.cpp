// SPDX-License-Identifier: Apache-2.0
#include "dump_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>

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

fs::path sidecar_of(const fs::path& file) {
  fs::path name = file;
  return name.replace_extension(".json");
}

void use_sidecar(const fs::path& file, std::string& layout, std::string& shape,
                 std::string& dtype) {
  const fs::path path = sidecar_of(file);
  std::error_code ignored;
  const bool complete = !layout.empty() && !shape.empty() && !dtype.empty();
  if (complete || !fs::is_regular_file(path, ignored)) return;
  std::ifstream stream(path);
  const Json json = Json::parse(stream, nullptr, false);
  const auto text = [&](const char* key) -> std::string {
    if (!json.is_object() || !json.contains(key)) return "";
    if (!json[key].is_string()) {
      throw Failure{{ErrorCode::syntax,
                     fmt::format("{}: {} is no text", path.string(), key)}};
    }
    return json[key].get<std::string>();
  };
  if (!json.is_object()) {
    throw Failure{{ErrorCode::syntax,
                   path.string() + ": is not a JSON object with layout, shape "
                                   "and dtype"}};
  }
  if (layout.empty()) layout = text("layout");
  if (shape.empty()) shape = text("shape");
  if (dtype.empty()) dtype = text("dtype");
}

void write_sidecar(const fs::path& file, const std::string& layout,
                   const std::string& shape, const std::string& dtype) {
  const std::string text =
      dump({{"layout", layout}, {"shape", shape}, {"dtype", dtype}});
  OutputFile output = value_of(OutputFile::create(
      sidecar_of(file), static_cast<std::int64_t>(text.size())));
  std::memcpy(output.bytes().data(), text.data(), text.size());
  if (auto committed = output.commit(); !committed) {
    throw Failure{committed.error()};
  }
}

void need(const std::string& value, const std::string& option) {
  if (!value.empty()) return;
  throw Failure{{ErrorCode::mismatch,
                 option + " is needed: there is no sidecar that tells it"}};
}

std::optional<ElementType> dtype_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return value_of(parse_element_type(text));
}

void forget(const TensorFile& file, std::int64_t first, std::int64_t count) {
  const std::int64_t header = file.npy ? file.npy->data_offset : 0;
  file.file.forget(header + first, count);
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
