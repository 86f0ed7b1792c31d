// SPDX-License-Identifier: Apache-2.0
#include "scales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "stridewise/container.hpp"

namespace stridewise::cli {
namespace {

Failure bad_scales(const std::string& message) {
  return Failure{{ErrorCode::invalid_value, message}};
}

std::vector<double> numbers_of_file(const std::string& option,
                                    const std::string& path) {
  const TensorFile file =
      value_of(in_native_order(value_of(open_tensor(path))));
  if (!file.npy || file.npy->shape.size() > 1 || !file.npy->type) {
    throw bad_scales(
        fmt::format("{} {}: is no array of one dim", option, path));
  }
  const Values values{*file.npy->type, *parse_element_type("f64")};
  value_of(check(values));
  const std::int64_t count = file.data_bytes / file.npy->element_bytes;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  convert_values(values, file.data().data(),
                 reinterpret_cast<std::byte*>(numbers.data()), count);
  return numbers;
}

std::vector<double> numbers_of(const std::string& option,
                               const std::string& text) {
  if (text.empty()) return {};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() && *end == '\0') return {number};
  const std::filesystem::path file = split_container_path(text).file;
  if (is_npy(file) || is_container(file)) return numbers_of_file(option, text);
  throw bad_scales(
      fmt::format("{} {}: is no number, and no .npy file", option, text));
}

std::int32_t zero_point_of(double number) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  if (number != std::trunc(number) || std::abs(number) > most) {
    throw bad_scales(
        fmt::format("zero point {} is no integer of 32 bits", number));
  }
  return static_cast<std::int32_t>(number);
}

}  // namespace

bool ScaleOptions::given() const {
  return !scale.empty() || !zero_point.empty() || !dim.empty();
}

std::string ScaleOptions::words() const {
  std::string words;
  if (!scale.empty()) words += " --scale " + shell_file(scale);
  if (!zero_point.empty()) words += " --zero-point " + shell_file(zero_point);
  if (!dim.empty()) words += " --scale-dim " + shell_word(dim);
  return words;
}

Scales ScaleOptions::read() const {
  if (!given()) return {};
  std::vector<double> scales = numbers_of("--scale", scale);
  std::vector<double> points = numbers_of("--zero-point", zero_point);
  if (scales.empty()) scales = {1};
  if (points.empty()) points = {0};
  const std::size_t count = std::max(scales.size(), points.size());
  if (count > 1 && dim.empty()) {
    throw bad_scales(fmt::format(
        "{} scales or zero points: --scale-dim says of which dim each is one",
        count));
  }
  for (auto* numbers : {&scales, &points}) {
    if (numbers->size() == 1) numbers->assign(count, numbers->front());
    if (numbers->size() == count) continue;
    throw bad_scales(fmt::format("{} scales, but {} zero points", scales.size(),
                                 points.size()));
  }
  for (const double number : scales) {
    const auto stored = static_cast<float>(number);
    if (stored > 0 && std::isfinite(stored)) continue;
    throw bad_scales(
        fmt::format("scale {} is no finite number above 0", number));
  }
  Scales read{.dim = dim};
  for (std::size_t k = 0; k < count; ++k) {
    read.each.push_back(
        {static_cast<float>(scales[k]), zero_point_of(points[k])});
  }
  return read;
}

void ScaleOptions::add_to(Command command) {
  command.add_option(
      "--scale", scale,
      "integers: real = (integer - zero point) * scale; a number, or FILE.npy "
      "with one\nfor each index of --scale-dim");
  command.add_option("--zero-point", zero_point,
                     "the integer that means 0; a number, or FILE.npy");
  command.add_option("--scale-dim", dim,
                     "the dim whose indices have scales of their own");
}

void ScaleOptions::use_in(DiffOptions& options) const {
  if (!given()) return;
  const ElementType& type_a = options.type;
  const ElementType type_b = options.type_b.value_or(type_a);
  if (type_a.is_integer() == type_b.is_integer()) {
    throw Failure{
        {ErrorCode::mismatch,
         fmt::format("--scale and --zero-point are of the side that is "
                     "integers, A is {} and B {}; bring one to f32 by "
                     "'stridewise convert --to-dtype'",
                     type_a.name, type_b.name)}};
  }
  (type_a.is_integer() ? options.scales_a : options.scales_b) = read();
}

}  // namespace stridewise::cli
