// Dumps that oneDNN's own reorders wrote: infer() must find the tag, or a layout
// that is the same function.
// SPDX-License-Identifier: Apache-2.0
#include <dnnl.h>
#include <dnnl_debug.h>
#include <gtest/gtest.h>

#include <dnnl.hpp>
#include <map>

#include "stridewise/catalogue.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"
#include "support/generators.hpp"

namespace stridewise {
namespace {

using Dims = std::vector<std::int64_t>;

struct KnownTag {
  std::string name;
  dnnl::memory::format_tag value;
  std::size_t rank;
};

std::vector<KnownTag> tags_of_the_library() {
  std::vector<KnownTag> all;
  for (int k = dnnl_format_tag_any + 1; k < dnnl_format_tag_last; ++k) {
    const auto value = static_cast<dnnl_format_tag_t>(k);
    const std::string name = dnnl_fmt_tag2str(value);
    const Result<Tag> tag = parse_tag(name);
    if (!tag || tag->dims.size() > 5) continue;
    all.push_back(
        {name, static_cast<dnnl::memory::format_tag>(value), tag->dims.size()});
  }
  return all;
}

TEST(Dumps, OfFortyTagsOfOneDnn) {
  const std::vector<KnownTag> tags = tags_of_the_library();
  std::map<std::size_t, dnnl::memory::format_tag> plain;
  for (const KnownTag& tag : tags) {
    if (tag.name == std::string("abcde").substr(0, tag.rank)) {
      plain.emplace(tag.rank, tag.value);
    }
  }
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const ElementType f32 = *parse_element_type("f32");
  int inferred = 0;
  // Spread over the whole header rather than its first lines.
  for (std::size_t k = 0; k < tags.size(); k += tags.size() / 60) {
    const KnownTag& tag = tags[k];
    const Dims extents = {20, 35, 3, 4, 2};
    Shape shape;
    const LayoutSource source = *resolve_layout(tag.name);
    for (std::size_t d = 0; d < tag.rank; ++d) {
      shape.push_back({source.dims[d], extents[d]});
    }
    const Dims dims(extents.begin(),
                    extents.begin() + static_cast<std::ptrdiff_t>(tag.rank));
    const dnnl::memory::desc from(dims, dnnl::memory::data_type::f32,
                                  plain.at(tag.rank));
    const dnnl::memory::desc to(dims, dnnl::memory::data_type::f32, tag.value);
    const Probe probe = *Probe::make(shape, f32);
    std::vector<std::byte> reference(
        static_cast<std::size_t>(probe.elements()) * 4);
    probe.fill(0, 0, probe.elements(), reference.data());
    std::vector<std::byte> dump(to.get_size());
    dnnl::memory a(from, engine, reference.data());
    dnnl::memory b(to, engine, dump.data());
    dnnl::reorder(a, b).execute(stream, a, b);
    stream.wait();

    const InferPair pair{reference, dump};
    const Result<InferReport> report =
        infer({&pair, 1}, InferOptions{shape, 4, false});
    ASSERT_TRUE(report) << tag.name;
    ASSERT_EQ(report->outcome, InferReport::Outcome::one)
        << tag.name << ": " << report->reason;
    const Layout& found = report->fits[0].layout;
    const Layout expected = *source.bind(shape, 4);
    EXPECT_EQ(found.size_bytes(), expected.size_bytes()) << tag.name;
    testing::for_each_index(shape, [&](const auto& index) {
      ASSERT_EQ(found.offset(index), expected.offset(index)) << tag.name;
    });
    EXPECT_FALSE(report->fits[0].names.empty())
        << tag.name << ": " << print(found.expression());
    ++inferred;
  }
  EXPECT_GE(inferred, 40);
}

}  // namespace
}  // namespace stridewise
