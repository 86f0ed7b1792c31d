// SPDX-License-Identifier: Apache-2.0
#include "bench/compete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "bench/cold.hpp"
#include "bench/measure.hpp"
#include "bench/streaming_copy.hpp"
#include "bench/verify.hpp"
#include "buffer.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

void require_memory(const BoundProblem& problem, std::size_t peers) {
  // Src and dst for the plan, two for the copies, two to share with peers, and
  // two of each peer's own.
  const double pairs = peers == 0 ? 2.0 : 3.0 + static_cast<double>(peers);
  const double needed = pairs * (static_cast<double>(problem.src.size_bytes()) +
                                 static_cast<double>(problem.dst.size_bytes()));
  const auto available = static_cast<double>(available_memory_bytes());
  if (needed > available) {
    throw Failure{
        {ErrorCode::overflow,
         fmt::format("{}: measuring it takes {} of memory; {} can be had",
                     problem.text.name, print_bytes(needed),
                     print_bytes(available))}};
  }
}

// A copy by as many threads as the plan may use.
void copy(Copy part, std::span<const std::byte> src, std::byte* dst,
          int threads, const ParallelFor& parallel_for) {
  if (threads == 1) {
    part(src.data(), dst, src.size());
    return;
  }
  constexpr std::size_t piece = 1 << 20;
  parallel_for(static_cast<std::int64_t>((src.size() + piece - 1) / piece),
               [&](std::int64_t k) {
                 const std::size_t at = static_cast<std::size_t>(k) * piece;
                 part(src.data() + at, dst + at,
                      std::min(piece, src.size() - at));
               });
}

PeerResult failed(const Peer& peer, PeerResult::Status status,
                  std::string reason) {
  return {peer.name(), status, std::move(reason)};
}

// Has the peer solve the problem once: right, cannot, wrong or an error.
PeerResult qualify(Peer& peer, const BoundProblem& problem,
                   SharedTensors& tensors,
                   std::span<const std::byte> expected) {
  using enum PeerResult::Status;
  if (!problem.plain() && !peer.is_build()) {
    return failed(peer, cannot,
                  "it is asked about strides of whole bytes alone");
  }
  tensors.dst.clear(problem.dst.size_bytes());
  const Result<std::string> solved = peer.solve(problem, tensors);
  if (!solved) return failed(peer, error, solved.error().message);
  if (!solved->empty()) return failed(peer, cannot, *solved);
  if (!tensors.dst.equals(expected)) {
    return failed(peer, wrong, "what it wrote is not the conversion");
  }
  return {peer.name()};
}

// Runs of a peer; from its first failure on it takes no time, and is told.
Timed timed_peer(Peer& peer, PeerResult& result, bool cold) {
  return [&peer, &result, cold](int repeats) {
    if (result.status != PeerResult::Status::timed) return 0.0;
    const Result<double> seconds = peer.run(repeats, cold);
    if (seconds) return *seconds;
    result = failed(peer, PeerResult::Status::error, seconds.error().message);
    return 0.0;
  };
}

// A plan for another machine; throws Failure where it moves something else.
Plan rival_plan(const BoundProblem& problem, const PlanRival& rival,
                const Buffer& from, std::span<const std::byte> expected) {
  Plan plan = value_of(Plan::make(
      problem.src, problem.dst,
      PlanOptions{.values = problem.values, .machine = rival.machine}));
  const Buffer to(problem.dst.size_bytes());
  plan.run(from.data(), to.data());
  if (!std::ranges::equal(to.bytes(), expected)) {
    throw Failure{
        {ErrorCode::invalid_value,
         fmt::format("{}: {} differs", problem.text.name, rival.name)}};
  }
  return plan;
}

// What is done before each time that is measured cold.
std::function<void()> before(const Competition& competition, const Buffer& src,
                             const Buffer& dst) {
  if (!competition.cold) return {};
  return [&src, &dst] {
    evict(src.bytes());
    evict(dst.bytes());
  };
}

// Takes the turns, and puts the medians into `result`. The first conversions are the plan
// and its rivals.
void time_all(const std::vector<Timed>& converts, Competition& competition,
              const ParallelFor& parallel_for, CaseResult& result) {
  const Buffer from(result.bytes);
  const Buffer to(result.bytes);
  const auto copying = [&](Copy part) {
    return timed(
        [&, part] {
          copy(part, from.bytes(), to.data(), competition.threads,
               parallel_for);
        },
        before(competition, from, to));
  };
  std::vector<Timed> work = converts;
  work.push_back(
      copying([](const std::byte* src, std::byte* dst, std::size_t bytes) {
        std::memcpy(dst, src, bytes);
      }));
  const std::size_t copy_at = converts.size();
  const Copy streaming =
      competition.streaming_copy ? streaming_copy() : nullptr;
  if (streaming != nullptr) work.push_back(copying(streaming));
  const std::size_t first_peer = work.size();
  std::vector<PeerResult*> in_work;
  for (std::size_t k = 0; k < result.peers.size(); ++k) {
    if (result.peers[k].status != PeerResult::Status::timed) continue;
    in_work.push_back(&result.peers[k]);
    work.push_back(
        timed_peer(competition.peers[k], result.peers[k], competition.cold));
  }
  const std::vector<double> seconds = measure(
      work, competition.rounds, competition.cold ? Caches::cold : Caches::warm);
  result.seconds = seconds[0];
  result.memcpy_seconds = seconds[copy_at];
  if (streaming != nullptr) result.nt_seconds = seconds[copy_at + 1];
  for (std::size_t k = 0; k < in_work.size(); ++k) {
    in_work[k]->seconds = seconds[first_peer + k];
  }
  for (std::size_t k = 0; k < competition.rivals.size(); ++k) {
    result.peers.push_back({competition.rivals[k].name});
    result.peers.back().seconds = seconds[1 + k];
  }
}

}  // namespace

CaseResult compete(const BoundProblem& problem, Competition& competition,
                   SharedTensors& tensors) {
  require_memory(problem, competition.peers.size());
  const Plan plan = value_of(Plan::make(
      problem.src, problem.dst,
      PlanOptions{.values = problem.values, .machine = competition.machine}));
  const ParallelFor parallel_for = make_parallel_for(competition.threads);
  const Buffer from(problem.src.size_bytes());
  const Buffer to(problem.dst.size_bytes());
  fill_src(problem, from.bytes());
  plan.run(from.data(), to.data(), parallel_for);
  if (!verify(problem, from.bytes(), to.bytes())) {
    throw Failure{
        {ErrorCode::invalid_value,
         problem.text.name + ": differs from the reference; not timed"}};
  }
  CaseResult result{problem.text, problem.bytes()};
  if (!competition.peers.empty()) tensors.src.write(from.bytes());
  for (Peer& peer : competition.peers) {
    result.peers.push_back(qualify(peer, problem, tensors, to.bytes()));
  }
  std::vector<Plan> plans = {plan};
  for (const PlanRival& rival : competition.rivals) {
    plans.push_back(rival_plan(problem, rival, from, to.bytes()));
  }
  std::vector<Timed> converts;
  for (const Plan& each : plans) {
    converts.push_back(
        timed([&] { each.run(from.data(), to.data(), parallel_for); },
              before(competition, from, to)));
  }
  time_all(converts, competition, parallel_for, result);
  return result;
}

}  // namespace stridewise::cli
