// Why a plan is what it is, on this machine or on one that is not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// The machines that are known by name.
[[nodiscard]] std::vector<std::string> machine_names();

// The profile of a machine as text: an instruction set, sizes in bytes and costs in cycles
// of a core, a line each. "" is the machine that runs this; a text of a profile is checked and
// completed. Errors: a name that is not known, a text that is no profile.
[[nodiscard]] Result<std::string> machine_profile(std::string_view name = {});

// What plans choose from: the names that explained ways begin with, and that `without` in a
// profile takes, but for copies, which can do all.
struct MenuEntry {
  std::string name;
  std::string what;
};
[[nodiscard]] std::vector<MenuEntry> plan_menu();

// A way to move what a nest moves.
struct ExplainedWay {
  std::string way;  // "transpose of 4 bytes, 64 rows, 3136 columns"
  double cycles_per_byte;
  std::string why;  // what these are made of
};

struct ExplainedNest {
  PlanNest nest;
  std::string text;  // its loops and kernels, a line each
  // Those that were weighed and not dropped at once, the one that was taken first. Empty where places follow no
  // plain strides.
  std::vector<ExplainedWay> ways;
};

struct Explanation {
  std::string machine;
  std::string isa;   // the best instruction set of the machine
  std::string text;  // what Plan::to_string() would say there
  std::vector<ExplainedNest> nests;
};

// What Plan::make would do on the machine that the options name. Errors: those of
// Plan::make, but for machines that cannot run here; an instruction set that this build has
// no kernels for.
[[nodiscard]] Result<Explanation> explain_plan(const Layout& src,
                                               const Layout& dst,
                                               const PlanOptions& options = {});

}  // namespace stridewise
