// This program as another's peer: so two builds of it are measured in turns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stridewise::cli {

// Answers the lines of docs/bench.md on stdin until they end.
void serve();

}  // namespace stridewise::cli
