// One layout, with the chip of its entry -> a candidate.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "advise/facts.hpp"
#include "advise/price.hpp"
#include "advise/rank.hpp"
#include "base/checked.hpp"
#include "catalogue/instantiate.hpp"
#include "stridewise/advise.hpp"

namespace stridewise {
namespace {

void replace(Chip& chip, const Chip& more) {
  if (!more.bank_axis.empty()) chip.bank_axis = more.bank_axis;
  for (const ChipLimit& limit : chip_limits) {
    if (more.*limit.member != 0) chip.*limit.member = more.*limit.member;
  }
  for (const auto& [axis, most] : more.axes) {
    chip.axes.insert_or_assign(axis, most);
  }
}

}  // namespace

void set_limit(Chip& chip, std::string_view name, std::int64_t most) {
  const auto limit = std::ranges::find(chip_limits, name, &ChipLimit::name);
  if (limit != chip_limits.end()) {
    chip.*limit->member = most;
  } else {
    chip.axes.insert_or_assign(std::string(name), most);
  }
}

Result<Chip> chip_of(const LayoutSource& source, const Shape& shape,
                     std::int64_t element_bits, const Chip& more) {
  Chip chip;
  if (source.entry) {
    NamedNumbers values = numbers_of(shape, element_bits);
    std::string culprit;
    const Result<Instance> instance =
        fill_in(*source.entry, source.arguments, values, culprit);
    if (!instance) return unexpected(instance.error());
    for (const auto& [name, value] : instance->values) {
      values.insert_or_assign(name, value);
    }
    const CatalogueChip& told = source.entry->chip;
    const auto number = [&](const std::string& text) -> Result<std::int64_t> {
      const Result<std::int64_t> value = evaluate(text, values);
      // A limit by a parameter that this entry has not is none of its own.
      if (!value && value.error().code == ErrorCode::unknown_name) return 0;
      return value;
    };
    chip.bank_axis = told.bank_axis;
    for (const auto& [name, text] : told.limits) {
      const Result<std::int64_t> value = number(text);
      if (!value) return unexpected(value.error());
      set_limit(chip, name, *value);
    }
    for (const auto& [axis, text] : told.axes) {
      const Result<std::int64_t> value = number(text);
      if (!value) return unexpected(value.error());
      chip.axes.emplace(axis, *value);
    }
  }
  replace(chip, more);
  return chip;
}

Result<Candidate> assess(const LayoutSource& source, const Shape& shape,
                         std::int64_t element_bits,
                         const AdviseOptions& options) {
  Result<Chip> chip = chip_of(source, shape, element_bits, options.chip);
  if (!chip) return unexpected(chip.error());
  Result<Layout> layout =
      source.bind(shape, Binding{.element_bits = element_bits});
  if (!layout) return unexpected(layout.error());
  if (layout->tensor() < 0) {
    return fail(ErrorCode::unsupported, "a memory of several tensors");
  }
  if (const auto& defect = layout->defect()) return unexpected(*defect);
  Access access = options.access;
  if (!access.vector_dim.empty() && access.vector_lanes == 0) {
    constexpr std::int64_t usual_vector_bytes = 64;
    const std::int64_t bytes =
        chip->vector_bytes > 0 ? chip->vector_bytes : usual_vector_bytes;
    access.vector_lanes = std::clamp<std::int64_t>(
        saturated(mul(bytes, 8)) / element_bits, 1, advising::most_lanes);
  }
  Result<LayoutFacts> facts = layout_facts(*layout, *chip, access);
  if (!facts) return unexpected(facts.error());
  Candidate candidate{.name = source.name,
                      .layout = *std::move(layout),
                      .chip = *std::move(chip),
                      .facts = *std::move(facts)};
  candidate.missed =
      missed_limits(candidate.layout, candidate.facts, candidate.chip);
  advising::set_costs(candidate, access);
  if (options.from) {
    const auto pricer = advising::Pricer::make(*options.from, options.machine);
    if (!pricer) return unexpected(pricer.error());
    advising::set_price(candidate, *options.from, *pricer);
  }
  candidate.score = advising::own_score(candidate, options.weights);
  return candidate;
}

}  // namespace stridewise
