// Emitted code, compiled and run, against the layout that it is emitted from.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/emit.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/emitted.hpp"

namespace stridewise::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "emit-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const {
    return path_ / name;
  }

 private:
  fs::path path_;
};

void compile(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

using At = std::int64_t (*)(const std::int64_t*);
using Along = void (*)(const std::int64_t*, std::int64_t*);
using Back = int (*)(std::int64_t, std::int64_t*);

template <class Function>
Function symbol(void* library, const std::string& name) {
  void* const found = ::dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error("no function " + name);
  return reinterpret_cast<Function>(found);
}

// Every element forward, every place and what lies around them back.
void expect_equal(const EmitCase& c, void* library, const std::string& name) {
  SCOPED_TRACE(describe(c));
  const auto at = symbol<At>(library, name + "_at");
  const auto along = symbol<Along>(library, name + "_along");
  const auto back = symbol<Back>(library, name + "_back");
  std::vector<std::int64_t> expected(c.layout.axes().size());
  std::vector<std::int64_t> coordinates(c.layout.axes().size());
  for_each_index(c.layout.shape(), [&](const auto& index) {
    ASSERT_EQ(at(index.data()), c.layout.offset(index));
    c.layout.coordinates_of(index, expected);
    along(index.data(), coordinates.data());
    ASSERT_EQ(coordinates, expected);
  });
  std::vector<std::int64_t> index(c.layout.shape().size());
  std::vector<std::int64_t> found(c.layout.shape().size());
  for (std::int64_t place = -3; place < c.layout.places() + 70; ++place) {
    const bool element = place >= 0 && place < c.layout.places() &&
                         c.layout.element_at(place, index) == Place::element;
    ASSERT_EQ(back(place, found.data()), element ? 1 : 0) << place;
    if (element) {
      ASSERT_EQ(found, index) << place;
    }
  }
}

void expect_all_equal(const std::vector<EmitCase>& cases,
                      const fs::path& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << ::dlerror();
  for (std::size_t k = 0; k < cases.size(); ++k) {
    expect_equal(cases[k], handle, fmt::format("l{}", k));
    if (::testing::Test::HasFatalFailure()) break;
  }
  ::dlclose(handle);
}

void write_source(const fs::path& path, const std::vector<EmitCase>& cases,
                  EmitLanguage language, const std::string& qualifier) {
  std::ofstream file(path);
  // What a kernel's file may have above it.
  if (language == EmitLanguage::c) {
    file << "#define _GNU_SOURCE\n#include <complex.h>\n#include <math.h>\n";
  }
  for (std::size_t k = 0; k < cases.size(); ++k) {
    file << with_wrappers(cases[k], language, fmt::format("l{}", k), qualifier,
                          "long long");
  }
}

TEST(Emit, RefusesNamesThatAreNoIdentifiers) {
  const Expression expression = {{Axis{.terms = {{Digit{"n"}}}}}};
  const Layout layout = layout_of("n", "n=3");
  const std::vector<std::string> names = {"n) { system(0); } int f(int n", "1n",
                                          "n c", "n\n"};
  for (const std::string& bad : names) {
    const std::vector<std::string> dims = {"n", bad};
    EXPECT_FALSE(emit_dynamic(expression, dims, 4)) << bad;
    const Expression axis = {{Axis{.name = bad, .terms = {{Digit{"n"}}}}}};
    EXPECT_FALSE(emit_dynamic(axis, std::vector<std::string>{"n"}, 4)) << bad;
    EXPECT_FALSE(emit(layout, {.name = bad})) << bad;
  }
  EXPECT_FALSE(emit(layout, {.name = ""}));
  // OpenCL's own get_global_offset.
  EXPECT_FALSE(emit(layout, {.name = "get_global"}));
}

TEST(Emit, CEqualsTheLayoutOnEveryElementAndPlace) {
  const Folder folder;
  const bool slow = std::getenv("STRIDEWISE_SLOW") != nullptr;
  const std::vector<EmitCase> cases = emit_cases(slow ? 40 : 120);
  write_source(folder / "code.c", cases, EmitLanguage::c, "");
  compile(
      fmt::format("cc -std=c99 -O1 -Wall -Wextra -Werror "
                  "-fPIC -shared {} -o {}",
                  (folder / "code.c").string(), (folder / "code.so").string()));
  expect_all_equal(cases, folder / "code.so");
  // Each text alone, of which nothing is used.
  std::ofstream(folder / "alone.c")
      << emitted(cases[0], EmitLanguage::c, "l").code;
  for (const std::string compiler : {"gcc -std=c99 -pedantic", "clang"}) {
    compile(
        fmt::format("{} -Wall -Wextra -Werror -Wconversion -Wshadow -c {} "
                    "-o {}",
                    compiler, (folder / "alone.c").string(),
                    (folder / "alone.o").string()));
  }
}

TEST(Emit, CudaEqualsTheLayoutOnTheHost) {
  const Folder folder;
  const std::vector<EmitCase> cases = emit_cases(0);
  write_source(folder / "code.cpp", cases, EmitLanguage::cuda, "extern \"C\"");
  compile(fmt::format(
      "c++ -D__host__= -D__device__= -Wall -Wextra -Werror "
      "-fPIC -shared {} -o {}",
      (folder / "code.cpp").string(), (folder / "code.so").string()));
  expect_all_equal(cases, folder / "code.so");
}

// Where there is a CUDA compiler; what the functions do is tested above.
TEST(Emit, CudaCompilesForTheDevice) {
  if (std::system("nvcc --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no nvcc on this machine";
  }
  const Folder folder;
  const std::vector<EmitCase> cases = emit_cases(0);
  write_source(folder / "code.cu", cases, EmitLanguage::cuda, "__device__");
  std::ofstream(folder / "alone.cu")
      << emitted(cases[0], EmitLanguage::cuda, "l").code;
  for (const char* name : {"code.cu", "alone.cu"}) {
    compile(
        fmt::format("nvcc -Werror all-warnings -Xcompiler "
                    "-Wall,-Wextra,-Werror -c {} -o {}",
                    (folder / name).string(), (folder / "code.o").string()));
  }
}

TEST(Emit, OpenClOfWhichNothingIsUsedCompilesWithoutWarnings) {
  const Folder folder;
  std::ofstream(folder / "alone.cl")
      << emitted(emit_cases(0)[0], EmitLanguage::opencl, "l").code;
  compile(
      fmt::format("clang -x cl -cl-std=CL1.2 -Wall -Wextra -Werror "
                  "-fsyntax-only {}",
                  (folder / "alone.cl").string()));
}

std::string code_of(const std::string& text, const std::string& shape,
                    const EmitOptions& options = {}) {
  return emit(layout_of(text, shape), options).value().code;
}

TEST(Emit, PowersOfTwoNeedNoDivision) {
  for (const auto& [text, shape] : {std::pair{"nChw16c", "2x64x8x4"},
                                    {"mace.channel", "2x16x4x8"},
                                    {"nhwc", "4x32x8x16"}}) {
    std::string code = code_of(text, shape);
    code.erase(0, code.find('\n'));
    code.erase(0, code.find("{"));
    EXPECT_THAT(code, Not(HasSubstr(" / "))) << code;
    EXPECT_THAT(code, Not(HasSubstr(" % "))) << code;
  }
}

TEST(Emit, DigitsWithinTheirBlockNeedNoMask) {
  const std::string code = code_of("n h w c/64 c%64", "n=2,c=64,h=3,w=5");
  EXPECT_THAT(code, Not(HasSubstr("c &")));
  EXPECT_THAT(code, Not(HasSubstr("c >>")));
  // i/4 and i%4 side by side are i.
  EXPECT_THAT(code_of("mace.filter-2018", "6x7x3x2"), HasSubstr("+ i * 4"));
}

TEST(Emit, IntegersAreAsWideAsNeeded) {
  const auto bits = [](const std::string& text, const std::string& shape) {
    return emit(layout_of(text, shape, 1)).value().bits;
  };
  EXPECT_EQ(bits("n c", "n=32768,c=65535"), 32);
  EXPECT_EQ(bits("n c", "n=32768,c=65536"), 64);
  // A bias counts as well.
  EXPECT_EQ(bits("(n+2147483000)%1000 c", "n=1000,c=2"), 64);
  EXPECT_THAT(code_of("n c", "n=65536,c=65536"), HasSubstr("int64_t n"));
  EXPECT_THAT(code_of("n c", "n=6,c=5", {.bits = EmitBits::wide}),
              HasSubstr("int64_t n"));
  const auto refused =
      emit(layout_of("n c", "n=65536,c=65536"), {.bits = EmitBits::narrow});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::overflow);
}

TEST(Emit, WideCodeIsRightToo) {
  const Folder folder;
  const Layout layout =
      layout_of("n:8589934592 c/16 h c%16", "n=3,c=40,h=5", 1);
  const std::vector<EmitCase> cases = {{layout, false}, {layout, true}};
  write_source(folder / "code.c", cases, EmitLanguage::c, "");
  compile(fmt::format("cc -Wall -Wextra -Werror -fPIC -shared {} -o {}",
                      (folder / "code.c").string(),
                      (folder / "code.so").string()));
  void* const library = ::dlopen((folder / "code.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr);
  for (const std::string name : {"l0", "l1"}) {
    std::array<std::int64_t, 3> found{};
    for_each_index(layout.shape(), [&](const auto& index) {
      const std::int64_t offset =
          symbol<At>(library, name + "_at")(index.data());
      ASSERT_EQ(offset, layout.offset(index));
      ASSERT_EQ(symbol<Back>(library, name + "_back")(offset, found.data()), 1);
      ASSERT_TRUE(std::ranges::equal(found, index));
    });
    EXPECT_EQ(
        symbol<Back>(library, name + "_back")(5'000'000'000, found.data()), 0);
  }
  ::dlclose(library);
}

TEST(Emit, Refuses) {
  const Layout layout = layout_of("n c", "n=2,c=3");
  for (const std::string name : {"", "1x", "a-b", "a b", "f(", "\n"}) {
    EXPECT_FALSE(emit(layout, {.name = name})) << name;
  }
  EXPECT_FALSE(emit(layout_of("n", "n=2,c=3")));  // c is not covered
  EXPECT_FALSE(parse_emit_language("C++"));
  const auto dynamic = [](const std::string& text,
                          const std::vector<std::string>& dims) {
    return emit_dynamic(parse_expression(text).value(), dims, 4);
  };
  const std::vector<std::string> dims = {"n", "c"};
  EXPECT_TRUE(dynamic("n c", dims));
  EXPECT_EQ(dynamic("n c h", dims).error().code, ErrorCode::unknown_name);
  for (const std::string text :
       {"n:4 c:9", "n:0 c", "x=n:^64B | c", "x=@256B n | c"}) {
    const auto refused = dynamic(text, dims);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported) << text;
  }
  EXPECT_FALSE(dynamic("x=n |6B| c", dims));
  EXPECT_FALSE(emit_dynamic(parse_expression("n:4294967296 c").value(), dims, 4,
                            {.bits = EmitBits::narrow}));
}

}  // namespace
}  // namespace stridewise::testing
