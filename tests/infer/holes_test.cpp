// Dumps that are mostly something else: holes that are not read, and memories of
// processors with bytes around them.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>
#include <numeric>

#include "stridewise/catalogue.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

constexpr std::int64_t width = 4;

// 1, 2, 3 ... in the logical order of a shape.
Bytes numbers(const Shape& shape) {
  std::vector<std::uint32_t> values(
      static_cast<std::size_t>(*element_count(shape)));
  std::iota(values.begin(), values.end(), 1U);
  Bytes bytes(values.size() * width);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Bytes memory_of(const std::string& text, const Shape& shape) {
  const Layout dst = *resolve_layout(text)->bind(shape, width);
  const Layout src = *resolve_layout("nchw")->bind(shape, width);
  Bytes memory(static_cast<std::size_t>(dst.size_bytes()));
  const Bytes reference = numbers(shape);
  reorder_reference(src, dst, reference.data(), memory.data());
  return memory;
}

InferReport infer_dump(const Shape& shape, const Bytes& dump,
                       std::vector<ByteRange> zeros = {}) {
  const Bytes reference = numbers(shape);
  const InferPair pair{reference, dump};
  Result<InferReport> report =
      infer(std::span(&pair, 1), InferOptions{.shape = shape,
                                              .element_bytes = width,
                                              .zeros = std::move(zeros)});
  EXPECT_TRUE(report) << report.error().message;
  return *std::move(report);
}

const Shape shape = {{"n", 2}, {"c", 10}, {"h", 6}, {"w", 5}};

// What is said to be a hole is not read: its copy of the tensor would make every
// place ambiguous.
TEST(Infer, HolesAreNotRead) {
  const Bytes memory = memory_of("nhwc", shape);
  constexpr std::size_t hole = std::size_t{1} << 16;
  Bytes dump(hole);
  std::memcpy(dump.data(), memory.data(), memory.size());
  dump.insert(dump.end(), memory.begin(), memory.end());
  EXPECT_NE(infer_dump(shape, dump).outcome, Outcome::one);
  const InferReport report =
      infer_dump(shape, dump, {{0, static_cast<std::int64_t>(hole)}});
  ASSERT_EQ(report.outcome, Outcome::one);
  EXPECT_EQ(report.present, report.elements);
  EXPECT_EQ(report.fits[0].names_at_base.at(0), "onednn.nhwc");
  EXPECT_EQ(report.fits[0].base_bytes, static_cast<std::int64_t>(hole));
}

TEST(Infer, ProcessorsBehindAHeader) {
  const Shape many = {{"n", 2}, {"c", 70}, {"h", 6}, {"w", 5}};
  const Bytes memory =
      memory_of("okk.aligned(npus=64,npu_bytes=1024,start=2)", many);
  Bytes dump(96, std::byte{0x55});
  dump.insert(dump.end(), memory.begin(), memory.end());
  dump.resize(dump.size() + 40);
  const InferReport report = infer_dump(many, dump);
  ASSERT_EQ(report.outcome, Outcome::one);
  const InferFit& fit = report.fits[0];
  EXPECT_EQ(print(fit.layout.expression()),
            "npu=(c+2)%64 |1024B| offset=n (c+2)/64:^128B h w");
  EXPECT_EQ(fit.start_byte, -96);
  EXPECT_EQ(fit.trailing_bytes, 40);
  EXPECT_EQ(fit.missing_bytes, 0);
}

// Ten channels on 64 processors: which one is the first does not show.
TEST(Infer, ProcessorsThatWereCut) {
  const Bytes memory =
      memory_of("okk.aligned(npus=64,npu_bytes=1024,start=2)", shape);
  const InferReport whole = infer_dump(shape, memory);
  EXPECT_EQ(whole.outcome, Outcome::one);
  const InferReport report =
      infer_dump(shape, Bytes(memory.begin() + 1500, memory.end()));
  EXPECT_EQ(report.outcome, Outcome::unproven);
  EXPECT_EQ(report.present, report.elements);
  EXPECT_THAT(report.reason, HasSubstr("does not show which npu comes first"));
}

}  // namespace
}  // namespace stridewise
