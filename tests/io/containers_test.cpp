// Names of containers, .safetensors files and their indexes: what is read of sound ones, and
// what is refused.
// SPDX-License-Identifier: Apache-2.0
#include "support/containers_test.hpp"

#include <gmock/gmock.h>

#include "stridewise/container.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::little;
using testing::safetensors_file;

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

}  // namespace
}  // namespace stridewise
