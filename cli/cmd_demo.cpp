// stridewise demo: a feature map with known values, through several layouts and
// back, each step checked against the generator.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>

#include "buffer.hpp"
#include "common.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

const Shape shape = {{"n", 3}, {"c", 67}, {"h", 120}, {"w", 160}};

// Rings round a centre that moves with the channel over a slope that grows
// with the batch: smooth as a feature map is, and different everywhere.
float value_at(std::span<const std::int64_t> index) {
  const auto [n, c, h, w] =
      std::array{static_cast<float>(index[0]), static_cast<float>(index[1]),
                 static_cast<float>(index[2]), static_cast<float>(index[3])};
  const float dx = w - 80.0F - 8.0F * std::sin(c);
  const float dy = h - 60.0F - 8.0F * std::cos(c);
  const float radius = std::sqrt(dx * dx + 1.7F * dy * dy);
  return std::cos(radius / (5.0F + 0.1F * c)) * 100.0F / (1.0F + radius / 60) +
         0.01F * w * (n + 1);
}

struct Kind {
  std::string dtype;
  // Writes the value of an element into its bytes.
  void (*write)(float value, std::byte* place);
};

void write_f32(float value, std::byte* place) {
  std::memcpy(place, &value, sizeof value);
}
void write_s8(float value, std::byte* place) {
  const auto rounded = static_cast<std::int8_t>(std::lround(value));
  std::memcpy(place, &rounded, sizeof rounded);
}

template <class Visit>
void for_each_index(Visit visit) {
  std::array<std::int64_t, 4> index{};
  for (index[0] = 0; index[0] < shape[0].extent; ++index[0]) {
    for (index[1] = 0; index[1] < shape[1].extent; ++index[1]) {
      for (index[2] = 0; index[2] < shape[2].extent; ++index[2]) {
        for (index[3] = 0; index[3] < shape[3].extent; ++index[3]) {
          visit(std::span<const std::int64_t>(index));
        }
      }
    }
  }
}

// Every element where the layout says, and nothing else than zeros around.
bool correct(const Layout& layout, const Kind& kind,
             std::span<const std::byte> data,
             std::vector<std::byte>& expected) {
  expected.assign(data.size(), std::byte{0});
  for_each_index([&](std::span<const std::int64_t> index) {
    kind.write(value_at(index),
               expected.data() + layout.offset(index) * layout.element_bytes());
  });
  return std::memcmp(expected.data(), data.data(), data.size()) == 0;
}

std::string picture() {
  constexpr std::string_view shades = " .:-=+*#%@";
  std::string text = "  channel 3 of the feature map\n";
  for (std::int64_t h = 4; h < 120; h += 8) {
    text += "  ";
    for (std::int64_t w = 1; w < 160; w += 3) {
      const float v = value_at(std::array<std::int64_t, 4>{0, 3, h, w});
      const auto shade = static_cast<std::size_t>(
          std::clamp((v + 100.0F) / 200.0F * 10.0F, 0.0F, 9.0F));
      text += shades[shade];
    }
    text += '\n';
  }
  return text;
}

struct Step {
  std::string layout, dtype;
  std::int64_t bytes;
  double seconds, gbps;
  bool ok;
};

void run_kind(const Kind& kind, const ParallelFor& parallel_for,
              std::vector<Step>& steps) {
  const std::array<std::string, 8> tour = {
      "nchw",          "nhwc",        "nChw16c",
      "mace.channel",  "mace.height", "okk.aligned(start=2)",
      "n c/8 w h c%8", "nchw"};
  const ElementType type = value_of(parse_element_type(kind.dtype));
  std::optional<Layout> at;
  std::unique_ptr<Buffer> data;
  std::vector<std::byte> expected;
  for (const std::string& text : tour) {
    const Layout next =
        value_of(value_of(resolve_layout(text)).bind(shape, type.bytes()));
    auto buffer = std::make_unique<Buffer>(next.size_bytes());
    Step step{text, kind.dtype, next.size_bytes(), 0, 0, false};
    if (!at) {
      correct(next, kind, buffer->bytes(), expected);
      std::ranges::copy(expected, buffer->data());
    } else {
      const Plan plan = value_of(Plan::make(*at, next));
      const auto begin = std::chrono::steady_clock::now();
      plan.run(data->data(), buffer->data(), parallel_for);
      const std::chrono::duration<double> elapsed =
          std::chrono::steady_clock::now() - begin;
      step.seconds = elapsed.count();
      step.gbps = 2.0 * static_cast<double>(next.elements() * type.bytes()) /
                  step.seconds / 1e9;
    }
    step.ok = correct(next, kind, buffer->bytes(), expected);
    steps.push_back(step);
    at = next;
    data = std::move(buffer);
  }
}

void run_demo(Context& context) {
  const ParallelFor parallel_for = make_parallel_for();
  std::vector<Step> steps;
  run_kind({"f32", &write_f32}, parallel_for, steps);
  run_kind({"s8", &write_s8}, parallel_for, steps);
  Json json = Json::array();
  bool ok = true;
  std::string text = fmt::format(
      "A feature map of {} with known values, converted from layout to layout "
      "and back;\nafter each step every element and every byte of padding is "
      "checked.\n\n{}\n",
      print(shape), picture());
  for (const Step& step : steps) {
    ok = ok && step.ok;
    json.push_back({{"layout", step.layout},
                    {"dtype", step.dtype},
                    {"bytes", step.bytes},
                    {"seconds", step.seconds},
                    {"gbps", step.gbps},
                    {"correct", step.ok}});
    const std::string speed = step.seconds > 0
                                  ? fmt::format("{:6.2f} ms {:6.1f} GB/s",
                                                step.seconds * 1e3, step.gbps)
                                  : "generated";
    text +=
        fmt::format("  {:>4} -> {:<22} {:>10}  {:<22} {}\n", step.dtype,
                    step.layout, print_bytes(static_cast<double>(step.bytes)),
                    speed, step.ok ? "correct" : "WRONG");
  }
  text += ok ? "\nAll correct. Next: stridewise --help\n"
             : "\nSomething is WRONG: please report this.\n";
  context.answer({{"steps", std::move(json)}, {"correct", ok}}, text);
  if (!ok) context.exit_code = exit_no;
}

}  // namespace

void add_demo(Command app, Context& context) {
  Command command = app.add_command(
      "demo", "a feature map through several layouts and back, verified");
  command.callback([&context] { run_demo(context); });
}

}  // namespace stridewise::cli
