// GGUF files and archives of NumPy: what is read of sound ones, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stridewise/catalogue.hpp"
#include "stridewise/container.hpp"
#include "stridewise/notation.hpp"
#include "support/containers_test.hpp"

namespace stridewise {
namespace {

using namespace std::string_literals;
using testing::deflated;
using ::testing::ElementsAre;
using testing::gguf_text;
using testing::gguf_u32;
using testing::GgufFile;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::little;
using testing::ZipFile;
using testing::ZipMember;

// ------------------------------------------------------------------ GGUF ---

TEST_F(Containers, GgufTensors) {
  GgufFile file;
  file.alignment = 64;
  const std::string list = little(9, 4) + little(9, 4) + little(2, 8) +
                           (little(8, 4) + little(1, 8) + gguf_text("x")) +
                           (little(0, 4) + little(3, 8) + "abc");
  file.pairs = {gguf_text("nested") + list, gguf_u32("general.alignment", 64),
                gguf_text("big") + little(12, 4) + little(1, 8),
                gguf_text("yes") + little(7, 4) + "\1"};
  file.tensors = {{"w", {64, 5, 3}, 2, 64},
                  {"x\0y"s, {}, 30, 0},
                  {"new", {7}, 99, 640},
                  {"none", {0, 4}, 0, 640}};
  file.data = std::string(700, 'd');
  for (const std::uint32_t version : {2U, 3U}) {
    file.version = version;
    const auto c = open("a.gguf", file.bytes());
    ASSERT_TRUE(c) << c.error().message;
    const ContainedTensor& w = c->tensors()[0];
    EXPECT_EQ(w.type_name, "Q4_0");
    EXPECT_FALSE(w.type);
    EXPECT_THAT(w.shape, ElementsAre(3, 5, 64));
    EXPECT_EQ(w.layout, "gguf.q4_0");
    EXPECT_EQ(w.logical_shape, "n=15,k=64");
    EXPECT_EQ(w.bytes, 15 * 2 * 18);
    EXPECT_EQ(w.offset % 64, 0);
    const ContainedTensor& x = **c->find("x\0y"s);
    EXPECT_EQ(x.type->name, "bf16");
    EXPECT_THAT(x.shape, IsEmpty());
    EXPECT_EQ(loaded(*c, x.name), "dd");
    // Up to what comes next, which is the end here.
    EXPECT_EQ((*c->find("new"))->type_name, "type 99");
    EXPECT_EQ(loaded(*c, "new").size() + loaded(*c, "none").size(), 60U);
  }
}

TEST_F(Containers, GgufBlocksHaveTheSizesOfTheCatalogue) {
  for (std::uint32_t type = 0; type < 64; ++type) {
    GgufFile file;
    file.tensors = {{"w", {256, 3}, type, 0}};
    file.data = std::string(8192, 'x');
    const auto c = open("a.gguf", file.bytes());
    ASSERT_TRUE(c) << c.error().message;
    const ContainedTensor& w = c->tensors()[0];
    if (w.layout.empty()) continue;
    const auto source = catalogue().find(w.layout);
    ASSERT_TRUE(source) << w.layout;
    const auto shape = parse_shape(w.logical_shape);
    ASSERT_TRUE(shape);
    const auto layout =
        Layout::bind(*parse_expression(source->expression), *shape, Binding{});
    ASSERT_TRUE(layout) << layout.error().message;
    EXPECT_EQ(layout->size_bytes(), w.bytes) << w.layout;
  }
}

class GgufLies : public Containers {
 protected:
  // The message about a file that is sound but for this change.
  template <class Change>
  std::string with(const Change& change) {
    GgufFile file;
    file.pairs = {gguf_u32("general.alignment", 32)};
    file.tensors = {{"a", {8}, 0, 0}, {"b", {8}, 0, 32}};
    file.data = std::string(64, 'x');
    change(file);
    return refused("a.gguf", file.bytes());
  }
};

TEST_F(GgufLies, OfTensors) {
  EXPECT_EQ(with([](GgufFile&) {}), "accepted");
  EXPECT_THAT(refused("a.gguf", "GGML" + std::string(40, 0)),
              HasSubstr("does not begin"));
  EXPECT_THAT(with([](GgufFile& f) { f.version = 1; }), HasSubstr("version 1"));
  EXPECT_THAT(with([](GgufFile& f) { f.version = 0x03000000; }),
              HasSubstr("big-endian"));
  EXPECT_THAT(with([](GgufFile& f) { f.data.resize(63); }),
              HasSubstr("where the file ends"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].offset = 0; }),
              HasSubstr("where its place ends"));
  EXPECT_THAT(with([](GgufFile& f) {
                f.tensors[1].offset = 33;
                f.data.resize(65);
              }),
              HasSubstr("multiple of 32"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].offset = 1ULL << 63; }),
              HasSubstr("overflow"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].offset = 1ULL << 62; }),
              HasSubstr("ends"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].extents = {1ULL << 63}; }),
              HasSubstr("overflow"));
  EXPECT_THAT(with([](GgufFile& f) {
                f.tensors[1].extents = {1ULL << 62, 4, 0};
              }),
              HasSubstr("overflow"));
  EXPECT_THAT(with([](GgufFile& f) {
                f.tensors[1].extents = {1, 1, 1, 1, 1};
              }),
              HasSubstr("5 dims"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].type = 2; }),
              HasSubstr("whole blocks of 32"));
  EXPECT_THAT(with([](GgufFile& f) { f.tensors[1].name = "a"; }),
              HasSubstr("twice"));
}

TEST_F(GgufLies, OfKeys) {
  for (const std::uint32_t alignment : {0U, 3U, 48U}) {
    EXPECT_THAT(with([&](GgufFile& f) {
                  f.pairs = {gguf_u32("general.alignment", alignment)};
                }),
                HasSubstr("power of two"));
  }
  EXPECT_THAT(with([](GgufFile& f) { f.pairs.push_back(f.pairs[0]); }),
              HasSubstr("twice"));
  EXPECT_THAT(with([](GgufFile& f) {
                f.pairs = {gguf_text("general.alignment") + little(10, 4) +
                           little(32, 8)};
              }),
              HasSubstr("no u32"));
  EXPECT_THAT(
      with([](GgufFile& f) { f.pairs = {gguf_text("k") + little(13, 4)}; }),
      HasSubstr("type 13"));
  EXPECT_THAT(with([](GgufFile& f) {
                f.pairs = {gguf_text("k") + little(9, 4) + little(8, 4) +
                           little(1ULL << 61, 8)};
              }),
              HasSubstr("list of 'k'"));
  std::string deep = gguf_text("k") + little(9, 4);
  for (int k = 0; k < 9; ++k) deep += little(9, 4) + little(1, 8);
  EXPECT_THAT(with([&](GgufFile& f) { f.pairs = {deep}; }),
              HasSubstr("deeper than 8"));
}

TEST_F(GgufLies, OfCounts) {
  const std::string counts = "GGUF" + little(3, 4);
  EXPECT_THAT(refused("a.gguf", counts + little(1ULL << 40, 8) + little(0, 8)),
              HasSubstr("tensors"));
  EXPECT_THAT(refused("a.gguf", counts + little(0, 8) + little(1ULL << 60, 8)),
              HasSubstr("keys"));
  EXPECT_EQ(refused("a.gguf", counts + little(0, 16)), "accepted");
}

// ------------------------------------------------------------------- npz ---

TEST_F(Containers, NpzArrays) {
  for (const bool zip64 : {false, true}) {
    ZipFile zip{.members = {{"a.npy", array("hello")},
                            {"d/b.npy", array(std::string(100'000, 'z')), 8},
                            {"note.txt", "no array"},
                            {"none.npy", array(""), 8}},
                .comment = "PK\5\6 is no end here",
                .zip64 = zip64};
    const auto c = open("a.npz", zip.bytes());
    ASSERT_TRUE(c) << c.error().message;
    ASSERT_EQ(c->tensors().size(), 3U);
    EXPECT_EQ(loaded(*c, "a"), "hello");
    EXPECT_EQ(loaded(*c, "d/b"), std::string(100'000, 'z'));
    EXPECT_EQ(loaded(*c, "none"), "");
    const ContainedTensor& b = c->tensors()[1];
    EXPECT_TRUE(b.compressed);
    EXPECT_EQ(b.type_name, "|u1");
    EXPECT_EQ(b.bytes, 100'000);
    EXPECT_LT(b.stored_bytes, 1000);
    EXPECT_EQ(c->tensors()[0].stored_bytes, 5);
    EXPECT_TRUE(c->load("a")->file);
  }
}

TEST_F(Containers, ArchivesThatLie) {
  const auto with = [&](const auto& change) {
    ZipFile zip{
        .members = {{"a.npy", array("hello")}, {"b.npy", array("world"), 8}}};
    change(zip);
    return refused("a.npz", zip.bytes());
  };
  EXPECT_EQ(with([](ZipFile&) {}), "accepted");
  EXPECT_THAT(refused("a.npz", std::string(1000, 'P')), HasSubstr("its end"));
  EXPECT_THAT(with([](ZipFile& z) { z.members[1].name = "a.npy"; }),
              HasSubstr("twice"));
  EXPECT_THAT(with([](ZipFile& z) { z.members[0].size = 100; }),
              HasSubstr("another size than its own"));
  EXPECT_THAT(with([](ZipFile& z) { z.members[1].size = 1 << 20; }),
              HasSubstr("promises 1048576 bytes"));
  EXPECT_THAT(with([](ZipFile& z) {
                z.members[0].size = z.members[0].packed_size = 1 << 20;
              }),
              HasSubstr("into the directory"));
  // The first member goes on into the second one.
  EXPECT_THAT(with([](ZipFile& z) {
                z.members[0].size = z.members[0].packed_size = 150;
              }),
              HasSubstr("upon another"));
  std::string file = ZipFile{.members = {{"a.npy", array("hello")}}}.bytes();
  EXPECT_THAT(refused("a.npz", "x" + file), HasSubstr("does not lie where"));
  const auto changed = [&](std::size_t at, char byte) {
    std::string copy = file;
    copy[at] = byte;
    return refused("a.npz", copy);
  };
  EXPECT_THAT(changed(30, 'b'), HasSubstr("not where"));
  EXPECT_THAT(changed(8, 8), HasSubstr("not where"));
  EXPECT_THAT(changed(14, file[14] ^ 1), HasSubstr("another size"));
  EXPECT_THAT(changed(file.size() - 12, 2), HasSubstr("several parts"));
}

TEST_F(Containers, ArraysThatAreRefusedAreListed) {
  std::string dims = "{'descr': '|u1', 'fortran_order': False, 'shape': (";
  for (int k = 0; k < 65; ++k) dims += "1,";
  dims += ")}";
  const std::string many =
      "\x93NUMPY\1\0"s + little(dims.size(), 2) + dims + "x";
  const auto c = open(
      "a.npz", ZipFile{.members = {{"good.npy", array("x")},
                                   {"secret.npy", array("x"), 0, 1},
                                   {"lzma.npy", array("x"), 14},
                                   {"text.npy", "hello"},
                                   {"short.npy", array("hello").substr(0, 130)},
                                   {"many.npy", many, 8}}}
                   .bytes());
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(loaded(*c, "good"), "x");
  EXPECT_THAT(loaded(*c, "secret"), HasSubstr("encrypted"));
  EXPECT_THAT(loaded(*c, "lzma"), HasSubstr("method 14"));
  EXPECT_THAT(loaded(*c, "text"), HasSubstr("does not begin"));
  EXPECT_THAT(loaded(*c, "short"), HasSubstr("promises 5 bytes"));
  EXPECT_THAT(loaded(*c, "many"), HasSubstr("65 dims"));
}

TEST_F(Containers, WrongChecksumsAndStreamsAreToldWhenLoaded) {
  const std::string bytes = array(std::string(1000, 'q'));
  const auto size = static_cast<std::int64_t>(bytes.size());
  std::string cut = deflated(bytes);
  cut.resize(cut.size() - 1);
  const auto c = open(
      "a.npz",
      ZipFile{
          .members = {{.name = "a.npy", .bytes = bytes, .crc = 1},
                      {.name = "b.npy", .bytes = bytes, .method = 8, .crc = 1},
                      {.name = "longer.npy",
                       .bytes = bytes + "x",
                       .method = 8,
                       .size = size}}}
          .bytes());
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_THAT(loaded(*c, "a"), HasSubstr("checksum"));
  EXPECT_THAT(loaded(*c, "b"), HasSubstr("checksum"));
  EXPECT_THAT(loaded(*c, "longer"), HasSubstr("deflated bytes"));
}

}  // namespace
}  // namespace stridewise
