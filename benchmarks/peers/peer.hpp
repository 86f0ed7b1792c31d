// The peers' side of the protocol of docs/bench.md, for peers in C++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace peer {

using Json = nlohmann::json;

// Why a peer does not solve a problem.
struct Cannot : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Touched bytes on a page boundary.
class Memory {
 public:
  explicit Memory(std::size_t size)
      : bytes_(static_cast<char*>(
            std::aligned_alloc(page, (size + page) / page * page))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
    std::memset(bytes_.get(), 0, size);
  }
  [[nodiscard]] char* get() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  static constexpr std::size_t page = 4096;
  std::unique_ptr<char, Free> bytes_;
};

// Answers until stdin ends. Solver has a constructor from the problem, with the
// `threads` that it may use, and from where src and dst lie, which throws Cannot;
// and run(), which does the work once.
template <class Solver>
class Server {
 public:
  explicit Server(std::string version) : version_(std::move(version)) {}

  int serve() {
    for (std::string line; std::getline(std::cin, line);) {
      try {
        std::cout << answer(Json::parse(line)) << std::endl;
      } catch (const std::exception& error) {
        std::cout << Json{{"error", error.what()}} << std::endl;
        return 1;
      }
    }
    return 0;
  }

 private:
  Json answer(const Json& told) {
    if (told.contains("protocol")) {
      threads_ = told["threads"];
      return {{"protocol", 1}, {"version", version_}};
    }
    if (told.contains("problem")) return solve(told["problem"]);
    const int repeats = told["run"];
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < repeats; ++k) solver_->run();
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    return {{"seconds", elapsed.count()}};
  }

  Json solve(Json problem) {
    solver_.reset();
    problem["threads"] = threads_;
    const Json& from = problem["src"];
    const Json& to = problem["dst"];
    src_.emplace(from["bytes"].get<std::size_t>());
    dst_.emplace(to["bytes"].get<std::size_t>());
    std::ifstream(from["file"].get<std::string>(), std::ios::binary)
        .read(src_->get(), from["bytes"].get<std::streamsize>());
    try {
      solver_.emplace(problem, src_->get(), dst_->get());
      solver_->run();
    } catch (const Cannot& reason) {
      return {{"cannot", reason.what()}};
    }
    std::fstream(to["file"].get<std::string>(),
                 std::ios::binary | std::ios::in | std::ios::out)
        .write(dst_->get(), to["bytes"].get<std::streamsize>());
    return {{"ready", true}};
  }

  std::string version_;
  int threads_ = 1;
  std::optional<Memory> src_, dst_;
  std::optional<Solver> solver_;
};

}  // namespace peer
