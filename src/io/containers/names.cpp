// Names of containers, and of tensors in them.
// SPDX-License-Identifier: Apache-2.0
#include "io/containers/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

namespace stridewise {
namespace {

namespace fs = std::filesystem;

struct Ending {
  std::string_view text;
  ContainerFormat format;
};

constexpr auto endings = std::to_array<Ending>({
    {".safetensors", ContainerFormat::safetensors},
    {".index.json", ContainerFormat::safetensors_index},
    {".gguf", ContainerFormat::gguf},
    {".npz", ContainerFormat::npz},
});

std::optional<ContainerFormat> format_of(std::string_view text) {
  for (const Ending& ending : endings) {
    if (text.size() < ending.text.size()) continue;
    const std::string_view last = text.substr(text.size() - ending.text.size());
    if (std::ranges::equal(last, ending.text, {}, [](unsigned char c) {
          return static_cast<char>(std::tolower(c));
        })) {
      return ending.format;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ContainerFormat> container_format(const fs::path& path) {
  return format_of(path.native());
}

bool is_safetensors(std::string_view text) {
  return format_of(text) == ContainerFormat::safetensors;
}

bool is_container(const fs::path& path) {
  return container_format(path).has_value();
}

ContainerPath split_container_path(std::string_view text) {
  std::error_code none;
  // A name of a file ends with a zero byte, that of a tensor need not.
  const bool file = text.find('\0') == std::string_view::npos &&
                    fs::exists(fs::path(text), none);
  if (!file) {
    for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
         colon = text.find(':', colon + 1)) {
      const std::string_view before = text.substr(0, colon);
      if (!format_of(before)) continue;
      return {fs::path(before), std::string(text.substr(colon + 1))};
    }
  }
  return {fs::path(text), std::nullopt};
}

}  // namespace stridewise
