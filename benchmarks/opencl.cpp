// host -> image -> host, against plain copies of the same bytes to a buffer and
// back, which is the least that any path costs.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/opencl.hpp"

#include <benchmark/benchmark.h>

#include <vector>

#include "stridewise/stridewise.hpp"

namespace {

using namespace stridewise;

// Never destroyed: drivers end before the statics of a program do.
const opencl::Queue& queue() {
  static const opencl::Queue& opened =
      *new opencl::Queue(opencl::Queue::open().value());
  return opened;
}

Layout layout_of(const char* text, std::int64_t element_bytes) {
  const LayoutSource source = *resolve_layout(text);
  return *source.bind(*parse_shape("4x67x56x56", source.dims), element_bytes);
}

void count(benchmark::State& state, const Layout& host) {
  state.SetBytesProcessed(state.iterations() * 2 * host.size_bytes());
}

void copies(benchmark::State& state, const char* dtype) {
  const ElementType type = *parse_element_type(dtype);
  const Layout host = layout_of("nchw", type.bytes());
  const auto buffer = opencl::Tensor::buffer(queue(), host, type).value();
  std::vector<std::byte> bytes(static_cast<std::size_t>(host.size_bytes()));
  for (auto _ : state) {
    if (!queue().write(bytes, buffer)) state.SkipWithError("write");
    if (!queue().read(buffer, bytes)) state.SkipWithError("read");
  }
  count(state, host);
}

void image(benchmark::State& state, const char* text, const char* dtype) {
  const ElementType type = *parse_element_type(dtype);
  const Layout host = layout_of("nchw", type.bytes());
  const auto there =
      opencl::Tensor::image(queue(), layout_of(text, type.bytes()), type)
          .value();
  std::vector<std::byte> bytes(static_cast<std::size_t>(host.size_bytes()));
  // Compiles the kernels.
  if (!queue().upload(host, type, bytes, there) ||
      !queue().download(there, host, type, bytes)) {
    return state.SkipWithError("no kernels");
  }
  for (auto _ : state) {
    if (!queue().upload(host, type, bytes, there))
      state.SkipWithError("upload");
    if (!queue().download(there, host, type, bytes))
      state.SkipWithError("download");
  }
  count(state, host);
}

BENCHMARK_CAPTURE(copies, f32, "f32")->UseRealTime();
BENCHMARK_CAPTURE(image, channel_f32, "mace.channel", "f32")->UseRealTime();
BENCHMARK_CAPTURE(image, width_f32, "mace.width", "f32")->UseRealTime();
BENCHMARK_CAPTURE(copies, f16, "f16")->UseRealTime();
BENCHMARK_CAPTURE(image, channel_f16, "mace.channel", "f16")->UseRealTime();

}  // namespace
