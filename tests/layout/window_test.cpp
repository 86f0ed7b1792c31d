// Windows of layouts: the same places as the layout's own, in the same memory.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/world.hpp"

namespace stridewise::testing {
namespace {

using Index = std::vector<std::int64_t>;

std::vector<Slice> random_box(const Shape& shape) {
  std::vector<Slice> box;
  for (const Dim& dim : shape) {
    if (dim.extent == 0 || in_range(0, 2) == 0) continue;
    const std::int64_t low = in_range(0, dim.extent - 1);
    const std::int64_t high = in_range(low + 1, dim.extent);
    const bool open = high == dim.extent && in_range(0, 1) == 0;
    box.push_back({dim.name, low, open ? -1 : high});
  }
  return box;
}

std::int64_t low_of(const std::vector<Slice>& box, const std::string& dim) {
  const auto range = std::ranges::find(box, dim, &Slice::dim);
  return range == box.end() ? 0 : range->low;
}

// What is wrong with a window of a layout; "" where all is right.
std::string broken_window(const Layout& whole, const std::vector<Slice>& box,
                          const Layout& window) {
  if (window.size_bits() != whole.size_bits()) {
    return fmt::format("{} bits of memory, not {}", window.size_bits(),
                       whole.size_bits());
  }
  std::string wrong;
  Index found(32);
  for_each_index(window.shape(), [&](const Index& x) {
    Index parent = x;
    for (std::size_t d = 0; d < x.size(); ++d) {
      parent[d] += low_of(box, window.shape()[d].name);
    }
    for (std::int64_t b = 0; b < whole.element_bits(); ++b) {
      const std::int64_t bit = window.bit_of(x, b);
      if (bit != whole.bit_of(parent, b)) {
        wrong = fmt::format("bit {} at {}, not {}", b, bit,
                            whole.bit_of(parent, b));
      }
      const Found back = window.find(bit, found);
      if (back.place != Place::element || back.bit != b ||
          !std::equal(x.begin(), x.end(), found.begin())) {
        wrong = fmt::format("the inverse of bit {} is another", bit);
      }
    }
  });
  return wrong;
}

TEST(Window, OfEveryLayoutThatPeopleUse) {
  int windows = 0;
  for (const WorldEntry& entry : world()) {
    const Layout memory = layout_of(entry);
    for (const Tensor& tensor : memory.tensors()) {
      const Layout whole = *memory.part(tensor.name);
      for (const Dim& dim : whole.shape()) {
        if (dim.extent < 2) continue;
        const std::vector<Slice> box = {{dim.name, dim.extent / 3, -1}};
        const Result<Layout> window = whole.window(box);
        if (!window) {
          // Cut, sliced, or a digit that the part leaves out.
          EXPECT_TRUE(window.error().code == ErrorCode::unsupported ||
                      dim.name.find('/') != std::string::npos)
              << entry.name << ": " << window.error().message;
          continue;
        }
        ++windows;
        EXPECT_EQ(broken_window(whole, box, *window), "")
            << entry.name << " " << dim.name;
      }
    }
  }
  EXPECT_GT(windows, 250);
}

RC_GTEST_PROP(WindowLaws, OfRandomLayouts, ()) {
  const Shape shape = random_shape();
  const std::string text = random_text(shape);
  const Layout memory =
      *Layout::bind(*parse_expression(text), shape,
                    Binding{.element_bits = random_element_bits()});
  RC_PRE(memory.size_bits() < 1 << 18);
  const auto chosen = static_cast<std::size_t>(
      in_range(0, static_cast<std::int64_t>(memory.tensors().size()) - 1));
  const Layout whole = *memory.part(memory.tensors()[chosen].name);
  RC_PRE(whole.elements() > 0);
  const std::vector<Slice> box = random_box(whole.shape());
  const Result<Layout> window = whole.window(box);
  RC_LOG() << text << " of " << print(shape);
  if (!window) {
    RC_LOG() << window.error().message;
    RC_ASSERT(window.error().code == ErrorCode::unsupported ||
              window.error().message.find('/') != std::string::npos);
    return;
  }
  RC_LOG() << print(window->expression()) << " of " << print(window->shape());
  RC_ASSERT(*parse_expression(print(window->expression())) ==
            window->expression());
  const std::string wrong = broken_window(whole, box, *window);
  RC_LOG() << wrong;
  RC_ASSERT(wrong.empty());
}

TEST(Window, IsWrittenInTheNotation) {
  const Layout image = *Layout::bind(*parse_expression("h:100B w c"),
                                     {{"h", 8}, {"w", 10}, {"c", 3}}, 1);
  const std::vector<Slice> box = {{"h", 2, 6}, {"w", 5, -1}};
  const Layout window = *image.window(box);
  EXPECT_EQ(print(window.expression()), "(h+2+2):100B (w+5) c");
  EXPECT_EQ(print(window.shape()), "h=4,w=5,c=3");
  EXPECT_TRUE(window.plain());
  EXPECT_TRUE(window.valid());
  // A window of a window.
  const std::vector<Slice> inner = {{"h", 1, 2}};
  const Layout again = *window.window(inner);
  EXPECT_EQ(again.offset(0, 0, 0), 3 * 100 + 15);
  EXPECT_EQ(again.size_bytes(), image.size_bytes());
}

// A stride of a dim of one index is never taken; that of a window of one index is.
TEST(Window, OfOneIndexKeepsTheMemory) {
  for (const char* text : {"n:999 c/4:50 c%4", "c/4:50 n c%4", "c:9 n:70"}) {
    const Layout whole =
        *Layout::bind(*parse_expression(text), {{"n", 3}, {"c", 10}}, 4);
    for (std::int64_t c = 0; c < 10; ++c) {
      const std::vector<Slice> box = {{"c", c, c + 1}, {"n", 1, 2}};
      EXPECT_EQ(broken_window(whole, box, *whole.window(box)), "") << text;
    }
  }
}

TEST(Window, SaysWhatIsWrong) {
  const Layout layout =
      *Layout::bind(*parse_expression("h w"), {{"h", 4}, {"w", 5}}, 4);
  const auto error = [&](const Layout& of, const std::vector<Slice>& box) {
    const Result<Layout> window = of.window(box);
    return window ? std::string("none") : window.error().message;
  };
  EXPECT_EQ(error(layout, {{"x", 0, 1}}),
            "the window x=0..1: the tensor has no such dim");
  EXPECT_EQ(error(layout, {{"h", 0, 5}}),
            "the window h=0..5: the dim has 4 indices");
  EXPECT_EQ(error(layout, {{"h", 2, 2}}), "the window h=2..2: it is empty");
  EXPECT_EQ(error(layout, {{"h", -3, 2}}),
            "the window h=-3..2: the dim has 4 indices");
  EXPECT_EQ(error(layout, {{"h", 0, 2}, {"h", 1, 2}}),
            "the window h=1..2: the dim has a range already");
  const Layout cut =
      *Layout::bind(*parse_expression("h!3 w h"), {{"h", 4}, {"w", 5}}, 4);
  EXPECT_EQ(cut.window(std::vector<Slice>{{"h", 1, 2}}).error().code,
            ErrorCode::unsupported);
  EXPECT_TRUE(cut.window(std::vector<Slice>{{"h", 0, -1}, {"w", 1, 2}}));
  const Layout two =
      *Layout::bind(*parse_expression("{ a = h ; b = h }"), {{"h", 4}}, 4);
  EXPECT_EQ(two.window(std::vector<Slice>{{"h", 1, 2}}).error().code,
            ErrorCode::mismatch);
  EXPECT_EQ(two.part("b")->window(std::vector<Slice>{{"h", 1, 2}})->offset(0),
            5);
}

}  // namespace
}  // namespace stridewise::testing
