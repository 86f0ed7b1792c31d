// Other programs that do the same conversion. Each is a process of its own that
// speaks the protocol of docs/bench.md, so that nothing is linked with the
// libraries that it measures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/problem.hpp"
#include "bench/process.hpp"

namespace stridewise::cli {

// A nameless file in memory that a peer opens by path. Read and written rather
// than mapped: a peer that cuts it short must not end this process.
class SharedFile {
 public:
  SharedFile();
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  [[nodiscard]] std::string path() const;
  void write(std::span<const std::byte> bytes);
  void clear(std::int64_t size);  // zeros
  [[nodiscard]] bool equals(std::span<const std::byte> bytes) const;

 private:
  int descriptor_;
};

// Src and dst of the problem that the peers are asked about.
struct SharedTensors {
  SharedFile src, dst;
};

class Peer {
 public:
  // `name` is a peer's name, or NAME=PROGRAM. Errors: there is none of that
  // name (how to get it); it does not start, or says that it cannot work here.
  [[nodiscard]] static Result<Peer> start(const std::string& name, int threads,
                                          int timeout_seconds);
  // Another build of this program, which is asked about all problems and by their texts:
  // `name` is what it is called. Errors: as of start().
  [[nodiscard]] static Result<Peer> start_build(
      const std::filesystem::path& program, std::string name, int threads,
      int timeout_seconds);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& version() const { return version_; }

  // Hands over a problem and has it solved once, into tensors.dst. Returns why
  // the peer cannot, or an empty text. A peer that failed is started anew.
  [[nodiscard]] Result<std::string> solve(const BoundProblem& problem,
                                          const SharedTensors& tensors);
  // Seconds of one of `repeats` runs of what was solved last; `cold`: a build empties the
  // caches of src and dst before.
  [[nodiscard]] Result<double> run(int repeats, bool cold = false);
  // Whether it is another build of this program.
  [[nodiscard]] bool is_build() const { return !arguments_.empty(); }

 private:
  Peer(std::string name, std::filesystem::path program, int threads,
       int timeout_seconds)
      : name_(std::move(name)),
        program_(std::move(program)),
        threads_(threads),
        timeout_seconds_(timeout_seconds) {}
  [[nodiscard]] Result<void> greet();
  [[nodiscard]] Result<Json> ask(const Json& question);

  std::string name_;
  std::filesystem::path program_;
  std::vector<std::string> arguments_;
  int threads_;
  int timeout_seconds_;
  std::string version_;
  std::unique_ptr<LineProcess> process_;  // null: failed
};

// The names of the peers that are installed.
[[nodiscard]] std::vector<std::string> installed_peers();

}  // namespace stridewise::cli
