// The pitfall of zero padding: an element-wise operation with op(0) != 0, run
// over the whole buffer, fills the padding with values that the next reader of
// the block takes for zeros. Found by asking what each place holds; avoided by
// working on elements only, or by zeroing the padding again.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <vector>

#include "must.hpp"
#include "stridewise/stridewise.hpp"

using namespace stridewise;

namespace {

// Places of padding that are not zero, the first of them named.
int dirty_padding(const Layout& layout, const std::vector<float>& data) {
  std::vector<std::int64_t> index(layout.shape().size());
  int dirty = 0;
  for (std::int64_t p = 0; p < layout.places(); ++p) {
    const float value = data[static_cast<std::size_t>(p)];
    if (value == 0 || layout.element_at(p, index) == Place::element) continue;
    if (dirty++ == 0) {
      std::printf("  first at element offset %lld: %g\n",
                  static_cast<long long>(p), static_cast<double>(value));
    }
  }
  return dirty;
}

// A 1x1 convolution with weights of one reads whole blocks, padding included.
float sum_of_blocks(const std::vector<float>& data) {
  float sum = 0;
  for (const float value : data) sum += value;
  return sum;
}

}  // namespace

int main() {
  const Shape shape = {{"n", 1}, {"c", 17}, {"h", 2}, {"w", 2}};
  const Layout layout = must(bind_layout("nChw8c", shape, 4));
  const auto places = static_cast<std::size_t>(layout.places());
  std::vector<float> zeros(places, 0.0F);  // 68 elements, all 0; exp(0) is 1

  std::vector<float> wrong = zeros;
  for (float& value : wrong) value = std::exp(value);
  std::printf("exp over the whole buffer:\n");
  const int dirty = dirty_padding(layout, wrong);
  std::printf("  %d places of padding are not zero; blocks sum to %g\n", dirty,
              static_cast<double>(sum_of_blocks(wrong)));

  std::vector<float> right = zeros;
  std::vector<std::int64_t> index(4);
  for (std::int64_t p = 0; p < layout.places(); ++p) {
    float& value = right[static_cast<std::size_t>(p)];
    if (layout.element_at(p, index) == Place::element) value = std::exp(value);
  }
  std::printf("exp over the elements:\n");
  const int clean = dirty_padding(layout, right);
  std::printf("  %d places of padding are not zero; blocks sum to %g\n", clean,
              static_cast<double>(sum_of_blocks(right)));

  // Or mend it: a reorder to the same layout writes zeros around the elements.
  std::vector<float> mended(places);
  must(Plan::make(layout, layout))
      .run(reinterpret_cast<const std::byte*>(wrong.data()),
           reinterpret_cast<std::byte*>(mended.data()));
  return dirty == 28 && clean == 0 && mended == right ? 0 : 1;
}
