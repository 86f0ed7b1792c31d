// What diff() says of unrelated tensors, which must be nothing, and of planted faults,
// which it must name: with few values and many, exact and noisy.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "inspect/tensors.hpp"

namespace stridewise {
namespace {

using namespace inspect_test;  // NOLINT

// Facts that counts tell: which indices, bytes, processors.
bool is_count(const std::string& finding) {
  for (const char* start :
       {"all ", "only ", "everything after ", "nearly everything "}) {
    if (finding.starts_with(start)) return true;
  }
  return false;
}

struct Drawn {
  std::mt19937_64 random;

  std::uint64_t below(std::uint64_t end) { return random() % end; }

  template <std::size_t size>
  const char* one_of(const std::array<const char*, size>& all) {
    return all.at(below(size));
  }

  // Numbers of so many values, all as frequent or one more frequent than the others.
  std::vector<float> values(std::size_t count, std::uint64_t distinct) {
    const bool skewed = below(3) == 0;
    std::vector<float> all(count);
    for (float& value : all) {
      std::uint64_t k = below(distinct);
      if (skewed && below(4) != 0) k = 0;
      value = static_cast<float>(k) - static_cast<float>(distinct / 2);
    }
    return all;
  }
};

void fill(Bytes& memory, const Layout& layout, const ElementType& type,
          const std::vector<float>& values) {
  std::size_t k = 0;
  testing::for_each_index(layout.shape(), [&](const Index& x) {
    if (type == f32) {
      put(memory, layout, x, values[k++]);
    } else {
      put(memory, layout, x, static_cast<std::int8_t>(values[k++]));
    }
  });
}

// Fewer where each takes ten times as long.
int pairs() {
  const char* const asked = std::getenv("STRIDEWISE_UNRELATED_PAIRS");
  return asked == nullptr ? 10000 : std::atoi(asked);
}

TEST(Significance, NothingIsSaidOfUnrelatedTensors) {
  constexpr std::array<const char*, 6> shapes = {
      "n=1,c=3,h=16,w=16", "n=2,c=16,h=7,w=7", "n=4,c=8,h=4,w=4",
      "n=1,c=1,h=64,w=64", "n=2,c=5,h=3,w=2",  "n=8,c=33,h=1,w=5"};
  constexpr std::array<const char*, 5> layouts = {
      "nchw", "nhwc", "nChw8c", "n c/4 h:^64B w c%4",
      "okk.aligned(npus=4,npu_bytes=16384)"};
  Drawn drawn{std::mt19937_64(17)};
  int told = 0;
  for (int pair = 0; pair < pairs(); ++pair) {
    const ElementType& type = pair % 2 == 0 ? s8 : f32;
    const std::string shape = drawn.one_of(shapes);
    const char* const text = drawn.one_of(layouts);
    Pair both{
        layout_of("nchw", shape, type), layout_of(text, shape, type), {}, {}};
    const std::uint64_t distinct =
        pair % 3 == 0 ? 2 + drawn.below(4) : 2 + drawn.below(255);
    std::vector<float> values = drawn.values(
        static_cast<std::size_t>(both.logical.elements()), distinct);
    both.reference.resize(static_cast<std::size_t>(both.logical.size_bytes()));
    both.dump.resize(static_cast<std::size_t>(both.layout.size_bytes()));
    fill(both.reference, both.logical, type, values);
    std::ranges::shuffle(values, drawn.random);
    fill(both.dump, both.layout, type, values);
    for (const std::string& finding : both.report(type).findings) {
      if (is_count(finding)) continue;
      ++told;
      ADD_FAILURE_AT("", 0) << finding << ": " << distinct << " values of "
                            << type.name << ", " << shape << " in " << text;
    }
  }
  EXPECT_LE(told, 1);
}

// A fault, and the words that its finding must have.
struct Fault {
  const char* says;
  std::function<void(Pair&, Drawn&)> plant;
};

// Element x of A becomes what element from(x) was.
void rearrange(Pair& pair, const std::function<Index(Index)>& from) {
  const Bytes right = pair.dump;
  const auto width = static_cast<std::size_t>(pair.layout.element_bytes());
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    const auto to = static_cast<std::size_t>(pair.layout.offset(x)) * width;
    const auto at =
        static_cast<std::size_t>(pair.layout.offset(from(x))) * width;
    std::memcpy(pair.dump.data() + to, right.data() + at, width);
  });
}

// Each element of A becomes another value; of f32 alone.
void revalue(Pair& pair, const std::function<float(float, const Index&)>& of) {
  testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
    float value = 0;
    std::memcpy(&value, pair.dump.data() + 4 * pair.layout.offset(x), 4);
    put(pair.dump, pair.layout, x, of(value, x));
  });
}

std::vector<Fault> faults_of_places() {
  return {
      {"c=9 and c=12 are swapped",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           x[1] = x[1] == 9 ? 12 : x[1] == 12 ? 9 : x[1];
           return x;
         });
       }},
      {"c=4k+1 and 4k+2 are swapped",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           const std::int64_t lane = x[1] % 4;
           x[1] += lane == 1 ? 1 : lane == 2 ? -1 : 0;
           return x;
         });
       }},
      {"n is one late: n=1 holds n=0",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           x[0] = std::max<std::int64_t>(x[0] - 1, 0);
           return x;
         });
       }},
      {"h is in reverse order",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           x[2] = 8 - x[2];
           return x;
         });
       }},
      {"h and w are in reverse order",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           x[2] = 8 - x[2];
           x[3] = 8 - x[3];
           return x;
         });
       }},
      {"h and w are exchanged",
       [](Pair& pair, Drawn&) {
         rearrange(pair, [](Index x) {
           std::swap(x[2], x[3]);
           return x;
         });
       }},
      {"the stride of h is 1 element too small",
       [](Pair& pair, Drawn&) {
         const Bytes right = pair.dump;
         const auto width =
             static_cast<std::size_t>(pair.layout.element_bytes());
         testing::for_each_index(pair.layout.shape(), [&](const Index& x) {
           const auto at = static_cast<std::size_t>(pair.layout.offset(x));
           const auto to = at - static_cast<std::size_t>(x[2]);
           std::memcpy(pair.dump.data() + to * width, right.data() + at * width,
                       width);
         });
       }},
      {"everything is 3 elements further on",
       [](Pair& pair, Drawn&) {
         const std::size_t by =
             3 * static_cast<std::size_t>(pair.layout.element_bytes());
         std::memmove(pair.dump.data() + by, pair.dump.data(),
                      pair.dump.size() - by);
       }},
  };
}

std::vector<Fault> faults_of_values() {
  return {
      {"A is B with the other sign",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) { return -v; });
       }},
      {"A is 0.25 times B",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) { return v / 4; });
       }},
      {"A is B + 3",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) { return v + 3; });
       }},
      {"A is 2 times B - 10",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) { return 2 * v - 10; });
       }},
      {"A is B cut to at least 0, as by a ReLU",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) { return std::max(v, 0.0F); });
       }},
      {"A is B cut to at least -6 and at most 6",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index&) {
           return std::clamp(v, -6.0F, 6.0F);
         });
       }},
      {"A is 2 times B, where c=5",
       [](Pair& pair, Drawn&) {
         revalue(pair,
                 [](float v, const Index& x) { return x[1] == 5 ? 2 * v : v; });
       }},
      {"A is B times a factor, of which each c has its own: 0.5, 1.5, 2.5",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index& x) {
           return v * (static_cast<float>(x[1]) + 0.5F);
         });
       }},
      {"A is B plus an offset, of which each c has its own: 1, 2, 3",
       [](Pair& pair, Drawn&) {
         revalue(pair, [](float v, const Index& x) {
           return v + static_cast<float>(x[1] + 1);
         });
       }},
  };
}

struct Score {
  int found = 0;
  int all = 0;
};

void plant(const Fault& fault, const ElementType& type, std::uint64_t distinct,
           float noise, Drawn& drawn, Score& score) {
  const char* const shape = "n=3,c=16,h=9,w=9";
  const char* const text = score.all % 2 == 0 ? "nchw" : "nChw8c";
  Pair pair{
      layout_of("nchw", shape, type), layout_of(text, shape, type), {}, {}};
  std::vector<float> values(static_cast<std::size_t>(pair.logical.elements()));
  for (float& value : values) {
    const auto k = static_cast<float>(drawn.below(distinct));
    value = k - static_cast<float>(distinct / 2);
    if (type == f32) value = value / static_cast<float>(distinct) * 20 + 0.01F;
  }
  pair.reference.resize(static_cast<std::size_t>(pair.logical.size_bytes()));
  fill(pair.reference, pair.logical, type, values);
  pair.dump = moved(pair.logical, pair.layout, pair.reference);
  fault.plant(pair, drawn);
  if (noise > 0) {
    revalue(pair, [&](float v, const Index&) {
      const float share = static_cast<float>(drawn.below(2001)) / 1000 - 1;
      return v * (1 + noise * share);
    });
  }
  const Tolerance tolerance{.rtol = 1.5 * static_cast<double>(noise)};
  const DiffReport report = differ(pair.layout, pair.dump, pair.logical,
                                   pair.reference, type, tolerance);
  const std::string first = report.findings.empty() ? "" : report.findings[0];
  ++score.all;
  if (first.starts_with(fault.says)) {
    ++score.found;
  } else {
    std::printf("%s, %d values of %s, noise %g, in %s: %s\n", fault.says,
                static_cast<int>(distinct), std::string(type.name).c_str(),
                static_cast<double>(noise), text, first.c_str());
  }
}

TEST(Significance, PlantedFaultsAreFound) {
  Drawn drawn{std::mt19937_64(23)};
  Score score;
  for (int round = 0; round < 5; ++round) {
    for (const Fault& fault : faults_of_places()) {
      for (const std::uint64_t distinct : {3U, 4U, 16U, 256U}) {
        plant(fault, s8, distinct, 0, drawn, score);
        plant(fault, f32, distinct, 0, drawn, score);
      }
      plant(fault, f32, 100000, 1e-6F, drawn, score);
      plant(fault, f32, 100000, 1e-3F, drawn, score);
      plant(fault, f32, 100000, 1e-2F, drawn, score);
    }
    for (const Fault& fault : faults_of_values()) {
      for (const std::uint64_t distinct : {16U, 256U, 100000U}) {
        plant(fault, f32, distinct, 0, drawn, score);
      }
    }
  }
  EXPECT_GE(score.all, 500);
  EXPECT_GE(score.found, score.all * 95 / 100) << "of " << score.all;
  ::testing::Test::RecordProperty("found", score.found);
}

}  // namespace
}  // namespace stridewise
