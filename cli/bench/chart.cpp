// SPDX-License-Identifier: Apache-2.0
#include "bench/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace stridewise::cli {
namespace {

// In pixels.
constexpr int bars_width = 460;
constexpr int numbers_width = 120;  // beside the longest bar
constexpr int top = 64;             // title and key
constexpr int bottom = 34;          // axis and footer
constexpr int bar_height = 11;
constexpr int group_gap = 9;

// Blue, orange and grey of Okabe and Ito's colours: told apart with every kind
// of colour vision, and by lightness.
constexpr const char* style = R"(<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .small { font-size: 10px; fill: #57606a; }
  .stridewise { fill: #0072b2; }
  .nt { fill: #a7adb3; }
  .peer { fill: #e69f00; }
  .grid { stroke: #d0d7de; }
  .memcpy { stroke: #24292f; stroke-opacity: 0.6; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .stridewise { fill: #56b4e9; }
    .nt { fill: #6e7681; }
    .grid { stroke: #30363d; }
    .memcpy { stroke: #e6edf3; }
  }
</style>
)";

struct Bar {
  const char* kind;  // its class
  double speed;      // memcpy's is 1
  std::string label;
};

std::vector<Bar> bars_of(const CaseResult& result) {
  const auto speed = [&](double seconds) {
    return result.memcpy_seconds / seconds;
  };
  std::vector<Bar> bars = {
      {"stridewise", speed(result.seconds),
       fmt::format("{:.1f} GB/s", result.gbps(result.seconds))}};
  if (result.nt_seconds) bars.push_back({"nt", speed(*result.nt_seconds), ""});
  if (const PeerResult* best = result.best_peer()) {
    bars.push_back({"peer", speed(best->seconds), best->name});
  }
  return bars;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// The distance of grid lines: few enough to read.
double grid_step(double most) {
  for (const double step : {0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0}) {
    if (most / step <= 8) return step;
  }
  return std::ceil(most / 8);
}

// Room for the longest name; without font metrics, 8 is generous.
int label_width_of(std::span<const CaseResult> cases) {
  std::size_t longest = 0;
  for (const CaseResult& result : cases) {
    longest = std::max(longest, result.problem.name.size());
  }
  return 16 + 8 * static_cast<int>(std::clamp<std::size_t>(longest, 16, 80));
}

std::string key(int x, int y, bool nt, bool peer) {
  std::string text;
  const auto entry = [&](const char* kind, const char* name, int advance) {
    text += fmt::format(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"11\" height=\"11\"/>"
        "<text x=\"{}\" y=\"{}\">{}</text>\n",
        kind, x, y - 10, x + 16, y, name);
    x += advance;
  };
  entry("stridewise", "Stridewise", 100);
  if (nt) entry("nt", "non-temporal copy", 150);
  if (peer) entry("peer", "best peer", 95);
  text += fmt::format(
      "<path class=\"memcpy\" d=\"M{} {}h16\"/><text x=\"{}\" y=\"{}\">memcpy"
      "</text>\n",
      x, y - 4, x + 21, y);
  return text;
}

// Lines at multiples of `step` speeds, numbered below.
std::string grid(int x, int plot_bottom, double step, double scale) {
  std::string text;
  for (int k = 0; k * step * scale <= bars_width + 0.5; ++k) {
    text += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/>"
        "<text class=\"small\" x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4:g}</text>\n",
        x + k * step * scale, top - 4, plot_bottom, plot_bottom + 12, k * step);
  }
  return text;
}

// A case's name and bars, from (x, y) on.
std::string group(const CaseResult& result, int x, int y, double scale) {
  const std::vector<Bar> bars = bars_of(result);
  const auto tall = static_cast<int>(bars.size()) * bar_height;
  std::string text = fmt::format(
      "<g>\n<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", x - 8,
      y + tall / 2 + 4, escaped(result.problem.name));
  for (const Bar& bar : bars) {
    const double length = bar.speed * scale;
    text += fmt::format(
        "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{:.1f}\" "
        "height=\"{}\"/><text class=\"small\" x=\"{:.1f}\" y=\"{}\">{:.2f}"
        "{}</text>\n",
        bar.kind, x, y, length, bar_height - 1, x + length + 4, y + 9,
        bar.speed, bar.label.empty() ? "" : ", " + escaped(bar.label));
    y += bar_height;
  }
  return text + "</g>\n";
}

}  // namespace

std::string results_svg(const BenchResult& results) {
  double most = 1;
  std::string groups;
  std::vector<int> heights;
  bool nt = false;
  bool peer = false;
  for (const CaseResult& result : results.cases) {
    const std::vector<Bar> bars = bars_of(result);
    for (const Bar& bar : bars) most = std::max(most, bar.speed);
    heights.push_back(static_cast<int>(bars.size()) * bar_height + group_gap);
    nt = nt || result.nt_seconds.has_value();
    peer = peer || result.best_peer() != nullptr;
  }
  const double step = grid_step(most);
  const double scale = bars_width / (std::ceil(most / step) * step);
  const int x = label_width_of(results.cases);
  int y = top;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    groups += group(results.cases[k], x, y, scale);
    y += heights[k];
  }
  const int width = x + bars_width + numbers_width;
  const int height = y + bottom;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<title>Speed of layout conversions in units of memcpy</title>\n{2}"
      "<text class=\"title\" x=\"8\" y=\"22\">Speed in units of "
      "memcpy</text>\n",
      width, height, style);
  svg += key(x, 46, nt, peer) + grid(x, y, step, scale) + groups;
  svg += fmt::format(
      "<path class=\"memcpy\" d=\"M{:.1f} {}V{}\"/>\n"
      "<text class=\"small\" x=\"8\" y=\"{}\">{}, {} thread{}, {}</text>\n"
      "</svg>\n",
      x + scale, top - 4, y, height - 8, escaped(results.machine.cpu),
      results.threads, results.threads == 1 ? "" : "s",
      escaped(results.machine.date));
  return svg;
}

}  // namespace stridewise::cli
