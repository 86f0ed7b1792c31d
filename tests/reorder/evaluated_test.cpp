// Conversions against an evaluator that has its own arithmetic of digits and places: random
// pairs of layouts of the whole grammar, by plans for every instruction set.
//
// STRIDEWISE_PAIRS is how many pairs there are, STRIDEWISE_PAIRS_SEED the number of the
// first. A message names the pair that is wrong: STRIDEWISE_PAIRS=1 with its number repeats
// it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "stridewise/explain.hpp"
#include "stridewise/reorder.hpp"
#include "support/definition.hpp"
#include "support/evaluator.hpp"
#include "support/guarded.hpp"
#include "support/pairs.hpp"

namespace stridewise::testing {
namespace {

std::int64_t number_of(const char* variable, std::int64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoll(text);
}

Layout bound(std::string_view text) {
  return *Layout::bind(*parse_expression(text), {{"a", 2}, {"b", 3}}, 1);
}

// A machine of each instruction set that this one has.
const std::vector<std::string>& machines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = machine_names();
    names.emplace_back("isa avx512\n");
    std::erase_if(names, [](const std::string& name) {
      return !Plan::make(bound("a b"), bound("b a"),
                         PlanOptions{.machine = name});
    });
    return names;
  }();
  return all;
}

// Memory with forbidden pages beside it, or in the middle of others' bytes.
class Memory {
 public:
  explicit Memory(const Bytes& holds)
      : shift_(in_range(0, 1) == 0 ? 0
                                   : static_cast<std::size_t>(in_range(1, 64))),
        bytes_(holds.size() + shift_, in_range(0, 1) == 0
                                          ? GuardedBytes::Against::front
                                          : GuardedBytes::Against::back) {
    std::ranges::fill(bytes_.bytes(), std::byte{0xa5});
    std::ranges::copy(holds, data());
  }
  [[nodiscard]] std::byte* data() const { return bytes_.data() + shift_; }
  [[nodiscard]] bool others_stay() const {
    const auto before = bytes_.bytes().first(shift_);
    return std::ranges::all_of(
        before, [](std::byte b) { return b == std::byte{0xa5}; });
  }

 private:
  std::size_t shift_;
  GuardedBytes bytes_;
};

// Runs all tasks, in any order.
void run_shuffled(const Plan& plan, const std::byte* src, std::byte* dst) {
  std::vector<std::int64_t> tasks(static_cast<std::size_t>(plan.tasks()));
  std::iota(tasks.begin(), tasks.end(), 0);
  shuffle(tasks);
  for (const std::int64_t task : tasks) plan.run_task(task, src, dst);
}

std::string wrong_run(const Plan& plan, const Bytes& in, const Bytes& before,
                      const Wanted& wanted) {
  const Memory src(in);
  const Memory dst(before);
  run_shuffled(plan, src.data(), dst.data());
  std::string wrong = wanted.difference({dst.data(), before.size()});
  if (wrong.empty() && !dst.others_stay()) wrong = "bytes before dst changed";
  return wrong.empty() ? wrong : wrong + "\n" + plan.to_string();
}

// What is wrong with a pair, in words.
std::string wrong_pair(const Pair& pair) {
  const Evaluator src(pair.src.text, pair.shape, pair.src.binding);
  const Evaluator dst(pair.dst.text, pair.shape, pair.dst.binding);
  if (src.size_bits() != pair.src.layout.size_bits() ||
      dst.size_bits() != pair.dst.layout.size_bits()) {
    return fmt::format("{} and {} bits, not {} and {}",
                       pair.src.layout.size_bits(), pair.dst.layout.size_bits(),
                       src.size_bits(), dst.size_bits());
  }
  if (src.any_missing() || dst.any_missing()) return "an index has no place";
  if (dst.any_twice()) return "dst is called valid, but places meet";
  const Bytes in = random_bytes(src.size_bytes());
  const Bytes before = random_bytes(dst.size_bytes());
  const Wanted wanted(src, dst, in, before, pair.fill);
  for (const std::string& machine : machines()) {
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      const auto plan = Plan::make(
          pair.src.layout, pair.dst.layout,
          PlanOptions{.fill = pair.fill, .stores = stores, .machine = machine});
      if (!plan) return machine + ": " + plan.error().to_string();
      std::string wrong = wrong_run(*plan, in, before, wanted);
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

TEST(Evaluated, RandomPairsOfTheWholeGrammar) {
  ASSERT_FALSE(machines().empty());
  const std::int64_t wanted = number_of("STRIDEWISE_PAIRS", 20000);
  std::int64_t number =
      number_of("STRIDEWISE_PAIRS_SEED",
                static_cast<std::int64_t>(std::random_device{}()));
  for (std::int64_t pairs = 0; pairs < wanted; ++number) {
    const UnrecordedDraws draws(static_cast<std::uint32_t>(number));
    const auto pair = random_pair();
    if (!pair) continue;
    ++pairs;
    const std::string wrong = wrong_pair(*pair);
    ASSERT_EQ(wrong, "") << "STRIDEWISE_PAIRS_SEED=" << number << ": "
                         << pair->to_string();
  }
}

}  // namespace
}  // namespace stridewise::testing
