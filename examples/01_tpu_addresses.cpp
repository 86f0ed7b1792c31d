// Address arithmetic for the author of a TPU kernel: where the channels of a
// tensor lie on the NPUs, what is at an address of a dump, and what a kernel
// must add to its pointers.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "must.hpp"
#include "stridewise/stridewise.hpp"
#include "stridewise/vendor/okk.hpp"

using namespace stridewise;

int main() {
  // 4 NPUs of 4 KiB; the tensor starts at NPU 2, 128 bytes in.
  const std::int64_t npus = 4;
  const std::int64_t npu_bytes = 4096;
  const std::int64_t address = 2 * npu_bytes + 128;
  const okk::LocalAddress start =
      must(okk::local_address(address, npus, npu_bytes));
  std::printf(
      "address %lld: NPU %lld, offset %lld\n", static_cast<long long>(address),
      static_cast<long long>(start.npu), static_cast<long long>(start.offset));

  const Shape shape = {{"n", 2}, {"c", 5}, {"h", 4}, {"w", 5}};
  const Layout layout = must(
      bind_layout("okk.aligned(npus=4,npu_bytes=4096,addr=8320)", shape, 4));

  // The strides that a kernel's instructions take, from the vendor's rule and
  // from the layout: they must agree.
  const okk::Dim4 strides =
      must(okk::aligned_strides(start.npu, {2, 5, 4, 5}, 4, npus));
  const auto terms = layout.terms();  // npu digit, then n, c, h, w
  const okk::Dim4 bound = {terms[1].stride, terms[2].stride, terms[3].stride,
                           terms[4].stride};
  std::printf("strides n %lld, c %lld, h %lld, w %lld\n",
              static_cast<long long>(bound.n), static_cast<long long>(bound.c),
              static_cast<long long>(bound.h), static_cast<long long>(bound.w));
  if (strides != bound) return 1;

  // Where is channel 3 of image 1, and what is 8 bytes further on?
  const std::array<std::int64_t, 4> index = {1, 3, 0, 0};
  std::array<std::int64_t, 2> at{};
  layout.coordinates_of(index, at);
  const std::int64_t offset = layout.offset(index);
  std::printf("(1,3,0,0): NPU %lld, byte %lld of it\n",
              static_cast<long long>(at[0]), static_cast<long long>(at[1] * 4));

  std::array<std::int64_t, 4> back{};
  if (layout.element_at(offset + 2, back) != Place::element) return 1;
  std::printf("8 bytes on: (%lld,%lld,%lld,%lld)\n",
              static_cast<long long>(back[0]), static_cast<long long>(back[1]),
              static_cast<long long>(back[2]), static_cast<long long>(back[3]));
  return back == std::array<std::int64_t, 4>{1, 3, 0, 2} ? 0 : 1;
}
