// Skips what STRIDEWISE_ISA would only repeat.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "machine/isa.hpp"

namespace stridewise::testing {
namespace {

class Capped : public ::testing::Environment {
  void SetUp() override {
    if (std::getenv("STRIDEWISE_ISA") != nullptr &&
        best_isa() == machine_isa()) {
      GTEST_SKIP() << "STRIDEWISE_ISA caps nothing on this machine: the tests "
                      "without it are the same";
    }
  }
};

[[maybe_unused]] const auto* const capped =
    ::testing::AddGlobalTestEnvironment(new Capped);

}  // namespace
}  // namespace stridewise::testing
