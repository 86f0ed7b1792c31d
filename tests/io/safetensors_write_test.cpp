// Headers of .safetensors files with another tensor.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stridewise/container.hpp"
#include "support/containers_test.hpp"

namespace stridewise {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ZipFile;

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
