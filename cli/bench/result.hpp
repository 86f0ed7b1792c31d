// What was measured of one problem, and what follows from it.
//
// A ratio is the other's seconds divided by Stridewise's: above 1, Stridewise is
// the faster one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/problem.hpp"

namespace stridewise::cli {

struct PeerResult {
  enum class Status : std::uint8_t {
    timed,
    cannot,  // it says so, and why
    wrong,   // what it wrote is not the conversion
    error,   // it crashed, hung or broke the protocol
  };
  std::string name;
  Status status = Status::timed;
  std::string reason = {};
  double seconds = 0;
};

struct CaseResult {
  Problem problem;
  std::int64_t bytes = 0;  // of the elements
  double seconds = 0;
  double memcpy_seconds = 0;
  std::optional<double> nt_seconds = {};
  std::vector<PeerResult> peers = {};

  // Bytes read and written.
  [[nodiscard]] double gbps(double of_seconds) const;
  [[nodiscard]] double memcpy_ratio() const { return memcpy_seconds / seconds; }
  [[nodiscard]] std::optional<double> nt_ratio() const;
  // The fastest that was timed; nullptr when none was.
  [[nodiscard]] const PeerResult* best_peer() const;
  [[nodiscard]] std::optional<double> best_peer_ratio() const;
};

// Over the cases that have the ratio; nullopt when none has.
struct RatioSummary {
  std::optional<double> memcpy, nt, best_peer;
};
[[nodiscard]] RatioSummary geometric_mean(std::span<const CaseResult> cases);
[[nodiscard]] RatioSummary minimum(std::span<const CaseResult> cases);

struct PeerInfo {
  std::string name, version;
};

struct BenchResult {
  std::vector<CaseResult> cases;
  std::vector<PeerInfo> peers;
  int threads = 1;
  int rounds = 1;
  bool cold = false;
  Machine machine;
};

}  // namespace stridewise::cli
