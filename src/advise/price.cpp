// SPDX-License-Identifier: Apache-2.0
#include "advise/price.hpp"

#include <algorithm>
#include <vector>

#include "machine/text.hpp"
#include "reorder/planner/plan.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::advising {
namespace {

// nullopt: fields of bits have no price.
std::optional<double> cycles_of(const detail::PlanData& data,
                                const std::vector<engine::Bill>& bills) {
  if (data.fields || !data.relays.empty() ||
      bills.size() != data.nests.size()) {
    return std::nullopt;
  }
  double cycles = 0;
  for (std::size_t k = 0; k < bills.size(); ++k) {
    cycles += bills[k].front().cycles_per_byte *
              static_cast<double>(data.nests[k].bytes);
  }
  return cycles;
}

}  // namespace

Result<Pricer> Pricer::make(const Layout& tensor, const std::string& machine) {
  Result<Machine> found = machine_of(machine);
  if (!found) return unexpected(found.error());
  Pricer pricer(*std::move(found));
  const Result<Layout> rows = row_major(tensor, tensor.element_bits());
  if (!rows) return unexpected(rows.error());
  if (const auto copy = pricer.price(*rows, *rows)) {
    pricer.copy_cycles_ = copy->cycles;
  }
  return pricer;
}

std::optional<Price> Pricer::price(const Layout& src, const Layout& dst) const {
  std::vector<engine::Bill> bills;
  const auto data = detail::plan_for(machine_, src, dst, {}, &bills);
  if (!data) return std::nullopt;
  Price price{.bytes = data->bytes_read + data->bytes_written,
              .cycles = cycles_of(*data, bills)};
  if (price.cycles && copy_cycles_ && *copy_cycles_ > 0) {
    price.copies = *price.cycles / *copy_cycles_;
  }
  return price;
}

void set_price(Candidate& candidate, const Layout& from, const Pricer& pricer) {
  const auto k = static_cast<std::size_t>(Cost::convert);
  candidate.there = pricer.price(from, candidate.layout);
  candidate.back = pricer.price(candidate.layout, from);
  const bool priced = candidate.there && candidate.there->copies &&
                      candidate.back && candidate.back->copies;
  candidate.unknown[k] = !priced;
  if (!priced) return;
  const double copies =
      (*candidate.there->copies + *candidate.back->copies) / 2;
  candidate.costs[k] = std::max(copies - 1, 0.0);
}

}  // namespace stridewise::advising
