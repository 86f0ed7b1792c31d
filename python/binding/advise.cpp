// Which layouts suit a tensor, and all tensors of a network: reports as dicts.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/advise.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/element.hpp"
#include "stridewise/network.hpp"
#include "stridewise/notation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Fields = nb::typed<nb::dict, nb::str, nb::any>;
using Numbers = std::map<std::string, std::int64_t>;

template <class T>
nb::object or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

nb::dict facts_of(const Candidate& candidate) {
  const LayoutFacts& facts = candidate.facts;
  nb::dict told;
  nb::dict padding;
  nb::dict run;
  for (const DimFacts& dim : facts.dims) {
    padding[dim.dim.c_str()] = dim.padding_places;
    run[dim.dim.c_str()] = or_none(dim.run);
  }
  nb::dict lost;
  for (std::size_t k = 0; k < cost_count; ++k) {
    lost[std::string(cost_names[k]).c_str()] = or_none(candidate.costs[k]);
  }
  nb::list missed;
  for (const MissedLimit& limit : candidate.missed) {
    missed.append(nb::make_tuple(limit.limit, limit.is, limit.most));
  }
  told["text"] = candidate.name;
  told["also"] = candidate.also;
  told["nbytes"] = facts.bytes;
  told["waste"] = facts.waste_bytes();
  told["padding"] = padding;
  told["run"] = run;
  told["runs"] = or_none(facts.runs);
  told["descriptors"] = or_none(facts.descriptors);
  told["row_alignment"] = or_none(facts.row_alignment_bytes);
  told["banks"] = nb::none();
  if (const auto& banks = facts.banks) {
    nb::dict one;
    one["banks"] = banks->banks;
    one["used"] = banks->used;
    one["fullest_bytes"] = banks->fullest_bytes;
    one["fullest_elements"] = banks->fullest_elements;
    told["banks"] = one;
  }
  told["left"] = or_none(facts.left_bytes);
  told["turns"] =
      facts.conflicts ? nb::cast(facts.conflicts->mean) : nb::none();
  told["loads"] =
      facts.vectors ? nb::cast(facts.vectors->per_line) : nb::none();
  told["filled"] = facts.vectors ? nb::cast(facts.vectors->filled) : nb::none();
  told["there"] =
      candidate.there ? or_none(candidate.there->copies) : nb::none();
  told["back"] = candidate.back ? or_none(candidate.back->copies) : nb::none();
  told["there_cycles"] =
      candidate.there ? or_none(candidate.there->cycles) : nb::none();
  told["back_cycles"] =
      candidate.back ? or_none(candidate.back->cycles) : nb::none();
  told["costs"] = lost;
  told["score"] = candidate.score;
  told["front"] = candidate.front;
  told["missed"] = missed;
  return told;
}

Chip chip_with(const std::string& bank_axis, const Numbers& limits) {
  Chip chip;
  chip.bank_axis = bank_axis;
  for (const auto& [name, most] : limits) set_limit(chip, name, most);
  return chip;
}

Weights weights_with(const std::map<std::string, double>& given) {
  Weights weights = default_weights;
  for (const auto& [name, weight] : given) {
    std::size_t k = 0;
    while (k < cost_count && cost_names[k] != name) ++k;
    if (k == cost_count) {
      throw nb::value_error(
          ("weights: no cost is named '" + name + "'").c_str());
    }
    weights[k] = weight;
  }
  return weights;
}

Operation operation_of(const std::string& name) {
  if (const auto operation = operation_named(name)) return *operation;
  throw nb::value_error(
      ("op: 'conv', 'gemm', 'pool' or 'copy', not '" + name + "'").c_str());
}

// `vector`: a dim, or empty: as the operation has it.
Fields advise_of(const std::string& shape, const std::string& type,
                 const std::vector<std::string>& families,
                 const std::string& op, const std::string& vector,
                 std::int64_t lanes,
                 const std::vector<std::pair<std::string, std::int64_t>>& box,
                 const std::string& bank_axis, const Numbers& limits,
                 const std::map<std::string, double>& weights,
                 const std::optional<std::string>& from,
                 const std::string& machine) {
  const ElementType element = value_of(parse_element_type(type));
  const std::optional<LayoutSource> source =
      from ? std::optional(value_of(resolve_layout(*from))) : std::nullopt;
  const Shape tensor = source ? value_of(shape_of(shape, {&*source, 1}))
                              : value_of(family_shape(shape, families));
  AdviseOptions options{.families = families,
                        .access = access_of(operation_of(op), tensor),
                        .chip = chip_with(bank_axis, limits),
                        .weights = weights_with(weights),
                        .machine = machine};
  if (!vector.empty()) {
    options.access.vector_dim = vector;
    options.access.vector_lanes = lanes;
  }
  for (const auto& [dim, extent] : box)
    options.access.box.push_back({dim, extent});
  if (source) {
    options.from =
        value_of(source->bind(tensor, Binding{.element_bits = element.bits}));
  }
  Result<Advice> made = Advice{};
  {
    const nb::gil_scoped_release others_run;
    made = advise(tensor, element.bits, options);
  }
  const Advice advice = value_of(std::move(made));
  nb::list candidates;
  for (const Candidate& candidate : advice.candidates) {
    candidates.append(facts_of(candidate));
  }
  nb::dict left_out;
  for (const LeftOut& left : advice.left_out) {
    left_out[left.name.c_str()] = left.why;
  }
  nb::dict told;
  told["shape"] = print(tensor);
  told["candidates"] = candidates;
  told["left_out"] = left_out;
  told["tried"] = advice.tried;
  return told;
}

nb::dict cost_of(const Network& network, const NetworkAdvice& advice) {
  nb::dict told;
  told["cost"] = advice.cost;
  told["operations"] = advice.operations;
  told["waste"] = advice.waste;
  told["moves"] = advice.moves;
  nb::dict layouts;
  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    layouts[network.tensors[t].name.c_str()] = advice.layouts[t];
  }
  told["layouts"] = layouts;
  nb::dict choices;
  for (std::size_t o = 0; o < network.operations.size(); ++o) {
    choices[network.operations[o].name.c_str()] = advice.choices[o];
  }
  told["choices"] = choices;
  nb::list conversions;
  for (const NetworkConversion& one : advice.conversions) {
    conversions.append(nb::make_tuple(one.tensor, one.from, one.to, one.cost));
  }
  told["conversions"] = conversions;
  told["bound"] = advice.bound;
  return told;
}

// `way`: "best", "greedy", or a layout for all.
Fields network_of(const std::string& text, const std::string& way,
                  const std::string& machine) {
  const Network network = value_of(read_network(text, "network"));
  const NetworkOptions options{.machine = machine};
  Result<NetworkAdvice> made = NetworkAdvice{};
  {
    const nb::gil_scoped_release others_run;
    if (way == "best") {
      made = advise_network(network, options);
    } else if (way == "greedy") {
      made = greedy_network(network, options);
    } else {
      made = uniform_network(network, way, options);
    }
  }
  return cost_of(network, value_of(std::move(made)));
}

}  // namespace

void bind_advise(nb::module_& module) {
  module.def("advise", &advise_of, "shape"_a, "dtype"_a, "families"_a, "op"_a,
             "vector"_a, "lanes"_a, "box"_a, "bank_axis"_a, "limits"_a,
             "weights"_a, "source"_a.none(), "machine"_a);
  module.def("network", &network_of, "text"_a, "way"_a, "machine"_a);
}

}  // namespace stridewise::python
