// Plans, layouts, caches and catalogues that many threads have at once: results are those of
// one thread, and the thread sanitizer sees no race.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/plan_cache.hpp"
#include "stridewise/reorder.hpp"
#include "support/evaluator.hpp"
#include "support/pairs.hpp"

namespace stridewise {
namespace {

constexpr int threads = 4;
using Bytes = std::vector<std::byte>;

// All threads begin at once.
void at_once(const std::function<void(int)>& body) {
  std::barrier begin(threads);
  std::vector<std::jthread> all;
  for (int k = 0; k < threads; ++k) {
    all.emplace_back([&, k] {
      begin.arrive_and_wait();
      body(k);
    });
  }
}

Layout bound(std::string_view text, std::string_view shape,
             std::int64_t bits = 8) {
  return *resolve_layout(text)->bind(*parse_shape(shape),
                                     Binding{.element_bits = bits});
}

struct Case {
  const char* name;
  const char* src;
  const char* dst;
  const char* shape;
  std::int64_t bits;
  std::optional<Values> values = {};
};

// One of each way to run: nests with tasks, stages, tables, programs, relays, values.
std::vector<Case> cases() {
  const ElementType u4 = *parse_element_type("u4");
  const ElementType u6 = *parse_element_type("u6");
  const ElementType f32 = *parse_element_type("f32");
  const ElementType f16 = *parse_element_type("f16");
  return {
      {"nests", "nchw", "nChw16c", "n=2,c=40,h=65,w=65", 32},
      {"stages", "nhwc", "nchw", "n=2,c=64,h=48,w=48", 32},
      {"sieve", "a%3:5 a/3:7 b:40", "b a", "a=40,b=30", 8},
      {"tables", "r c%64/8^r%8 c%8", "r c", "r=64,c=256", 16},
      {"bits", "c!3 n #", "n ~c", "n=92,c=133", 6},
      {"nibbles", "k n", "n k", "k=256,n=512", 4},
      {"values", "nchw", "nhwc", "n=2,c=16,h=33,w=65", 32, Values{f32, f16}},
      {"values of bits", "c n #", "n ~c", "n=92,c=133", 6, Values{u6, u4}}};
}

struct Job {
  Layout src, dst;
  PlanOptions options;
  Bytes in, expected;
};
Job job_of(const Case& c) {
  Job job{bound(c.src, c.shape, c.bits),
          bound(c.dst, c.shape, c.values ? c.values->dst.bits : c.bits),
          PlanOptions{.values = c.values},
          {},
          {}};
  job.in.resize(static_cast<std::size_t>(job.src.size_bytes()));
  for (std::size_t k = 0; k < job.in.size(); ++k) {
    job.in[k] = static_cast<std::byte>(k * 37 + (k >> 8));
  }
  job.expected.resize(static_cast<std::size_t>(job.dst.size_bytes()));
  Plan::make(job.src, job.dst, job.options)
      ->run(job.in.data(), job.expected.data());
  return job;
}

// Before anything else: what is found out once is found out by all threads at once.
TEST(Threads, AskFirst) {
  std::atomic<int> good = 0;
  at_once([&](int) {
    const auto source = resolve_layout("okk.aligned(npus=4)");
    const Layout src = bound("nchw", "n=1,c=17,h=5,w=4");
    const Layout dst = bound("nChw8c", "n=1,c=17,h=5,w=4");
    const auto plan = Plan::make(src, dst);
    if (source && plan && !available_kernels().empty()) ++good;
  });
  EXPECT_EQ(good, threads);
}

TEST(Threads, ShareAPlan) {
  for (const Case& c : cases()) {
    const Job job = job_of(c);
    const Plan plan = *Plan::make(job.src, job.dst, job.options);
    std::atomic<int> wrong = 0;
    at_once([&](int) {
      Bytes out(job.expected.size(), std::byte{0xee});
      const Plan copy = plan;
      copy.run(job.in.data(), out.data());
      if (out != job.expected) ++wrong;
    });
    EXPECT_EQ(wrong, 0) << c.name;
  }
}

TEST(Threads, ShareThePartsOfARun) {
  const ParallelFor pool = make_parallel_for(threads);
  for (const Case& c : cases()) {
    const Job job = job_of(c);
    const Plan plan = *Plan::make(job.src, job.dst, job.options);
    Bytes out(job.expected.size(), std::byte{0xee});
    pool(plan.tasks(), [&](std::int64_t task) {
      plan.run_task(task, job.in.data(), out.data());
    });
    EXPECT_EQ(out, job.expected) << c.name;
    Bytes again(job.expected.size(), std::byte{0xee});
    plan.run(job.in.data(), again.data(), pool);
    EXPECT_EQ(again, job.expected) << c.name;
  }
}

// No two tasks write one byte: whatever layouts are.
TEST(Threads, ShareRandomRuns) {
  const ParallelFor pool = make_parallel_for(threads);
  constexpr int wanted = 300;
  std::uint32_t number = 0;
  for (int pairs = 0; pairs < wanted; ++number) {
    const testing::UnrecordedDraws draws(number);
    const auto pair = testing::random_pair();
    if (!pair) continue;
    const Plan plan =
        *Plan::make(pair->src.layout, pair->dst.layout, pair->fill);
    if (plan.tasks() < 2) continue;
    ++pairs;
    const Bytes in = testing::random_bytes(plan.src_bytes());
    Bytes expected(static_cast<std::size_t>(plan.dst_bytes()), std::byte{0xee});
    Bytes out = expected;
    plan.run(in.data(), expected.data());
    pool(plan.tasks(), [&](std::int64_t task) {
      plan.run_task(task, in.data(), out.data());
    });
    ASSERT_EQ(out, expected) << pair->to_string();
  }
}

TEST(Threads, ShareACache) {
  std::vector<Job> jobs;
  for (const Case& c : cases()) jobs.push_back(job_of(c));
  PlanCache cache(3);
  std::atomic<int> wrong = 0;
  at_once([&](int thread) {
    for (int k = 0; k < 24; ++k) {
      const Job& job = jobs[static_cast<std::size_t>(k + thread) % jobs.size()];
      const auto plan = cache.get(job.src, job.dst, job.options);
      Bytes out(job.expected.size());
      plan->run(job.in.data(), out.data());
      if (out != job.expected || cache.size() > 3) ++wrong;
      if (k % 10 == 9) cache.clear();
    }
  });
  EXPECT_EQ(wrong, 0);
}

// One layout, read, windowed and dropped by all.
TEST(Threads, ShareALayout) {
  const auto shared = std::make_shared<const Layout>(
      bound("k := c/4 h w c%4; k/16 n/16 n%16 k%16", "n=20,c=3,h=3,w=3", 16));
  std::vector<std::shared_ptr<const Layout>> each(threads, shared);
  std::atomic<std::int64_t> found = 0;
  at_once([&](int k) {
    const Layout layout = *std::exchange(each[static_cast<std::size_t>(k)], {});
    std::vector<std::int64_t> index(4);
    for (std::int64_t place = 0; place < layout.places(); ++place) {
      if (layout.element_at(place, index) == Place::element) ++found;
    }
    const Slice half{"n", 0, 10};
    if (!layout.window(std::span(&half, 1))) found = -1;
  });
  EXPECT_EQ(found, threads * 20 * 3 * 3 * 3);
}

}  // namespace
}  // namespace stridewise
