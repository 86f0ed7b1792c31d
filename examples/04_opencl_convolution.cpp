// A 3 x 3 convolution on OpenCL images: Stridewise puts source and filter into
// pixels of four channels, a kernel reads them, Stridewise takes the result out.
// With 5 input channels the last pixel has three lanes of padding, which are 0.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#include "must.hpp"
#include "stridewise/opencl.hpp"
#include "stridewise/stridewise.hpp"

using namespace stridewise;
using Floats = std::vector<float>;
constexpr std::size_t N = 2, C = 5, O = 6, H = 7, W = 9;

// A work-item is a pixel of dst. The filter has no column beyond C: 0 is read.
const char* source = R"(
constant sampler_t zero_outside = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define FILTER(lane) read_imagef(filter, zero_outside, (int2)(c + lane, row))
kernel void convolve(read_only image2d_t src, read_only image2d_t filter,
                     write_only image2d_t dst, int C, int H, int W) {
  const int o = get_global_id(0) / W, w = get_global_id(0) % W;
  const int n = get_global_id(1) / H, h = get_global_id(1) % H;
  float4 sum = 0;
  for (int c = 0; c < C; c += 4)
    for (int i = 0; i < 9; ++i) {
      const int y = h + i / 3 - 1, x = w + i % 3 - 1, row = o * 9 + i;
      if (y < 0 || y >= H || x < 0 || x >= W) continue;
      const int2 at = (int2)(c / 4 * W + x, n * H + y);
      const float4 in = read_imagef(src, zero_outside, at);
      sum += in.x * FILTER(0) + in.y * FILTER(1) + in.z * FILTER(2) +
             in.w * FILTER(3);
    }
  write_imagef(dst, (int2)(get_global_id(0), get_global_id(1)), sum);
})";

Layout bind(const char* name, const Shape& shape) {
  return must(bind_layout(name, shape, sizeof(float)));
}

Floats numbers(std::size_t count) {
  Floats floats(count);
  for (std::size_t k = 0; k < count; ++k) {
    floats[k] = static_cast<float>(k * 7 % 11) - 5;
  }
  return floats;
}

// At position k of the result. What lies before 0 is beyond the extent as well.
float plain(const Floats& src, const Floats& filter, std::size_t k) {
  const auto n = k / W / H / O, o = k / W / H % O, h = k / W % H, w = k % W;
  float sum = 0;
  for (std::size_t c = 0; c < C; ++c)
    for (std::size_t i = 0; i < 9; ++i) {
      const auto y = h + i / 3 - 1, x = w + i % 3 - 1;
      if (y >= H || x >= W) continue;
      sum += src[((n * C + c) * H + y) * W + x] * filter[(o * C + c) * 9 + i];
    }
  return sum;
}

int main() {
  const auto f32 = must(parse_element_type("f32"));
  const auto queue = must(opencl::Queue::open());
  const Shape in = {{"n", N}, {"c", C}, {"h", H}, {"w", W}};
  const Shape weights = {{"o", O}, {"i", C}, {"h", 3}, {"w", 3}};
  const Shape out = {{"n", N}, {"c", O}, {"h", H}, {"w", W}};
  const auto image = [&](const char* name, const Shape& shape) {
    return must(opencl::Tensor::image(queue, bind(name, shape), f32));
  };
  const auto src = image("mace.channel", in), dst = image("mace.channel", out);
  const auto filter = image("mace.filter", weights);
  const Floats x = numbers(N * C * H * W), f = numbers(O * C * 9);
  Floats y(N * O * H * W);
  const auto sent =
      queue.upload(bind("nchw", in), f32, std::as_bytes(std::span(x)), src);
  const auto set = queue.upload(bind("oihw", weights), f32,
                                std::as_bytes(std::span(f)), filter);
  auto* program =
      clCreateProgramWithSource(queue.context(), 1, &source, nullptr, nullptr);
  clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
  cl_int made = CL_SUCCESS;  // not where the build failed
  auto* kernel = clCreateKernel(program, "convolve", &made);
  if (made != CL_SUCCESS) return 1;
  cl_uint next = 0;
  for (cl_mem memory : {src.get(), filter.get(), dst.get()})
    clSetKernelArg(kernel, next++, sizeof memory, &memory);
  const cl_int sizes[] = {C, H, W};
  for (const auto& size : sizes)
    clSetKernelArg(kernel, next++, sizeof size, &size);
  const std::size_t pixels[] = {(O + 3) / 4 * W, N * H};  // dst.size()
  const auto run = clEnqueueNDRangeKernel(queue.get(), kernel, 2, nullptr,
                                          pixels, nullptr, 0, nullptr, nullptr);
  const auto got = queue.download(dst, bind("nchw", out), f32,
                                  std::as_writable_bytes(std::span(y)));
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < y.size(); ++k) wrong += y[k] != plain(x, f, k);
  std::printf("%zu of %zu values differ\n", wrong, y.size());
  return sent && set && run == CL_SUCCESS && got && wrong == 0 ? 0 : 1;
}
