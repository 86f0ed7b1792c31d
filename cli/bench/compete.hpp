// One problem: verified, then measured in turns with all competitors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/peer.hpp"
#include "bench/result.hpp"
#include "stridewise/parallel.hpp"

namespace stridewise::cli {

// The same conversion as it would be planned otherwise.
struct PlanRival {
  std::string name;
  std::string machine;
};

struct Competition {
  std::vector<Peer> peers;
  bool streaming_copy = false;  // "nt"
  int threads = 1;
  int rounds = 9;
  bool cold = false;         // no cache holds src and dst before each run
  std::string machine = {};  // that plans are made for
  // Profiles that are measured against it, each with a name.
  std::vector<PlanRival> rivals = {};
};

// Throws Failure: a plan that differs from the reference, too little memory.
// A peer that fails is told in its result, and the others go on.
[[nodiscard]] CaseResult compete(const BoundProblem& problem,
                                 Competition& competition,
                                 SharedTensors& tensors);

}  // namespace stridewise::cli
