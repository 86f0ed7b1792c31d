// Tensors on an OpenCL device, against the reference on the host and, for
// images, against pixels that are put together here by formulas of their own.
// Every queue checks bounds: drivers drop writes outside of an image silently.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/opencl.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "stridewise/catalogue.hpp"
#include "stridewise/values.hpp"
#include "support/emitted.hpp"

namespace stridewise::opencl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::layout_of;
using testing::value_or_throw;

using Bytes = std::vector<std::byte>;

// Sanitizers: fewer types.
bool slow() { return std::getenv("STRIDEWISE_SLOW") != nullptr; }

template <class T>
T ok(Result<T> result) {
  return value_or_throw(std::move(result));
}
void ok(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().to_string());
}

const Queue& queue() {
  // Kernels check their own bounds, but where a simulator does: one that leaves
  // out what lies outside would leave it nothing to see.
  static const bool checks = std::getenv("STRIDEWISE_UNCHECKED") == nullptr;
  // Never destroyed: drivers end before the statics of a program do.
  static const Queue& opened =
      *new Queue(ok(Queue::open(0, {.check_bounds = checks})));
  return opened;
}

ElementType type_of(const std::string& name) {
  return *parse_element_type(name);
}

Layout bound(const std::string& text, const Shape& shape,
             const ElementType& type) {
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.name);
  return ok(ok(resolve_layout(text, dims)).bind(shape, type.bytes()));
}

// The dims in the order of the shape, densely.
Layout plain(const Shape& shape, const ElementType& type) {
  std::string text;
  for (const Dim& dim : shape) text += dim.name + " ";
  return bound(text, shape, type);
}

Bytes bytes_of(const Layout& layout) {
  return Bytes(static_cast<std::size_t>(layout.size_bytes()));
}

// Element k has the value k + 1, as far as the type holds it.
Bytes numbers(std::int64_t count, const ElementType& type) {
  Bytes bytes(static_cast<std::size_t>(count * type.bytes()));
  for (std::int64_t k = 0; k < count; ++k) {
    std::byte* const at = bytes.data() + k * type.bytes();
    if (type.name == "f32" || type.name == "f16") {
      const float value = static_cast<float>(k % 2000 + 1) * 0.25F;
      convert_values({type_of("f32"), type},
                     reinterpret_cast<const std::byte*>(&value), at, 1);
    } else {
      const std::int64_t value = k % 127 + 1;
      std::memcpy(
          at, &value,
          static_cast<std::size_t>(std::min<std::int64_t>(type.bytes(), 8)));
    }
  }
  return bytes;
}

Bytes noise(const Layout& layout) {
  Bytes bytes = bytes_of(layout);
  std::uint32_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

// What clEnqueueReadImage alone says.
Bytes pixels(const Tensor& image) {
  const auto width = static_cast<std::size_t>(image.size().width);
  const auto height = static_cast<std::size_t>(image.size().height);
  Bytes bytes(width * height * 4 *
              static_cast<std::size_t>(image.type().bytes()));
  const std::size_t origin[] = {0, 0, 0};
  const std::size_t region[] = {width, height, 1};
  EXPECT_EQ(clEnqueueReadImage(queue().get(), image.get(), CL_TRUE, origin,
                               region, 0, 0, bytes.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  return bytes;
}

// --------------------------------------------------------- image layouts ---

struct Pixel {
  std::int64_t x, y, lane;
};

std::int64_t up4(std::int64_t x) { return (x + 3) / 4; }

// An image layout by the vendor's tables: its size, and where an element is.
// Indices and extents are in the entry's logical order.
struct Formula {
  std::string name;
  Shape shape;
  std::function<ImageSize(std::span<const std::int64_t>)> size;
  std::function<Pixel(std::span<const std::int64_t>,
                      std::span<const std::int64_t>)>
      pixel;
};

std::vector<Formula> formulas() {
  using X = std::span<const std::int64_t>;
  const Shape nchw = {{"n", 2}, {"c", 6}, {"h", 5}, {"w", 7}};
  const Shape oihw = {{"o", 6}, {"i", 7}, {"h", 3}, {"w", 2}};
  return {
      {"mace.channel", nchw,
       [](X e) {
         return ImageSize{e[3] * up4(e[1]), e[0] * e[2]};
       },
       [](X x, X e) {
         return Pixel{x[1] / 4 * e[3] + x[3], x[0] * e[2] + x[2], x[1] % 4};
       }},
      {"mace.height", nchw,
       [](X e) {
         return ImageSize{e[3] * e[1], e[0] * up4(e[2])};
       },
       [](X x, X e) {
         return Pixel{x[1] * e[3] + x[3], x[0] * up4(e[2]) + x[2] / 4,
                      x[2] % 4};
       }},
      {"mace.width", nchw,
       [](X e) {
         return ImageSize{up4(e[3]) * e[1], e[0] * e[2]};
       },
       [](X x, X e) {
         return Pixel{x[1] * up4(e[3]) + x[3] / 4, x[0] * e[2] + x[2],
                      x[3] % 4};
       }},
      {"mace.filter", oihw,
       [](X e) {
         return ImageSize{e[1], up4(e[0]) * e[2] * e[3]};
       },
       [](X x, X e) {
         return Pixel{x[1], (x[0] / 4 * e[2] + x[2]) * e[3] + x[3], x[0] % 4};
       }},
      {"mace.filter-2018", oihw,
       [](X e) {
         return ImageSize{up4(e[1]) * 4, up4(e[0]) * e[2] * e[3]};
       },
       [](X x, X e) {
         return Pixel{x[1], (x[0] / 4 * e[2] + x[2]) * e[3] + x[3], x[0] % 4};
       }},
      {"mace.weight-height", oihw,
       [](X e) {
         return ImageSize{e[1] * e[2] * e[3], up4(e[0])};
       },
       [](X x, X e) {
         return Pixel{(x[2] * e[3] + x[3]) * e[1] + x[1], x[0] / 4, x[0] % 4};
       }},
      {"mace.weight-width", oihw,
       [](X e) {
         return ImageSize{up4(e[1]) * e[2] * e[3], e[0]};
       },
       [](X x, X e) {
         return Pixel{(x[2] * e[3] + x[3]) * up4(e[1]) + x[1] / 4, x[0],
                      x[1] % 4};
       }},
      {"mace.depthwise",
       {{"m", 1}, {"i", 7}, {"h", 3}, {"w", 3}},
       [](X e) {
         return ImageSize{e[2] * e[3] * e[0], up4(e[1])};
       },
       [](X x, X e) {
         return Pixel{x[2] * e[3] + x[3], x[1] / 4, x[1] % 4};
       }},
      {"mace.argument",
       {{"w", 11}},
       [](X e) {
         return ImageSize{up4(e[0]), 1};
       },
       [](X x, X) {
         return Pixel{x[0] / 4, 0, x[0] % 4};
       }},
  };
}

TEST(Images, EveryImageLayoutOfTheCatalogueIsTested) {
  std::vector<std::string> tested;
  for (const Formula& formula : formulas()) tested.push_back(formula.name);
  for (const CatalogueEntry& entry : catalogue()) {
    if (!entry.params.empty() || entry.name == "onednn.TAG") continue;
    Shape shape;
    for (const std::string_view dim : entry.dims) {
      shape.push_back({std::string(dim), 1});
    }
    const auto source = resolve_layout(entry.name);
    const auto layout = source ? source->bind(shape, 4)
                               : Result<Layout>(unexpected(source.error()));
    if (layout && image_size(*layout)) {
      EXPECT_THAT(tested, ::testing::Contains(entry.name));
    }
  }
}

// The formulas for their own shapes; for one type also for multiples of four, and
// for extents that are less than a pixel.
std::vector<Formula> formulas_for(const ElementType& type) {
  std::vector<Formula> all = formulas();
  if (type.name != "f32") return all;
  for (const Formula& formula : formulas()) {
    Formula whole = formula;
    Formula small = formula;
    for (std::size_t d = 0; d < formula.shape.size(); ++d) {
      if (formula.shape[d].extent == 1) continue;
      whole.shape[d].extent = up4(formula.shape[d].extent) * 4;
      small.shape[d].extent = static_cast<std::int64_t>(1 + d % 3);
    }
    all.push_back(whole);
    all.push_back(small);
  }
  return all;
}

class ImageLayouts : public ::testing::TestWithParam<std::string> {};

TEST_P(ImageLayouts, UploadAndDownload) {
  const ElementType type = type_of(GetParam());
  for (const Formula& formula : formulas_for(type)) {
    SCOPED_TRACE(formula.name + " of " + print(formula.shape));
    const Layout host = plain(formula.shape, type);
    const Layout layout = bound(formula.name, formula.shape, type);
    const Tensor image = ok(Tensor::image(queue(), layout, type));
    std::vector<std::int64_t> extents;
    for (const Dim& dim : formula.shape) extents.push_back(dim.extent);
    const ImageSize size = formula.size(extents);
    ASSERT_EQ(image.size().width, size.width);
    ASSERT_EQ(image.size().height, size.height);
    // What is not an element must become zero.
    const Bytes before = noise(layout);
    ok(queue().write(before, image));
    const Bytes values = numbers(host.elements(), type);
    ok(queue().upload(host, type, values, image));

    Bytes expected(before.size());
    const auto width = static_cast<std::size_t>(type.bytes());
    testing::for_each_index(formula.shape, [&](const auto& index) {
      const Pixel at = formula.pixel(index, extents);
      const auto place =
          static_cast<std::size_t>((at.y * size.width + at.x) * 4 + at.lane);
      std::memcpy(
          expected.data() + place * width,
          values.data() + static_cast<std::size_t>(host.offset(index)) * width,
          width);
    });
    ASSERT_EQ(pixels(image), expected);
    Bytes by_reference(before.size());
    reorder_reference(host, layout, values.data(), by_reference.data());
    ASSERT_EQ(expected, by_reference);

    Bytes back(values.size());
    ok(queue().download(image, host, type, back));
    ASSERT_EQ(back, values);
  }
}

std::vector<std::string> image_types() {
  if (slow()) return {"f16", "s8"};
  return {"f32", "f16", "u8", "s8"};
}
INSTANTIATE_TEST_SUITE_P(Types, ImageLayouts,
                         ::testing::ValuesIn(image_types()),
                         [](const auto& test) { return test.param; });

TEST(Images, WiderIntegersKeepTheirBits) {
  const Shape shape = {{"n", 1}, {"c", 5}, {"h", 2}, {"w", 3}};
  for (const std::string name : {"u16", "s16", "u32", "s32", "bool", "bf16"}) {
    const ElementType type = type_of(name);
    const Layout host = plain(shape, type);
    const Tensor image =
        ok(Tensor::image(queue(), bound("mace.channel", shape, type), type));
    const Bytes values = noise(host);
    ok(queue().upload(host, type, values, image));
    Bytes back(values.size());
    ok(queue().download(image, host, type, back));
    EXPECT_EQ(back, values) << name;
  }
}

TEST(Images, ImageToImage) {
  const Shape shape = {{"n", 2}, {"c", 5}, {"h", 3}, {"w", 6}};
  for (const auto& [from, to, src, dst] :
       {std::tuple{"mace.channel", "mace.height", "f32", "f32"},
        {"mace.width", "mace.channel", "f16", "f32"},
        {"mace.height", "mace.width", "f32", "f16"},
        {"mace.channel", "row=h w | pixel=c/4 n | lane=c%4", "u8", "u8"}}) {
    const ElementType src_type = type_of(src);
    const ElementType dst_type = type_of(dst);
    const Layout host = plain(shape, src_type);
    const Layout there = bound(to, shape, dst_type);
    const Tensor a =
        ok(Tensor::image(queue(), bound(from, shape, src_type), src_type));
    const Tensor b = ok(Tensor::image(queue(), there, dst_type));
    const Bytes values = numbers(host.elements(), src_type);
    ok(queue().upload(host, src_type, values, a));
    ok(queue().reorder(a, b));
    Bytes expected = bytes_of(there);
    reorder_reference(host, there, values.data(), expected.data(), Fill::zero,
                      {src_type, dst_type});
    EXPECT_EQ(pixels(b), expected) << from << " -> " << to;
  }
}

// --------------------------------------------------------------- buffers ---

void expect_buffers(const std::string& from, const std::string& to,
                    const Shape& shape, const std::string& dtype) {
  const ElementType type = type_of(dtype);
  const Layout src = bound(from, shape, type);
  const Layout dst = bound(to, shape, type);
  const Bytes values = noise(src);
  const Tensor a = ok(Tensor::buffer(queue(), src, type));
  const Tensor b = ok(Tensor::buffer(queue(), dst, type));
  ok(queue().write(values, a));
  for (const Fill fill : {Fill::keep, Fill::zero}) {
    Bytes expected = noise(dst);
    ok(queue().write(expected, b));
    reorder_reference(src, dst, values.data(), expected.data(), fill);
    ok(queue().reorder(a, b, {.fill = fill}));
    Bytes got = bytes_of(dst);
    ok(queue().read(b, got));
    EXPECT_EQ(got, expected) << from << " -> " << to << " " << dtype;
  }
}

TEST(Buffers, KeepBitsAndFillGaps) {
  const Shape shape = {{"n", 2}, {"c", 9}, {"h", 3}, {"w", 5}};
  expect_buffers("nchw", "nChw4c", shape, "f16");
  expect_buffers("okk.aligned(npus=4,npu_bytes=4096,start=3)", "nhwc", shape,
                 "f32");
  expect_buffers("nhwc", "n:999 c:^64B h w", shape, "u8");
  if (slow()) return;
  expect_buffers("nChw4c", "h:^32B w n c", shape, "f64");
  expect_buffers("nchw", "nhwc", shape, "c128");
  // Strides that interleave, digits that only the remainder theorem joins.
  expect_buffers("a b", "b a%2 a%3", {{"a", 6}, {"b", 3}}, "u16");
  expect_buffers("h:3 w:2", "h w", {{"h", 2}, {"w", 3}}, "s32");
}

// Every half, and floats at each place where rounding or range matters.
TEST(Buffers, HalvesAsTheHostConvertsThem) {
  const ElementType half = type_of("f16");
  const ElementType single = type_of("f32");
  const auto convert = [&](const ElementType& from, const ElementType& to,
                           const Bytes& values) {
    const Shape shape = {
        {"x", static_cast<std::int64_t>(values.size()) / from.bytes()}};
    const Layout dst = plain(shape, to);
    const Tensor a = ok(Tensor::buffer(queue(), plain(shape, from), from));
    const Tensor b = ok(Tensor::buffer(queue(), dst, to));
    ok(queue().write(values, a));
    ok(queue().reorder(a, b));
    Bytes got = bytes_of(dst);
    ok(queue().read(b, got));
    Bytes expected = bytes_of(dst);
    convert_values({from, to}, values.data(), expected.data(), shape[0].extent);
    const auto width = static_cast<std::size_t>(to.bytes());
    for (std::size_t at = 0; at < got.size(); at += width) {
      std::uint32_t value = 0;
      std::uint32_t wanted = 0;
      std::uint32_t source = 0;
      std::memcpy(&value, got.data() + at, width);
      std::memcpy(&wanted, expected.data() + at, width);
      std::memcpy(
          &source,
          values.data() + at / width * static_cast<std::size_t>(from.bytes()),
          static_cast<std::size_t>(from.bytes()));
      EXPECT_EQ(value, wanted)
          << std::hex << source << " of " << from.name << " to " << to.name
          << " is " << value << ", not " << wanted;
      if (value != wanted) break;
    }
    return got;
  };
  Bytes halves(65536 * 2);
  for (std::uint32_t k = 0; k < 65536; ++k) {
    const auto bits = static_cast<std::uint16_t>(k);
    std::memcpy(halves.data() + 2 * k, &bits, 2);
  }
  const Bytes singles = convert(half, single, halves);
  convert(single, half, singles);
  // Between neighbouring halves: just under, at and just over the middle.
  std::vector<float> middles;
  for (std::uint32_t k = 0; k + 1 < 0x7c00; ++k) {
    float low = 0;
    float high = 0;
    std::memcpy(&low, singles.data() + 4 * k, 4);
    std::memcpy(&high, singles.data() + 4 * (k + 1), 4);
    const float middle = low + (high - low) / 2;
    for (const float value :
         {std::nextafter(middle, low), middle, std::nextafter(middle, high)}) {
      middles.push_back(value);
      middles.push_back(-value);
    }
  }
  for (const float value : {65519.996F, 65520.0F, 1e30F, 1e-30F}) {
    middles.push_back(value);
  }
  Bytes bytes(middles.size() * 4);
  std::memcpy(bytes.data(), middles.data(), bytes.size());
  convert(single, half, bytes);
}

TEST(Images, HalvesThroughAnImage) {
  const Shape shape = {{"x", 60}};
  const Layout host = plain(shape, type_of("f32"));
  std::vector<float> values;
  for (int k = 0; k < 60; ++k) {
    values.push_back(
        std::ldexp(1.0F + static_cast<float>(k) / 4096, (k - 45) % 30) *
        (k % 2 == 0 ? 1.0F : -1.0F));
  }
  values[0] = std::numeric_limits<float>::infinity();
  values[1] = 65520.0F;
  const Layout there =
      bound("row=- | pixel=x/4 | lane=x%4", shape, type_of("f16"));
  const Tensor image = ok(Tensor::image(queue(), there, type_of("f16")));
  const auto bytes = std::as_bytes(std::span(values));
  ok(queue().upload(host, type_of("f32"), bytes, image));
  Bytes expected = bytes_of(there);
  convert_values({type_of("f32"), type_of("f16")}, bytes.data(),
                 expected.data(), 60);
  EXPECT_EQ(pixels(image), expected);
}

TEST(Buffers, RandomLayouts) {
  std::mt19937 draws(3);
  testing::UnrecordedDraws::current() = &draws;
  const ElementType type = type_of("f32");
  for (int k = 0; k < (slow() ? 3 : 12); ++k) {
    const Shape shape = testing::random_shape();
    const Layout src = testing::random_valid_layout(shape, 4);
    const Layout dst = testing::random_valid_layout(shape, 4);
    const Bytes values = noise(src);
    const Tensor a = ok(Tensor::buffer(queue(), src, type));
    const Tensor b = ok(Tensor::buffer(queue(), dst, type));
    ok(queue().write(values, a));
    ok(queue().write(noise(dst), b));
    ok(queue().reorder(a, b));
    Bytes got = bytes_of(dst);
    ok(queue().read(b, got));
    Bytes expected = bytes_of(dst);
    reorder_reference(src, dst, values.data(), expected.data());
    EXPECT_EQ(got, expected)
        << print(src.expression()) << " -> " << print(dst.expression());
  }
  testing::UnrecordedDraws::current() = nullptr;
}

// ------------------------------------------- layouts beyond plain digits ---

Layout bound_part(const std::string& text, const std::string& shape,
                  const ElementType& type, const std::string& part = "",
                  const std::vector<std::int64_t>& table = {}) {
  Binding binding{.element_bits = type.bits};
  if (!table.empty()) binding.tables["T"] = table;
  const Layout memory =
      ok(ok(resolve_layout(text)).bind(*parse_shape(shape), binding));
  return part.empty() ? memory : ok(memory.part(part));
}

// On the device as by the reference, over what dst held.
void expect_as_the_reference(const Layout& src, const Layout& dst,
                             const ElementType& type, Fill fill) {
  const Bytes values = noise(src);
  Bytes held = noise(dst);
  const Tensor a = ok(Tensor::buffer(queue(), src, type));
  const Tensor b = ok(Tensor::buffer(queue(), dst, type));
  ok(queue().write(values, a));
  ok(queue().write(held, b));
  ok(queue().reorder(a, b, {.fill = fill}));
  Bytes got = bytes_of(dst);
  ok(queue().read(b, got));
  if (fill == Fill::zero) std::ranges::fill(held, std::byte{0});
  reorder_reference(src, dst, values.data(), held.data(), Fill::keep);
  EXPECT_EQ(got, held) << print(src.expression()) << " -> "
                       << print(dst.expression());
}

TEST(Beyond, PlainDigits) {
  const std::vector<std::int64_t> pages = {7, 2, 5, 0, 3, 6};
  struct Case {
    const char* text;
    const char* shape;
    const char* type;
    bool dst = true;
  };
  for (const Case& c :
       {Case{"r c%64/8^r%8 c%8", "r=20,c=64", "f16"},
        {"h ~w ~c", "h=5,w=7,c=3", "u8"},
        {"n/8 k/4 k%4-n%4 n%8", "n=11,k=13", "f32"},
        {"k := c/4 h w c%4; k/16 n/16 n%16 k%16", "n=20,c=3,h=3,w=3", "f16"},
        {"x<3,1,4,0,2> y", "x=5,y=7", "u32"},
        {"k!16 n/8 k n%8", "k=37,n=20", "f16"},
        {"g := b s/16; page=g<T> | h d/8 s%16 d%8", "b=2,h=3,s=40,d=16", "f16"},
        {"rank=i//2 *3 | i%%2 j", "i=10,j=6", "f32"},
        {"h w:-3", "h=4,w=3", "s8"},
        {"y:0 x", "y=4,x=9", "f32", false},
        {"(h+1+1) w", "h=4,w=3", "u16"}}) {
    const ElementType type = type_of(c.type);
    const bool paged =
        std::string_view(c.text).find("<T>") != std::string::npos;
    const Layout layout = bound_part(
        c.text, c.shape, type, "", paged ? pages : std::vector<std::int64_t>());
    const Layout rows = plain(layout.shape(), type);
    expect_as_the_reference(layout, rows, type, Fill::zero);
    if (!c.dst) continue;
    for (const Fill fill : {Fill::zero, Fill::keep}) {
      expect_as_the_reference(rows, layout, type, fill);
    }
  }
}

// Parts of records: their elements may lie between multiples of their width.
TEST(Beyond, Parts) {
  struct Case {
    const char* text;
    const char* shape;
    const char* part;
    const char* type;
    const char* alone;  // the part's rows
  };
  for (const Case& c :
       {Case{"n k/32 { d:f16 = - ; q:s8 = k%32 }", "n=3,k=96", "q", "s8",
             "n k"},
        {"n k/32 { d:f16 = - ; q:s8 = k%32 }", "n=3,k=96", "d", "f16",
         "n k/32 { d:f16 = - }"},
        {"n k/32 { e:u8 = - ; q:f32 = k%32 }", "n=3,k=64", "q", "f32", "n k"},
        {"n/8 { bias:f32 = n%8 ; w:f32 = k/4 k%4-n%4 n%8 }", "n=11,k=13", "w",
         "f32", "n k"}}) {
    const ElementType type = type_of(c.type);
    const Layout part = bound_part(c.text, c.shape, type, c.part);
    const bool itself = std::string_view(c.alone).ends_with('}');
    const Layout array =
        bound_part(c.alone, c.shape, type, itself ? c.part : "");
    expect_as_the_reference(part, array, type, Fill::keep);
    expect_as_the_reference(array, part, type, Fill::keep);
  }
}

TEST(Beyond, Refused) {
  const ElementType u8 = type_of("u8");
  const auto message = [&](const Layout& src, const Layout& dst,
                           const ElementType& type) {
    const auto source = kernel_source({src, type, Storage::buffer},
                                      {dst, type, Storage::buffer});
    return source ? std::string() : source.error().message;
  };
  const Layout rows = plain({{"x", 8}}, u8);
  EXPECT_THAT(message(rows, bound_part("x:0", "x=8", u8), u8),
              HasSubstr("one place"));
  EXPECT_THAT(message(bound_part("# x", "x=8", u8), rows, u8),
              HasSubstr("bytes lie together"));
  EXPECT_THAT(message(bound_part("x", "x=8", type_of("u4")),
                      bound_part("~x", "x=8", type_of("u4")), type_of("u4")),
              HasSubstr("1, 2, 4, 8 or 16"));
}

// --------------------------------------------------- batches, rows, pitch ---

TEST(Batches, PartsOfATensorAndNothingElse) {
  const ElementType type = type_of("u8");
  const Shape five = {{"n", 5}, {"c", 6}, {"h", 3}, {"w", 4}};
  Shape three = five;
  three[0].extent = 3;
  // The host's batch lies together, or is spread.
  for (const std::string host_text : {"n c h w", "c h w n"}) {
    const Layout host = bound(host_text, five, type);
    const Layout layout = bound("mace.channel", three, type);
    const Tensor image = ok(Tensor::image(queue(), layout, type));
    const Bytes before = noise(layout);
    ok(queue().write(before, image));
    const Bytes values = numbers(host.elements(), type);
    ok(queue().upload(host, type, values, image, Batch{3, 1, 2}));

    Bytes expected = before;
    std::vector<std::int64_t> index(4);
    for (std::int64_t place = 0; place < layout.places(); ++place) {
      const bool element = layout.element_at(place, index) == Place::element;
      const std::int64_t row = place / (2 * 4 * 4);  // of pixels
      if (row < 3) continue;                         // n = 0
      index[0] += 2;
      expected[static_cast<std::size_t>(place)] =
          element ? values[static_cast<std::size_t>(host.offset(index))]
                  : std::byte{0};
    }
    EXPECT_EQ(pixels(image), expected) << host_text;

    Bytes back(values.size(), std::byte{0xee});
    ok(queue().download(image, host, type, back, Batch{1, 3, 2}));
    testing::for_each_index(five, [&](const auto& at) {
      const auto place = static_cast<std::size_t>(host.offset(at));
      ASSERT_EQ(back[place], at[0] < 3 ? std::byte{0xee} : values[place]);
    });
  }
}

TEST(Batches, BetweenBuffersAndInBiasedLayouts) {
  const ElementType type = type_of("u16");
  const Shape shape = {{"n", 7}, {"c", 5}};
  const Layout src = bound("(n+1)/3 c (n+1)%3", shape, type);
  const Layout dst = bound("c n:2", shape, type);
  const Tensor a = ok(Tensor::buffer(queue(), src, type));
  const Tensor b = ok(Tensor::buffer(queue(), dst, type));
  const Bytes values = noise(src);
  Bytes expected = noise(dst);
  ok(queue().write(values, a));
  ok(queue().write(expected, b));
  ok(queue().reorder(a, b, {.batch = Batch{1, 4, 3}}));
  for (std::int64_t n = 0; n < 3; ++n) {
    for (std::int64_t c = 0; c < 5; ++c) {
      const std::int64_t from[] = {1 + n, c};
      const std::int64_t to[] = {4 + n, c};
      std::memcpy(expected.data() + 2 * dst.offset(to),
                  values.data() + 2 * src.offset(from), 2);
    }
  }
  Bytes got = bytes_of(dst);
  ok(queue().read(b, got));
  EXPECT_EQ(got, expected);
}

TEST(Batches, Refused) {
  const ElementType type = type_of("f32");
  const Shape shape = {{"n", 6}, {"c", 2}};
  const Layout host = plain(shape, type);
  const Tensor image = ok(Tensor::image(
      queue(), bound("row=n/4 | pixel=c | lane=n%4", shape, type), type));
  const Bytes values = bytes_of(host);
  EXPECT_FALSE(queue().upload(host, type, values, image, Batch{0, 0, 2}));
  const Tensor buffer = ok(Tensor::buffer(queue(), host, type));
  for (const Batch batch :
       {Batch{-1, 0, 2}, Batch{0, 5, 2}, Batch{0, 0, -1}, Batch{7, 0, 0},
        Batch{0, 0, 7}, Batch{0, std::int64_t{1} << 62, 2}}) {
    EXPECT_FALSE(queue().reorder(image, buffer, {.batch = batch}));
  }
}

TEST(Rows, AtTheHostsPitch) {
  const ElementType type = type_of("f16");
  const Shape shape = {{"n", 2}, {"c", 6}, {"h", 3}, {"w", 5}};
  // A pitch that the layout has, and one that the call gives.
  const Layout pitched =
      bound("row=n h |^128B| pixel=c/4 w | lane=c%4", shape, type);
  const Layout tight = bound("mace.channel", shape, type);
  const Layout host = plain(shape, type);
  const Bytes values = numbers(host.elements(), type);
  Bytes memory = noise(pitched);
  const Bytes around = memory;
  reorder_reference(host, pitched, values.data(), memory.data(), Fill::keep);
  const Tensor a = ok(Tensor::image(queue(), pitched, type));
  const Tensor b = ok(Tensor::image(queue(), tight, type));
  EXPECT_EQ(a.size().width, b.size().width);
  ok(queue().write(memory, a));
  ok(queue().write(memory, b, {.pitch_bytes = 128}));
  EXPECT_EQ(pixels(a), pixels(b));
  Bytes back(values.size());
  ok(queue().download(a, host, type, back));
  EXPECT_EQ(back, values);
  // Two rows from the third on; what lies between rows stays.
  Bytes rows(128 + 80, std::byte{0x55});
  ok(queue().read(b, rows, {.pitch_bytes = 128, .first = 2, .count = 2}));
  EXPECT_EQ(std::memcmp(rows.data(), memory.data() + 2 * 128, 80), 0);
  EXPECT_EQ(std::memcmp(rows.data() + 128, memory.data() + 3 * 128, 80), 0);
  EXPECT_EQ(rows[80], std::byte{0x55});
  EXPECT_FALSE(queue().write(memory, b, {.pitch_bytes = 40}));
  EXPECT_FALSE(queue().write(memory, b, {.first = 5, .count = 2}));
  EXPECT_FALSE(queue().write(std::span(memory).first(10), b));
}

// ---------------------------------------------------------------- limits ---

TEST(Limits, SayWhatIsNeededAllowedAndPossible) {
  DeviceInfo device{.name = "small", .images = true};
  device.image_width_max = 100;
  device.image_height_max = 50;
  device.allocation_max_bytes = 110'000;
  const ElementType type = type_of("f32");
  const auto error = [&](const std::string& text, const std::string& shape) {
    const auto checked =
        check_limits(device, layout_of(text, shape), type, Storage::image);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(error("mace.channel", "2x16x20x20"), "");
  EXPECT_THAT(
      error("mace.channel", "4x16x20x20"),
      AllOf(HasSubstr("80 x 80"), HasSubstr("100 x 50"),
            HasSubstr("2 n at a time"), HasSubstr("'n c h w' (102400 bytes)")));
}

TEST(Limits, OfTheDeviceAreMetBeforeItIsAsked) {
  const Layout wide = layout_of(
      "mace.channel",
      "1x1x1x" + std::to_string(queue().device().image_width_max + 1));
  const auto refused = Tensor::image(queue(), wide, type_of("f32"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("mace.width"));
  const auto buffer = Tensor::buffer(
      queue(), layout_of("n c", "n=1073741824,c=1024"), type_of("f32"));
  ASSERT_FALSE(buffer);
  EXPECT_THAT(buffer.error().message, HasSubstr("at a time"));
}

TEST(Limits, WhatIsNoImage) {
  const auto why = [](const std::string& text, const std::string& shape) {
    return image_size(layout_of(text, shape)).error().message;
  };
  EXPECT_THAT(why("nchw", "1x2x3x4"), HasSubstr("three axes"));
  EXPECT_THAT(why("row=h | pixel=w | lane=c%8", "h=1,w=1,c=1"),
              HasSubstr("8 places"));
  EXPECT_THAT(why("row=h | pixel=w |^32B| lane=c%4", "h=1,w=1,c=1"),
              HasSubstr("gaps"));
  EXPECT_FALSE(image_format(type_of("f64")));
}

// ---------------------------------------------------------------- errors ---

TEST(Errors, AreNamedAndExplained) {
  EXPECT_EQ(error_name(CL_INVALID_IMAGE_SIZE), "CL_INVALID_IMAGE_SIZE");
  EXPECT_EQ(error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_EQ(error_name(-7777), "error -7777");
  EXPECT_FALSE(error_meaning(CL_OUT_OF_RESOURCES).empty());
  EXPECT_TRUE(error_meaning(-7777).empty());
  const auto wrapped =
      Tensor::wrap(nullptr, layout_of("n", "n=3"), type_of("f32"));
  ASSERT_FALSE(wrapped);
  EXPECT_THAT(wrapped.error().message,
              AllOf(HasSubstr("CL_INVALID_MEM_OBJECT"),
                    HasSubstr("no such buffer or image")));
}

TEST(Errors, OfReorders) {
  const ElementType f32 = type_of("f32");
  const ElementType u8 = type_of("u8");
  const Tensor a =
      ok(Tensor::buffer(queue(), layout_of("n c", "n=2,c=3"), f32));
  const Tensor b =
      ok(Tensor::buffer(queue(), layout_of("n c", "n=3,c=3"), f32));
  const Tensor c =
      ok(Tensor::buffer(queue(), layout_of("n c", "n=2,c=3", 1), u8));
  EXPECT_EQ(queue().reorder(a, a).error().code, ErrorCode::invalid_value);
  EXPECT_EQ(queue().reorder(a, b).error().code, ErrorCode::mismatch);
  EXPECT_EQ(queue().reorder(a, c).error().code, ErrorCode::unsupported);
  EXPECT_FALSE(Tensor::buffer(queue(), layout_of("n", "n=2,c=3"), f32));
  EXPECT_FALSE(Tensor::buffer(queue(), layout_of("n", "n=0"), f32));
  EXPECT_FALSE(Tensor::buffer(queue(), layout_of("n", "n=2"), u8));
  EXPECT_FALSE(Queue::open(99));
  EXPECT_FALSE(Queue::open(-1));
  EXPECT_FALSE(queue().upload(a.layout(), f32, Bytes(3), a));
}

TEST(Errors, WrappedMemoryMustSuitTheLayout) {
  const ElementType type = type_of("f16");
  const Shape shape = {{"n", 1}, {"c", 5}, {"h", 2}, {"w", 3}};
  const Tensor image =
      ok(Tensor::image(queue(), bound("mace.channel", shape, type), type));
  EXPECT_TRUE(Tensor::wrap(image.get(), image.layout(), type));
  Shape larger = shape;
  larger[3].extent = 4;
  EXPECT_FALSE(
      Tensor::wrap(image.get(), bound("mace.channel", larger, type), type));
  EXPECT_FALSE(Tensor::wrap(image.get(), image.layout(), type_of("u16")));
  const Tensor buffer = ok(Tensor::buffer(queue(), plain(shape, type), type));
  EXPECT_TRUE(Tensor::wrap(buffer.get(), plain(shape, type), type));
  EXPECT_FALSE(Tensor::wrap(buffer.get(), plain(larger, type), type));
}

// The check itself: an image that is a column too narrow.
TEST(Bounds, CheckedKernelsCountWhatLiesOutside) {
  const ElementType type = type_of("f32");
  const Shape shape = {{"n", 1}, {"c", 4}, {"h", 3}, {"w", 5}};
  const Layout layout = bound("mace.channel", shape, type);
  const Side src{plain(shape, type), type, Storage::buffer};
  const Side dst{layout, type, Storage::image};
  const KernelSource source =
      ok(kernel_source(src, dst, {.check_bounds = true}));
  cl_int status = 0;
  const char* text = source.code.c_str();
  cl_program program =
      clCreateProgramWithSource(queue().context(), 1, &text, nullptr, &status);
  ASSERT_EQ(
      clBuildProgram(program, 0, nullptr, "-cl-std=CL1.2", nullptr, nullptr),
      CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "reorder", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Shape narrow = shape;
  narrow[3].extent = 4;
  const Tensor from = ok(Tensor::buffer(queue(), src.layout, type));
  const Tensor to =
      ok(Tensor::image(queue(), bound("mace.channel", narrow, type), type));
  const Shape one = {{"x", 1}};
  const Tensor outside =
      ok(Tensor::buffer(queue(), plain(one, type_of("s32")), type_of("s32")));
  cl_uint next = 0;
  for (cl_mem memory : {from.get(), to.get(), outside.get()}) {
    clSetKernelArg(kernel, next++, sizeof memory, &memory);
  }
  ASSERT_EQ(clEnqueueNDRangeKernel(queue().get(), kernel, 2, nullptr,
                                   source.global.data(), nullptr, 0, nullptr,
                                   nullptr),
            CL_SUCCESS);
  std::int32_t count = 0;
  ok(queue().read(outside, std::as_writable_bytes(std::span(&count, 1))));
  EXPECT_EQ(count, 3);  // one pixel of each row
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST(Programs, AreCompiledOnce) {
  const Queue own = ok(Queue::wrap(queue().get()));
  const ElementType type = type_of("u8");
  const Tensor a =
      ok(Tensor::buffer(own, layout_of("n c", "n=2,c=3", 1), type));
  const Tensor b =
      ok(Tensor::buffer(own, layout_of("c n", "n=2,c=3", 1), type));
  const Tensor c =
      ok(Tensor::buffer(own, layout_of("c n", "n=2,c=3", 1), type));
  ok(own.reorder(a, b));
  EXPECT_EQ(own.programs(), 1);
  ok(own.reorder(a, c));
  ok(own.reorder(a, b));
  EXPECT_EQ(own.programs(), 1);
  ok(own.reorder(b, a));
  EXPECT_EQ(own.programs(), 2);
  EXPECT_EQ(own.device().name, queue().device().name);
}

TEST(Devices, AreListed) {
  const std::vector<DeviceInfo> all = ok(devices());
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].number, 0);
  EXPECT_TRUE(all[0].images);
  EXPECT_GE(all[0].image_width_max, 8192);
  EXPECT_THAT(all[0].formats,
              ::testing::IsSupersetOf({"CL_FLOAT", "CL_HALF_FLOAT"}));
}

}  // namespace
}  // namespace stridewise::opencl
