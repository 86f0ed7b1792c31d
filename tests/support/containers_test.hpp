// What tests of files of several tensors share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "stridewise/container.hpp"
#include "support/containers.hpp"

namespace stridewise {

// A folder of files, and what becomes of opening them.
class Containers : public ::testing::Test {
 protected:
  Containers() : folder_("stridewise-containers") {}

  Result<Container> open(const std::string& name, std::string_view bytes) {
    return Container::open(folder_.write(name, bytes));
  }
  // The message, or "accepted".
  std::string refused(const std::string& name, std::string_view bytes) {
    const auto container = open(name, bytes);
    return container ? "accepted" : container.error().message;
  }
  std::string header_refused(std::string_view header,
                             std::string_view data = {}) {
    return refused("a.safetensors", testing::safetensors_file(header, data));
  }

  testing::Folder folder_;
};

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string loaded(const Container& container, std::string_view name) {
  const auto tensor = container.load(name);
  return tensor ? text_of(tensor->bytes) : "! " + tensor.error().message;
}

// A .npy array of u8.
inline std::string array(std::string_view data) {
  const std::vector<std::int64_t> shape = {
      static_cast<std::int64_t>(data.size())};
  return make_npy_header(*parse_element_type("u8"), shape) + std::string(data);
}

}  // namespace stridewise
