// Images as a device's driver gives them back, raw: infer() finds their layout,
// diff() and check_memory() read them.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstring>

#include "stridewise/catalogue.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/opencl.hpp"
#include "support/emitted.hpp"

namespace stridewise::opencl {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using testing::value_or_throw;
using Bytes = std::vector<std::byte>;

const Queue& queue() {
  // Never destroyed: drivers end before the statics of a program do.
  static const Queue& opened = *new Queue(value_or_throw(Queue::open(0, {})));
  return opened;
}

// A probe on the device, in an image of the catalogue.
struct Sent {
  Shape shape;
  ElementType type;
  Layout host;
  Layout layout;
  std::vector<Bytes> probes;
  std::vector<Tensor> images;

  // Only the driver: rows `pitch_bytes` apart, 0 for none between them.
  [[nodiscard]] std::vector<Bytes> dumps(std::size_t pitch_bytes = 0) const {
    std::vector<Bytes> dumps;
    for (const Tensor& image : images) {
      const auto width = static_cast<std::size_t>(image.size().width);
      const auto height = static_cast<std::size_t>(image.size().height);
      const std::size_t row =
          std::max(pitch_bytes,
                   width * 4 * static_cast<std::size_t>(image.type().bytes()));
      Bytes bytes(row * height);
      const std::size_t origin[] = {0, 0, 0};
      const std::size_t region[] = {width, height, 1};
      EXPECT_EQ(clEnqueueReadImage(queue().get(), image.get(), CL_TRUE, origin,
                                   region, pitch_bytes, 0, bytes.data(), 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
      dumps.push_back(std::move(bytes));
    }
    return dumps;
  }

  [[nodiscard]] InferReport inferred(const std::vector<Bytes>& dumps) const {
    std::vector<InferPair> pairs;
    for (std::size_t k = 0; k < probes.size(); ++k) {
      pairs.push_back({probes[k], dumps[k]});
    }
    return value_or_throw(
        infer(pairs, InferOptions{shape, type.bytes(), false, {}}));
  }
};

Sent sent(const std::string& name, const std::string& extents,
          const std::string& dtype) {
  const LayoutSource source = value_or_throw(resolve_layout(name));
  const Shape shape = value_or_throw(parse_shape(extents, source.dims));
  const ElementType type = *parse_element_type(dtype);
  Axis axis;
  for (const Dim& dim : shape) axis.terms.push_back(Term{{dim.name}, {}});
  Sent sent{
      shape,
      type,
      value_or_throw(Layout::bind(Expression{{axis}}, shape, type.bytes())),
      value_or_throw(source.bind(shape, type.bytes())),
      {},
      {}};
  const Probe probe = value_or_throw(Probe::make(shape, type));
  for (int k = 0; k < probe.files(); ++k) {
    Bytes values(static_cast<std::size_t>(probe.elements() * type.bytes()));
    probe.fill(k, 0, probe.elements(), values.data());
    sent.images.push_back(
        value_or_throw(Tensor::image(queue(), sent.layout, type)));
    const Result<void> up =
        queue().upload(sent.host, type, values, sent.images.back());
    if (!up) throw std::runtime_error(up.error().to_string());
    sent.probes.push_back(std::move(values));
  }
  return sent;
}

TEST(Dumps, OfImagesNameTheirLayout) {
  for (const char* dtype : {"f32", "f16", "s8"}) {
    for (const auto& [name, extents] : {std::pair{"mace.channel", "2x6x5x7"},
                                        {"mace.height", "2x6x5x7"},
                                        {"mace.width", "2x6x5x7"},
                                        {"mace.filter", "6x7x3x2"},
                                        {"mace.weight-height", "6x7x3x2"},
                                        {"mace.weight-width", "6x7x3x2"},
                                        {"mace.depthwise", "1x7x3x3"}}) {
      SCOPED_TRACE(std::string(name) + " " + dtype);
      const Sent there = sent(name, extents, dtype);
      const std::vector<Bytes> dumps = there.dumps();
      const InferReport report = there.inferred(dumps);
      ASSERT_EQ(report.outcome, InferReport::Outcome::one) << report.reason;
      EXPECT_THAT(report.fits[0].names, Contains(name));
      const Layout& found = report.fits[0].layout;
      for (std::size_t k = 0; k < dumps.size(); ++k) {
        EXPECT_EQ(
            value_or_throw(diff(found, dumps[k], there.host, there.probes[k],
                                DiffOptions{there.type, {}, {}}))
                .differences,
            0);
        EXPECT_THAT(
            value_or_throw(check_memory(found, dumps[k], there.type)).findings,
            IsEmpty());
      }
    }
  }
}

TEST(Dumps, OfRowsWithAPitch) {
  const Sent there = sent("mace.channel", "2x6x5x7", "f32");
  const std::vector<Bytes> dumps = there.dumps(256);
  const InferReport report = there.inferred(dumps);
  ASSERT_EQ(report.outcome, InferReport::Outcome::one) << report.reason;
  const Layout& found = report.fits[0].layout;
  EXPECT_EQ(found.size_bytes(), 256 * 10);
  EXPECT_EQ(value_or_throw(diff(found, dumps[0], there.host, there.probes[0],
                                DiffOptions{there.type, {}, {}}))
                .differences,
            0);
}

TEST(Dumps, OfAnImageWhoseTailIsNotZero) {
  const Sent there = sent("mace.channel", "2x6x5x7", "f32");
  Bytes image = there.dumps()[0];
  // A kernel that writes whole pixels: lanes 2 and 3 of channels 4 to 7.
  const Layout whole = value_or_throw(
      value_or_throw(resolve_layout("mace.channel"))
          .bind(value_or_throw(parse_shape("n=2,c=8,h=5,w=7")), 4));
  for (const std::int64_t c : {6, 7}) {
    const std::int64_t index[] = {1, c, 2, 3};
    const float junk = 0.5F;
    std::memcpy(image.data() + whole.offset(index) * 4, &junk, 4);
  }
  EXPECT_THAT(
      value_or_throw(check_memory(there.layout, image, there.type)).findings,
      Contains("the tail of c is not zero: c=6..7 of the last block"));
}

}  // namespace
}  // namespace stridewise::opencl
