// Runs a fuzz target without a fuzzer: every file of the given folders, and so many
// mutations of each from a fixed seed: fuzz.NAME COUNT FOLDER...
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                         input.size());
}

std::string mutate(std::string text, std::mt19937& random) {
  static constexpr std::string_view alphabet =
      "nchwoiabg0123456789/%:^B|@=+()- x,.~!#*{}<>[];\n\xff";
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    const char c = alphabet[below(alphabet.size())];
    switch (below(4)) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1 + below(3));
        break;
      case 2:
        if (at < text.size()) text[at] = c;
        break;
      default:
        text.insert(at, text.substr(below(text.size() + 1), below(8) + 1));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937 random(20260101);
  const int mutations = argc > 1 ? std::atoi(argv[1]) : 0;
  int runs = 0;
  for (int k = 2; k < argc; ++k) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[k])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string seed((std::istreambuf_iterator<char>(file)), {});
      run(seed);
      for (int m = 0; m < mutations; ++m) run(mutate(seed, random));
      runs += 1 + mutations;
    }
  }
  std::printf("%d inputs\n", runs);
  return runs > 0 ? 0 : 1;
}
