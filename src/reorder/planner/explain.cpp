// SPDX-License-Identifier: Apache-2.0
#include "stridewise/explain.hpp"

#include <fmt/format.h>

#include <utility>

#include "machine/text.hpp"
#include "reorder/planner/plan.hpp"

namespace stridewise {
namespace {

std::vector<ExplainedWay> ways_of(const engine::Bill& bill) {
  std::vector<ExplainedWay> ways;
  for (const engine::Candidate& candidate : bill) {
    ways.push_back({candidate.way, candidate.cycles_per_byte, candidate.why});
  }
  return ways;
}

}  // namespace

std::vector<MenuEntry> plan_menu() {
  std::vector<MenuEntry> menu;
  for (const engine::MenuRow& row : engine::menu_rows()) {
    menu.push_back({std::string(row.name), std::string(row.what)});
  }
  return menu;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const Machine& machine : known_machines()) {
    names.push_back(machine.name);
  }
  return names;
}

Result<std::string> machine_profile(std::string_view name) {
  Result<Machine> machine = machine_of(name);
  if (!machine) return unexpected(machine.error());
  return print(*machine);
}

Result<Explanation> explain_plan(const Layout& src, const Layout& dst,
                                 const PlanOptions& options) {
  const Result<Machine> machine = machine_of(options.machine);
  if (!machine) return unexpected(machine.error());
  if (engine::kernels_of(machine->isa).empty()) {
    return fail(ErrorCode::unsupported,
                fmt::format("this build has no kernels for {}",
                            isa_name(machine->isa)));
  }
  std::vector<engine::Bill> bills;
  const auto data = detail::plan_for(*machine, src, dst, options, &bills);
  if (!data) return unexpected(data.error());
  Explanation explanation{machine->name,
                          std::string(isa_name(machine->isa)),
                          detail::print(*data),
                          {}};
  std::vector<PlanNest> nests = detail::nests_of(*data);
  for (std::size_t k = 0; k < nests.size(); ++k) {
    ExplainedNest& nest = explanation.nests.emplace_back();
    nest.nest = std::move(nests[k]);
    if (data->fields) continue;
    nest.text = detail::print(data->nests[k]);
    nest.ways = ways_of(bills[k]);
  }
  return explanation;
}

}  // namespace stridewise
