// A table is taken apart to the loops that it is made of; then a block takes as many steps
// of these as make whole lines of dst. Both are found from the places alone, whatever
// digits they come from.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/blocks.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "reorder/fields/regroup.hpp"
#include "reorder/fields/zeros.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t line_bits = 512;
constexpr std::int64_t most_block_fields = 1024;
constexpr std::int64_t most_block_bits = 16384;
// Of a block that several nests may have been joined to.
constexpr std::int64_t most_moved_fields = 4 * most_block_fields;
constexpr std::int64_t most_moved_bits = 1 << 18;
constexpr std::size_t most_strided_nests = 64;

// Fields that are the first ones again and again, a step further each time.
struct Period {
  std::size_t fields;
  Places step;
};

std::optional<Places> step_between(const std::vector<Field>& fields,
                                   std::size_t period) {
  const Places step = {fields[period].src - fields[0].src,
                       fields[period].dst - fields[0].dst};
  for (std::size_t k = period; k < fields.size(); ++k) {
    const Field& before = fields[k - period];
    const Field next = {before.src + step.src, before.dst + step.dst,
                        before.bits};
    if (fields[k] != next) return std::nullopt;
  }
  return step;
}

std::optional<Period> period_of(const std::vector<Field>& fields) {
  for (std::size_t period = 1; 2 * period <= fields.size(); ++period) {
    if (fields.size() % period != 0) continue;
    if (const auto step = step_between(fields, period)) {
      return Period{period, *step};
    }
  }
  return std::nullopt;
}

// Table -> loops, the fastest last, and the fields that are left.
void take_apart(FieldNest& nest) {
  while (const auto period = period_of(nest.inner)) {
    nest.outer.push_back(
        {.count = static_cast<std::int64_t>(nest.inner.size() / period->fields),
         .step = period->step});
    nest.inner.resize(period->fields);
  }
}

// How many of the places, from each multiple of it on, have equal steps, the same ones; 0
// where that is no share of them.
std::size_t run_of(const std::vector<Places>& places) {
  const Places step = places[1];
  std::size_t run = 2;
  while (run < places.size() && places[run] - places[run - 1] == step) ++run;
  if (places.size() % run != 0) return 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k % run != 0 && places[k] - places[k - 1] != step) return 0;
  }
  return run;
}

// Loops of equal steps that go on where the next one ends are one.
void join_loops(std::vector<PlaceLoop>& loops) {
  for (std::size_t k = loops.size(); k-- > 1;) {
    const PlaceLoop& outer = loops[k - 1];
    PlaceLoop& inner = loops[k];
    if (!outer.places.empty() || !inner.places.empty()) continue;
    const Places whole = {inner.count * inner.step.src,
                          inner.count * inner.step.dst};
    if (outer.step != whole) continue;
    inner.count *= outer.count;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k) - 1);
  }
}

// So many steps of the loop go to the table; ascending in dst.
void absorb(const PlaceLoop& loop, std::int64_t steps,
            std::vector<Field>& fields) {
  std::vector<Field> all;
  all.reserve(fields.size() * static_cast<std::size_t>(steps));
  for (std::int64_t k = 0; k < steps; ++k) {
    const Places by = loop.at(k);
    for (const Field& field : fields) {
      all.push_back({field.src + by.src, field.dst + by.dst, field.bits});
    }
  }
  std::ranges::sort(all, {}, &Field::dst);
  fields = std::move(all);
}

// The least steps of the loop that are whole bytes on both sides, and whole lines of dst.
std::int64_t steps_of_lines(const Places& step) {
  return std::lcm(line_bits / std::gcd(step.dst, line_bits),
                  8 / std::gcd(step.src, std::int64_t{8}));
}
std::int64_t steps_of_bytes(const Places& step) {
  return std::lcm(8 / std::gcd(step.dst, std::int64_t{8}),
                  8 / std::gcd(step.src, std::int64_t{8}));
}

// How many steps of the nest's last loop the block takes: `lines` where it then is whole
// lines.
struct Share {
  std::int64_t steps = 1;
  bool lines = false;
};
Share share_of(const FieldNest& nest) {
  const PlaceLoop& loop = nest.outer.back();
  const auto fields = static_cast<std::int64_t>(nest.inner.size());
  std::int64_t most = most_block_fields / fields;
  if (!loop.places.empty()) {
    return {loop.size() <= most ? loop.size() : 1, false};
  }
  // What lies apart in dst makes no lines.
  const std::int64_t span = span_of(nest.inner);
  if (std::abs(loop.step.dst) > span + line_bits) return {};
  most = std::min(most, std::max<std::int64_t>(
                            most_block_bits / std::abs(loop.step.dst), 1));
  const std::int64_t lines = steps_of_lines(loop.step);
  if (lines <= std::min(most, loop.count)) return {lines, true};
  if (loop.count <= most) return {loop.count, false};
  const std::int64_t bytes = steps_of_bytes(loop.step);
  return {std::max<std::int64_t>(most / bytes * bytes, 1), false};
}

bool all_step_by_bytes(const FieldNest& nest) {
  return std::ranges::all_of(nest.outer, steps_by_bytes);
}

// Loops around that step within bytes go to the block, where there is room: rows of dst
// that are made of the same bytes of src, and the like. False: there are none.
bool absorb_bits(FieldNest& nest) {
  const std::size_t before = nest.outer.size();
  for (std::size_t k = nest.outer.size(); k-- > 0;) {
    const PlaceLoop& loop = nest.outer[k];
    const auto fields = static_cast<std::int64_t>(nest.inner.size());
    if (steps_by_bytes(loop) || loop.size() > most_block_fields / fields)
      continue;
    absorb(loop, loop.size(), nest.inner);
    nest.outer.erase(nest.outer.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return nest.outer.size() < before;
}

// Takes the share of the nest's last loop into the block; what it leaves over goes to
// `blocks`. False where that is not all of the loop.
bool take_share(const Share& share, FieldNest& nest,
                std::vector<Block>& blocks) {
  // What an earlier loop left over lies between these.
  const bool apart = blocks.empty() && lies_apart(nest);
  const PlaceLoop loop = std::move(nest.outer.back());
  nest.outer.pop_back();
  const std::int64_t rest = loop.size() % share.steps;
  const std::int64_t whole = loop.size() - rest;
  if (rest > 0) {
    FieldNest left = nest;
    absorb(loop, rest, left.inner);
    left.base.src += whole * loop.step.src;
    left.base.dst += whole * loop.step.dst;
    blocks.push_back({std::move(left), apart});
  }
  absorb(loop, share.steps, nest.inner);
  if (whole == share.steps) return true;
  nest.outer.push_back(
      {.count = whole / share.steps,
       .step = {loop.step.src * share.steps, loop.step.dst * share.steps}});
  return false;
}

// Counts the bits of a block; false where these are no few lines, or are not whole bytes.
bool is_few_lines(FieldNest& nest) {
  nest.inner_bits = 0;
  for (const Field& field : nest.inner) nest.inner_bits += field.bits;
  return all_step_by_bytes(nest) && nest.inner_bits <= most_moved_bits &&
         static_cast<std::int64_t>(nest.inner.size()) <= most_moved_fields;
}

// Nothing where a loop is a table, goes backwards or steps within bytes.
std::optional<StridedMove> strided_move(const FieldNest& nest) {
  const Field& field = nest.inner.front();
  const Places begin = {nest.base.src + field.src, nest.base.dst + field.dst};
  if (nest.inner.size() > 1 || (begin.src | begin.dst | field.bits) % 8 != 0) {
    return std::nullopt;
  }
  StridedMove move{{begin.src / 8, begin.dst / 8}, field.bits / 8, {}};
  for (const PlaceLoop& loop : nest.outer) {
    if (!loop.places.empty() || !steps_by_bytes(loop) || loop.step.src <= 0 ||
        loop.step.dst <= 0) {
      return std::nullopt;
    }
    move.loops.push_back({loop.count, loop.step.src / 8, loop.step.dst / 8});
  }
  return move;
}

}  // namespace

Loops taken_apart(PlaceLoop loop) {
  Loops apart;
  if (loop.places.empty()) {
    apart.loops = {std::move(loop)};
    return apart;
  }
  std::vector<Places> places = std::move(loop.places);
  apart.begin = places.front();
  for (Places& p : places) p = p - apart.begin;
  while (places.size() > 1) {
    const std::size_t run = run_of(places);
    if (run == 0) {
      apart.loops.push_back({.places = std::move(places)});
      break;
    }
    apart.loops.push_back(
        {.count = static_cast<std::int64_t>(run), .step = places[1]});
    std::size_t kept = 0;
    for (std::size_t k = 0; k < places.size(); k += run) {
      places[kept++] = places[k];
    }
    places.resize(kept);
  }
  std::ranges::reverse(apart.loops);
  return apart;
}

std::vector<StridedMove> strided_moves(const std::vector<FieldNest>& nests) {
  if (nests.size() > most_strided_nests) return {};
  std::vector<StridedMove> moves;
  for (FieldNest nest : nests) {
    if (std::ssize(nest.inner) > most_block_fields) return {};
    take_apart(nest);
    join_loops(nest.outer);
    const auto move = strided_move(nest);
    if (!move) return {};
    moves.push_back(*move);
  }
  return moves;
}

std::vector<Block> in_blocks(FieldNest nest) {
  if (static_cast<std::int64_t>(nest.inner.size()) <= most_block_fields) {
    take_apart(nest);
  }
  join_loops(nest.outer);
  std::vector<Block> blocks;
  bool lines = span_of(nest.inner) % line_bits == 0;
  while (!nest.outer.empty() && !(lines && steps_by_bytes(nest.outer.back()))) {
    const Share share = share_of(nest);
    if (share.steps == 1 && nest.outer.back().size() > 1) break;
    if (!take_share(share, nest, blocks)) break;
    lines = share.lines || span_of(nest.inner) % line_bits == 0;
  }
  blocks.insert(blocks.begin(), {std::move(nest)});
  for (Block& block : blocks) {
    const bool first = &block == blocks.data();
    if (absorb_bits(block.nest) && !first) block.apart = false;
    if (!is_few_lines(block.nest)) return {};
  }
  return blocks;
}

}  // namespace stridewise::detail
