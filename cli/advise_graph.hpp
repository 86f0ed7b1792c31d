// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common.hpp"

namespace stridewise::cli {

// `advise --graph FILE`: a layout for each tensor of a network.
void run_advise_graph(Context& context, const std::string& file,
                      const std::string& machine);

}  // namespace stridewise::cli
