// The best layouts of a network, against all choices there are.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/network.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>

#include "stridewise/advise.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double infinite = std::numeric_limits<double>::infinity();
const std::vector<std::string> all_layouts = {"nchw", "nhwc", "nChw8c",
                                              "nChw16c"};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  std::vector<std::string> some_layouts() {
    std::vector<std::string> some = all_layouts;
    std::shuffle(some.begin(), some.end(), random_);
    some.resize(1 + below(some.size()));
    return some;
  }

 private:
  std::mt19937 random_;
};

// Any graph: tensors with a writer or none, read by some; a few are kept in given layouts,
// or not to be converted.
Network random_network(Random& random, std::size_t tensors,
                       std::size_t operations) {
  Network network;
  for (std::size_t t = 0; t < tensors; ++t) {
    NetworkTensor& tensor = network.tensors.emplace_back();
    tensor.name = fmt::format("t{}", t);
    tensor.shape = {{"n", 1},
                    {"c", static_cast<std::int64_t>(1 + random.below(20))},
                    {"h", static_cast<std::int64_t>(1 + random.below(6))},
                    {"w", static_cast<std::int64_t>(1 + random.below(6))}};
    if (random.below(4) == 0) tensor.layouts = random.some_layouts();
    tensor.converts = random.below(6) != 0;
  }
  std::set<std::string> written;
  for (std::size_t o = 0; o < operations; ++o) {
    NetworkOperation& operation = network.operations.emplace_back();
    operation.name = fmt::format("o{}", o);
    std::set<std::string> touched;
    for (std::size_t k = 1 + random.below(3); k > 0; --k) {
      touched.insert(network.tensors[random.below(tensors)].name);
    }
    for (const std::string& name : touched) {
      if (random.below(2) == 0 && written.insert(name).second) {
        operation.writes.push_back(name);
      } else {
        operation.reads.push_back(name);
      }
    }
    for (std::size_t k = 1 + random.below(3); k > 0; --k) {
      NetworkChoice& choice = operation.choices.emplace_back();
      for (const std::string& name : touched) {
        choice.layouts[name] = all_layouts[random.below(all_layouts.size())];
      }
      choice.cost = static_cast<double>(random.below(3000));
    }
  }
  return network;
}

// The definition, by prices of the public API alone.
class Definition {
 public:
  explicit Definition(const Network& network) : network_(network) {}

  double cost(const std::vector<std::size_t>& choices) {
    double cost = 0;
    for (std::size_t o = 0; o < choices.size(); ++o) {
      cost += network_.operations[o].choices[choices[o]].cost;
    }
    for (const NetworkTensor& tensor : network_.tensors) {
      cost += tensor_cost(tensor, choices);
    }
    return cost;
  }

  // The least of all choices.
  double least() {
    std::vector<std::size_t> choices(network_.operations.size(), 0);
    double best = infinite;
    for (;;) {
      best = std::min(best, cost(choices));
      std::size_t k = 0;
      while (k < choices.size() &&
             ++choices[k] == network_.operations[k].choices.size()) {
        choices[k++] = 0;
      }
      if (k == choices.size()) return best;
    }
  }

 private:
  double tensor_cost(const NetworkTensor& tensor,
                     const std::vector<std::size_t>& choices) {
    std::string written;
    std::set<std::string> wanted,
        known(tensor.layouts.begin(), tensor.layouts.end());
    for (std::size_t o = 0; o < choices.size(); ++o) {
      const NetworkOperation& operation = network_.operations[o];
      for (const NetworkChoice& choice : operation.choices) {
        const auto layout = choice.layouts.find(tensor.name);
        if (layout != choice.layouts.end()) known.insert(layout->second);
      }
      const auto& layouts = operation.choices[choices[o]].layouts;
      if (std::ranges::count(operation.writes, tensor.name) > 0) {
        written = layouts.at(tensor.name);
      }
      if (std::ranges::count(operation.reads, tensor.name) > 0) {
        wanted.insert(layouts.at(tensor.name));
      }
    }
    if (written.empty() && wanted.empty()) return 0;
    std::vector<std::string> homes = tensor.layouts;
    if (homes.empty() && !written.empty()) homes = {written};
    if (homes.empty()) homes.assign(known.begin(), known.end());
    double best = infinite;
    for (const std::string& home : homes) {
      std::set<std::string> others = wanted;
      others.erase(home);
      if (!tensor.converts &&
          (!others.empty() || (!written.empty() && written != home))) {
        continue;
      }
      double cost = waste(tensor, home);
      if (!written.empty() && written != home)
        cost += price(tensor, written, home);
      for (const std::string& other : others)
        cost += price(tensor, home, other);
      best = std::min(best, cost);
    }
    return best;
  }

  static double waste(const NetworkTensor& tensor, const std::string& layout) {
    const Layout bound = *bind_layout(layout, tensor.shape, 4);
    return static_cast<double>(bound.size_bytes() - 4 * bound.elements());
  }

  double price(const NetworkTensor& tensor, const std::string& from,
               const std::string& to) {
    const auto [found, is_new] =
        prices_.try_emplace(fmt::format("{} {} {}", tensor.name, from, to), 0);
    if (is_new) {
      const Layout src = *bind_layout(from, tensor.shape, 4);
      const Candidate candidate =
          *assess(*resolve_layout(to), tensor.shape, 32, {.from = src});
      found->second =
          *candidate.there->copies * static_cast<double>(4 * src.elements());
    }
    return found->second;
  }

  const Network& network_;
  std::map<std::string, double> prices_;
};

TEST(Network, NoOtherChoicesCostLess) {
  unsigned solved = 0;
  // Instrumented programs take ten times as long.
  const unsigned seeds = std::getenv("STRIDEWISE_SLOW") != nullptr ? 60 : 400;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const std::size_t tensors = 1 + random.below(8);
    const Network network =
        random_network(random, tensors, 1 + random.below(6));
    Definition definition(network);
    const double least = definition.least();
    const Result<NetworkAdvice> advice = advise_network(network);
    if (least == infinite) {
      EXPECT_FALSE(advice) << seed;
      continue;
    }
    ++solved;
    ASSERT_TRUE(advice) << seed << ": " << advice.error().message;
    EXPECT_NEAR(advice->cost, least, 1e-6 * (1 + least)) << seed;
    EXPECT_NEAR(advice->bound, advice->cost, 1e-6 * (1 + least)) << seed;
    EXPECT_NEAR(definition.cost(advice->choices), least, 1e-6 * (1 + least));
    EXPECT_NEAR(advice->cost,
                advice->operations + advice->waste + advice->moves,
                1e-6 * (1 + least));
  }
  EXPECT_GT(solved, seeds / 2);
}

TEST(Network, AStateStandsForATensorThatManyRead) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Random random(seed);
    Network network;
    network.tensors = {{"t", *parse_shape("n=1,c=17,h=6,w=5")}};
    for (int o = 0; o < 7; ++o) {
      NetworkOperation& operation = network.operations.emplace_back();
      operation.name = fmt::format("o{}", o);
      (o == 0 ? operation.writes : operation.reads) = {"t"};
      for (const std::string& layout : all_layouts) {
        operation.choices.push_back(
            {{{"t", layout}}, static_cast<double>(random.below(4000))});
      }
    }
    const NetworkAdvice advice = *advise_network(network);
    EXPECT_NEAR(advice.cost, Definition(network).least(), 1e-6 * advice.cost);
    EXPECT_NEAR(advice.bound, advice.cost, 1e-6 * advice.cost);
  }
}

// Tables that are too small bound the optimum from below, and choices are good all the same.
TEST(Network, ABoundWhereTablesAreTooLarge) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Network network = random_network(random, 8, 7);
    for (NetworkTensor& tensor : network.tensors) tensor.converts = true;
    const NetworkAdvice exact = *advise_network(network);
    const NetworkAdvice bounded = *advise_network(network, {.most_entries = 4});
    const double slack = 1e-6 * (1 + exact.cost);
    EXPECT_LE(bounded.bound, exact.cost + slack) << seed;
    EXPECT_GE(bounded.cost, exact.cost - slack) << seed;
    EXPECT_NEAR(Definition(network).cost(bounded.choices), bounded.cost, slack);
  }
}

TEST(Network, OneConversionServesAllReaders) {
  const Network network = *read_network(R"(
[tensors]
x = { shape = "1x64x14x14", layouts = ["nchw"] }
[[operations]]
name = "a"
reads = "x"
accepts = ["nhwc"]
[[operations]]
name = "b"
reads = "x"
accepts = ["nhwc"]
)",
                                        "two.toml");
  const NetworkAdvice advice = *advise_network(network);
  ASSERT_EQ(advice.conversions.size(), 1);
  EXPECT_EQ(advice.conversions[0].from, "nchw");
  EXPECT_EQ(advice.conversions[0].to, "nhwc");
  EXPECT_THAT(advice.layouts, ElementsAre("nchw"));
}

TEST(Network, BeatsThoseThatDoNotLookAhead) {
  // The blocked way pays once, at the begin; greedy never begins it.
  std::string text = "[tensors]\n";
  for (int t = 0; t < 6; ++t) {
    text += fmt::format("t{} = {{ shape = \"1x64x28x28\"{} }}\n", t,
                        t == 0 ? ", layouts = [\"nchw\"]" : "");
  }
  for (int o = 0; o < 5; ++o) {
    text += fmt::format(
        "[[operations]]\nname = \"o{0}\"\nreads = \"t{0}\"\nwrites = \"t{1}\"\n"
        "accepts = [{{ layouts = \"nchw\", cost = 200000 }}, "
        "{{ layouts = \"nChw16c\", cost = 100000 }}]\n",
        o, o + 1);
  }
  const Network network = *read_network(text, "chain.toml");
  const NetworkAdvice best = *advise_network(network);
  const NetworkAdvice greedy = *greedy_network(network);
  const NetworkAdvice nchw = *uniform_network(network, "nchw");
  EXPECT_LT(best.cost, greedy.cost);
  EXPECT_LT(best.cost, nchw.cost);
  EXPECT_THAT(nchw.conversions, IsEmpty());
  ASSERT_EQ(best.conversions.size(), 1);
  EXPECT_EQ(best.conversions[0].tensor, "t0");
}

TEST(Network, FiveHundredTensorsInSeconds) {
  Network network;
  for (int t = 0; t < 500; ++t) {
    network.tensors.push_back(
        {fmt::format("t{}", t), *parse_shape("n=1,c=64,h=14,w=14")});
  }
  // A chain with a connection around each two.
  for (int t = 1; t < 500; ++t) {
    NetworkOperation& operation = network.operations.emplace_back();
    operation.name = fmt::format("o{}", t);
    operation.reads = {fmt::format("t{}", t - 1)};
    if (t > 2) operation.reads.push_back(fmt::format("t{}", t - 3));
    operation.writes = {fmt::format("t{}", t)};
    for (std::size_t k = 0; k < all_layouts.size(); ++k) {
      NetworkChoice& choice = operation.choices.emplace_back();
      for (const auto& names : {operation.reads, operation.writes}) {
        for (const std::string& name : names)
          choice.layouts[name] = all_layouts[k];
      }
      choice.cost = static_cast<double>(
          (static_cast<std::size_t>(t) * 7919 + k * 104729) % 60000);
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const NetworkAdvice advice = *advise_network(network);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  EXPECT_DOUBLE_EQ(advice.bound, advice.cost);
  EXPECT_LE(advice.cost, greedy_network(network)->cost);
  // 5 s where nothing is instrumented.
  EXPECT_LT(took.count(), 60);
  RecordProperty("milliseconds", static_cast<int>(took.count() * 1000));
}

// ---------------------------------------------------------------- bad input ---

std::string error_of(const std::string& text) {
  const Result<Network> network = read_network(text, "n.toml");
  if (!network) return network.error().message;
  const Result<NetworkAdvice> advice = advise_network(*network);
  return advice ? "none" : advice.error().message;
}

const std::string two = R"([tensors]
x = { shape = "1x8x4x4" }
y = { shape = "1x8x4x4" }
)";

TEST(Network, WhatIsNoNetwork) {
  EXPECT_THAT(error_of("[tensors"), HasSubstr("n.toml:1: "));
  EXPECT_THAT(error_of("tensor = 1"), HasSubstr("did you mean tensors?"));
  EXPECT_THAT(error_of("[tensors]\nx = { shape = \"\" }"), HasSubstr("'x'"));
  EXPECT_THAT(error_of("[tensors]\nx = { shape = \"1x2x3x4\", dtype = \"q\" }"),
              HasSubstr("'x'"));
  EXPECT_THAT(error_of(two + "[[operations]]\nname = \"o\"\nreads = \"x\"\n"),
              HasSubstr("operation 'o' accepts no layout"));
  const std::string o = two + "[[operations]]\nname = \"o\"\n";
  EXPECT_THAT(error_of(o + "reads = \"z\"\naccepts = [\"nchw\"]"),
              HasSubstr("there is no tensor 'z'"));
  EXPECT_THAT(error_of(o + "reads = \"x\"\naccepts = [\"nchv\"]"),
              HasSubstr("tensor 'x', nchv"));
  EXPECT_THAT(error_of(o + "reads = \"x\"\naccepts = [\"okk.matrix(w=1)\"]"),
              HasSubstr("tensor 'x', okk.matrix(w=1)"));
  EXPECT_THAT(error_of(o + "reads = [\"x\", \"y\"]\n"
                           "accepts = [{ layouts = { x = \"nchw\" } }]"),
              HasSubstr("no layout for 'y'"));
  EXPECT_THAT(error_of(o + "reads = \"x\"\n"
                           "accepts = [{ layouts = \"nchw\", cost = -1 }]"),
              HasSubstr("costs -1"));
  EXPECT_THAT(error_of(o + "writes = \"x\"\naccepts = [\"nchw\"]\n"
                           "[[operations]]\nname = \"p\"\nwrites = \"x\"\n"
                           "accepts = [\"nchw\"]"),
              HasSubstr("two operations write 'x'"));
}

// x to y to x: who wants one layout for both ways round.
TEST(Network, ACycleThatCannotBeMet) {
  const std::string text = R"([tensors]
x = { shape = "1x8x4x4", converts = false }
y = { shape = "1x8x4x4", converts = false }
[[operations]]
name = "there"
reads = "x"
writes = "y"
accepts = [{ layouts = { x = "nchw", y = "nhwc" } }]
[[operations]]
name = "back"
reads = "y"
writes = "x"
accepts = [{ layouts = { x = "nhwc", y = "nhwc" } }]
)";
  const std::string error = error_of(text);
  EXPECT_THAT(error,
              HasSubstr("no choices of there, back agree on tensor 'x'"));
  EXPECT_THAT(error, HasSubstr("not converted"));
}

}  // namespace
}  // namespace stridewise
