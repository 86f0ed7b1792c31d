// Files of several tensors: what is read of sound ones, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "support/containers.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "stridewise/catalogue.hpp"
#include "stridewise/container.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::deflated;
using ::testing::ElementsAre;
using testing::gguf_text;
using testing::gguf_u32;
using testing::GgufFile;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::little;
using testing::safetensors_file;
using testing::ZipFile;
using testing::ZipMember;

class Containers : public ::testing::Test {
 protected:
  Containers() : folder_("stridewise-containers") {}

  Result<Container> open(const std::string& name, std::string_view bytes) {
    return Container::open(folder_.write(name, bytes));
  }
  // The message, or "accepted".
  std::string refused(const std::string& name, std::string_view bytes) {
    const auto container = open(name, bytes);
    return container ? "accepted" : container.error().message;
  }
  std::string header_refused(std::string_view header,
                             std::string_view data = {}) {
    return refused("a.safetensors", safetensors_file(header, data));
  }

  testing::Folder folder_;
};

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string loaded(const Container& container, std::string_view name) {
  const auto tensor = container.load(name);
  return tensor ? text_of(tensor->bytes) : "! " + tensor.error().message;
}

// A .npy array of u8.
std::string array(std::string_view data) {
  const std::vector<std::int64_t> shape = {
      static_cast<std::int64_t>(data.size())};
  return make_npy_header(*parse_element_type("u8"), shape) + std::string(data);
}

// ----------------------------------------------------------------- names ---

TEST(ContainerNames, EndInEitherCase) {
  for (const char* name :
       {"m.safetensors", "M.GGUF", "a/b.NpZ", "m.safetensors.index.json"}) {
    EXPECT_TRUE(is_container(name)) << name;
  }
  for (const char* name : {"m.npy", "index.json", "gguf", "m.gguf.bak", ""}) {
    EXPECT_FALSE(is_container(name)) << name;
  }
}

TEST_F(Containers, NamesFollowTheFirstColonBehindAnEnding) {
  const auto split = [](std::string_view text) {
    const ContainerPath path = split_container_path(text);
    return path.file.string() + " | " + path.name.value_or("none");
  };
  EXPECT_EQ(split("model.safetensors:layers.0.w"),
            "model.safetensors | layers.0.w");
  EXPECT_EQ(split("a:b/M.GGUF:x:y.npz:z"), "a:b/M.GGUF | x:y.npz:z");
  EXPECT_EQ(split("m.index.json:"), "m.index.json | ");
  EXPECT_EQ(split("x.npy:w"), "x.npy:w | none");
  EXPECT_EQ(split("x.npz"), "x.npz | none");
  EXPECT_EQ(split("x.npz:a\0b"s), "x.npz | a\0b"s);
  const std::string odd = folder_.write("x.npz:w", "").string();
  EXPECT_EQ(split(odd), odd + " | none");
  EXPECT_EQ(split(odd + "x"), odd.substr(0, odd.size() - 2) + " | wx");
}

TEST_F(Containers, OtherFilesAreNone) {
  EXPECT_THAT(refused("a.npy", ""), HasSubstr("by its name"));
  EXPECT_THAT(Container::open(folder_.path() / "no.gguf").error().message,
              HasSubstr("cannot open"));
  for (const char* name :
       {"a.safetensors", "a.gguf", "a.npz", "a.index.json"}) {
    EXPECT_THAT(refused(name, ""), HasSubstr(name));
    fs::remove(folder_.path() / name);
    fs::create_directories(folder_.path() / name);
    EXPECT_THAT(Container::open(folder_.path() / name).error().message,
                HasSubstr("not a regular file"));
  }
}

// ----------------------------------------------------------- safetensors ---

TEST_F(Containers, SafetensorsTensors) {
  const auto c = open(
      "a.safetensors",
      safetensors_file(
          R"({"b":{"dtype":"I16","shape":[2,1],"data_offsets":[3,7]},)"
          R"("__metadata__":{"stridewise.layout.b":"y x","format":"pt",)"
          R"("stridewise.shape.b":"x=1,y=2","stridewise.layout.gone":"z",)"
          R"("stridewise.dtype.f":"u4"},)"
          R"("f":{"data_offsets":[0,3],"shape":[3],"dtype":"U8"},)"
          R"("zero":{"dtype":"F32","shape":[0,9],"data_offsets":[3,3]},)"
          R"("odd":{"dtype":"Q7","shape":[],"data_offsets":[7,8]},)"
          R"("six":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[8,11]}} )",
          "abcdefghijk"));
  ASSERT_TRUE(c) << c.error().message;
  ASSERT_EQ(c->tensors().size(), 5U);
  const ContainedTensor& b = c->tensors()[0];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.type_name, "I16");
  EXPECT_EQ(b.type->name, "s16");
  EXPECT_EQ(b.element_bytes, 2);
  EXPECT_THAT(b.shape, ElementsAre(2, 1));
  EXPECT_EQ(b.layout, "y x");
  EXPECT_EQ(b.logical_shape, "x=1,y=2");
  EXPECT_EQ(c->tensors()[1].logical_type, "u4");
  EXPECT_EQ(loaded(*c, "b"), "defg");
  EXPECT_EQ(loaded(*c, "f"), "abc");
  EXPECT_EQ(loaded(*c, "zero"), "");
  EXPECT_EQ(loaded(*c, "odd"), "h");
  EXPECT_EQ(loaded(*c, "six"), "ijk");
  EXPECT_FALSE((*c->find("odd"))->type);
  EXPECT_EQ((*c->find("six"))->element_bytes, 0);
  EXPECT_EQ(c->metadata().size(), 5U);
}

TEST_F(Containers, SafetensorsThatHoldNothing) {
  const auto c = open("a.safetensors", safetensors_file("{}", ""));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_THAT(c->tensors(), IsEmpty());
  EXPECT_THAT(c->find("w").error().message,
              HasSubstr("no tensor 'w' among the 0 of"));
}

TEST_F(Containers, MisspeltNamesAreTold) {
  const auto c = open(
      "a.safetensors",
      safetensors_file(
          R"({"layers.0.w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
          "x"));
  ASSERT_TRUE(c);
  const auto error = c->find("layer.0.w").error();
  EXPECT_EQ(error.code, ErrorCode::unknown_name);
  EXPECT_THAT(error.message, HasSubstr("among the 1 of"));
  EXPECT_THAT(error.message, HasSubstr("did you mean 'layers.0.w'?"));
}

TEST_F(Containers, NamesHaveAnyBytes) {
  const auto c = open(
      "a.safetensors",
      safetensors_file(
          R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
          R"("a\u0000\n\"\\:":{"dtype":"U8","shape":[],"data_offsets":[1,2]}})",
          "xy"));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(loaded(*c, ""), "x");
  EXPECT_EQ(loaded(*c, "a\0\n\"\\:"s), "y");
  EXPECT_THAT(c->find("\x1b[31m\xff\n"s + std::string(1 << 20, 'n'))
                  .error()
                  .message.size(),
              ::testing::Lt(600U));
}

TEST_F(Containers, SafetensorsThatLie) {
  const auto one = [&](std::string_view dtype, std::string_view shape,
                       std::string_view offsets, std::string_view data) {
    return header_refused("{\"a\":{\"dtype\":" + std::string(dtype) +
                              ",\"shape\":" + std::string(shape) +
                              ",\"data_offsets\":" + std::string(offsets) +
                              "}}",
                          data);
  };
  EXPECT_EQ(one("\"U8\"", "[2]", "[0,2]", "xy"), "accepted");
  EXPECT_THAT(one("\"U8\"", "[2]", "[0,2]", "xyz"), HasSubstr("follow"));
  EXPECT_THAT(one("\"U8\"", "[2]", "[0,2]", "x"), HasSubstr("take 2 bytes"));
  EXPECT_THAT(one("\"U8\"", "[2]", "[1,3]", "xyz"), HasSubstr("end at 0"));
  EXPECT_THAT(one("\"U8\"", "[2]", "[2,0]", "xy"), HasSubstr("end at 0"));
  EXPECT_THAT(one("\"U8\"", "[3]", "[0,2]", "xy"), HasSubstr("take 3"));
  EXPECT_THAT(one("\"F4\"", "[3]", "[0,2]", "xy"),
              HasSubstr("end with a byte"));
  EXPECT_THAT(one("\"Q\"", "[4611686018427387904,2]", "[0,2]", "xy"),
              HasSubstr("overflows"));
  EXPECT_THAT(one("\"U8\"", "[4294967296,4294967296,0]", "[0,0]", ""),
              HasSubstr("overflows"));
  EXPECT_THAT(one("1", "[2]", "[0,2]", "xy"), HasSubstr("dtype"));
  for (const char* number : {"-1", "1.5", "2e0", "-0", "9223372036854775808",
                             "null", "true", "\"2\"", "[2]", "{}"}) {
    EXPECT_THAT(one("\"U8\"", "["s + number + "]", "[0,2]", "xy"),
                HasSubstr("shape"))
        << number;
    EXPECT_THAT(one("\"U8\"", "[2]", "[0,"s + number + "]", "xy"),
                HasSubstr("data_offsets"))
        << number;
  }
  EXPECT_THAT(one("\"U8\"", "2", "[0,2]", "xy"), HasSubstr("shape"));
  EXPECT_THAT(one("\"U8\"", "[2]", "[2]", "xy"), HasSubstr("data_offsets"));
  EXPECT_THAT(one("\"U8\"", "[2]", "[0,1,2]", "xy"), HasSubstr("data_offsets"));
  EXPECT_THAT(one("\"U8\",\"dtype\":\"U8\"", "[2]", "[0,2]", "xy"),
              HasSubstr("twice"));
  EXPECT_THAT(one("\"U8\",\"x\":0", "[2]", "[0,2]", "xy"),
              HasSubstr("does not know"));
}

TEST_F(Containers, SafetensorsHeadersThatAreNone) {
  EXPECT_THAT(refused("a.safetensors", "1234567"), HasSubstr("too short"));
  EXPECT_THAT(refused("a.safetensors", little(100'000'001, 8)),
              HasSubstr("100000001 bytes"));
  EXPECT_THAT(refused("a.safetensors", little(3, 8) + "{}"),
              HasSubstr("the file has 10"));
  for (const char* header :
       {"", "{", "{}x", "{} {}", "{\"a\":}", "{'a':1}", "nul", "{}//",
        "\xef\xbb\xbf{}", "{\"\xff\":{}}", "{\"\xc0\x80\":{}}",
        "{\"\\ud800\":{}}", "{\"a\nb\":{}}", "{\"a\":1e999}"}) {
    EXPECT_THAT(header_refused(header), HasSubstr("JSON")) << header;
  }
  EXPECT_THAT(header_refused("{}\0x"s), HasSubstr("JSON"));
  EXPECT_THAT(header_refused("[]"), HasSubstr("no object"));
  EXPECT_THAT(header_refused("1"), HasSubstr("no object"));
  EXPECT_THAT(header_refused(R"({"a":1})"), HasSubstr("'a' is no object"));
  EXPECT_THAT(header_refused(R"({"a":{}})"), HasSubstr("lacks"));
  EXPECT_THAT(header_refused(R"({"a":{"dtype":{"x":0}}})"), HasSubstr("dtype"));
  EXPECT_THAT(header_refused(R"({"__metadata__":null})"), HasSubstr("object"));
  EXPECT_THAT(header_refused(R"({"__metadata__":{"a":1}})"),
              HasSubstr("no text for 'a'"));
  EXPECT_THAT(header_refused(R"({"__metadata__":{"a":"","a":""}})"),
              HasSubstr("twice"));
  EXPECT_THAT(header_refused(R"({"__metadata__":{},"__metadata__":{}})"),
              HasSubstr("twice"));
  EXPECT_THAT(
      header_refused(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                     R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
      HasSubstr("'a' comes twice"));
  EXPECT_THAT(header_refused(std::string(1'000'000, '[')), HasSubstr("object"));
}

TEST_F(Containers, FilesThatBecomeShorter) {
  const auto c = open(
      "a.safetensors",
      safetensors_file(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "abcd"));
  ASSERT_TRUE(c);
  fs::resize_file(c->files()[0], 60);
  EXPECT_THAT(loaded(*c, "a"), HasSubstr("shorter"));
}

// ----------------------------------------------------------------- index ---

std::string shard(const std::string& name, char byte) {
  return safetensors_file(
      "{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
      std::string(1, byte));
}

std::string index_of(const std::string& map) {
  return R"({"metadata":{"total_size":2,"x":[{"y":null}]},"weight_map":{)" +
         map + "}}";
}

TEST_F(Containers, IndexesLeadToTheirShards) {
  folder_.write("one.safetensors", shard("a", '1'));
  folder_.write("sub/two.safetensors", shard("b", '2'));
  const auto c =
      open("m.safetensors.index.json", index_of(R"("b":"sub/two.safetensors",)"
                                                R"("a":"one.safetensors")"));
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(c->format(), ContainerFormat::safetensors_index);
  ASSERT_EQ(c->tensors().size(), 2U);
  EXPECT_EQ(c->tensors()[0].name, "b");
  EXPECT_EQ(c->files()[static_cast<std::size_t>(c->tensors()[1].file)],
            folder_.path() / "one.safetensors");
  EXPECT_EQ(loaded(*c, "a"), "1");
  EXPECT_EQ(loaded(*c, "b"), "2");
}

TEST_F(Containers, IndexesThatLeadNowhere) {
  folder_.write("one.safetensors", shard("a", '1'));
  const auto index = [&](const std::string& map) {
    return refused("m.index.json", index_of(map));
  };
  EXPECT_EQ(index(R"("a":"one.safetensors")"), "accepted");
  EXPECT_THAT(index(R"("b":"one.safetensors")"), HasSubstr("does not hold"));
  EXPECT_THAT(index(R"("a":"no.safetensors")"), HasSubstr("cannot open"));
  EXPECT_THAT(index(R"("a":"m.index.json")"), HasSubstr("no .safetensors"));
  EXPECT_THAT(index(R"("a":"m.bin")"), HasSubstr("no .safetensors"));
  for (const char* name :
       {"/tmp/a.safetensors", "../a.safetensors", "x/../../a.safetensors",
        "./one.safetensors", "x//one.safetensors", "x/../one.safetensors", "",
        "a\\u0000.safetensors"}) {
    EXPECT_THAT(index("\"a\":\""s + name + "\""), HasSubstr("beside the index"))
        << name;
  }
  EXPECT_THAT(index(R"("a":1)"), HasSubstr("no file"));
  EXPECT_THAT(index(R"("a":["one.safetensors"])"), HasSubstr("no file"));
  EXPECT_THAT(index(R"("a":{})"), HasSubstr("no file"));
  EXPECT_THAT(index(R"("a":"one.safetensors","a":"one.safetensors")"),
              HasSubstr("twice"));
  EXPECT_THAT(refused("m.index.json", "{}"), HasSubstr("weight_map"));
  EXPECT_THAT(refused("m.index.json", R"({"x":{"weight_map":{}}})"),
              HasSubstr("weight_map"));
  EXPECT_THAT(refused("m.index.json", R"({"weight_map":[]})"),
              HasSubstr("weight_map"));
  EXPECT_THAT(refused("m.index.json", R"({"x":)" + std::string(9, '[') + "]}"),
              HasSubstr("deeper than 8"));
  fs::remove(folder_.path() / "one.safetensors");
  fs::create_symlink("m.index.json", folder_.path() / "one.safetensors");
  EXPECT_THAT(index(R"("a":"one.safetensors")"), HasSubstr("header"));
}

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

TEST_F(Containers, GgufFilesThatLie) {
  const auto with = [&](const auto& change) {
    GgufFile file;
    file.pairs = {gguf_u32("general.alignment", 32)};
    file.tensors = {{"a", {8}, 0, 0}, {"b", {8}, 0, 32}};
    file.data = std::string(64, 'x');
    change(file);
    return refused("a.gguf", file.bytes());
  };
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

// --------------------------------------------------------------- writing ---

// The file that an edit makes, with `byte` as the new tensor's bytes.
std::string edited(std::string_view old, const SafetensorsEdit& edit,
                   char byte) {
  std::string file = edit.header;
  file.resize(static_cast<std::size_t>(edit.file_bytes), '?');
  const auto place = [](std::int64_t value) {
    return static_cast<std::size_t>(value);
  };
  std::fill_n(file.begin() + edit.data_offset, edit.data_bytes, byte);
  for (const SafetensorsEdit::Copy& copy : edit.copies) {
    file.replace(place(copy.to), place(copy.bytes), old, place(copy.from),
                 place(copy.bytes));
  }
  return file;
}

TEST_F(Containers, SafetensorsAreWritten) {
  std::string file;
  std::optional<Container> container;
  const auto add = [&](const std::string& name, const char* type,
                       std::vector<std::int64_t> shape, char byte,
                       const std::string& layout = {}) {
    const auto edit =
        edit_safetensors(container ? &*container : nullptr,
                         {.name = name,
                          .type = *parse_element_type(type),
                          .shape = std::move(shape),
                          .layout = layout,
                          .logical_shape = layout.empty() ? "" : "c=2"});
    ASSERT_TRUE(edit) << edit.error().message;
    EXPECT_EQ(edit->header.size() % 8, 0U);
    EXPECT_LE(edit->copies.size(), 3U);
    file = edited(file, *edit, byte);
    auto opened = open("w.safetensors", file);
    ASSERT_TRUE(opened) << opened.error().message;
    container = *std::move(opened);
  };
  add("b", "u8", {3}, 'b');
  add("a\n\"", "f32", {2}, 'a', "c");
  add("d", "f4", {2, 3}, 'd');
  EXPECT_EQ(loaded(*container, "b"), "bbb");
  EXPECT_EQ(loaded(*container, "a\n\""), "aaaaaaaa");
  EXPECT_EQ(loaded(*container, "d"), "ddd");
  // What is wide lies before what is narrow; the directory keeps its order.
  EXPECT_EQ((*container->find("a\n\""))->offset % 8, 0);
  EXPECT_EQ(container->tensors()[0].name, "b");
  EXPECT_EQ((*container->find("a\n\""))->layout, "c");
  EXPECT_EQ((*container->find("a\n\""))->logical_shape, "c=2");
  add("b", "u8", {5}, 'B');
  add("a\n\"", "u8", {1}, 'A');
  EXPECT_EQ(container->tensors()[0].name, "b");
  EXPECT_EQ(loaded(*container, "b"), "BBBBB");
  EXPECT_EQ(loaded(*container, "a\n\""), "A");
  EXPECT_EQ(loaded(*container, "d"), "ddd");
  EXPECT_THAT(container->metadata(), IsEmpty());
  add("e", "s64", {}, 'e', "x");
  add("f", "f64", {0, 3}, 'f');
  EXPECT_EQ(container->tensors().size(), 5U);
  EXPECT_EQ((*container->find("e"))->offset % 8, 0);
}

TEST_F(Containers, WhatSafetensorsCannotHold) {
  const auto refusal = [](const char* name, const char* type,
                          std::vector<std::int64_t> shape) {
    const auto edit =
        edit_safetensors(nullptr, {.name = name,
                                   .type = *parse_element_type(type),
                                   .shape = std::move(shape)});
    return edit ? "accepted" : edit.error().message;
  };
  EXPECT_EQ(refusal("a", "f4", {2}), "accepted");
  EXPECT_THAT(refusal("a", "f4", {3}), HasSubstr("whole bytes"));
  EXPECT_THAT(refusal("a", "u8", {1LL << 62, 4}), HasSubstr("overflows"));
  EXPECT_THAT(refusal("a", "u8", {-1}), HasSubstr("overflows"));
  EXPECT_THAT(refusal("\xff", "u8", {1}), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal("__metadata__", "u8", {1}), HasSubstr("__metadata__"));
  EXPECT_THAT(refusal("a", "u4", {2}), HasSubstr("packed bytes as u8"));
  EXPECT_THAT(refusal("a", "c128", {2}), HasSubstr("c64"));
  EXPECT_THAT(refusal("a", "f128", {2}), HasSubstr("f64"));
  EXPECT_THAT(refusal("a", "s24", {2}), HasSubstr("8, 16, 32 or 64"));
  EXPECT_THAT(refusal("a", "f8_e3m4", {2}), HasSubstr("codes as u8"));
  int names = 0;
  for (const ElementType& type : element_types()) {
    if (safetensors_type_name(type)) ++names;
  }
  EXPECT_EQ(names, 22);
  const auto npz = open("a.npz", ZipFile{.members = {}}.bytes());
  ASSERT_TRUE(npz) << npz.error().message;
  EXPECT_THAT(edit_safetensors(&*npz, {"a", *parse_element_type("u8"), {1}})
                  .error()
                  .message,
              HasSubstr("alone"));
}

}  // namespace
}  // namespace stridewise
