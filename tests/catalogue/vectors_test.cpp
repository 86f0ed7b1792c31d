// The vendors' own numbers: vectors worked from their code, their libraries and
// the examples of their documents (tests/data/vectors.json).
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/vendor/mkldnn.hpp"
#include "stridewise/vendor/mli.hpp"
#include "stridewise/vendor/okk.hpp"

namespace stridewise {
namespace {

using nlohmann::json;
using Dims = std::vector<std::int64_t>;

const json& vectors() {
  static const json all =
      json::parse(std::ifstream(STRIDEWISE_TEST_DATA "/vectors.json"));
  return all;
}

std::vector<json> of_system(const std::string& system) {
  std::vector<json> some;
  for (const json& v : vectors()) {
    if (v["system"] == system) some.push_back(v);
  }
  return some;
}

std::int64_t width(const json& v) {
  return v["dtype"].is_null()
             ? 4
             : parse_element_type(v["dtype"].get<std::string>())->bytes();
}

Layout layout_of(const std::string& text, const Dims& extents,
                 std::int64_t element_bytes) {
  const Result<LayoutSource> source = resolve_layout(text);
  EXPECT_TRUE(source) << source.error().to_string();
  Shape shape;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    shape.push_back({source->dims[d], extents[d]});
  }
  const Result<Layout> layout = source->bind(shape, element_bytes);
  EXPECT_TRUE(layout) << layout.error().to_string();
  EXPECT_TRUE(layout->valid());
  return *layout;
}

std::int64_t checked_offset(const Layout& layout, const Dims& index) {
  const std::int64_t offset = layout.offset(index);
  Dims back(index.size());
  EXPECT_EQ(layout.element_at(offset, back), Place::element);
  EXPECT_EQ(back, index);
  return offset;
}

// Reads dims named by letters ("nhwc") into the catalogue's order.
Dims reordered(const Dims& values, std::string_view given,
               std::string_view wanted) {
  Dims result;
  for (const char dim : wanted) result.push_back(values[given.find(dim)]);
  return result;
}

// ------------------------------------------------------------------ MACE ---

struct MaceName {
  std::string name;
  std::string_view given;   // the vector's order of dims
  std::string_view wanted;  // the catalogue's
};

const std::map<std::string, MaceName>& mace_names() {
  static const std::map<std::string, MaceName> names = {
      {"channel-major", {"mace.channel", "nhwc", "nchw"}},
      {"height-major", {"mace.height", "nhwc", "nchw"}},
      {"width-major", {"mace.width", "nhwc", "nchw"}},
      {"conv filter (OIHW)", {"mace.filter", "oihw", "oihw"}},
      {"conv filter (HWOI, 2018 [RoundUp4(I), ..])",
       {"mace.filter-2018", "hwoi", "oihw"}},
      {"weight height-major [H*W*I,(O+3)/4] (OIHW)",
       {"mace.weight-height", "oihw", "oihw"}},
      {"weight width-major (OIHW)", {"mace.weight-width", "oihw", "oihw"}},
      {"depthwise filter (MIHW)", {"mace.depthwise", "mihw", "mihw"}},
      {"depthwise filter (HWIM)", {"mace.depthwise", "hwim", "mihw"}},
      {"1-D argument", {"mace.argument", "w", "w"}},
      {"GPU buffer conv filter", {"mace.buffer-filter", "oihw", "oihw"}},
      {"GPU buffer depthwise filter",
       {"mace.buffer-depthwise", "mihw", "mihw"}},
  };
  return names;
}

// The vectors give channel-, height- and width-major in the buffer's order
// NHWC; those of logical order are told apart by their own buffer offset.
TEST(Vectors, Mace) {
  const std::vector<json> all = of_system("mace");
  ASSERT_EQ(all.size(), 66U);
  for (const json& v : all) {
    SCOPED_TRACE(v.dump());
    const MaceName& name = mace_names().at(v["layout"]);
    const Dims given = v["shape"].get<Dims>();
    const Layout layout = layout_of(
        name.name, reordered(given, name.given, name.wanted), width(v));
    const json& expect = v["expect"];
    if (v["index"].is_null()) {
      EXPECT_EQ(layout.places(), expect["elements"].get<std::int64_t>());
      EXPECT_EQ(layout.places() * 4, expect["bytes_fp32"].get<std::int64_t>());
      EXPECT_EQ(layout.places() - layout.elements(),
                expect["padding_elements"].get<std::int64_t>());
      if (layout.axes().size() == 3) {
        EXPECT_EQ((Dims{layout.axes()[1].extent, layout.axes()[0].extent}),
                  expect["image_size"].get<Dims>());
      }
      continue;
    }
    const Dims index_given = v["index"].get<Dims>();
    std::int64_t buffer = 0;
    for (std::size_t d = 0; d < given.size(); ++d) {
      buffer = buffer * given[d] + index_given[d];
    }
    EXPECT_EQ(buffer, expect["buffer_element"].get<std::int64_t>());
    const Dims index = reordered(index_given, name.given, name.wanted);
    EXPECT_EQ(checked_offset(layout, index),
              expect["linear_element"].get<std::int64_t>());
    if (layout.axes().size() == 3) {
      Dims at(3);
      layout.coordinates_of(index, at);
      EXPECT_EQ((Dims{at[1], at[0]}), expect["pixel"].get<Dims>());
      EXPECT_EQ(at[2], expect["lane"].get<std::int64_t>());
    }
  }
}

// ---------------------------------------------------------------- oneDNN ---

TEST(Vectors, OneDnnTags) {
  std::size_t seen = 0;
  for (const json& v : of_system("onednn")) {
    const std::string tag = v["layout"];
    if (tag.starts_with("misc/")) continue;
    ++seen;
    SCOPED_TRACE(v.dump());
    const Dims dims = v["shape"].get<Dims>();
    const Layout layout = layout_of(tag, dims, 4);
    const json& expect = v["expect"];
    if (!v["index"].is_null()) {
      EXPECT_EQ(checked_offset(layout, v["index"].get<Dims>()),
                expect["offset_elements"].get<std::int64_t>());
      continue;
    }
    const mkldnn::MemoryDesc desc = *mkldnn::describe(tag, dims);
    EXPECT_EQ(desc.padded_dims, expect["padded_dims"].get<Dims>());
    EXPECT_EQ(desc.strides, expect["strides"].get<Dims>());
    EXPECT_EQ(desc.inner_dims, expect["inner_idxs"].get<Dims>());
    EXPECT_EQ(desc.inner_blocks, expect["inner_blks"].get<Dims>());
    EXPECT_EQ(layout.places(), expect["size_elements"].get<std::int64_t>());
    EXPECT_EQ(layout.size_bytes(), expect["size_bytes"].get<std::int64_t>());
    EXPECT_EQ(*mkldnn::size_bytes(desc, 4),
              expect["size_bytes"].get<std::int64_t>());
    EXPECT_EQ(layout.places() - layout.elements(),
              expect["zero_padding_elements"].get<std::int64_t>());
    if (v["params"].contains("canonical")) {
      LayoutSource named = *resolve_layout(tag);
      LayoutSource canonical =
          *resolve_layout(v["params"]["canonical"].get<std::string>());
      align_dims(named, canonical);
      EXPECT_EQ(named.expression, canonical.expression);
    }
  }
  EXPECT_EQ(seen, 59U);
}

// What the vendor answered to calls that no tag describes.
TEST(Vectors, OneDnnCalls) {
  using mkldnn::describe;
  using mkldnn::describe_strided;
  using mkldnn::size_bytes;
  using mkldnn::submemory;
  std::map<std::string, json> expect;
  for (const json& v : of_system("onednn")) {
    expect[v["layout"].get<std::string>()] = v["expect"];
  }
  const auto size = [](const Dims& dims, const Dims& strides) {
    return *size_bytes(*describe_strided(dims, strides), 4);
  };
  EXPECT_EQ(size({3, 5}, {8, 1}), expect["misc/rows3_cols5_ld8"]["size"]);
  EXPECT_EQ(describe_strided(Dims{3, 5}, Dims{4, 1}).error().code,
            ErrorCode::invalid_value);
  EXPECT_EQ(size({3, 5}, {0, 1}), expect["misc/bcast_stride0"]["size"]);
  EXPECT_EQ(size({2, 3, 4, 5}, {96, 32, 8, 1}),
            expect["misc/nchw_2_3_4_5_ldW8"]["size"]);
  EXPECT_EQ(size({3, 5}, {1, 3}), expect["misc/colmajor"]["size"]);
  EXPECT_EQ(describe_strided(Dims{2, 3, 4, 5}, {})->strides,
            expect["misc/null_strides"]["strides"].get<Dims>());
  EXPECT_EQ(*size_bytes(*describe("nchw", {}), 4),
            expect["misc/ndims0"]["size"]);
  const auto check = [&](const Result<mkldnn::MemoryDesc>& part,
                         const json& wanted) {
    ASSERT_EQ(wanted["status"], "success");
    EXPECT_EQ(part->offset0, wanted["offset0"].get<std::int64_t>());
    EXPECT_EQ(part->strides, wanted["strides"].get<Dims>());
    EXPECT_EQ(part->padded_dims, wanted["padded_dims"].get<Dims>());
  };
  const mkldnn::MemoryDesc blocked = *describe("nChw8c", Dims{2, 17, 3, 4});
  check(submemory(blocked, Dims{2, 9, 3, 4}, Dims{0, 8, 0, 0}),
        expect["misc/sub_nChw8c_c8_len9_rightborder"]);
  check(submemory(blocked, Dims{2, 4, 3, 4}, Dims{0, 8, 0, 0}),
        expect["misc/sub_nChw8c_len4_lt_block"]);
  check(submemory(*describe("nchw", Dims{2, 5, 3, 4}), Dims{1, 2, 2, 3},
                  Dims{1, 2, 1, 1}),
        expect["misc/sub_nchw"]);
  EXPECT_EQ(submemory(blocked, Dims{2, 8, 3, 4}, Dims{0, 4, 0, 0}).error().code,
            ErrorCode::unsupported);
  EXPECT_EQ(
      submemory(blocked, Dims{2, 12, 3, 4}, Dims{0, 0, 0, 0}).error().code,
      ErrorCode::unsupported);
  EXPECT_EQ(
      submemory(blocked, Dims{2, 9, 3, 4}, Dims{0, 16, 0, 0}).error().code,
      ErrorCode::invalid_value);
}

TEST(Vectors, MklDnn016) {
  const json v = of_system("mkldnn_v0.16").at(0);
  const json& expect = v["expect"];
  const mkldnn::MemoryDesc desc =
      *mkldnn::describe("nChw8c", v["shape"].get<Dims>());
  EXPECT_EQ(desc.padded_dims, expect["padding_dims"].get<Dims>());
  EXPECT_EQ(desc.strides, expect["strides0"].get<Dims>());
  EXPECT_EQ(*mkldnn::size_bytes(desc, 4, mkldnn::SizeRule::v0_16),
            expect["size_bytes"].get<std::int64_t>());
  // The two generations differ on a dim of one step with a stride.
  const mkldnn::MemoryDesc pitched =
      *mkldnn::describe_strided(Dims{1, 5}, Dims{1000, 1});
  EXPECT_EQ(*mkldnn::size_bytes(pitched, 4, mkldnn::SizeRule::v0_16), 4000);
  EXPECT_EQ(*mkldnn::size_bytes(pitched, 4, mkldnn::SizeRule::v2), 20);
}

// ------------------------------------------------------------------- OKK ---

std::string okk_text(const json& v) {
  static const std::map<std::string, std::string> names = {
      {"explicit_stride_local", "okk.strided"},
      {"aligned", "okk.aligned"},
      {"compact", "okk.compact"},
      {"matrix", "okk.matrix"},
      {"4N-mode/aligned", "okk.4n"},
      {"4N-mode/compact", "okk.4n"},
      {"2N-mode/aligned", "okk.2n"},
      {"2N-mode/compact", "okk.2n"},
      {"2IC-mode/compact", "okk.2ic"}};
  const json& params = v["params"];
  const std::string layout = v["layout"];
  std::string text = names.at(layout) + "(npus=" + params["X"].dump();
  if (params.contains("S")) text += ",npu_bytes=" + params["S"].dump();
  text += params.contains("addr") ? ",addr=" + params["addr"].dump()
                                  : ",start=" + params["start_npu"].dump();
  if (params.contains("W")) text += ",w=" + params["W"].dump();
  if (const auto at = layout.find("-mode/"); at != std::string::npos) {
    text += ",base=" + layout.substr(at + 6);
  }
  if (params.contains("stride_nchw")) {
    const std::array<std::string, 4> dims = {"nstride", "cstride", "hstride",
                                             "wstride"};
    for (std::size_t d = 0; d < 4; ++d) {
      if (params["stride_nchw"][d].is_null()) continue;
      text += "," + dims[d] + "=" + params["stride_nchw"][d].dump();
    }
  }
  return text + ")";
}

void check_okk_layout(const json& v) {
  const std::string layout_name = v["layout"];
  const Layout layout =
      layout_of(okk_text(v), v["shape"].get<Dims>(), width(v));
  const json& expect = v["expect"];
  const BoundAxis& offset_axis = layout.axes()[1];
  if (!v["index"].is_null()) {
    const Dims index = v["index"].get<Dims>();
    const std::int64_t byte = checked_offset(layout, index) * width(v);
    EXPECT_EQ(byte, expect["address"].get<std::int64_t>());
    Dims at(2);
    layout.coordinates_of(index, at);
    EXPECT_EQ(at[0], expect["npu"].get<std::int64_t>());
    EXPECT_EQ(at[1] * width(v), expect["offset"].get<std::int64_t>());
  }
  if (expect.contains("bytes_per_npu")) {
    EXPECT_EQ(offset_axis.extent * width(v),
              expect["bytes_per_npu"].get<std::int64_t>());
  }
  // Strides of the digits n, c, h, w (packed by `lanes` where the mode packs).
  std::int64_t lanes = 1;
  json strides;
  if (expect.contains("stride_nchw")) strides = expect["stride_nchw"];
  if (expect.contains("stride_nchw_packed32")) {
    strides = expect["stride_nchw_packed32"];
    lanes = 4 / width(v);
  }
  if (expect.contains("stride_packed64")) {
    strides = expect["stride_packed64"];
    lanes = 2;
  }
  if (strides.is_null() || layout_name == "matrix") return;
  Dims found;
  for (std::size_t k = 1; k < 5; ++k) {
    found.push_back(layout.terms()[k].stride / lanes);
  }
  EXPECT_EQ(found, strides.get<Dims>());
}

void check_okk_functions(const json& v) {
  const json& params = v["params"];
  const json& expect = v["expect"];
  const std::string layout = v["layout"];
  const auto extents = [&] {
    const Dims s = v["shape"].get<Dims>();
    return okk::Dim4{s[0], s[1], s[2], s[3]};
  };
  if (layout == "local_address_valid") {
    EXPECT_EQ(okk::local_address(params["address"], params["X"], params["S"])
                  .has_value(),
              expect["valid"].get<bool>());
  } else if (layout == "scatter" || layout == "channels_per_npu") {
    const std::int64_t start = params["start_npu"];
    EXPECT_EQ(*okk::channels_per_npu(start, extents().c, params["X"]),
              expect["channels_per_npu"].get<std::int64_t>());
  } else if (layout == "aligned" && expect.contains("stride_nchw")) {
    const json& s = expect["stride_nchw"];
    EXPECT_EQ(*okk::aligned_strides(params["start_npu"], extents(), width(v),
                                    params["X"]),
              (okk::Dim4{s[0], s[1], s[2], s[3]}));
  } else if (layout == "compact" && expect.contains("stride_nchw")) {
    const json& s = expect["stride_nchw"];
    EXPECT_EQ(
        *okk::compact_strides(params["start_npu"], extents(), params["X"]),
        (okk::Dim4{s[0], s[1], s[2], s[3]}));
  }
}

TEST(Vectors, Okk) {
  const std::vector<json> all = of_system("okk");
  ASSERT_EQ(all.size(), 36U);
  const std::map<std::string, std::int64_t> addresses = {{"B", 1472},
                                                         {"C", 2300}};
  for (const json& v : all) {
    SCOPED_TRACE(v.dump());
    const std::string layout = v["layout"];
    const json& params = v["params"];
    const json& expect = v["expect"];
    check_okk_functions(v);
    if (layout == "local_address") {
      const auto address = okk::local_address(addresses.at(params["name"]),
                                              params["X"], params["S"]);
      EXPECT_EQ(*address, (okk::LocalAddress{expect["npu"], expect["offset"]}));
    } else if (layout == "aligned_address_precondition" ||
               layout == "compact_address_precondition") {
      const std::string text = "okk." + layout.substr(0, layout.find('_')) +
                               "(addr=" + params["addr"].dump() + ")";
      const LayoutSource source = *resolve_layout(text);
      EXPECT_EQ(
          source.bind(*parse_shape("1x1x1x1", source.dims), 4).has_value(),
          expect["valid"].get<bool>());
    } else if (layout == "matrix_precondition") {
      EXPECT_FALSE(resolve_layout("okk.matrix(w=" + params["W"].dump() + ")"));
    } else if (layout == "2IC-mode/system_continuous") {
      const Layout system =
          layout_of("okk.2ic-system", v["shape"].get<Dims>(), width(v));
      EXPECT_EQ(checked_offset(system, v["index"].get<Dims>()),
                expect["element_offset"].get<std::int64_t>());
    } else if (layout == "scatter") {
      const Layout placed =
          layout_of("okk.compact(npus=4,npu_bytes=1024,start=" +
                        params["start_npu"].dump() + ")",
                    v["shape"].get<Dims>(), 4);
      for (const auto& [c, place] : expect["npu_and_row_of_channel"].items()) {
        Dims at(2);
        placed.coordinates_of(Dims{0, std::stoll(c), 0, 0}, at);
        EXPECT_EQ(at[0], place[0].get<std::int64_t>());
        EXPECT_EQ(at[1], place[1].get<std::int64_t>());
      }
    } else if (layout != "local_address_valid" &&
               layout != "channels_per_npu") {
      check_okk_layout(v);
    }
  }
}

// The document's other figures: addresses A and D, and all four scatters.
TEST(Vectors, OkkFigures) {
  EXPECT_EQ(*okk::local_address(340, 4, 1024), (okk::LocalAddress{0, 340}));
  EXPECT_EQ(*okk::local_address(3088, 4, 1024), (okk::LocalAddress{3, 16}));
  EXPECT_FALSE(okk::local_address(4096, 4, 1024));
  EXPECT_FALSE(okk::local_address(-1, 4, 1024));
  EXPECT_EQ(*okk::channels_per_npu(0, 3, 4), 1);
  EXPECT_EQ(*okk::channels_per_npu(1, 3, 4), 1);
  EXPECT_EQ(*okk::channels_per_npu(0, 6, 4), 2);
  EXPECT_EQ(*okk::channels_per_npu(3, 6, 4), 3);
  EXPECT_EQ(*okk::okk_channle_num_per_npu(5, 70), 2);
  EXPECT_EQ(*okk::continuous_strides({2, 3, 4, 5}), (okk::Dim4{60, 20, 5, 1}));
}

// ------------------------------------------------------------------- MLI ---

std::vector<std::int16_t> iota1(std::int64_t count, std::int16_t gap,
                                const mli::Tensor& t) {
  std::vector<std::int16_t> data(static_cast<std::size_t>(count), gap);
  Dims index(t.shape.size(), 0);
  std::int16_t value = 1;
  for (;;) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      at += index[d] * t.mem_stride[d];
    }
    data[static_cast<std::size_t>(at)] = value++;
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == t.shape[d - 1]) index[--d] = 0;
    if (d == 0) return data;
  }
}

Dims dense_strides(const Dims& shape) {
  Dims strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d-- > 0;) {
    strides[d] = strides[d + 1] * shape[d + 1];
  }
  return strides;
}

std::span<std::byte> bytes_of(std::vector<std::int16_t>& data) {
  return std::as_writable_bytes(std::span(data));
}

void check_permute(const json& v) {
  const json& params = v["params"];
  const json& expect = v["expect"];
  const std::string status = expect["status"];
  const std::string name = v["layout"];
  mli::Tensor in{
      v["shape"].get<Dims>(), params["in_stride"].get<Dims>(), 2, {}};
  const Dims perm = params["perm_dim"].get<Dims>();
  mli::Tensor out{{}, params["out_stride"].get<Dims>(), 2, {}};
  if (const auto shape = mli::permuted_shape(in.shape, perm)) {
    out.shape = *shape;
  }
  if (name == "permute/err_out_shape") --out.shape[0];
  std::vector<std::int16_t> in_data(4096, -9);
  std::vector<std::int16_t> out_data(4096, -9);
  if (status == "OK") in_data = iota1(4096, -9, in);
  in.data = bytes_of(in_data);
  out.data = bytes_of(out_data);
  if (name == "permute/err_capacity") out.data = out.data.first(46);
  const Result<void> done = mli::permute(in, perm, out);
  if (status != "OK") {
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, ::testing::StartsWith(status + ":"));
    return;
  }
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(out.shape, expect["out_shape"].get<Dims>());
  const std::int64_t required =
      *mli::required_elements(out.shape, out.mem_stride);
  EXPECT_EQ(required, expect["required_capacity_elements"]);
  const auto values = [&](std::int64_t from, std::int64_t to) {
    return Dims(out_data.begin() + from, out_data.begin() + to);
  };
  if (expect.contains("out_of_iota1")) {
    EXPECT_EQ(values(0, required), expect["out_of_iota1"].get<Dims>());
  } else {
    EXPECT_EQ(values(0, 16), expect["out_first16"].get<Dims>());
    EXPECT_EQ(values(required - 4, required), expect["out_last4"].get<Dims>());
  }
}

void check_move(const json& v) {
  const json& params = v["params"];
  const json& expect = v["expect"];
  const Dims shape = v["shape"].get<Dims>();
  mli::Tensor in{shape, dense_strides(shape), 2, {}};
  std::vector<std::int16_t> in_data = iota1(4096, -9, in);
  in.data = bytes_of(in_data);
  std::vector<std::int16_t> out_data(4096, -9);
  const mli::Move move{.pad_pre = params["pre"].get<Dims>(),
                       .pad_post = params["post"].get<Dims>(),
                       .offset = params["offset"].get<Dims>(),
                       .size = params["size"].get<Dims>(),
                       .subsample = params["sub"].get<Dims>(),
                       .perm_dim = params["perm"].get<Dims>(),
                       .dst_offset = params["dst_offset"].get<Dims>(),
                       .dst_mem_stride = params["dst_mem_stride"].get<Dims>()};
  const Result<mli::Moved> moved =
      mli::move_tensor(in, move, bytes_of(out_data));
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->shape, expect["out_shape"].get<Dims>());
  EXPECT_EQ(moved->mem_stride, expect["out_stride"].get<Dims>());
  const Dims wanted = expect["out_of_iota1"].get<Dims>();
  const auto count = static_cast<std::int64_t>(wanted.size());
  EXPECT_EQ(Dims(out_data.begin(), out_data.begin() + count), wanted);
}

TEST(Vectors, Mli) {
  const std::vector<json> all = of_system("mli");
  ASSERT_EQ(all.size(), 15U);
  for (const json& v : all) {
    SCOPED_TRACE(v.dump());
    const std::string layout = v["layout"];
    if (layout == "HWCN") {
      const Layout weights =
          layout_of("mli.hwcn", v["shape"].get<Dims>(), width(v));
      EXPECT_EQ(checked_offset(weights, v["index"].get<Dims>()),
                v["expect"]["offset"].get<std::int64_t>());
      Dims strides;
      for (const BoundTerm& term : weights.terms()) {
        strides.push_back(term.stride);
      }
      EXPECT_EQ(strides, v["expect"]["stride"].get<Dims>());
      EXPECT_EQ(weights.places(), v["expect"]["elements"]);
    } else if (layout.starts_with("permute/")) {
      check_permute(v);
    } else {
      check_move(v);
    }
  }
}

TEST(Mli, OtherStatusesOfPermute) {
  std::vector<std::int16_t> data(64);
  mli::Tensor in{{2, 3}, {3, 1}, 2, bytes_of(data)};
  mli::Tensor out{{3, 2}, {2, 1}, 2, bytes_of(data)};
  const auto message = [&](const Dims& perm) {
    return mli::permute(in, perm, out).error().message;
  };
  EXPECT_THAT(message({1, 0}), ::testing::StartsWith("INCOMPATEBLE"));
  EXPECT_THAT(message({1, 1}), ::testing::StartsWith("BAD_FUNC_CFG"));
  EXPECT_THAT(message({1, 2}), ::testing::StartsWith("BAD_FUNC_CFG"));
  out.element_bytes = 1;
  EXPECT_THAT(message({1, 0}), ::testing::StartsWith("TYPE_MISMATCH"));
}

}  // namespace
}  // namespace stridewise
