// An engine as bench.engines sees it. engine.cpp is compiled once for each of the two that
// are compared: the old one's namespace has another name, so that one process has both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

struct Conversion {
  const char* src;
  const char* dst;
  const char* shape;
  std::int64_t element_bytes;
};

struct Engine {
  // A plan; nullptr where the engine has none. `drop` ends it.
  void* (*make)(const Conversion& conversion);
  void (*drop)(void* plan);
  void (*run)(const void* plan, const std::byte* src, std::byte* dst);
  std::int64_t (*src_bytes)(const void* plan);
  std::int64_t (*dst_bytes)(const void* plan);
  std::int64_t (*moved_bytes)(const void* plan);  // of the elements
};
