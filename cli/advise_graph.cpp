// SPDX-License-Identifier: Apache-2.0
#include "advise_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "catalogues.hpp"

namespace stridewise::cli {
namespace {

// What a user would do without asking, by name.
std::map<std::string, NetworkAdvice> others(const Network& network,
                                            const NetworkOptions& options) {
  std::map<std::string, NetworkAdvice> all;
  const auto add = [&](const std::string& name, Result<NetworkAdvice> advice) {
    // One that no choices allow is no way.
    if (advice) all.emplace(name, *std::move(advice));
  };
  add("greedy", greedy_network(network, options, known_layouts()));
  std::map<std::string, int> often;
  for (const NetworkOperation& operation : network.operations) {
    for (const NetworkChoice& choice : operation.choices) {
      for (const auto& [tensor, layout] : choice.layouts) ++often[layout];
    }
  }
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [layout, count] : often) most.emplace_back(-count, layout);
  std::ranges::sort(most);
  constexpr std::size_t shown = 4;
  for (std::size_t k = 0; k < std::min(shown, most.size()); ++k) {
    add("all " + most[k].second,
        uniform_network(network, most[k].second, options, known_layouts()));
  }
  return all;
}

// The loops of a conversion, in one line.
std::string plan_of(const NetworkTensor& tensor,
                    const NetworkConversion& conversion,
                    const std::string& machine) {
  const auto bound = [&](const std::string& text) {
    const LayoutSource source =
        value_of(resolve_layout(text, names_of(tensor.shape), known_layouts()));
    return value_of(source.bind(tensor.shape,
                                Binding{.element_bits = tensor.element_bits}));
  };
  const Explanation plan = value_of(explain_plan(
      bound(conversion.from), bound(conversion.to), {.machine = machine}));
  std::string kernels;
  for (const ExplainedNest& one : plan.nests) {
    kernels += fmt::format("{}{}", kernels.empty() ? "" : ", ",
                           one.nest.fills ? "zeros" : one.nest.kernel);
  }
  return kernels.empty() ? "fields" : kernels;
}

Json cost_json(const NetworkAdvice& advice) {
  return {{"cost", advice.cost},
          {"operations", advice.operations},
          {"waste", advice.waste},
          {"moves", advice.moves}};
}

constexpr std::size_t name_width = 14;

std::string cost_row(const std::string& name, const NetworkAdvice& one) {
  return fmt::format("{:<{}}{:>12.4f}{:>12.4f}{:>12.4f}{:>12.4f}{:>8}\n", name,
                     name_width, one.cost / 1e6, one.operations / 1e6,
                     one.waste / 1e6, one.moves / 1e6, one.conversions.size());
}

std::string title(const Network& network, const NetworkAdvice& best,
                  double gap) {
  return fmt::format(
      "{} tensors, {} operations: {:.4g} MB copied, {}\n\n"
      "{:<{}}{:>12}{:>12}{:>12}{:>12}{:>8}\n",
      network.tensors.size(), network.operations.size(), best.cost / 1e6,
      gap < 1e-9 ? "the least there is"
                 : fmt::format("at most {:.2f} % above the least", 100 * gap),
      "MB copied", name_width, "all", "operations", "waste", "conversions",
      "number");
}

// The conversions with their plans, as text and as JSON.
Json tell_conversions(const Network& network, const NetworkAdvice& best,
                      const std::string& machine, std::string& text) {
  Json conversions = Json::array();
  text += best.conversions.empty() ? "\nno conversions\n" : "\nconversions\n";
  for (const NetworkConversion& one : best.conversions) {
    const auto tensor =
        std::ranges::find(network.tensors, one.tensor, &NetworkTensor::name);
    const std::string plan = plan_of(*tensor, one, machine);
    text += fmt::format("  {:<{}}{} -> {}: {:.4f} MB, {}\n", one.tensor,
                        name_width, one.from, one.to, one.cost / 1e6, plan);
    conversions.push_back({{"tensor", one.tensor},
                           {"from", one.from},
                           {"to", one.to},
                           {"cost", one.cost},
                           {"plan", plan}});
  }
  return conversions;
}

}  // namespace

void run_advise_graph(Context& context, const std::string& file,
                      const std::string& machine) {
  const Network network = value_of(read_network(text_of_file(file), file));
  if (network.operations.empty()) {
    throw Failure{{ErrorCode::invalid_value, file + ": no operations"}};
  }
  const NetworkOptions options{.machine = machine_text(machine)};
  const NetworkAdvice best =
      value_of(advise_network(network, options, known_layouts()));
  const double gap = best.cost > best.bound ? best.cost / best.bound - 1 : 0;
  std::string text = title(network, best, gap) + cost_row("best", best);
  Json against = Json::object();
  for (const auto& [name, one] : others(network, options)) {
    text += cost_row(name, one);
    against[name] = cost_json(one);
  }
  text += "\ntensors\n";
  Json layouts = Json::object();
  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    layouts[network.tensors[t].name] = best.layouts[t];
    text += fmt::format(
        "  {:<{}}{}\n", network.tensors[t].name, name_width,
        best.layouts[t].empty() ? "(nothing touches it)" : best.layouts[t]);
  }
  Json choices = Json::object();
  for (std::size_t o = 0; o < network.operations.size(); ++o) {
    choices[network.operations[o].name] = best.choices[o];
  }
  Json json = cost_json(best);
  json["bound"] = best.bound;
  json["gap"] = gap;
  json["layouts"] = std::move(layouts);
  json["choices"] = std::move(choices);
  json["conversions"] = tell_conversions(network, best, options.machine, text);
  json["against"] = std::move(against);
  context.answer(json, text);
}

}  // namespace stridewise::cli
