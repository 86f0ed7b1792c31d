// SPDX-License-Identifier: Apache-2.0
#include "dump_window.hpp"

#include <algorithm>

#include "dump_files.hpp"

namespace stridewise::cli {

void WindowOptions::add_to(Command command, const std::string& file) {
  const Option skipped =
      command
          .add_option("--skip", skip,
                      "bytes of " + file +
                          " before the layout's memory, such as a header; "
                          "what\ncomes after it does not matter either")
          .not_negative();
  command
      .add_option("--start", start,
                  "the byte of the layout's memory that " + file +
                      " begins with; where\nit ends does not matter: of a "
                      "dump that was cut")
      .not_negative()
      .excludes(skipped);
}

void WindowOptions::add_skip(Command command, const std::string& suffix,
                             const std::string& file) {
  command
      .add_option("--skip" + suffix, skip,
                  "bytes of " + file +
                      " before the layout's memory; what comes after it\n"
                      "does not matter either")
      .not_negative();
}

std::optional<std::int64_t> WindowOptions::start_byte() const {
  if (skip) return -*skip;
  return start;
}

void FileMemory::forget(const TensorFile& file, std::int64_t first,
                        std::int64_t count) const {
  cli::forget(file, std::max<std::int64_t>(first_byte, 0) + first, count);
}

FileMemory memory_in(const TensorFile& file, const Layout& layout,
                     std::optional<std::int64_t> start_byte) {
  return {value_of(memory_window(file, layout, start_byte)),
          -start_byte.value_or(0)};
}

}  // namespace stridewise::cli
