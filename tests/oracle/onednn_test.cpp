// oneDNN itself as the oracle: for tags that its library knows, our size,
// strides and bytes are those of its own descriptors and reorders.
// SPDX-License-Identifier: Apache-2.0
#include <dnnl.h>
#include <dnnl_debug.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <dnnl.hpp>
#include <set>

#include "stridewise/catalogue.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/vendor/mkldnn.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using Dims = std::vector<std::int64_t>;

struct KnownTag {
  std::string name;
  dnnl::memory::format_tag value;
  std::size_t rank;
};

// Every tag of the library's header that has a name of its own. Friendly names
// are aliases there; the canonical ones are what the library can name.
const std::vector<KnownTag>& library_tags() {
  static const std::vector<KnownTag> tags = [] {
    std::vector<KnownTag> all;
    for (int k = dnnl_format_tag_any + 1; k < dnnl_format_tag_last; ++k) {
      const auto value = static_cast<dnnl_format_tag_t>(k);
      const std::string name = dnnl_fmt_tag2str(value);
      const Result<Tag> tag = parse_tag(name);
      if (!tag) continue;
      all.push_back({name, static_cast<dnnl::memory::format_tag>(value),
                     tag->dims.size()});
    }
    return all;
  }();
  return tags;
}

std::string plain_name(std::size_t rank) {
  return std::string("abcdefghijkl").substr(0, rank);
}

dnnl::memory::format_tag plain_tag(std::size_t rank) {
  const auto& tags = library_tags();
  return std::ranges::find(tags, plain_name(rank), &KnownTag::name)->value;
}

Layout layout_of(const std::string& tag, const Dims& dims, std::int64_t width) {
  const LayoutSource source = *resolve_layout(tag);
  Shape shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    shape.push_back({source.dims[d], dims[d]});
  }
  return *source.bind(shape, width);
}

class Oracle {
 public:
  // Empty when the library and we agree; else what differs.
  std::string compare(const std::string& name, dnnl::memory::format_tag tag,
                      const Dims& dims, dnnl::memory::data_type type,
                      std::int64_t width) {
    const dnnl::memory::desc blocked_desc(dims, type, tag);
    const Layout blocked = layout_of(name, dims, width);
    if (static_cast<std::int64_t>(blocked_desc.get_size()) !=
        blocked.size_bytes()) {
      return "size";
    }
    const mkldnn::MemoryDesc described = *mkldnn::describe(name, dims);
    const auto& blocking = blocked_desc.data.format_desc.blocking;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (blocking.strides[d] != described.strides[d]) return "strides";
      if (blocked_desc.data.padded_dims[d] != described.padded_dims[d]) {
        return "padded dims";
      }
    }
    return compare_bytes(blocked, blocked_desc, dims, type, width);
  }

 private:
  std::string compare_bytes(const Layout& blocked,
                            const dnnl::memory::desc& blocked_desc,
                            const Dims& dims, dnnl::memory::data_type type,
                            std::int64_t width) {
    Axis axis;
    for (const Dim& dim : blocked.shape()) {
      axis.terms.push_back(Term{Digit{dim.name}});
    }
    const Layout plain =
        *Layout::bind(Expression{{axis}}, blocked.shape(), width);
    const dnnl::memory::desc plain_desc(dims, type, plain_tag(dims.size()));
    std::vector<std::byte> logical(
        static_cast<std::size_t>(plain.size_bytes()));
    for (std::byte& b : logical) {
      state_ = state_ * 6364136223846793005 + 1442695040888963407;
      // Small values: quiet in every type, so that copies are bit for bit.
      // From 4 on: oneDNN does not keep every subnormal bf16.
      b = static_cast<std::byte>(4 + ((state_ >> 56) & 0x3f));
    }
    const auto size = static_cast<std::size_t>(blocked.size_bytes());
    std::vector<std::byte> theirs(size, std::byte{0xee});
    std::vector<std::byte> ours(size, std::byte{0xdd});
    reorder(plain_desc, logical.data(), blocked_desc, theirs.data());
    Plan::make(plain, blocked)->run(logical.data(), ours.data());
    if (theirs != ours) return "bytes to the tag";

    std::vector<std::byte> their_back(logical.size(), std::byte{0xee});
    std::vector<std::byte> our_back(logical.size(), std::byte{0xdd});
    reorder(blocked_desc, ours.data(), plain_desc, their_back.data());
    Plan::make(blocked, plain)->run(theirs.data(), our_back.data());
    if (their_back != logical || our_back != logical) {
      return "bytes from the tag";
    }
    return "";
  }

  void reorder(const dnnl::memory::desc& from, std::byte* src,
               const dnnl::memory::desc& to, std::byte* dst) {
    dnnl::memory a(from, engine_, src);
    dnnl::memory b(to, engine_, dst);
    dnnl::reorder(a, b).execute(stream_, a, b);
    stream_.wait();
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::uint64_t state_ = 1;
};

// Three shapes of each rank, with tails for every block of the library.
std::vector<Dims> shapes_of(std::size_t rank) {
  const Dims a = {3, 19, 5, 4, 3, 2};
  const Dims b = {17, 35, 3, 2, 2, 3};
  const Dims c = {20, 18, 1, 5, 3, 2};
  std::vector<Dims> shapes;
  for (const Dims& s : {a, b, c}) {
    shapes.emplace_back(s.begin(), s.begin() + static_cast<std::int64_t>(rank));
  }
  return shapes;
}

TEST(OneDnn, EveryTagOfTheLibraryHasOurStridesAndSize) {
  std::size_t compared = 0;
  for (const KnownTag& tag : library_tags()) {
    if (tag.rank > 6) continue;
    for (const Dims& dims : shapes_of(tag.rank)) {
      const dnnl::memory::desc desc(dims, dnnl::memory::data_type::f32,
                                    tag.value);
      const mkldnn::MemoryDesc ours = *mkldnn::describe(tag.name, dims);
      ASSERT_EQ(static_cast<std::int64_t>(desc.get_size()),
                *mkldnn::size_bytes(ours, 4))
          << tag.name;
      ASSERT_EQ(layout_of(tag.name, dims, 4).size_bytes(),
                *mkldnn::size_bytes(ours, 4))
          << tag.name;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        ASSERT_EQ(desc.data.format_desc.blocking.strides[d], ours.strides[d])
            << tag.name;
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 3U * 300U);
}

TEST(OneDnn, BytesOfSeventyTagsInBothDirections) {
  Oracle oracle;
  std::set<std::string> done;
  const auto& tags = library_tags();
  // Spread over the whole header rather than its first lines.
  const std::size_t step = std::max<std::size_t>(tags.size() / 80, 1);
  for (std::size_t k = 0; k < tags.size(); k += step) {
    const KnownTag& tag = tags[k];
    if (tag.rank > 6) continue;
    for (const Dims& dims : shapes_of(tag.rank)) {
      EXPECT_EQ(oracle.compare(tag.name, tag.value, dims,
                               dnnl::memory::data_type::f32, 4),
                "")
          << tag.name;
    }
    done.insert(tag.name);
  }
  EXPECT_GE(done.size(), 70U);
}

// Friendly names against the library's aliases of the same name.
TEST(OneDnn, FriendlyNames) {
  using tag = dnnl::memory::format_tag;
  const std::vector<std::pair<std::string, tag>> names = {
      {"nchw", tag::nchw},
      {"nhwc", tag::nhwc},
      {"chwn", tag::chwn},
      {"nChw8c", tag::nChw8c},
      {"nChw16c", tag::nChw16c},
      {"ncdhw", tag::ncdhw},
      {"ndhwc", tag::ndhwc},
      {"nCdhw16c", tag::nCdhw16c},
      {"oihw", tag::oihw},
      {"hwio", tag::hwio},
      {"ihwo", tag::ihwo},
      {"OIhw16i16o", tag::OIhw16i16o},
      {"OIhw4i16o4i", tag::OIhw4i16o4i},
      {"Ohwi16o", tag::Ohwi16o},
      {"goihw", tag::goihw},
      {"hwigo", tag::hwigo},
      {"Goihw16g", tag::Goihw16g},
      {"gOIhw4i16o4i", tag::gOIhw4i16o4i},
      {"tnc", tag::tnc},
      {"ntc", tag::ntc},
      {"ldigo", tag::ldigo},
      {"ldgoi", tag::ldgoi}};
  Oracle oracle;
  for (const auto& [name, value] : names) {
    const std::size_t rank = parse_tag(name)->dims.size();
    for (const Dims& dims : shapes_of(rank)) {
      EXPECT_EQ(
          oracle.compare(name, value, dims, dnnl::memory::data_type::f32, 4),
          "")
          << name;
    }
  }
}

TEST(OneDnn, OtherWidths) {
  using tag = dnnl::memory::format_tag;
  Oracle oracle;
  for (const Dims& dims : shapes_of(4)) {
    EXPECT_EQ(oracle.compare("nChw16c", tag::nChw16c, dims,
                             dnnl::memory::data_type::s8, 1),
              "");
    EXPECT_EQ(oracle.compare("OIhw4i16o4i", tag::OIhw4i16o4i, dims,
                             dnnl::memory::data_type::s8, 1),
              "");
    EXPECT_EQ(oracle.compare("nhwc", tag::nhwc, dims,
                             dnnl::memory::data_type::bf16, 2),
              "");
    EXPECT_EQ(oracle.compare("nChw8c", tag::nChw8c, dims,
                             dnnl::memory::data_type::s32, 4),
              "");
  }
}

RC_GTEST_PROP(OneDnn, RandomTagsAndShapes, ()) {
  static Oracle oracle;
  const auto& tags = library_tags();
  const auto& tag = tags[static_cast<std::size_t>(
      testing::in_range(0, static_cast<std::int64_t>(tags.size()) - 1))];
  RC_PRE(tag.rank <= 6);
  Dims dims;
  for (std::size_t d = 0; d < tag.rank; ++d) {
    dims.push_back(testing::in_range(1, tag.rank <= 3 ? 40 : 11));
  }
  RC_LOG() << tag.name;
  RC_ASSERT(oracle.compare(tag.name, tag.value, dims,
                           dnnl::memory::data_type::f32, 4) == "");
}

// D6: since v2.1 the library writes no zeros when a buffer is attached; who
// attaches one must have zeroed its padding.
TEST(OneDnn, AttachingABufferWritesNothing) {
  std::vector<std::byte> data(
      static_cast<std::size_t>(
          layout_of("nChw8c", {2, 17, 3, 5}, 4).size_bytes()),
      std::byte{0xee});
  const std::vector<std::byte> before = data;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::memory memory({{2, 17, 3, 5},
                       dnnl::memory::data_type::f32,
                       dnnl::memory::format_tag::nChw8c},
                      engine, data.data());
  memory.set_data_handle(data.data());
  EXPECT_EQ(data, before);
}

}  // namespace
}  // namespace stridewise
