// Two candidates, point by point.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "stridewise/advise.hpp"

namespace stridewise {
namespace {

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::string waste(const Candidate& c) {
  std::vector<std::string> padded;
  for (const DimFacts& dim : c.facts.dims) {
    if (dim.padding_places > 0) padded.push_back(dim.dim);
  }
  return fmt::format("takes {} bytes, of which {} hold no element{}",
                     c.facts.bytes, c.facts.waste_bytes(),
                     padded.empty() ? ""
                                    : fmt::format(" ({} rounded up)",
                                                  fmt::join(padded, ", ")));
}

std::string banks(const Candidate& c) {
  const BankFacts& banks = *c.facts.banks;
  return fmt::format(
      "uses {} of {} banks, the fullest with {} bytes and {} elements",
      banks.used, banks.banks, banks.fullest_bytes, banks.fullest_elements);
}

std::string conflicts(const Candidate& c) {
  return fmt::format("has {:.3g} turns of a bank for an access, {} at worst",
                     c.facts.conflicts->mean, c.facts.conflicts->worst);
}

std::string lanes(const Candidate& c) {
  return fmt::format("needs {} loads for a line, of which {} is filled",
                     c.facts.vectors->per_line,
                     percent(c.facts.vectors->filled));
}

std::string runs(const Candidate& c) {
  if (c.chip.dma_dims > 0) {
    return fmt::format("is {} descriptors of {} dims", *c.facts.descriptors,
                       c.chip.dma_dims);
  }
  return fmt::format("is {} {} of elements", *c.facts.runs,
                     *c.facts.runs == 1 ? "run" : "runs");
}

std::string rows(const Candidate& c) {
  const std::int64_t is = *c.facts.row_alignment_bytes;
  return is == 0 ? "has one row"
                 : fmt::format("begins rows at multiples of {} bytes", is);
}

std::string convert(const Candidate& c) {
  return fmt::format(
      "takes {:.3g} copies of the tensor to get there, {:.3g} back ({:.0f} and "
      "{:.0f} cycles)",
      *c.there->copies, *c.back->copies, *c.there->cycles, *c.back->cycles);
}

using Words = std::string (*)(const Candidate&);
constexpr std::array<Words, cost_count> words = {waste, banks, conflicts, lanes,
                                                 runs,  rows,  convert};

}  // namespace

std::vector<std::string> compare_candidates(const Candidate& a,
                                            const Candidate& b) {
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < cost_count; ++k) {
    if (!a.costs[k] || !b.costs[k]) continue;
    if (std::abs(*a.costs[k] - *b.costs[k]) < 1e-9) continue;
    sentences.push_back(fmt::format("{}: {} {}; {} {}", cost_names[k], a.name,
                                    words[k](a), b.name, words[k](b)));
  }
  for (const Candidate* const missing : {&a, &b}) {
    for (const MissedLimit& missed : missing->missed) {
      sentences.push_back(
          fmt::format("{} does not fit: {} is {}, {} is the "
                      "most",
                      missing->name, missed.limit, missed.is, missed.most));
    }
  }
  return sentences;
}

}  // namespace stridewise
