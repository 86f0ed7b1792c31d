// A convolution over nChw8c with 17 channels: Stridewise packs source, weights
// and destination into zero-padded blocks, oneDNN's own convolution runs on
// those buffers, and the result equals a plain loop over plain tensors.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

#include "must.hpp"
#include "stridewise/stridewise.hpp"

using namespace stridewise;
using Floats = std::vector<float>;
using FormatTag = dnnl::memory::format_tag;

constexpr std::int64_t N = 2, C = 17, O = 19, H = 7, W = 6, K = 3;

std::byte* bytes(Floats& f) { return reinterpret_cast<std::byte*>(f.data()); }

Layout bind(const char* tag, const char* shape) {
  const LayoutSource source = must(resolve_layout(tag));
  return must(
      source.bind(must(parse_shape(shape, source.dims)), sizeof(float)));
}

Floats reorder(const Layout& from, Floats& data, const Layout& to) {
  Floats result(static_cast<std::size_t>(to.places()));
  must(Plan::make(from, to)).run(bytes(data), bytes(result));
  return result;
}

// Small whole numbers, so that sums are exact in any order.
Floats numbers(const Layout& layout) {
  Floats f(static_cast<std::size_t>(layout.places()));
  for (std::size_t k = 0; k < f.size(); ++k) {
    f[k] = static_cast<float>(static_cast<int>(k * 7 % 11) - 5);
  }
  return f;
}

Floats plain_convolution(const Floats& src, const Floats& weights,
                         const Layout& s, const Layout& w, const Layout& d) {
  Floats dst(static_cast<std::size_t>(d.places()));
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t o = 0; o < O; ++o)
      for (std::int64_t h = 0; h + K <= H; ++h)
        for (std::int64_t x = 0; x + K <= W; ++x) {
          float sum = 0;
          for (std::int64_t c = 0; c < C; ++c)
            for (std::int64_t kh = 0; kh < K; ++kh)
              for (std::int64_t kw = 0; kw < K; ++kw)
                sum += src[static_cast<std::size_t>(
                           s.offset(std::array{n, c, h + kh, x + kw}))] *
                       weights[static_cast<std::size_t>(
                           w.offset(std::array{o, c, kh, kw}))];
          dst[static_cast<std::size_t>(d.offset(std::array{n, o, h, x}))] = sum;
        }
  return dst;
}

int main() {
  const Layout src = bind("nchw", "2x17x7x6"),
               weights = bind("oihw", "19x17x3x3"),
               dst = bind("nchw", "2x19x5x4");
  Floats src_data = numbers(src), weight_data = numbers(weights);
  const Layout src8 = bind("nChw8c", "2x17x7x6"),
               weights8 = bind("OIhw8i8o", "19x17x3x3"),
               dst8 = bind("nChw8c", "2x19x5x4");
  Floats src8_data = reorder(src, src_data, src8);
  Floats weight8_data = reorder(weights, weight_data, weights8);
  Floats dst8_data(static_cast<std::size_t>(dst8.places()));

  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = dnnl::memory::data_type::f32;
  const dnnl::memory::desc src_desc({N, C, H, W}, f32, FormatTag::nChw8c),
      weight_desc({O, C, K, K}, f32, FormatTag::OIhw8i8o),
      dst_desc({N, O, 5, 4}, f32, FormatTag::nChw8c);
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      src_desc, weight_desc, dst_desc, {1, 1}, {0, 0}, {0, 0});
  dnnl::convolution_forward({desc, engine})
      .execute(stream,
               {{DNNL_ARG_SRC, {src_desc, engine, src8_data.data()}},
                {DNNL_ARG_WEIGHTS, {weight_desc, engine, weight8_data.data()}},
                {DNNL_ARG_DST, {dst_desc, engine, dst8_data.data()}}});
  stream.wait();

  const Floats result = reorder(dst8, dst8_data, dst);
  const bool equal =
      result == plain_convolution(src_data, weight_data, src, weights, dst);
  std::printf("oneDNN on our buffers %s the plain loop\n",
              equal ? "equals" : "DIFFERS from");
  return equal ? 0 : 1;
}
