// Any text as the sidecar of a file: an error, nothing, or words of these bytes.
// SPDX-License-Identifier: Apache-2.0
#include "sidecar.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "common.hpp"
#include "folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace stridewise;
  using namespace stridewise::cli;
  using fuzz::require;
  static const fuzz::Folder folder;
  static const bool written = [] {
    fuzz::write(folder / "dump.bin", std::string(24, 'x'));
    return true;
  }();
  require(written);
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::write(folder / "dump.json", text);
  try {
    const Sidecar sidecar = sidecar_for(folder / "dump.bin");
    const bool tells = !sidecar.layout.empty() || !sidecar.shape.empty() ||
                       !sidecar.dtype.empty();
    require(!tells || text.find("dump.bin") != std::string::npos);
  } catch (const Failure& failure) {
    require(!failure.error.message.empty());
  }
  require(fuzz::read(folder / "dump.json") == text);
  require(fuzz::read(folder / "dump.bin") == std::string(24, 'x'));
  return 0;
}
