// Emitted code of layouts that are more than plain digits, compiled and run, against the
// layout at every element and place.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "stridewise/emit.hpp"
#include "support/world.hpp"

namespace stridewise::testing {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string title;
  Layout layout;
  EmittedCode code;
};

constexpr std::int64_t most_bits = 60'000;  // of a memory that is compared

// Each part of the collection, and layouts of the whole grammar.
std::vector<Case> cases_of(EmitLanguage language, int random) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& title, const Layout& memory) {
    for (const Tensor& tensor : memory.tensors()) {
      const Layout layout = *memory.part(tensor.name);
      if (layout.unreadable() || layout.size_bits() > most_bits) continue;
      const std::string name = fmt::format("l{}", cases.size());
      const auto code = emit(layout, {.language = language, .name = name});
      if (!code) throw std::runtime_error(title + ": " + code.error().message);
      cases.push_back({title + " " + tensor.name, layout, *code});
    }
  };
  for (const WorldEntry& entry : world()) add(entry.name, layout_of(entry));
  const auto bound = [&](const std::string& text, const Shape& shape,
                         std::int64_t bits) {
    add(text + " of " + print(shape),
        *Layout::bind(*parse_expression(text), shape,
                      Binding{.element_bits = bits}));
  };
  // Only read: no function NAME_index.
  for (const char* text : {"h:0 w", "h:1 w:1", "@10 h:-5 w", "h:3 w:2 ~c"}) {
    bound(text, *parse_shape("h=3,w=5,c=1"), 32);
  }
  // Numbers on the way that 32 bits do not hold; names that meet those of the code.
  bound("(h:4294967296 w)/4294967296 (h:4294967296 w)%4294967296%8",
        *parse_shape("h=3,w=4"), 8);
  bound("~(h+2147483000)%1024 w", *parse_shape("h=1000,w=2"), 8);
  bound("bit #", *parse_shape("bit=3"), 4);
  bound("n k/2 { a:u8 = - ; b:u8 = k%2 k_2 }", *parse_shape("n=2,k=4,k_2=3"),
        8);
  std::mt19937 draws(7);
  UnrecordedDraws::current() = &draws;
  for (int k = 0; k < random; ++k) {
    const Shape shape = random_shape();
    bound(random_text(shape), shape,
          std::vector<std::int64_t>{
              1, 3, 4, 6, 8, 16, 32}[static_cast<std::size_t>(in_range(0, 6))]);
  }
  UnrecordedDraws::current() = nullptr;
  return cases;
}

// NAME_at(x), NAME_along(x, out), NAME_back(offset, out): of one form for all. x has the
// bit last, where the functions have it.
std::string wrapper(const Case& c, const std::string& integer) {
  const std::string name =
      c.code.offset_function.substr(0, c.code.offset_function.rfind('_'));
  const std::size_t numbers =
      c.layout.shape().size() + (c.code.bitwise ? 1 : 0);
  std::string index, outs, locals, copies, axes, axis_locals, axis_copies;
  for (std::size_t k = 0; k < numbers; ++k) {
    index += fmt::format("{}({})x[{}]", k == 0 ? "" : ", ", integer, k);
    outs += fmt::format(", &o{}", k);
    locals += fmt::format("{} o{} = 0; ", integer, k);
    copies += fmt::format("out[{0}] = o{0}; ", k);
  }
  for (std::size_t a = 0; a < c.layout.axes().size(); ++a) {
    axes += fmt::format("{}&o{}", a == 0 && index.empty() ? "" : ", ", a);
    axis_locals += fmt::format("{} o{} = 0; ", integer, a);
    axis_copies += fmt::format("out[{0}] = o{0}; ", a);
  }
  std::string text = fmt::format(
      "EXPORT long long {0}_at(const long long *x) {{ (void)x; return "
      "{0}_offset({1}); }}\n"
      "EXPORT void {0}_along(const long long *x, long long *out) {{ (void)x; "
      "{2}{0}_coordinates({1}{3}); {4}}}\n",
      name, index, axis_locals, axes, axis_copies);
  if (c.code.inverse_function.empty()) return text;
  return text + fmt::format(
                    "EXPORT int {0}_back(long long at, long long *out) {{ "
                    "{1}int found = {0}_index(({2})at{3}); (void)out; {4}"
                    "return found; }}\n",
                    name, locals, integer, outs, copies);
}

fs::path built(const std::vector<Case>& cases, EmitLanguage language,
               const fs::path& folder) {
  const bool c = language == EmitLanguage::c;
  const fs::path source = folder / (c ? "code.c" : "code.cpp");
  std::ofstream file(source);
  file << "#define EXPORT " << (c ? "" : "extern \"C\"") << "\n";
  for (const Case& one : cases) {
    const std::string integer = one.code.bits == 32
                                    ? (c ? "int32_t" : "int")
                                    : (c ? "int64_t" : "long long");
    file << one.code.code << wrapper(one, integer);
  }
  file.close();
  const fs::path library = folder / (c ? "code.so" : "cuda.so");
  const std::string command = fmt::format(
      "{} -O1 -Wall -Wextra -Werror -fPIC -shared {} -o {}",
      c ? "cc -std=c99" : "c++ -D__host__= -D__device__=", source.string(),
      library.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command);
  return library;
}

class Library {
 public:
  explicit Library(const fs::path& path)
      : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
  }
  ~Library() { ::dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class Function>
  Function function(const std::string& name) const {
    void* const found = ::dlsym(handle_, name.c_str());
    if (found == nullptr) throw std::runtime_error("no function " + name);
    return reinterpret_cast<Function>(found);
  }

 private:
  void* handle_;
};

using At = long long (*)(const long long*);
using Along = void (*)(const long long*, long long*);
using Back = int (*)(long long, long long*);

// The first element whose place or coordinates are others than the layout's.
std::string wrong_forward(const Case& c, At at, Along along) {
  const Layout& layout = c.layout;
  const std::int64_t bits = c.code.bitwise ? layout.element_bits() : 1;
  std::string wrong;
  std::vector<std::int64_t> expected(layout.axes().size());
  std::vector<long long> coordinates(layout.axes().size());
  for_each_index(layout.shape(), [&](const std::vector<std::int64_t>& index) {
    for (std::int64_t bit = 0; bit < bits && wrong.empty(); ++bit) {
      std::vector<long long> x(index.begin(), index.end());
      if (c.code.bitwise) x.push_back(bit);
      const std::int64_t place = layout.bit_of(index, bit);
      layout.coordinates_at(place, expected);
      along(x.data(), coordinates.data());
      if (at(x.data()) * c.code.offset_bits != place ||
          !std::equal(expected.begin(), expected.end(), coordinates.begin())) {
        wrong = fmt::format("{} bit {}: {} x {}, not {}", fmt::join(index, ","),
                            bit, at(x.data()), c.code.offset_bits, place);
      }
    }
  });
  return wrong;
}

// The first place at which something else is found.
std::string wrong_back(const Case& c, Back back) {
  const Layout& layout = c.layout;
  std::vector<std::int64_t> index(32);
  std::vector<long long> found(33);
  const std::int64_t places = layout.size_bits() / c.code.offset_bits;
  for (std::int64_t place = -3; place < places + 9; ++place) {
    const bool inside = place >= 0 && place < places;
    const Found there =
        inside ? layout.find(place * c.code.offset_bits, index) : Found{};
    const bool element = there.place == Place::element &&
                         there.tensor == layout.tensor() &&
                         (c.code.bitwise || there.bit == 0);
    if ((back(place, found.data()) == 1) != element) {
      return fmt::format("place {}: {}", place,
                         element ? "nothing" : "an element");
    }
    const auto rank = static_cast<std::ptrdiff_t>(layout.shape().size());
    if (element &&
        (!std::equal(index.begin(), index.begin() + rank, found.begin()) ||
         (c.code.bitwise &&
          found[static_cast<std::size_t>(rank)] != there.bit))) {
      return fmt::format("place {}: another index", place);
    }
  }
  return {};
}

void expect_all_equal(const std::vector<Case>& cases, const Library& library) {
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    SCOPED_TRACE(c.title + "\n" + c.code.code);
    const std::string name = fmt::format("l{}", k);
    ASSERT_EQ(wrong_forward(c, library.function<At>(name + "_at"),
                            library.function<Along>(name + "_along")),
              "");
    if (c.code.inverse_function.empty()) continue;
    ASSERT_EQ(wrong_back(c, library.function<Back>(name + "_back")), "");
  }
}

class EmitPieces : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "emit-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(EmitPieces, CEqualsTheLayoutOnEveryElementAndPlace) {
  const bool slow = std::getenv("STRIDEWISE_SLOW") != nullptr;
  const std::vector<Case> cases = cases_of(EmitLanguage::c, slow ? 60 : 300);
  std::size_t without_index = 0;
  for (const Case& c : cases) {
    if (c.code.inverse_function.empty()) ++without_index;
    // Whoever is one-to-one and has no strides that interleave has the inverse.
    if (c.code.inverse_function.empty() && c.layout.valid()) {
      EXPECT_NE(c.code.code.find("interleave"), std::string::npos) << c.title;
    }
  }
  EXPECT_LT(without_index, cases.size() / 10);
  expect_all_equal(cases, Library(built(cases, EmitLanguage::c, folder_)));
}

TEST_F(EmitPieces, CudaEqualsTheLayoutOnTheHost) {
  const std::vector<Case> cases = cases_of(EmitLanguage::cuda, 0);
  expect_all_equal(cases, Library(built(cases, EmitLanguage::cuda, folder_)));
}

TEST_F(EmitPieces, OpenClCompiles) {
  std::ofstream file(folder_ / "code.cl");
  for (const Case& c : cases_of(EmitLanguage::opencl, 40)) file << c.code.code;
  file.close();
  const std::string command = fmt::format(
      "clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -Wall "
      "-Wextra -Werror -fsyntax-only {}",
      (folder_ / "code.cl").string());
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace stridewise::testing
