// A project that uses the installed package, every public header alone first.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stridewise/stridewise.hpp>
#include <stridewise/threads.hpp>
#include <stridewise/vendor/mkldnn.hpp>
#include <stridewise/vendor/mli.hpp>
#include <stridewise/vendor/okk.hpp>
#include <vector>

int main() {
  using namespace stridewise;
  const Shape shape = {{"n", 2}, {"c", 17}, {"h", 5}, {"w", 4}};
  const auto src = resolve_layout("nchw")->bind(shape, 4);
  const auto dst = resolve_layout("nChw8c")->bind(shape, 4);
  std::vector<std::byte> from(static_cast<std::size_t>(src->size_bytes()));
  std::vector<std::byte> to(static_cast<std::size_t>(dst->size_bytes()));
  Plan::make(*src, *dst)->run(from.data(), to.data(), make_parallel_for(2));
  std::printf("stridewise %s: %zu bytes\n", STRIDEWISE_VERSION, to.size());
  return to.size() == 2 * 24 * 5 * 4 * 4 ? 0 : 1;
}
