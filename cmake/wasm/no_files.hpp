// Every source is compiled with this for WebAssembly, whose C++ library has no files: toml++
// names them in a function that nobody calls, and that must compile all the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>

namespace std {

template <>
class basic_ifstream<char> : public basic_istream<char> {
 public:
  basic_ifstream() : basic_istream<char>(nullptr) {}
  void open(const string&, ios_base::openmode) {}
  [[nodiscard]] bool is_open() const { return false; }
};

}  // namespace std
