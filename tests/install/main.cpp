// A project that uses the installed package: every public header, and a shared object
// of its own.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stridewise/stridewise.hpp>
#include <stridewise/vendor/mkldnn.hpp>
#include <stridewise/vendor/mli.hpp>
#include <stridewise/vendor/okk.hpp>
#include <vector>
#ifdef CONSUMER_THREADS
#include <stridewise/threads.hpp>
#endif

std::int64_t plugin_size(const char* layout, const stridewise::Shape& shape);

int main() {
  using namespace stridewise;
  const Shape shape = {{"n", 2}, {"c", 17}, {"h", 5}, {"w", 4}};
  const auto src = bind_layout("nchw", shape, 4);
  const auto dst = bind_layout("nChw8c", shape, 4);
  if (!src || !dst) return 1;
  std::vector<std::byte> from(static_cast<std::size_t>(src->size_bytes()));
  std::vector<std::byte> to(static_cast<std::size_t>(dst->size_bytes()));
#ifdef CONSUMER_THREADS
  const ParallelFor parallel_for = make_parallel_for(2);
#else
  const ParallelFor parallel_for = sequential_for;
#endif
  const auto plan = Plan::make(*src, *dst);
  if (!plan) return 1;
  plan->run(from.data(), to.data(), parallel_for);
  std::printf("stridewise %s: %zu bytes\n", STRIDEWISE_VERSION, to.size());
  const bool right = to.size() == 2 * 24 * 5 * 4 * 4 &&
                     plugin_size("nChw8c", shape) == dst->size_bytes() &&
                     plugin_size("nChw8k", shape) == -1;
  return right ? 0 : 1;
}
