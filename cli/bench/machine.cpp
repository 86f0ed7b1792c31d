// SPDX-License-Identifier: Apache-2.0
#include "bench/machine.hpp"

#include <ctime>
#include <fstream>
#include <limits>
#include <thread>

namespace stridewise::cli {
namespace {

// The value of the first line "key ... : value"; empty when there is none.
std::string value_in(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::string text(10, ' ');
  std::strftime(text.data(), text.size() + 1, "%Y-%m-%d", &local);
  return text;
}

}  // namespace

Machine this_machine() {
  std::string cpu = value_in("/proc/cpuinfo", "model name");
  return {cpu.empty() ? "unknown" : cpu,
          static_cast<int>(std::thread::hardware_concurrency()), today()};
}

std::int64_t available_memory_bytes() {
  const std::string text = value_in("/proc/meminfo", "MemAvailable");
  if (text.empty()) return std::numeric_limits<std::int64_t>::max();
  return std::stoll(text) * 1024;
}

}  // namespace stridewise::cli
