// stridewise bench [A B --shape S --dtype T]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iostream>
#include <memory>

#include "common.hpp"
#include "measure.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

struct Case {
  std::string src, dst, shape, dtype;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} {} -> {} {}", dtype, src, dst, shape);
  }
};

struct Options {
  std::string src, dst, shape;
  std::string dtype = "f32";
  std::string against = "memcpy";
  int threads = 1;
  int rounds = 9;
};

// About 64 MiB each: out of cache, and short enough to wait for.
const std::vector<Case>& default_cases() {
  static const std::vector<Case> cases = {
      {"nchw", "nhwc", "21x256x56x56", "f32"},
      {"nhwc", "nchw", "21x256x56x56", "f32"},
      {"nchw", "nChw16c", "21x256x56x56", "f32"},
      {"nChw16c", "nchw", "21x256x56x56", "f32"},
      {"nchw", "nChw16c", "80x67x56x56", "f32"},
      {"nchw", "mace.channel", "80x67x56x56", "f32"},
      {"nchw", "nhwc", "84x256x56x56", "s8"},
      {"nchw", "nhwc", "42x256x56x56", "f16"},
      {"oihw", "OIhw4i16o4i", "4096x1856x3x3", "s8"},
      {"nchw", "okk.aligned(npu_bytes=2097152)", "20x256x56x56", "f32"},
  };
  return cases;
}

// Distinct enough that no two places are mixed up unnoticed.
void fill_pattern(std::span<std::byte> bytes) {
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::byte& b : bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    b = static_cast<std::byte>(state >> 56);
  }
}

Json run_case(const Case& c, const Options& options) {
  const ElementType type = value_of(parse_element_type(c.dtype));
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{c.src, c.dst}, c.shape);
  const Shape shape = shape_for(c.shape, sources);
  const Layout src = value_of(sources[0].bind(shape, type.bytes()));
  const Layout dst = value_of(sources[1].bind(shape, type.bytes()));
  const Plan plan = value_of(Plan::make(src, dst));
  const ParallelFor parallel_for = make_parallel_for(options.threads);

  const Buffer from(src.size_bytes());
  const Buffer to(dst.size_bytes());
  const std::int64_t bytes = src.elements() * type.bytes();
  const auto count = static_cast<std::size_t>(bytes);
  {
    const Buffer expected(dst.size_bytes());
    fill_pattern(from.bytes());
    reorder_reference(src, dst, from.data(), expected.data());
    plan.run(from.data(), to.data(), parallel_for);
    if (std::memcmp(expected.data(), to.data(), to.bytes().size()) != 0) {
      throw Failure{{ErrorCode::invalid_value,
                     c.name() + ": differs from the reference; not timed"}};
    }
  }
  const Buffer copy_from(bytes);
  const Buffer copy_to(bytes);
  const std::array<std::function<void()>, 2> work = {
      [&] { plan.run(from.data(), to.data(), parallel_for); },
      [&] {  // as many threads as the plan may use
        constexpr std::size_t piece = 1 << 20;
        if (options.threads == 1) {
          std::memcpy(copy_to.data(), copy_from.data(), count);
          return;
        }
        parallel_for(static_cast<std::int64_t>((count + piece - 1) / piece),
                     [&](std::int64_t k) {
                       const std::size_t at =
                           static_cast<std::size_t>(k) * piece;
                       std::memcpy(copy_to.data() + at, copy_from.data() + at,
                                   std::min(piece, count - at));
                     });
      }};
  const std::vector<double> seconds = measure(work, options.rounds);
  return {{"name", c.name()},
          {"bytes", bytes},
          {"seconds", seconds[0]},
          {"gbps", 2.0 * static_cast<double>(bytes) / seconds[0] / 1e9},
          {"memcpy_gbps", 2.0 * static_cast<double>(bytes) / seconds[1] / 1e9},
          {"memcpy_ratio", seconds[1] / seconds[0]}};
}

void run(Context& context, const Options& options) {
  if (options.against != "memcpy") {
    throw Failure{{ErrorCode::unknown_name,
                   fmt::format("cannot compare with '{}'; only with memcpy",
                               options.against)}};
  }
  std::vector<Case> cases = default_cases();
  if (!options.src.empty()) {
    if (options.dst.empty() || options.shape.empty()) {
      throw Failure{{ErrorCode::mismatch, "one pair needs A, B and --shape"}};
    }
    cases = {{options.src, options.dst, options.shape, options.dtype}};
  }
  Json results = Json::array();
  if (!context.json) {
    std::cout << fmt::format("{:<58} {:>9} {:>7} {:>10}\n", "conversion", "MiB",
                             "GB/s", "of memcpy");
  }
  for (const Case& c : cases) {
    const Json result = run_case(c, options);
    if (!context.json) {
      std::cout << fmt::format("{:<58} {:>9.1f} {:>7.1f} {:>9.2f}x\n",
                               result["name"].get<std::string>(),
                               result["bytes"].get<double>() / (1 << 20),
                               result["gbps"].get<double>(),
                               result["memcpy_ratio"].get<double>())
                << std::flush;
    }
    results.push_back(result);
  }
  context.answer({{"cases", std::move(results)},
                  {"threads", options.threads},
                  {"rounds", options.rounds}},
                 "");
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "bench", "measured speed of conversions, as a ratio to memcpy");
  command->footer(
      "Each result is verified against the slow reference before it is timed; "
      "rounds of\nthe plan and of memcpy alternate, medians are compared. GB/s "
      "count the bytes read\nand written of the elements alone. Without A and "
      "B, a set of about 64 MiB each.\n"
      "  stridewise bench\n"
      "  stridewise bench nchw nhwc --shape 8x64x56x56 --dtype s8 --threads 2");
  auto options = std::make_shared<Options>();
  command->add_option("A", options->src, "layout of the source");
  command->add_option("B", options->dst, "layout of the destination");
  command->add_option("--shape,-s", options->shape, "logical extents");
  command->add_option("--dtype,-t", options->dtype, "element type")
      ->capture_default_str();
  command->add_option("--against", options->against, "what to compare with")
      ->capture_default_str();
  command->add_option("--threads,-j", options->threads, "threads; 0: all")
      ->capture_default_str()
      ->check(CLI::Range(0, 4096));
  command->add_option("--rounds", options->rounds, "timed rounds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
