// One problem: verified, then measured in turns with all competitors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/peer.hpp"
#include "bench/result.hpp"
#include "stridewise/parallel.hpp"

namespace stridewise::cli {

struct Competition {
  std::vector<Peer> peers;
  bool streaming_copy = false;  // "nt"
  int threads = 1;
  int rounds = 9;
  bool cold = false;  // no cache holds src and dst before each run
};

// Throws Failure: a plan that differs from the reference, too little memory.
// A peer that fails is told in its result, and the others go on.
[[nodiscard]] CaseResult compete(const BoundProblem& problem,
                                 Competition& competition,
                                 SharedTensors& tensors);

}  // namespace stridewise::cli
