// SPDX-License-Identifier: Apache-2.0
#include "advise_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stridewise::cli {
namespace {

Json price_json(const std::optional<Price>& price) {
  if (!price) return nullptr;
  Json json = {
      {"bytes", price->bytes}, {"cycles", nullptr}, {"copies", nullptr}};
  if (price->cycles) json["cycles"] = *price->cycles;
  if (price->copies) json["copies"] = *price->copies;
  return json;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// ------------------------------------------------------------------ table ---

struct Column {
  std::string head;
  std::string what;  // one sentence
  std::string (*cell)(const Candidate&);
  // Where it has a cost of its own: an empty cell is "?" then, if that is not known.
  std::optional<Cost> cost = {};
};

std::string cell_of(const Column& column, const Candidate& c) {
  std::string text = column.cell(c);
  const bool unknown =
      column.cost && c.unknown[static_cast<std::size_t>(*column.cost)];
  return text.empty() && unknown ? "?" : text;
}

std::string percent(double part) { return fmt::format("{:.0f}%", 100 * part); }

std::string waste(const Candidate& c) {
  const double bytes =
      static_cast<double>(std::max<std::int64_t>(c.facts.bytes, 1));
  return percent(static_cast<double>(c.facts.waste_bytes()) / bytes);
}

std::string banks(const Candidate& c) {
  if (!c.facts.banks) return "";
  return fmt::format("{}/{}", c.facts.banks->used, c.facts.banks->banks);
}

std::string fullest(const Candidate& c) {
  return c.facts.banks ? std::to_string(c.facts.banks->fullest_bytes) : "";
}

std::string left(const Candidate& c) {
  return c.facts.left_bytes ? std::to_string(*c.facts.left_bytes) : "";
}

std::string turns(const Candidate& c) {
  return c.facts.conflicts ? fmt::format("{:.3g}", c.facts.conflicts->mean)
                           : "";
}

std::string lanes(const Candidate& c) {
  return c.facts.vectors ? percent(c.facts.vectors->filled) : "";
}

std::string runs(const Candidate& c) {
  const auto& count = c.chip.dma_dims > 0 ? c.facts.descriptors : c.facts.runs;
  return count ? std::to_string(*count) : "";
}

std::string rows(const Candidate& c) {
  if (!c.facts.row_alignment_bytes) return "";
  const std::int64_t is = *c.facts.row_alignment_bytes;
  return is == 0 ? "one" : std::to_string(is);
}

std::string convert(const Candidate& c) {
  if (!c.there || !c.back || !c.there->copies || !c.back->copies) return "";
  return fmt::format("{:.2g}+{:.2g}", *c.there->copies, *c.back->copies);
}

std::string misses(const Candidate& c) {
  std::string text;
  for (const MissedLimit& missed : c.missed) {
    text += fmt::format("{}{} {} > {}", text.empty() ? "" : ", ", missed.limit,
                        missed.is, missed.most);
  }
  return text;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"bytes",
       "that the tensor takes; all banks give up as much as the fullest",
       [](const Candidate& c) { return std::to_string(c.facts.bytes); }},
      {"waste", "the part of these that holds no element: padding and gaps",
       waste},
      {"banks", "that hold an element, of those there are", banks, Cost::banks},
      {"fullest", "bytes in the fullest bank, in whole rows", fullest,
       Cost::banks},
      {"left", "bytes that are left of a bank, or of the memory", left},
      {"turns", "of the busiest bank for an access, in the mean; 1: none waits",
       turns, Cost::conflicts},
      {"lanes", "the part of loaded lanes that holds elements of a line", lanes,
       Cost::lanes},
      {"runs", "stretches of neighbours in memory; of a DMA, its descriptors",
       runs, Cost::runs},
      {"rows", "bytes that rows begin at multiples of", rows, Cost::rows},
      {"there+back", "what conversions take, in copies of the tensor", convert,
       Cost::convert},
      {"score", "the weighted sum of what is lost; 0 is best",
       [](const Candidate& c) { return fmt::format("{:.3f}", c.score); }},
      {"misses", "limits of the chip that are exceeded", misses}};
  return all;
}

}  // namespace

Json candidate_json(const Candidate& c) {
  const LayoutFacts& facts = c.facts;
  Json padding = Json::object();
  Json run = Json::object();
  for (const DimFacts& dim : facts.dims) {
    padding[dim.dim] = dim.padding_places;
    run[dim.dim] = or_null(dim.run);
  }
  Json lost = Json::object();
  Json unknown = Json::array();
  for (std::size_t k = 0; k < cost_count; ++k) {
    lost[std::string(cost_names[k])] = or_null(c.costs[k]);
    if (c.unknown[k]) unknown.push_back(cost_names[k]);
  }
  Json missed = Json::array();
  for (const MissedLimit& limit : c.missed) {
    missed.push_back(
        {{"limit", limit.limit}, {"is", limit.is}, {"most", limit.most}});
  }
  Json json = {{"layout", c.name},
               {"also", c.also},
               {"bytes", facts.bytes},
               {"waste_bytes", facts.waste_bytes()},
               {"padding_places", std::move(padding)},
               {"run", std::move(run)},
               {"banks", nullptr},
               {"left_bytes", or_null(facts.left_bytes)},
               {"conflicts", nullptr},
               {"vectors", nullptr},
               {"runs", or_null(facts.runs)},
               {"descriptors", or_null(facts.descriptors)},
               {"row_alignment_bytes", or_null(facts.row_alignment_bytes)},
               {"there", price_json(c.there)},
               {"back", price_json(c.back)},
               {"costs", std::move(lost)},
               {"unknown", std::move(unknown)},
               {"score", c.score},
               {"front", c.front},
               {"missed", std::move(missed)}};
  if (const auto& banks = facts.banks) {
    json["banks"] = {{"banks", banks->banks},
                     {"used", banks->used},
                     {"fullest_bytes", banks->fullest_bytes},
                     {"fullest_elements", banks->fullest_elements}};
  }
  if (const auto& conflicts = facts.conflicts) {
    json["conflicts"] = {{"worst", conflicts->worst},
                         {"mean", conflicts->mean}};
  }
  if (const auto& vectors = facts.vectors) {
    json["vectors"] = {{"per_line", vectors->per_line},
                       {"filled", vectors->filled}};
  }
  return json;
}

std::string advise_table(const std::vector<Candidate>& candidates,
                         const std::optional<Candidate>& now) {
  std::vector<const Candidate*> rows;
  for (const Candidate& candidate : candidates) rows.push_back(&candidate);
  if (now) rows.push_back(&*now);
  std::vector<std::vector<std::string>> lines(rows.size() + 1);
  lines[0] = {"", "layout"};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const bool is_now = now && rows[r] == &*now;
    lines[r + 1] = {is_now ? "now" : rows[r]->front ? "*" : "", rows[r]->name};
  }
  std::string legend;
  for (const Column& column : columns()) {
    std::vector<std::string> cells;
    for (const Candidate* const row : rows) {
      cells.push_back(cell_of(column, *row));
    }
    if (std::ranges::all_of(cells, &std::string::empty)) continue;
    lines[0].push_back(column.head);
    for (std::size_t r = 0; r < cells.size(); ++r) {
      lines[r + 1].push_back(cells[r].empty() ? "-" : cells[r]);
    }
    legend += fmt::format("  {:<11}{}\n", column.head, column.what);
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      widths[k] = std::max(widths[k], line[k].size());
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k) {
      row += k < 2 ? fmt::format("{:<{}}  ", line[k], widths[k])
                   : fmt::format("{:>{}}  ", line[k], widths[k]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return fmt::format(
      "{}\n{}  {:<11}no other one is as good in all that is "
      "weighed and better in one\n",
      text, legend, "*");
}

std::string verdict(const Candidate& now, const Candidate& best) {
  // Of the same bytes by less than a tenth nobody would move anything.
  constexpr double worth = 1.1;
  constexpr double terrible = 1.5;
  const double bytes =
      static_cast<double>(now.facts.bytes) /
      static_cast<double>(std::max<std::int64_t>(best.facts.bytes, 1));
  if (bytes < worth && now.score <= best.score * worth) return "";
  std::string text =
      bytes >= terrible
          ? fmt::format(
                "{} is terrible: it takes {:.3g} times the bytes of {}\n",
                now.name, bytes, best.name)
          : fmt::format("{} is better than {}\n", best.name, now.name);
  for (const std::string& sentence : compare_candidates(now, best)) {
    text += fmt::format("  {}\n", sentence);
  }
  return text;
}

}  // namespace stridewise::cli
