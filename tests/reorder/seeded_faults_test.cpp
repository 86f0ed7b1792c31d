// The evaluator finds what it is there for: each of these faults, put into plans, is seen
// on a random pair. Without this a comparison that looks at nothing would pass.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "engine/executor/run.hpp"
#include "machine/machine.hpp"
#include "reorder/planner/plan.hpp"
#include "support/evaluator.hpp"
#include "support/pairs.hpp"

namespace stridewise::testing {
namespace {

using detail::FieldNest;
using detail::FieldPlan;
using detail::PlanData;
using engine::Nest;

// More than a fault can reach beyond either end: steps of the larger side on the other.
constexpr std::size_t slack = most_pair_bits / 8 * 2;

// Changes a plan; false where it has nothing of the kind.
using Fault = std::function<bool(PlanData&)>;

template <class Change>
Fault in_nests(Change change) {
  return [change](PlanData& data) {
    bool any = false;
    for (Nest& nest : data.nests) any = change(nest) || any;
    return any;
  };
}

template <class Change>
Fault in_tiles(Change change) {
  return in_nests([change](Nest& nest) {
    bool any = false;
    for (engine::Step& step : nest.steps) any = change(step) || any;
    return any;
  });
}

template <class Change>
Fault in_field_plan(Change change) {
  return [change](PlanData& data) {
    if (!data.fields || !data.fields->stages.empty()) return false;
    auto changed = std::make_shared<FieldPlan>(*data.fields);
    if (!change(*changed)) return false;
    data.fields = std::move(changed);
    return true;
  };
}

template <class Change>
Fault in_fields(Change change) {
  return in_field_plan([change](FieldPlan& plan) {
    bool any = false;
    for (FieldNest& nest : plan.nests) any = change(nest) || any;
    return any;
  });
}

bool lessen(std::int64_t& count) {
  if (count < 2) return false;
  --count;
  return true;
}

std::map<std::string, Fault> faults_of_nests() {
  return {
      {"no nest", in_nests([](Nest& nest) {
         nest.blocks = 0;
         return true;
       })},
      {"src one element on", in_nests([](Nest& nest) {
         nest.src_offset += nest.element_bytes;
         return true;
       })},
      {"dst one byte on", in_nests([](Nest& nest) {
         ++nest.dst_offset;
         return true;
       })},
      {"a block left out",
       in_nests([](Nest& nest) { return lessen(nest.blocks); })},
      {"steps of src and dst exchanged", in_nests([](Nest& nest) {
         if (nest.around.empty()) return false;
         engine::Loop& loop = nest.around.back().loop;
         std::swap(loop.src, loop.dst);
         return loop.src != loop.dst;
       })},
      {"a step of src one byte longer", in_nests([](Nest& nest) {
         if (nest.around.empty()) return false;
         ++nest.around.front().loop.src;
         return true;
       })},
      {"the last block as long as the others", in_nests([](Nest& nest) {
         for (engine::BlockLoop& loop : nest.around) {
           if (!loop.cuts()) continue;
           loop.last = std::max<std::int64_t>(loop.last - 1, 0);
           return true;
         }
         return false;
       })},
      {"a row left out",
       in_tiles([](engine::Step& step) { return lessen(step.tile.rows); })},
      {"a column left out", in_tiles([](engine::Step& step) {
         return step.cut.empty() && lessen(step.tile.columns);
       })},
      {"rows further apart", in_tiles([](engine::Step& step) {
         step.tile.row_pitch += 1;
         return step.tile.rows > 1;
       })},
      {"columns further apart", in_tiles([](engine::Step& step) {
         step.tile.column_pitch += 1;
         return true;
       })},
      {"zeros not written", in_tiles([](engine::Step& step) {
         return std::exchange(step.tile.zeros, 0) != 0;
       })},
      {"a plane left out", in_tiles([](engine::Step& step) {
         return lessen(step.tile.planes[0].count);
       })},
      {"gaps not filled",
       [](PlanData& data) {
         const auto fills = [](const Nest& nest) {
           return nest.steps.front().kernel->kind == engine::Kind::fill;
         };
         return std::erase_if(data.nests, fills) != 0;
       }},
  };
}

std::map<std::string, Fault> faults_of_fields() {
  return {
      {"no table", in_field_plan([](FieldPlan& plan) {
         if (plan.nests.empty()) return false;
         plan.nests.pop_back();
         return true;
       })},
      {"dst not cleared", in_field_plan([](FieldPlan& plan) {
         return std::exchange(plan.clear, false);
       })},
      {"dst cleared", in_field_plan([](FieldPlan& plan) {
         return !std::exchange(plan.clear, true);
       })},
      {"a table one byte on in src", in_fields([](FieldNest& nest) {
         nest.base.src += 8;
         return true;
       })},
      {"a table one byte on in dst", in_fields([](FieldNest& nest) {
         nest.base.dst += 8;
         return true;
       })},
      {"two steps of a table exchanged", in_fields([](FieldNest& nest) {
         for (detail::PlaceLoop& loop : nest.outer) {
           if (loop.places.size() < 2) continue;
           std::swap(loop.places.front().src, loop.places.back().src);
           return true;
         }
         return false;
       })},
      {"a step of a loop left out", in_fields([](FieldNest& nest) {
         for (detail::PlaceLoop& loop : nest.outer) {
           if (loop.places.empty() && lessen(loop.count)) return true;
         }
         return lessen(nest.plane.count);
       })},
      {"the last field of a table left out", in_fields([](FieldNest& nest) {
         if (nest.kind != FieldNest::Kind::bits &&
             nest.kind != FieldNest::Kind::runs) {
           return false;
         }
         nest.inner.pop_back();
         return true;
       })},
      {"a bit of a field left out", in_fields([](FieldNest& nest) {
         if (nest.kind != FieldNest::Kind::bits) return false;
         return lessen(nest.inner.back().bits);
       })},
      {"two bytes of a table exchanged", in_fields([](FieldNest& nest) {
         if (nest.moves.size() < 2) return false;
         std::swap(nest.moves.front().src, nest.moves.back().src);
         return true;
       })},
      {"a byte of a table left out", in_fields([](FieldNest& nest) {
         if (nest.moves.size() < 2) return false;
         nest.moves.pop_back();
         return true;
       })},
      {"other bits of a byte lost", in_fields([](FieldNest& nest) {
         bool any = false;
         for (detail::ByteOfPieces& byte : nest.bytes) {
           any = std::exchange(byte.keep, std::uint8_t{0}) != 0 || any;
         }
         return any;
       })},
      {"bits of a byte shifted by one less", in_fields([](FieldNest& nest) {
         for (detail::BitPiece& piece : nest.pieces) {
           if (piece.down == 0) continue;
           --piece.down;
           return true;
         }
         return false;
       })},
  };
}

void run(const PlanData& data, const std::byte* src, std::byte* dst) {
  if (data.fields) return data.fields->run(src, dst);
  for (const Nest& nest : data.nests) {
    for (std::int64_t task = 0; task < nest.tasks(); ++task) {
      engine::run_task(nest, task, {src, src + data.src_bytes}, dst);
    }
  }
}

// A pair with what its conversion must give.
struct Judged {
  Pair pair;
  Bytes in, before;
  Wanted wanted;
};
Judged judged(Pair pair) {
  const Evaluator src(pair.src.text, pair.shape, pair.src.binding);
  const Evaluator dst(pair.dst.text, pair.shape, pair.dst.binding);
  Bytes in = random_bytes(src.size_bytes());
  Bytes before = random_bytes(dst.size_bytes());
  Wanted wanted(src, dst, in, before, pair.fill);
  return {std::move(pair), std::move(in), std::move(before), std::move(wanted)};
}

bool is_wrong(const Judged& judged, const PlanData& data) {
  Bytes src(judged.in.size() + 2 * slack),
      dst(judged.before.size() + 2 * slack);
  std::ranges::copy(judged.in, src.begin() + slack);
  std::ranges::copy(judged.before, dst.begin() + slack);
  run(data, src.data() + slack, dst.data() + slack);
  const std::span<const std::byte> got(dst.data() + slack,
                                       judged.before.size());
  return !judged.wanted.difference(got).empty();
}

TEST(SeededFaults, EachIsFound) {
  std::map<std::string, Fault> faults = faults_of_nests();
  faults.merge(faults_of_fields());
  constexpr std::uint32_t most_pairs = 4000;
  for (std::uint32_t number = 0; number < most_pairs && !faults.empty();
       ++number) {
    const UnrecordedDraws draws(number);
    auto drawn = random_pair();
    if (!drawn) continue;
    const auto plan =
        detail::plan_for(this_machine(), drawn->src.layout, drawn->dst.layout,
                         PlanOptions{.fill = drawn->fill});
    ASSERT_TRUE(plan) << drawn->to_string();
    if (!plan->relays.empty() || plan->sieve) continue;
    const Judged pair = judged(*std::move(drawn));
    ASSERT_FALSE(is_wrong(pair, *plan)) << pair.pair.to_string();
    std::erase_if(faults, [&](const auto& fault) {
      PlanData faulty = *plan;
      return fault.second(faulty) && is_wrong(pair, faulty);
    });
  }
  for (const auto& [name, fault] : faults) {
    ADD_FAILURE() << "not found: " << name;
  }
}

}  // namespace
}  // namespace stridewise::testing
