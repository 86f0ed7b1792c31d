// Every way that the engine has for a move, on every machine that this one can stand for,
// against plain loops: random loops, widths and zeros, dst anywhere in a line, forbidden
// pages on both sides, tasks in any order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/executor/run.hpp"
#include "engine/planner/menu.hpp"
#include "engine/planner/schedule.hpp"
#include "engine/planner/steps.hpp"
#include "support/guarded.hpp"

namespace stridewise::engine {
namespace {

using stridewise::testing::GuardedBytes;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(engine_);
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(static_cast<std::int64_t>(all.size()))];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    std::shuffle(all.begin(), all.end(), engine_);
  }

 private:
  std::mt19937_64 engine_;
};

struct Drawn {
  Work work;
  std::int64_t src_bytes = 0;
  std::int64_t dst_bytes = 0;
};

// Drops loops of one iteration and merges those that continue each other on both sides.
void merge(Loops& loops) {
  std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
  std::ranges::sort(loops, {}, &Loop::dst);
  for (std::size_t k = 0; k + 1 < loops.size();) {
    const Loop& inner = loops[k];
    const Loop& outer = loops[k + 1];
    if (outer.src == inner.src * inner.count &&
        outer.dst == inner.dst * inner.count) {
      loops[k].count *= outer.count;
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    } else {
      ++k;
    }
  }
}

// Strides of loops in such an order, the first of them the nearest, some with gaps.
std::int64_t lay_out(Random& random, Loops& loops,
                     std::vector<std::size_t> order, std::int64_t Loop::*side,
                     std::int64_t width, std::int64_t zeros) {
  std::int64_t stride = width;
  for (std::size_t k = 0; k < order.size(); ++k) {
    loops[order[k]].*side = stride;
    const std::int64_t more = k == 0 ? zeros : 0;
    stride *= loops[order[k]].count + more;
    if (k + 1 < order.size() && random.below(4) == 0) {
      stride += width * random.one_of<std::int64_t>({1, 3, 16});
    }
  }
  return stride;
}

Drawn draw(Random& random, std::int64_t most_elements) {
  Drawn drawn;
  Work& work = drawn.work;
  work.width = random.one_of<std::int64_t>({1, 2, 4, 8, 1, 2, 4, 3, 16});
  const std::int64_t dims = 2 + random.below(4);
  std::int64_t elements = 1;
  for (std::int64_t k = 0; k < dims; ++k) {
    const std::int64_t extent =
        random.below(3) == 0 ? 2 + random.below(180)
        : random.below(2) == 0
            ? random.one_of<std::int64_t>({2, 3, 4, 5, 7, 8, 16, 17, 32, 64})
            : 2 + random.below(12);
    const std::int64_t count =
        std::min(extent, std::max<std::int64_t>(most_elements / elements, 1));
    elements *= count;
    work.loops.push_back({count});
  }
  std::vector<std::size_t> order(work.loops.size());
  std::iota(order.begin(), order.end(), 0);
  drawn.src_bytes =
      lay_out(random, work.loops, order, &Loop::src, work.width, 0);
  random.shuffle(order);
  if (random.below(4) == 0) work.zeros = 1 + random.below(20);
  drawn.dst_bytes =
      lay_out(random, work.loops, order, &Loop::dst, work.width, work.zeros);
  // Zeros follow a run of dst that a loop makes, or a single element.
  if (work.loops[order[0]].count == 1) {
    drawn.dst_bytes = std::max(drawn.dst_bytes, work.width * (1 + work.zeros));
  }
  merge(work.loops);
  return drawn;
}

// What the move means.
void reference(const Work& work, const std::byte* src, std::byte* dst) {
  std::vector<std::int64_t> at(work.loops.size(), 0);
  const auto width = static_cast<std::size_t>(work.width);
  for (;;) {
    std::int64_t from = 0, to = 0;
    bool last_of_run = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Loop& loop = work.loops[k];
      from += at[k] * loop.src;
      to += at[k] * loop.dst;
      if (loop.dst == work.width) last_of_run = at[k] + 1 == loop.count;
    }
    std::memcpy(dst + to, src + from, width);
    for (std::int64_t z = 1; last_of_run && z <= work.zeros; ++z) {
      std::memset(dst + to + z * work.width, 0, width);
    }
    std::size_t k = 0;
    for (; k < at.size() && ++at[k] == work.loops[k].count; ++k) at[k] = 0;
    if (k == at.size()) return;
  }
}

class Moves {
 public:
  Moves(Random& random, const Drawn& drawn)
      : random_(random),
        drawn_(drawn),
        src_(static_cast<std::size_t>(drawn.src_bytes), side()),
        slack_(static_cast<std::size_t>(random.below(64))),
        dst_(static_cast<std::size_t>(drawn.dst_bytes) + slack_, side()),
        expected_(dst_.bytes().size(), untouched) {
    for (std::byte& byte : src_.bytes()) {
      byte = static_cast<std::byte>(1 + random.below(255));
    }
    reference(drawn.work, src_.data(), expected_.data() + before());
  }

  // Zeros where elements would go.
  void expect_zeros() {
    std::ranges::fill(src_.bytes(), std::byte{0});
    std::ranges::fill(expected_, untouched);
    reference(drawn_.work, src_.data(), expected_.data() + before());
    // What is read must not matter.
    std::ranges::fill(src_.bytes(), std::byte{1});
  }

  // Whether a nest writes what the reference does, and nothing else.
  ::testing::AssertionResult right(Nest nest) {
    std::ranges::fill(dst_.bytes(), untouched);
    std::vector<std::int64_t> tasks(static_cast<std::size_t>(nest.tasks()));
    std::iota(tasks.begin(), tasks.end(), 0);
    random_.shuffle(tasks);
    for (const std::int64_t task : tasks) {
      run_task(nest, task, {src_.data(), src_.data() + drawn_.src_bytes},
               dst_.data() + before());
    }
    if (std::ranges::equal(dst_.bytes(), expected_)) {
      return ::testing::AssertionSuccess();
    }
    const auto [got, want] = std::ranges::mismatch(dst_.bytes(), expected_);
    return ::testing::AssertionFailure()
           << "byte " << (got - dst_.bytes().begin()) - before() << " of dst, "
           << describe() << "\n"
           << print(nest);
  }

  [[nodiscard]] std::string describe() const {
    std::string text = "width " + std::to_string(drawn_.work.width) +
                       ", zeros " + std::to_string(drawn_.work.zeros) + ":";
    for (const Loop& loop : drawn_.work.loops) {
      text += " " + std::to_string(loop.count) + " x (" +
              std::to_string(loop.src) + ", " + std::to_string(loop.dst) + ")";
    }
    return text;
  }

 private:
  static constexpr std::byte untouched{0xee};

  GuardedBytes::Against side() {
    return random_.below(2) == 0 ? GuardedBytes::Against::front
                                 : GuardedBytes::Against::back;
  }
  [[nodiscard]] std::ptrdiff_t before() const {
    return static_cast<std::ptrdiff_t>(slack_);
  }

  Random& random_;
  const Drawn& drawn_;
  GuardedBytes src_;
  std::size_t slack_;
  GuardedBytes dst_;
  std::vector<std::byte> expected_;
};

// The machines that this one can stand for.
std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (const Machine& machine : known_machines()) {
    if (machine.isa <= best_isa()) all.push_back(machine);
  }
  return all;
}

std::int64_t cases() {
  constexpr std::int64_t all = 4000, of_slow_build = 400;
  return std::getenv("STRIDEWISE_SLOW") != nullptr ? of_slow_build : all;
}

constexpr Reach near{true, false}, far{false, false}, streams{false, true},
    near_streams{true, true};

TEST(EngineMoves, EveryCandidateIsRight) {
  const std::vector<Machine> all = machines();
  for (std::int64_t seed = 0; seed < cases(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Drawn drawn = draw(random, random.one_of<std::int64_t>({300, 6000}));
    Moves moves(random, drawn);
    const Machine& machine = all[static_cast<std::size_t>(
        random.below(static_cast<std::int64_t>(all.size())))];
    const Reach reach = random.one_of({near, far, streams, near_streams});
    std::vector<Move> candidates;
    propose_moves(drawn.work, machine, candidates);
    for (Move& move : candidates) {
      ASSERT_TRUE(moves.right(nest_of(std::move(move), machine, reach)))
          << "seed " << seed << ", " << machine.name;
    }
  }
}

TEST(EngineMoves, EveryWayByStagesIsRight) {
  const std::vector<Machine> all = machines();
  constexpr double any_cycles = 1e30;
  std::int64_t tried = 0;
  for (std::int64_t seed = 0; seed < cases(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Drawn drawn =
        draw(random, random.one_of<std::int64_t>({300, 6000, 60000}));
    Moves moves(random, drawn);
    const Machine& machine = all[static_cast<std::size_t>(
        random.below(static_cast<std::int64_t>(all.size())))];
    const Reach reach = random.one_of({near, far, streams, near_streams});
    const StageChoice choice{
        random.one_of<std::int64_t>({512, 4 << 10, 24 << 10}), !reach.near,
        reach.streams};
    std::vector<Staged> staged;
    propose_staged(drawn.work, machine, choice, any_cycles, staged);
    for (Staged& way : staged) {
      ++tried;
      ASSERT_TRUE(moves.right(nest_of(std::move(way), machine, reach)))
          << "seed " << seed << ", " << machine.name;
    }
  }
  EXPECT_GT(tried, cases());
}

TEST(EngineMoves, TheChosenOneIsRightAndOnTheBill) {
  const std::vector<Machine> all = machines();
  for (std::int64_t seed = 0; seed < cases(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Drawn drawn = draw(random, 2000);
    Moves moves(random, drawn);
    for (const Machine& machine : all) {
      Bill bill;
      const Reach reach = random.one_of({near, far, streams, near_streams});
      const Nest nest = choose(drawn.work, machine, reach, &bill);
      ASSERT_TRUE(moves.right(nest)) << "seed " << seed << ", " << machine.name;
      EXPECT_EQ(choose(drawn.work, machine, reach), nest);
      EXPECT_TRUE(std::ranges::any_of(bill, [](const Candidate& candidate) {
        return candidate.way.starts_with("copy of");
      }));
    }
  }
}

TEST(EngineMoves, ZerosGoWhereLoopsLeadAndNowhereElse) {
  for (std::int64_t seed = 0; seed < cases(); ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Drawn drawn = draw(random, 3000);
    drawn.work.zeros = 0;
    Moves moves(random, drawn);
    moves.expect_zeros();
    const Reach reach = random.one_of({near, far, streams, near_streams});
    ASSERT_TRUE(moves.right(nest_of_zeros(drawn.work.loops, drawn.work.width,
                                          this_machine(), reach)))
        << "seed " << seed;
  }
}

// One call and one task would move all of it.
TEST(EngineMoves, RunsWithZerosAreSharedOut) {
  constexpr std::int64_t rows = 100000;
  const Work work{{{33, 4, 4}, {rows, 33 * 4, 64 * 4}}, 4, 31};
  for (const Reach reach : {near, far, streams}) {
    EXPECT_GT(choose(work, this_machine(), reach).tasks(), 4);
    EXPECT_GT(
        nest_of(copy_of(work, this_machine()), this_machine(), reach).tasks(),
        4);
  }
}

TEST(EngineMoves, LongLoopsOverflowNothing) {
  const Work work{{{std::int64_t{1} << 58, 8, 8}}, 8, 0};
  EXPECT_GT(choose(work, this_machine(), near).tasks(), 1);
}

TEST(EngineMoves, MachinesAreFoundByName) {
  for (const Machine& machine : known_machines()) {
    const auto found = named_machine(machine.name);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->isa, machine.isa);
  }
  EXPECT_FALSE(named_machine("abacus"));
  EXPECT_EQ(this_machine().isa, best_isa());
}

}  // namespace
}  // namespace stridewise::engine
