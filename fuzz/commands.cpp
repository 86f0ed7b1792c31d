// Commands on one file and its sidecar in any order, both of which are written to between
// them: decode gives what was converted or an error, what fails changes nothing, and nothing
// is left.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <streambuf>
#include <string>
#include <vector>

#include "common.hpp"
#include "folder.hpp"
#include "stridewise/io.hpp"

namespace {

using namespace stridewise;
using namespace stridewise::cli;
using fuzz::require;

constexpr std::array<const char*, 4> layouts = {"nChw4c", "nhwc", "cnhw",
                                                "n h w c:^8B"};
constexpr std::array<const char*, 4> texts = {
    "{}", "not json",
    R"({"file": "other.bin", "layout": "nhwc", "dtype": "u8"})",
    R"({"file": 3, "layout": "x", "shape": "x"})"};

// What commands print goes nowhere.
class Nowhere : public std::streambuf {
  int overflow(int c) override { return c == EOF ? 0 : c; }
};

int run(std::vector<std::string> arguments) {
  Context context;
  context.json = true;
  arguments.emplace_back("--json");
  Program program("stridewise", "", "", "");
  for (const auto add :
       {add_convert, add_decode, add_check, add_probe, add_diff}) {
    add(program.root(), context);
  }
  program.add_common_flag("--json", context.json, "");
  try {
    const Outcome outcome = program.run(std::move(arguments));
    return outcome.kind == Outcome::Kind::ran ? context.exit_code
                                              : exit_bad_input;
  } catch (const Failure& failure) {
    require(!failure.error.message.empty());
    return exit_bad_input;
  }
}

// The file under test, and what is known of it.
class Subject {
 public:
  Subject() {
    for (const auto& entry :
         std::filesystem::directory_iterator(folder().path())) {
      std::filesystem::remove_all(entry.path());
    }
    for (int k = 0; k < 2 * 5 * 3 * 2; ++k) data_ += static_cast<char>(k + 1);
    const ElementType u8 = *parse_element_type("u8");
    header_ = make_npy_header(u8, std::vector<std::int64_t>{2, 5, 3, 2});
    fuzz::write(source_, header_ + data_);
  }

  void step(unsigned op, unsigned by) {
    switch (op) {
      case 0:
      case 1:
        return convert(by, op == 0);
      case 2:
        return decode();
      case 3:
        return damage([&](std::string& bytes) {
          bytes[by % bytes.size()] =
              static_cast<char>(bytes[by % bytes.size()] ^ 1);
        });
      case 4:
        return damage([&](std::string& bytes) {
          by % 2 == 0 ? bytes.pop_back() : bytes.push_back('x');
        });
      case 5:
        std::filesystem::remove(sidecar_);
        sidecar_of_.reset();
        return;
      case 6:
        fuzz::write(sidecar_, texts[by % texts.size()]);
        sidecar_of_.reset();
        return;
      case 7:
        if (run({"probe", out_, "--shape", "3x4"}) == exit_done) {
          sidecar_of_.reset();
        }
        return;
      case 8:
        return window();
      default:
        return look(by);
    }
  }

  // Between commands.
  void check() const {
    for (const auto& entry :
         std::filesystem::directory_iterator(folder().path())) {
      const std::string name = entry.path().filename().string();
      require(name == "x.npy" || name == "dump.bin" || name == "dump.json");
    }
  }

 private:
  static const fuzz::Folder& folder() {
    static const fuzz::Folder one;
    return one;
  }

  void convert(unsigned by, bool with_sidecar) {
    std::vector<std::string> words = {
        "convert", source_, out_, "--from", "nchw", "--to", layouts[by % 4]};
    if (with_sidecar) words.emplace_back("--sidecar");
    const std::string before = fuzz::read(out_);
    const std::string told = fuzz::read(sidecar_);
    if (run(words) == exit_done) {
      sidecar_of_.reset();
      if (with_sidecar) sidecar_of_ = fuzz::read(out_);
      return;
    }
    // A sidecar of somebody else's is not replaced.
    require(with_sidecar && !told.empty());
    require(fuzz::read(out_) == before && fuzz::read(sidecar_) == told);
  }

  void decode() {
    const bool good = sidecar_of_ && *sidecar_of_ == fuzz::read(out_);
    const bool done = run({"decode", out_, decoded_}) == exit_done;
    require(done == good);
    require(!done || fuzz::read(decoded_) == header_ + data_);
    std::filesystem::remove(decoded_);
  }

  template <class Change>
  void damage(Change change) {
    std::string bytes = fuzz::read(out_);
    if (bytes.empty()) return;
    change(bytes);
    fuzz::write(out_, bytes);
  }

  // One index of a window, in the layout that the file has.
  void window() {
    const std::string before = fuzz::read(out_);
    const int code =
        run({"convert", source_, out_, "--from", "nchw", "--to", "nhwc",
             "--from-window", "n=0..1", "--to-window", "n=1..2", "--shape",
             "n=2,c=5,h=3,w=2", "--dtype", "u8"});
    if (code == exit_done) {
      sidecar_of_.reset();
    } else {
      require(fuzz::read(out_) == before);
    }
  }

  // Commands that only read, and those that cannot work.
  void look(unsigned by) {
    const std::string before = fuzz::read(out_);
    const std::string told = fuzz::read(sidecar_);
    if (by % 3 == 0) (void)run({"check", out_});
    if (by % 3 == 1) (void)run({"diff", out_, source_, "--layout-b", "nchw"});
    if (by % 3 == 2) {
      require(run({"convert", source_, out_, "--from", "nchw", "--to",
                   "nc("}) == exit_bad_input);
    }
    require(fuzz::read(out_) == before && fuzz::read(sidecar_) == told);
  }

  const std::string source_ = folder() / "x.npy";
  const std::string out_ = folder() / "dump.bin";
  const std::string sidecar_ = folder() / "dump.json";
  const std::string decoded_ = folder() / "o.npy";
  std::string header_, data_;
  // What the file held when its sidecar was written; nullopt: there is none of it.
  std::optional<std::string> sidecar_of_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static Nowhere nowhere;
  std::cout.rdbuf(&nowhere);
  Subject subject;
  constexpr std::size_t most_steps = 12;
  for (std::size_t k = 0; k < std::min(size, most_steps); ++k) {
    subject.step(data[k] % 10, data[k] / 10U);
    subject.check();
  }
  return 0;
}
