// SPDX-License-Identifier: Apache-2.0
#include "bench/result.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stridewise::cli {
namespace {

using Combine =
    std::function<std::optional<double>(const std::vector<double>&)>;

std::optional<double> geometric_mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::optional<double> minimum_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return *std::ranges::min_element(values);
}

RatioSummary combined(std::span<const CaseResult> cases,
                      const Combine& combine) {
  std::vector<double> memcpy;
  std::vector<double> nt;
  std::vector<double> best_peer;
  for (const CaseResult& c : cases) {
    memcpy.push_back(c.memcpy_ratio());
    if (const auto ratio = c.nt_ratio()) nt.push_back(*ratio);
    if (const auto ratio = c.best_peer_ratio()) best_peer.push_back(*ratio);
  }
  return {combine(memcpy), combine(nt), combine(best_peer)};
}

}  // namespace

double CaseResult::gbps(double of_seconds) const {
  return 2.0 * static_cast<double>(bytes) / of_seconds / 1e9;
}

std::optional<double> CaseResult::nt_ratio() const {
  if (!nt_seconds) return std::nullopt;
  return *nt_seconds / seconds;
}

const PeerResult* CaseResult::best_peer() const {
  const PeerResult* best = nullptr;
  for (const PeerResult& peer : peers) {
    if (peer.status != PeerResult::Status::timed) continue;
    if (best == nullptr || peer.seconds < best->seconds) best = &peer;
  }
  return best;
}

std::optional<double> CaseResult::best_peer_ratio() const {
  const PeerResult* best = best_peer();
  if (best == nullptr) return std::nullopt;
  return best->seconds / seconds;
}

RatioSummary geometric_mean(std::span<const CaseResult> cases) {
  return combined(cases, geometric_mean_of);
}

RatioSummary minimum(std::span<const CaseResult> cases) {
  return combined(cases, minimum_of);
}

}  // namespace stridewise::cli
