// SPDX-License-Identifier: Apache-2.0
#include "advise/network/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::advising {
namespace {

// Bytes that could be copied while a tensor is converted. What has no price in cycles, of
// fields of bits, takes as long as all its bytes one by one.
double cost_of(const Price& price, double tensor_bytes) {
  constexpr double copies_of_fields = 8;
  return tensor_bytes * price.copies.value_or(copies_of_fields);
}

Wanted place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Wanted>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

unexpected<Error> in(const std::string& where, Error error) {
  error.message = fmt::format("{}: {}", where, error.message);
  return unexpected(std::move(error));
}

Result<Layout> bound(const std::string& text, const NetworkTensor& tensor,
                     const Catalogue& names) {
  std::vector<std::string> dims;
  for (const Dim& dim : tensor.shape) dims.push_back(dim.name);
  const Result<LayoutSource> source = resolve_layout(text, dims, names);
  if (!source) return unexpected(source.error());
  Result<Layout> layout =
      source->bind(tensor.shape, Binding{.element_bits = tensor.element_bits});
  if (!layout) return layout;
  if (const auto& defect = layout->defect()) return unexpected(*defect);
  if (layout->tensor() < 0) {
    return fail(ErrorCode::unsupported, "a memory of several tensors");
  }
  return layout;
}

}  // namespace

// ----------------------------------------------------------------- tensor ---

Keeping BoundTensor::keep(std::optional<Wanted> written,
                          const std::set<Wanted>& wanted) const {
  Keeping best;
  const auto consider = [&](Wanted home) {
    Keeping one{.home = home, .waste = waste[home], .allowed = true};
    if (written && *written != home) one.moves += price[*written][home];
    for (const Wanted to : wanted) {
      if (to != home) one.moves += price[home][to];
    }
    const bool agrees =
        (!written || *written == home) &&
        std::ranges::all_of(wanted, [&](Wanted to) { return to == home; });
    if (!tensor->converts && !agrees) return;
    if (one.moves == infinite) return;
    if (!best.allowed || one.cost() < best.cost()) best = one;
  };
  if (!homes.empty()) {
    for (const Wanted home : homes) consider(home);
  } else if (written) {
    consider(*written);
  } else {
    for (Wanted home = 0; home < layouts.size(); ++home) consider(home);
  }
  return best;
}

std::pair<std::optional<Wanted>, std::set<Wanted>> BoundTensor::asked(
    const std::vector<std::size_t>& choices) const {
  std::optional<Wanted> written;
  std::set<Wanted> wanted;
  for (const Touch& touch : touches) {
    const Wanted layout = touch.wants[choices[touch.operation]];
    if (touch.writes) {
      written = layout;
    } else {
      wanted.insert(layout);
    }
  }
  return {written, std::move(wanted)};
}

Keeping BoundTensor::keep(const std::vector<std::size_t>& choices) const {
  const auto [written, wanted] = asked(choices);
  return keep(written, wanted);
}

// ------------------------------------------------------------------ model ---

Result<NetworkModel> NetworkModel::make(const Network& network,
                                        const NetworkOptions& options,
                                        const Catalogue& names) {
  NetworkModel model(network);
  if (auto bound = model.bind(options, names); !bound) {
    return unexpected(bound.error());
  }
  return model;
}

Result<void> NetworkModel::bind(const NetworkOptions& options,
                                const Catalogue& names) {
  if (!(options.waste_weight >= 0) || std::isinf(options.waste_weight)) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a weight of {}", options.waste_weight));
  }
  std::set<std::string> known;
  for (const NetworkTensor& tensor : network_.tensors) {
    if (!known.insert(tensor.name).second) {
      return fail(ErrorCode::invalid_value,
                  fmt::format("two tensors are named '{}'", tensor.name));
    }
    BoundTensor& bound = tensors_.emplace_back();
    bound.tensor = &tensor;
    for (const std::string& layout : tensor.layouts) {
      bound.homes.push_back(place_of(bound.names, layout));
    }
  }
  if (auto touched = touch(); !touched) return touched;
  for (BoundTensor& bound : tensors_) {
    if (auto done = bind_layouts(bound, options, names); !done) return done;
  }
  return {};
}

Result<void> NetworkModel::touch() {
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    places.emplace(tensors_[t].tensor->name, t);
  }
  std::set<std::string> known;
  for (std::size_t o = 0; o < network_.operations.size(); ++o) {
    const NetworkOperation& operation = network_.operations[o];
    const std::string where = fmt::format("operation '{}'", operation.name);
    if (!known.insert(operation.name).second) {
      return fail(ErrorCode::invalid_value, "there are two of " + where);
    }
    if (operation.choices.empty()) {
      return fail(ErrorCode::invalid_value, where + " accepts no layout");
    }
    for (const NetworkChoice& choice : operation.choices) {
      for (const auto& [name, layout] : choice.layouts) {
        if (std::ranges::count(operation.reads, name) == 0 &&
            std::ranges::count(operation.writes, name) == 0) {
          return fail(
              ErrorCode::mismatch,
              fmt::format("{} neither reads nor writes '{}'", where, name));
        }
      }
      if (!(choice.cost >= 0) || std::isinf(choice.cost)) {
        return fail(ErrorCode::invalid_value,
                    fmt::format("{} costs {}", where, choice.cost));
      }
    }
    for (const bool writes : {false, true}) {
      for (const std::string& name :
           writes ? operation.writes : operation.reads) {
        const auto place = places.find(name);
        if (place == places.end()) {
          return fail(ErrorCode::unknown_name,
                      fmt::format("{}: there is no tensor '{}'", where, name));
        }
        BoundTensor& bound = tensors_[place->second];
        BoundTensor::Touch touch{o, writes, {}};
        for (const BoundTensor::Touch& other : bound.touches) {
          if (writes && other.writes) {
            return fail(ErrorCode::invalid_value,
                        fmt::format("two operations write '{}'", name));
          }
        }
        for (const NetworkChoice& choice : operation.choices) {
          const auto layout = choice.layouts.find(name);
          if (layout == choice.layouts.end()) {
            return fail(ErrorCode::mismatch,
                        fmt::format("{}: a choice has no layout for '{}'",
                                    where, name));
          }
          touch.wants.push_back(place_of(bound.names, layout->second));
        }
        bound.touches.push_back(std::move(touch));
      }
    }
  }
  return {};
}

Result<void> NetworkModel::bind_layouts(BoundTensor& bound,
                                        const NetworkOptions& options,
                                        const Catalogue& names) {
  const NetworkTensor& tensor = *bound.tensor;
  const std::string where = fmt::format("tensor '{}'", tensor.name);
  if (bound.names.empty()) return {};  // nothing touches it
  double bytes = 0;
  for (const std::string& text : bound.names) {
    Result<Layout> layout = advising::bound(text, tensor, names);
    if (!layout) return in(where + ", " + text, layout.error());
    bytes = static_cast<double>(
        ceil_div(layout->elements() * layout->element_bits(), 8));
    bound.waste.push_back(options.waste_weight *
                          (static_cast<double>(layout->size_bytes()) - bytes));
    bound.layouts.push_back(*std::move(layout));
  }
  const Result<Pricer> pricer =
      Pricer::make(bound.layouts.front(), options.machine);
  if (!pricer) return in(where, pricer.error());
  for (const Layout& from : bound.layouts) {
    std::vector<double>& row = bound.price.emplace_back();
    for (const Layout& to : bound.layouts) {
      const auto price = &from == &to ? std::optional(Price{.copies = 0})
                                      : pricer->price(from, to);
      row.push_back(price ? cost_of(*price, bytes) : infinite);
    }
  }
  return {};
}

const BoundTensor* NetworkModel::torn(
    const std::vector<std::size_t>& choices) const {
  for (const BoundTensor& bound : tensors_) {
    if (!bound.touches.empty() && !bound.keep(choices).allowed) return &bound;
  }
  return nullptr;
}

NetworkAdvice NetworkModel::advice(
    const std::vector<std::size_t>& choices) const {
  NetworkAdvice advice{.choices = choices};
  for (std::size_t o = 0; o < choices.size(); ++o) {
    advice.operations += network_.operations[o].choices[choices[o]].cost;
  }
  for (const BoundTensor& bound : tensors_) {
    if (bound.touches.empty()) {
      advice.layouts.emplace_back();
      continue;
    }
    const auto [written, wanted] = bound.asked(choices);
    const Keeping keeping = bound.keep(written, wanted);
    advice.layouts.push_back(bound.names[keeping.home]);
    advice.waste += keeping.waste;
    advice.moves += keeping.moves;
    const auto convert = [&](Wanted from, Wanted to) {
      if (from == to) return;
      advice.conversions.push_back({bound.tensor->name, bound.names[from],
                                    bound.names[to], bound.price[from][to]});
    };
    if (written) convert(*written, keeping.home);
    for (const Wanted to : wanted) convert(keeping.home, to);
  }
  advice.cost = advice.operations + advice.waste + advice.moves;
  return advice;
}

}  // namespace stridewise::advising
