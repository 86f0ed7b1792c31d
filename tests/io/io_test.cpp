// Headers and files, beside what the command line's own tests cover.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/io.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<NpyHeader> parse(const std::string& bytes) {
  return parse_npy_header(std::as_bytes(std::span(bytes)));
}

std::string header(const std::string& dict, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const int digits = version == 1 ? 2 : 4;
  for (int k = 0; k < digits; ++k) {
    bytes += static_cast<char>(dict.size() >> (8 * k) & 0xff);
  }
  return bytes + dict;
}

TEST(Npy, ReadsAllVersions) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto h = parse(
        header("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3L), }\n",
               version));
    ASSERT_TRUE(h) << h.error().message;
    EXPECT_EQ(h->type->name, "s16");
    EXPECT_TRUE(h->big_endian);
    EXPECT_TRUE(h->fortran_order);
    EXPECT_THAT(h->shape, ElementsAre(2, 3));
    EXPECT_EQ(h->data_bytes, 12);
    EXPECT_EQ(h->data_offset, 60 + (version == 1 ? 10 : 12));
  }
}

TEST(Npy, WritesWhatItReads) {
  for (const ElementType& known : element_types()) {
    const ElementType type = array_type(known);
    for (const std::vector<std::int64_t>& shape :
         std::vector<std::vector<std::int64_t>>{
             {}, {7}, {2, 0, 3}, std::vector<std::int64_t>(32, 1)}) {
      const std::string bytes = make_npy_header(type, shape);
      EXPECT_EQ(bytes.size() % 64, 0U);
      const auto h = parse(bytes);
      ASSERT_TRUE(h) << h.error().message;
      EXPECT_EQ(h->shape, shape);
      EXPECT_EQ(h->element_bytes, type.bytes());
      EXPECT_FALSE(h->fortran_order);
      EXPECT_FALSE(h->big_endian);
      EXPECT_EQ(h->data_offset, static_cast<std::int64_t>(bytes.size()));
    }
  }
}

TEST(Npy, RefusesWhatIsNone) {
  const auto refused = [](const std::string& dict) {
    const auto h = parse(header(dict));
    return h ? "accepted" : h.error().message;
  };
  EXPECT_THAT(refused("{'descr': '<f4', 'fortran_order': False}"),
              HasSubstr("lacks"));
  EXPECT_THAT(refused("{'descr': '|O', 'fortran_order': False, 'shape': ()}"),
              HasSubstr("dtype '|O'"));
  EXPECT_THAT(refused("{'descr': [('a', '<f4')], 'fortran_order': False, "
                      "'shape': ()}"),
              HasSubstr("structured"));
  EXPECT_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(4611686018427387904, 4)}"),
              HasSubstr("overflows"));
  EXPECT_THAT(refused("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(-1,)}"),
              HasSubstr("something else than extents"));
  EXPECT_THAT(refused("{'descr': '<f4', 'evil': 1}"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("{'descr"), HasSubstr("without an end"));
  EXPECT_THAT(refused("["), HasSubstr("not a dict"));
  EXPECT_THAT(parse("NUMPY").error().message, HasSubstr("does not begin"));
  EXPECT_THAT(parse("\x93NUMPY\x01").error().message, HasSubstr("truncated"));
  EXPECT_THAT(parse(header("{}").replace(6, 1, "\x04")).error().message,
              HasSubstr("version 4"));
  std::string lying = header("{}");
  lying[8] = '\x7f';
  EXPECT_THAT(parse(lying).error().message, HasSubstr("truncated"));
  std::string huge = header("{}", 2);
  huge[11] = '\x7f';
  EXPECT_THAT(parse(huge).error().message, HasSubstr("a header of"));
}

TEST(Npy, ArrayShapesOfLayouts) {
  const auto shape = [](const char* text, const char* extents) {
    return array_shape(
        *Layout::bind(*parse_expression(text), *parse_shape(extents), 4));
  };
  EXPECT_THAT(shape("n c/8 h w c%8", "n=2,c=17,h=5,w=4"),
              ElementsAre(2, 3, 5, 4, 8));
  EXPECT_THAT(shape("row=n h | pixel=c/4 w | lane=c%4", "n=2,c=6,h=3,w=5"),
              ElementsAre(2, 3, 2, 5, 4));
  EXPECT_THAT(shape("h:8 w", "h=3,w=5"), ElementsAre(24));
  EXPECT_THAT(shape("npu=c%4 |1024B| c/4 w", "c=5,w=3"), ElementsAre(4, 256));
  EXPECT_THAT(shape("@2 h w", "h=3,w=5"), ElementsAre(17));
}

class Files : public ::testing::Test {
 protected:
  Files() : folder_(::testing::TempDir() + "stridewise-io") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(Files, AnOutputHasNoNameBeforeItIsDone) {
  const fs::path path = folder_ / "out.bin";
  {
    auto output = OutputFile::create(path, 100);
    ASSERT_TRUE(output) << output.error().message;
    std::memset(output->bytes().data(), 7, 100);
    EXPECT_FALSE(fs::exists(path));
    ASSERT_TRUE(output->commit());
  }
  EXPECT_EQ(fs::file_size(path), 100U);
  EXPECT_EQ(entries(), 1U);
  {
    auto abandoned = OutputFile::create(path, 50);
    ASSERT_TRUE(abandoned);
  }
  EXPECT_EQ(fs::file_size(path), 100U);
  EXPECT_EQ(entries(), 1U);
  auto shorter = OutputFile::create(path, 0);
  ASSERT_TRUE(shorter->commit());
  EXPECT_EQ(fs::file_size(path), 0U);
}

TEST_F(Files, TheDiskIsAskedFirst) {
  const auto output =
      OutputFile::create(folder_ / "huge", std::int64_t{1} << 60);
  ASSERT_FALSE(output);
  EXPECT_THAT(output.error().message, HasSubstr("are free there"));
}

TEST_F(Files, DevicesAndFoldersAreNotReplaced) {
  EXPECT_FALSE(OutputFile::create(folder_, 1));
  EXPECT_FALSE(OutputFile::create("/dev/null", 1));
  EXPECT_FALSE(MappedFile::open(folder_));
  EXPECT_FALSE(MappedFile::open(folder_ / "none"));
}

}  // namespace
}  // namespace stridewise
