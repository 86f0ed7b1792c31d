// Files of several tensors that were changed at random, and very large directories: all is
// told as an error or lies in the file, in bounded memory and time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>

#include "base/random.hpp"
#include "stridewise/container.hpp"
#include "support/containers.hpp"

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void* counted(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  live += ::malloc_usable_size(memory);
  peak = std::max(peak.load(), live.load());
  return memory;
}

void uncounted(void* memory) {
  if (memory == nullptr) return;
  live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// What counts the memory that the library takes.
void* operator new(std::size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  uncounted(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  uncounted(memory);
}

namespace stridewise {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::GgufFile;
using testing::little;
using testing::safetensors_file;
using testing::ZipFile;

// The most memory that is taken at once by what `call` does.
template <class Call>
std::size_t memory_of(const Call& call) {
  const std::size_t before = live;
  peak = before;
  call();
  return peak - before;
}

// ------------------------------------------------------------- mutations ---

// Numbers that are at the edge of something.
constexpr auto edges = std::to_array<std::uint64_t>(
    {0, 1, 2, 7, 8, 31, 63, 127, 255, 65535, 1U << 31, 0xffffffff, 1ULL << 32,
     1ULL << 62, (1ULL << 63) - 1, 1ULL << 63, ~0ULL});

class Mutator {
 public:
  std::string change(std::string bytes) {
    const std::int64_t changes = 1 + sequence_.below(3);
    for (std::int64_t k = 0; k < changes && !bytes.empty(); ++k) {
      change_once(bytes);
    }
    return bytes;
  }

 private:
  void change_once(std::string& bytes) {
    switch (sequence_.below(6)) {
      case 0: {
        char& byte = bytes[place(bytes)];
        byte = static_cast<char>(byte ^ (1 << sequence_.below(8)));
        break;
      }
      case 1:
        bytes.resize(place(bytes));
        break;
      case 2:  // a length that lies
        overwrite(bytes, little(edge(), 1 << sequence_.below(4)));
        break;
      case 3: {  // a number that lies, as text
        const std::size_t digit =
            bytes.find_first_of("0123456789", place(bytes));
        if (digit == std::string::npos) break;
        const std::size_t end = bytes.find_first_not_of("0123456789", digit);
        bytes.replace(digit, std::min(end, bytes.size()) - digit,
                      fmt::format("{}", edge()));
        break;
      }
      case 4: {  // a part of it again, elsewhere
        const std::string part = bytes.substr(
            place(bytes), static_cast<std::size_t>(sequence_.below(40)));
        bytes.insert(place(bytes), part);
        break;
      }
      default: {  // a part is gone
        const std::size_t at = place(bytes);
        bytes.erase(at, static_cast<std::size_t>(sequence_.below(40)));
      }
    }
  }

  std::size_t place(const std::string& bytes) {
    return static_cast<std::size_t>(
        sequence_.below(static_cast<std::int64_t>(bytes.size())));
  }
  std::uint64_t edge() {
    return edges[static_cast<std::size_t>(
        sequence_.below(static_cast<std::int64_t>(edges.size())))];
  }
  void overwrite(std::string& bytes, const std::string& value) {
    const std::size_t at = place(bytes);
    bytes.replace(at, std::min(value.size(), bytes.size() - at), value);
  }

  Sequence sequence_;
};

std::string sound_safetensors() {
  return safetensors_file(
      R"({"__metadata__":{"format":"pt","stridewise.layout.b":"y x"},)"
      R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("b":{"dtype":"U8","shape":[4,2],"data_offsets":[24,32]},)"
      R"("c":{"dtype":"F4","shape":[0],"data_offsets":[32,32]}})",
      std::string(32, 'x'));
}

std::string sound_index() {
  return R"({"metadata":{"total_size":32,"x":[1,{"y":null}]},)"
         R"("weight_map":{"a":"s.safetensors","b":"s.safetensors"}})";
}

std::string sound_gguf() {
  GgufFile file;
  file.pairs = {testing::gguf_u32("general.alignment", 32),
                testing::gguf_text("list") + little(9, 4) + little(8, 4) +
                    little(2, 8) + testing::gguf_text("ab") +
                    testing::gguf_text("c"),
                testing::gguf_text("x") + little(12, 4) + little(7, 8)};
  file.tensors = {
      {"w", {32, 2}, 8, 0}, {"v", {4, 2}, 0, 96}, {"u", {}, 77, 128}};
  file.data = std::string(140, 'x');
  return file.bytes();
}

std::string sound_npz(bool zip64) {
  const std::vector<std::int64_t> shape = {3, 2};
  const std::string array =
      make_npy_header(*parse_element_type("s16"), shape) + std::string(12, 'x');
  return ZipFile{.members = {{"a.npy", array}, {"b.npy", array, 8}, {"c", "d"}},
                 .comment = "none",
                 .zip64 = zip64}
      .bytes();
}

void expect_inside(const Container& container) {
  for (const ContainedTensor& tensor : container.tensors()) {
    const auto k = static_cast<std::size_t>(tensor.file);
    ASSERT_LT(k, container.files().size());
    const auto size =
        static_cast<std::int64_t>(fs::file_size(container.files()[k]));
    EXPECT_GE(tensor.offset, 0);
    EXPECT_GE(tensor.stored_bytes, 0);
    EXPECT_LE(tensor.stored_bytes, size);
    EXPECT_LE(tensor.offset, size - tensor.stored_bytes);
    EXPECT_TRUE(tensor.compressed || tensor.bytes == tensor.stored_bytes);
    EXPECT_EQ(*container.find(tensor.name), &tensor);
    const auto loaded = container.load(tensor.name);
    if (loaded) {
      EXPECT_EQ(static_cast<std::int64_t>(loaded->bytes.size()), tensor.bytes);
    } else {
      EXPECT_FALSE(loaded.error().message.empty());
    }
  }
}

void expect_bounded(const std::string& name, const std::string& sound) {
  constexpr int changes = 1000;
  testing::Folder folder("stridewise-hostile");
  folder.write("s.safetensors", sound_safetensors());
  ASSERT_TRUE(Container::open(folder.write(name, sound)));
  Mutator mutator;
  int opened = 0;
  std::size_t most = 0;
  for (int k = 0; k < changes; ++k) {
    const std::string bytes = mutator.change(sound);
    const fs::path path = folder.write(name, bytes);
    const std::size_t memory = memory_of([&] {
      const auto container = Container::open(path);
      if (container) {
        ++opened;
        expect_inside(*container);
      } else {
        EXPECT_THAT(container.error().message, ::testing::HasSubstr(name));
        EXPECT_LT(container.error().message.size(), 1000U);
        EXPECT_EQ(container.error().message.find('\n'), std::string::npos);
      }
    });
    most = std::max(most, memory);
    if (::testing::Test::HasFailure()) {
      FAIL() << "change " << k << " of " << name;
    }
  }
  // zlib has 40 KiB of its own, which do not count here.
  EXPECT_LT(most, 64 * 1024 + 64 * sound.size());
  // Some changes change nothing that counts, and most do.
  EXPECT_GT(opened, changes / 100);
  EXPECT_LT(opened, changes * 9 / 10);
}

TEST(HostileContainers, Safetensors) {
  expect_bounded("a.safetensors", sound_safetensors());
}
TEST(HostileContainers, Index) {
  expect_bounded("a.index.json", sound_index());
}
TEST(HostileContainers, Gguf) { expect_bounded("a.gguf", sound_gguf()); }
TEST(HostileContainers, Npz) { expect_bounded("a.npz", sound_npz(false)); }
TEST(HostileContainers, Npz64) { expect_bounded("a.npz", sound_npz(true)); }

// ------------------------------------------------- what is small and grows ---

// Directories of many small things must not take much more memory than they have bytes.
TEST(HostileContainers, MemoryIsInProportionToTheDirectory) {
  testing::Folder folder("stridewise-hostile");
  std::string extents = "0";
  for (int k = 0; k < 100'000; ++k) extents += ",1";
  const std::string shape = R"({"a":{"dtype":"U8","shape":[)" + extents +
                            R"(],"data_offsets":[0,0]}})";
  std::string lists =
      testing::gguf_text("k") + little(9, 4) + little(9, 4) + little(10'000, 8);
  for (int k = 0; k < 10'000; ++k) lists += little(0, 12);
  // A header of NumPy that is mostly spaces, or a dtype that is very long.
  const auto header = [](const std::string& dict) {
    return "\x93NUMPY\2\0"s + little(dict.size(), 4) + dict;
  };
  ZipFile zip;
  for (int k = 0; k < 20; ++k) {
    zip.members.push_back(
        {fmt::format("{}.npy", k),
         header("{'descr': '" + std::string(900'000, 'q') + "'}"), 8});
    zip.members.push_back({fmt::format("shape{}.npy", k),
                           header("{'descr': '|u1', 'fortran_order': False, "
                                  "'shape': (" +
                                  extents + ")}"),
                           8});
  }
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.safetensors", safetensors_file(shape, "")},
      {"b.safetensors", safetensors_file(std::string(1 << 20, '{'), "")},
      {"c.safetensors",
       safetensors_file("{\"" + std::string(1 << 20, '{') + "\":1}", "")},
      {"a.gguf", GgufFile{.pairs = {lists}}.bytes()},
      {"a.npz", zip.bytes()},
      {"a.index.json", std::string(1 << 20, '[')},
  };
  for (const auto& [name, bytes] : files) {
    const fs::path path = folder.write(name, bytes);
    const std::size_t memory =
        memory_of([&] { static_cast<void>(Container::open(path)); });
    // NumPy's headers are unpacked one after the other, of 1 MiB at most.
    EXPECT_LT(memory, 16 * bytes.size() + (std::size_t{8} << 20)) << name;
  }
}

TEST(HostileContainers, AMillionTensors) {
  using Clock = std::chrono::steady_clock;
  constexpr int count = 1'000'000;
  testing::Folder folder("stridewise-hostile");
  std::string header = "{";
  for (int k = 0; k < count; ++k) {
    fmt::format_to(std::back_inserter(header),
                   "{}\"t.{}\":{{\"dtype\":\"U8\",\"shape\":[1],"
                   "\"data_offsets\":[{},{}]}}",
                   k == 0 ? "" : ",", k, k, k + 1);
  }
  header += '}';
  const fs::path path = folder.write(
      "a.safetensors", safetensors_file(header, std::string(count, 'x')));
  GgufFile gguf;
  for (int k = 0; k < count; ++k) {
    gguf.tensors.push_back(
        {fmt::format("t.{}", k), {32}, 24, static_cast<std::uint64_t>(k) * 32});
  }
  gguf.data = std::string(std::size_t{32} * count, 'x');
  const fs::path gguf_path = folder.write("a.gguf", gguf.bytes());
  gguf = {};
  for (const fs::path& file : {path, gguf_path}) {
    const auto begin = Clock::now();
    std::optional<Container> container;
    const std::size_t memory = memory_of([&] {
      auto opened = Container::open(file);
      if (opened) container = *std::move(opened);
    });
    ASSERT_TRUE(container);
    EXPECT_EQ(container->tensors().size(), std::size_t{count});
    EXPECT_EQ((*container->find("t.777777"))->name, "t.777777");
    EXPECT_THAT(container->find("t.x777777").error().message,
                ::testing::HasSubstr("did you mean"));
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    RecordProperty(file.filename().string() + ".milliseconds",
                   static_cast<int>(1000 * seconds.count()));
    RecordProperty(file.filename().string() + ".mebibytes",
                   static_cast<int>(memory >> 20));
    // Sanitizers take ten times as long.
    EXPECT_LT(seconds.count(), 60);
    EXPECT_LT(memory, 400 * std::size_t{count});
  }
}

}  // namespace
}  // namespace stridewise
