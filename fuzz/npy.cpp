// Any bytes as a .npy header: a value or an error, and a value whose header
// says the same when written again.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <span>

#include "stridewise/io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace stridewise;
  const auto header = parse_npy_header(std::as_bytes(std::span(data, size)));
  if (!header || !header->type) return 0;
  const std::string written = make_npy_header(*header->type, header->shape);
  const auto again = parse_npy_header(std::as_bytes(std::span(written)));
  const bool same = again && again->shape == header->shape &&
                    again->element_bytes == header->element_bytes &&
                    again->data_bytes == header->data_bytes;
  if (!same) std::abort();
  return 0;
}
