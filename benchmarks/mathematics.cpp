// What one question to a layout costs: element -> place, place -> element, and
// what it takes to get there.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "stridewise/stridewise.hpp"

namespace {

using namespace stridewise;

Layout layout_of(const char* text) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape("8x67x56x56", source.dims), 4);
}

// Indices that no branch predictor or cache learns by heart.
std::vector<std::array<std::int64_t, 4>> indices() {
  std::vector<std::array<std::int64_t, 4>> all;
  for (std::int64_t k = 0; k < 1024; ++k) {
    all.push_back({k % 8, k * 31 % 67, k * 17 % 56, k * 13 % 56});
  }
  return all;
}

void offset(benchmark::State& state, const char* text) {
  const Layout layout = layout_of(text);
  const auto all = indices();
  std::size_t k = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(layout.offset(all[k++ % all.size()]));
  }
}

void element_at(benchmark::State& state, const char* text) {
  const Layout layout = layout_of(text);
  std::array<std::int64_t, 4> index{};
  std::int64_t place = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(layout.element_at(place, index));
    place = (place + 7919) % layout.places();
  }
}

void resolve_and_bind(benchmark::State& state, const char* text) {
  for (auto _ : state) benchmark::DoNotOptimize(layout_of(text));
}

void make_plan(benchmark::State& state, const char* to) {
  const Layout src = layout_of("nchw");
  const Layout dst = layout_of(to);
  for (auto _ : state) benchmark::DoNotOptimize(Plan::make(src, dst));
}

constexpr const char* bank = "okk.aligned(npu_bytes=4194304,start=2)";

BENCHMARK_CAPTURE(offset, nchw, "nchw");
BENCHMARK_CAPTURE(offset, nChw16c, "nChw16c");
BENCHMARK_CAPTURE(offset, mace.channel, "mace.channel");
BENCHMARK_CAPTURE(offset, okk.aligned, bank);
BENCHMARK_CAPTURE(element_at, nchw, "nchw");
BENCHMARK_CAPTURE(element_at, nChw16c, "nChw16c");
BENCHMARK_CAPTURE(element_at, mace.channel, "mace.channel");
BENCHMARK_CAPTURE(element_at, okk.aligned, bank);
BENCHMARK_CAPTURE(resolve_and_bind, nChw16c, "nChw16c");
BENCHMARK_CAPTURE(make_plan, nhwc, "nhwc");
BENCHMARK_CAPTURE(make_plan, nChw16c, "nChw16c");

}  // namespace
