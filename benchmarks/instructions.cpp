// How many instructions plans and runs of conversions take, counted by callgrind:
//
//   valgrind --tool=callgrind --collect-atstart=no
//     bench.instructions BYTES SRC DST SHAPE ...
//
// leaves one dump for every call that is counted: `make` and `run` of each
// conversion, in order. tools/check_instructions.py calls it so.
// SPDX-License-Identifier: Apache-2.0
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "stridewise/stridewise.hpp"

namespace {

using namespace stridewise;

template <class F>
auto counted(const char* what, F call) {
  CALLGRIND_TOGGLE_COLLECT;
  auto result = call();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(what);
  return result;
}

// Whole pages: what the first stores of a run do hangs on where dst begins.
auto pages(std::int64_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t size =
      (static_cast<std::size_t>(bytes) + page) / page * page;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(page, size));
  std::fill_n(data, size, std::byte{1});
  return std::unique_ptr<std::byte, decltype(&std::free)>(data, &std::free);
}

void count(const char* bytes, const char* src_text, const char* dst_text,
           const char* shape_text) {
  LayoutSource src_source = resolve_layout(src_text).value();
  LayoutSource dst_source = resolve_layout(dst_text).value();
  align_dims(src_source, dst_source);
  const Shape shape = parse_shape(shape_text, dims_of(src_source)).value();
  const std::int64_t width = std::atoi(bytes);
  const Layout src = src_source.bind(shape, width).value();
  const Layout dst = dst_source.bind(shape, width).value();

  // Once before: the tables of kernels are made by whoever needs them first.
  const auto make = [&] { return Plan::make(src, dst).value(); };
  const Plan plan = make();
  const auto from = pages(plan.src_bytes());
  const auto to = pages(plan.dst_bytes());
  plan.run(from.get(), to.get());
  counted("make", make);
  counted("run", [&] {
    plan.run(from.get(), to.get());
    return 0;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> all(argv, static_cast<std::size_t>(argc));
  if (all.size() % 4 != 1) {
    std::fprintf(stderr, "usage: %s BYTES SRC DST SHAPE ...\n", all[0]);
    return 2;
  }
  for (std::size_t k = 1; k < all.size(); k += 4) {
    count(all[k], all[k + 1], all[k + 2], all[k + 3]);
  }
}
