// The n-th allocation of a call fails, for every n: the call gives a Result or throws
// bad_alloc, keeps nothing, and what it was to write is as it was.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "stridewise/emit.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/stridewise.hpp"

namespace {

// Of all threads of this program.
std::atomic<std::int64_t> until_failure = -1;  // below 0: none fails
std::atomic<std::int64_t> live = 0;
std::atomic<bool> failed = false;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (until_failure >= 0 && until_failure-- == 0) {
    failed = true;
    return nullptr;
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment, sizeof(void*)),
                       std::max<std::size_t>(size, 1)) != 0) {
    return nullptr;
  }
  ++live;
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  --live;
  std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, usual); }
void* operator new[](std::size_t size) {
  return allocate_or_throw(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, usual);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, usual);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}

namespace stridewise {
namespace {

namespace fs = std::filesystem;

// Calls `call` again and again, the n-th allocation failing, until it has fewer. After each
// time `is_unharmed` is asked. Returns how many there were.
std::int64_t starve(const std::function<void()>& call,
                    const std::function<bool()>& is_unharmed = {}) {
  call();  // what is made once is there
  EXPECT_TRUE(!is_unharmed || is_unharmed()) << "where nothing fails";
  std::int64_t n = 0;
  for (bool reached = true; reached; ++n) {
    const std::int64_t before = live;
    failed = false;
    until_failure = n;
    try {
      call();
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(failed) << "not the one that was made to fail";
    }
    until_failure = -1;
    reached = failed;
    EXPECT_EQ(live, before) << "allocation " << n << " leaves memory behind";
    EXPECT_TRUE(!is_unharmed || is_unharmed()) << "allocation " << n;
    if (::testing::Test::HasFailure()) break;
  }
  return n - 1;
}

Layout bound(std::string_view text, std::string_view shape,
             std::int64_t bits = 8) {
  return *resolve_layout(text)->bind(*parse_shape(shape),
                                     Binding{.element_bits = bits});
}

TEST(Allocations, Texts) {
  const char* const text =
      "k := c/4 h w c%4; { a[c 0..4]:u4 = k/16 n%2^c%2 ; [c 4..] = ~c<1,0> }";
  EXPECT_GT(starve([&] { (void)parse_expression(text); }), 10);
  EXPECT_GT(starve([&] { (void)parse_expression("n c ( h"); }), 1);
  EXPECT_GT(starve([] { (void)parse_shape("n=2,c=17,h=5,w=x"); }), 1);
  EXPECT_GT(starve([] { (void)resolve_layout("nChw16c"); }), 10);
  EXPECT_GT(starve([] { (void)resolve_layout("okk.aligned(start=3)"); }), 10);
  EXPECT_GT(starve([] { (void)resolve_layout("nChw16d"); }), 10);
  EXPECT_GT(starve([] { (void)resolve_layout("{1,0:T(8,128)(2,1)}"); }), 10);
}

TEST(Allocations, Layouts) {
  for (const char* text :
       {"n c/16 h w c%16", "row=n h |^64B| pixel=c/4 w | lane=c%4",
        "k := c/4 h w c%4; k/16 n/16 n%16 k%16", "c!16,3 n h w",
        "n h { s:u16 = - ; c/2 w c%2 #}"}) {
    const Expression expression = *parse_expression(text);
    const Shape shape = *parse_shape("n=2,c=17,h=5,w=4");
    const auto bind = [&] {
      const Result<Layout> layout =
          Layout::bind(expression, shape, Binding{.element_bits = 4});
      if (layout) (void)print(layout->expression());
    };
    EXPECT_GT(starve(bind), 10) << text;
  }
  const Layout layout = bound("n c h w", "n=2,c=17,h=5,w=4");
  EXPECT_GT(starve([&] { (void)print_as(layout, Dialect::onednn); }), 3);
  EXPECT_GT(starve([&] { (void)emit(layout); }), 10);
  const Layout small = bound("n c/2 h w c%2", "n=1,c=3,h=2,w=2");
  EXPECT_GT(starve([&] { (void)draw_svg(small); }), 100);
  EXPECT_GT(starve([&] { (void)draw_terminal(small); }), 100);
}

struct Case {
  const char* src;
  const char* dst;
  const char* shape;
  std::int64_t bits;
};

// Plans, and what they do where there is no memory for them.
TEST(Allocations, Plans) {
  for (const Case& c :
       {Case{"n c h w", "n c/16 h w c%16", "n=1,c=40,h=9,w=9", 32},
        Case{"n h w c", "n c h w", "n=1,c=64,h=64,w=64", 32},
        Case{"r c%64/8^r%8 c%8", "r c", "r=16,c=64", 16},
        Case{"k n", "n k", "k=128,n=256", 4},
        Case{"c!3 n #", "n ~c", "n=8,c=33", 6}}) {
    const Layout src = bound(c.src, c.shape, c.bits);
    const Layout dst = bound(c.dst, c.shape, c.bits);
    EXPECT_GT(starve([&] { (void)Plan::make(src, dst); }), 10) << c.dst;
    std::vector<std::byte> in(static_cast<std::size_t>(src.size_bytes()));
    for (std::size_t k = 0; k < in.size(); ++k) {
      in[k] = static_cast<std::byte>(k * 37 + (k >> 8));
    }
    std::vector<std::byte> expected(static_cast<std::size_t>(dst.size_bytes()));
    std::vector<std::byte> out(expected.size());
    reorder_reference(src, dst, in.data(), expected.data());
    const Plan plan = *Plan::make(src, dst);
    const auto run = [&] {
      std::ranges::fill(out, std::byte{0xee});
      plan.run(in.data(), out.data());
    };
    starve(run, [&] { return out == expected; });
  }
}

TEST(Allocations, PlansWhoseValuesChange) {
  const Layout src = bound("{ d:u8 = n ; c n # }", "n=9,c=33", 6);
  const Layout from = *src.part("");
  const Layout to = bound("n c/4 ~c%4", "n=9,c=33", 4);
  PlanOptions options;
  options.values = Values{*parse_element_type("u6"), *parse_element_type("u4")};
  std::vector<std::byte> in(static_cast<std::size_t>(from.size_bytes()),
                            std::byte{0x5c});
  std::vector<std::byte> expected(static_cast<std::size_t>(to.size_bytes()));
  std::vector<std::byte> out(expected.size());
  reorder_reference(from, to, in.data(), expected.data(), Fill::zero,
                    *options.values);
  EXPECT_GT(starve([&] { (void)Plan::make(from, to, options); }), 10);
  const Plan plan = *Plan::make(from, to, options);
  const auto run = [&] {
    std::ranges::fill(out, std::byte{0xee});
    plan.run(in.data(), out.data());
  };
  EXPECT_GT(starve(run, [&] { return out == expected; }), 0);
}

TEST(Allocations, CachesOfPlans) {
  const Layout src = bound("n c h w", "n=1,c=40,h=9,w=9");
  const Layout dst = bound("n h w c", "n=1,c=40,h=9,w=9");
  PlanCache cache(2);
  EXPECT_GT(starve([&] {
              cache.clear();
              (void)cache.get(src, dst);
              cache.clear();
            }),
            10);
  EXPECT_TRUE(cache.get(src, dst));
}

TEST(Allocations, DumpsThatAreExplained) {
  const Layout layout = bound("h w", "h=3,w=8");
  std::vector<std::byte> reference(24), dump(24);
  std::iota(reinterpret_cast<unsigned char*>(reference.data()),
            reinterpret_cast<unsigned char*>(reference.data()) + 24,
            static_cast<unsigned char>(1));
  Plan::make(layout, bound("w/4 h w%4", "h=3,w=8"))
      ->run(reference.data(), dump.data());
  InferOptions options;
  options.shape = layout.shape();
  options.element_bytes = 1;
  const std::vector<InferPair> pairs = {{reference, dump}};
  EXPECT_GT(starve([&] { (void)infer(pairs, options); }), 100);
}

TEST(Allocations, ScalesOfADim) {
  const Layout src = bound("n c", "n=9,c=33", 8);
  const Layout dst = bound("c n", "n=9,c=33", 32);
  const Values values{*parse_element_type("s8"), *parse_element_type("f32")};
  const Scales scales{"n", std::vector<Quantisation>(9, {0.5F, 1})};
  const std::vector<std::byte> in(static_cast<std::size_t>(src.size_bytes()));
  std::vector<std::byte> out(static_cast<std::size_t>(dst.size_bytes()));
  EXPECT_GT(starve([&] {
              (void)convert_scaled(src, in.data(), dst, out.data(), values,
                                   scales, sequential_for);
            }),
            10);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "allocations-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    std::ofstream(folder / "in.bin", std::ios::binary)
        << std::string(2 * 17 * 5 * 4, 'x');
    std::ofstream(folder / "out.bin", std::ios::binary) << "what was there";
  }
  void TearDown() override { fs::remove_all(folder); }

  // Converts; what is there after it is old or new, and nothing else is.
  void expect_whole(const ConvertOptions& options, const std::string& out) {
    const std::string before = bytes_of(folder / out);
    ASSERT_TRUE(convert_file(options));
    const std::string after = bytes_of(folder / out);
    const auto put_back = [&] {
      std::ofstream(folder / out, std::ios::binary) << before;
    };
    const auto files = [&] {
      return std::distance(fs::directory_iterator(folder),
                           fs::directory_iterator());
    };
    const auto there = files();
    bool done = false;
    EXPECT_GT(starve(
                  [&] {
                    done = false;
                    done = convert_file(options).has_value();
                  },
                  [&] {
                    const std::string now = bytes_of(folder / out);
                    const bool good = now == (done ? after : before);
                    put_back();
                    return good && files() == there;
                  }),
              50);
  }

  [[nodiscard]] ConvertOptions to(const char* out, const char* layout) const {
    ConvertOptions options;
    options.in = folder / "in.bin";
    options.out = folder / out;
    options.from = *resolve_layout("nchw");
    options.to = *resolve_layout(layout);
    options.shape = parse_shape("n=2,c=17,h=5,w=4").value();
    options.type = parse_element_type("u8").value();
    return options;
  }

  fs::path folder;
};
using AllocationsOfFiles = Files;

TEST_F(AllocationsOfFiles, OutIsOldOrNew) {
  expect_whole(to("out.bin", "nChw8c"), "out.bin");
}

TEST_F(AllocationsOfFiles, WindowsKeepWhatIsBeside) {
  std::ofstream(folder / "out.npy", std::ios::binary)
      << make_npy_header(*parse_element_type("u8"),
                         std::vector<std::int64_t>{2, 17, 5, 4})
      << std::string(2 * 17 * 5 * 4, 'y');
  ConvertOptions options = to("out.npy", "nchw");
  options.to_shape = options.shape;
  options.from_window = parse_window("h=0..2").value();
  options.to_window = parse_window("h=3..5").value();
  expect_whole(options, "out.npy");
}

}  // namespace
}  // namespace stridewise
