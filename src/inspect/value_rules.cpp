// SPDX-License-Identifier: Apache-2.0
#include "inspect/value_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "inspect/value.hpp"
#include "reorder/values/converter.hpp"

namespace stridewise::inspect {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The same number in fewer digits, where it is nearly that one.
double plain(double number) {
  for (int digits = 1; digits < 7; ++digits) {
    const double shorter = std::stod(fmt::format("{:.{}g}", number, digits));
    if (std::abs(shorter - number) <= 1e-6 * std::abs(number)) return shorter;
  }
  return number;
}

}  // namespace

std::string print_number(double number) {
  for (int digits = 1; digits < 7; ++digits) {
    const double shorter = std::stod(fmt::format("{:.{}g}", number, digits));
    if (std::abs(shorter - number) <= 1e-4 * std::abs(number)) {
      return fmt::format("{:.6g}", shorter);
    }
  }
  return fmt::format("{:.6g}", number);
}

// Of the larger half of B: what is small is noise.
std::optional<double> factor_of(const std::vector<Two>& pairs) {
  std::vector<double> sizes;
  for (const Two& two : pairs) sizes.push_back(std::abs(two.b));
  const double middle = median(sizes);
  std::vector<double> quotients;
  for (const Two& two : pairs) {
    if (two.b != 0 && std::abs(two.b) >= middle) {
      quotients.push_back(two.a / two.b);
    }
  }
  if (quotients.empty()) return std::nullopt;
  const double factor = plain(median(quotients));
  return factor == 0 || factor == 1 ? std::nullopt : std::optional(factor);
}

std::optional<double> offset_of(const std::vector<Two>& pairs) {
  std::vector<double> sums;
  for (const Two& two : pairs) sums.push_back(two.a - two.b);
  const double offset = plain(median(sums));
  return offset == 0 ? std::nullopt : std::optional(offset);
}

namespace {

// Slopes from each pair to the one half of all further on, by B (Theil 1950, Sen 1968).
std::optional<double> slope_of(std::vector<Two> pairs) {
  std::ranges::sort(pairs, {}, &Two::b);
  const std::size_t half = pairs.size() / 2;
  std::vector<double> slopes;
  for (std::size_t k = 0; k + half < pairs.size(); ++k) {
    const Two& low = pairs[k];
    const Two& high = pairs[k + half];
    if (high.b > low.b) slopes.push_back((high.a - low.a) / (high.b - low.b));
  }
  if (slopes.empty()) return std::nullopt;
  return plain(median(slopes));
}

std::string signed_text(double offset) {
  return fmt::format("{} {}", offset < 0 ? "-" : "+",
                     print_number(std::abs(offset)));
}

}  // namespace

std::vector<Rule> linear_rules(const std::vector<Two>& pairs) {
  std::vector<Rule> rules = {
      {"A is B with the other sign", [](double b) { return -b; }},
      {"A is B without its sign", [](double b) { return std::abs(b); }}};
  if (const auto factor = factor_of(pairs)) {
    rules.push_back({fmt::format("A is {} times B", print_number(*factor)),
                     [f = *factor](double b) { return f * b; }});
  }
  if (const auto offset = offset_of(pairs)) {
    rules.push_back({fmt::format("A is B {}", signed_text(*offset)),
                     [o = *offset](double b) { return b + o; }});
  }
  const std::optional<double> slope = slope_of(pairs);
  if (!slope || *slope == 0) return rules;
  std::vector<Two> scaled = pairs;
  for (Two& two : scaled) two.b *= *slope;
  if (const auto offset = offset_of(scaled)) {
    rules.push_back(
        {fmt::format("A is {} times B {}", print_number(*slope),
                     signed_text(*offset)),
         [f = *slope, o = *offset](double b) { return f * b + o; }});
  }
  return rules;
}

namespace {

// The numbers that a type has.
class Grid {
 public:
  Grid(const ElementType& type, const Quantisation& by)
      : to_{*parse_element_type("f64"), type, by},
        from_{type, *parse_element_type("f64"), by} {}

  [[nodiscard]] double nearest(double number) const {
    return value(code(number));
  }
  // The next one on the side of zero, where a number is none itself.
  [[nodiscard]] double toward_zero(double number) const {
    const std::uint64_t here = code(number);
    const double near = value(here);
    if (!std::isfinite(number) || std::abs(near) <= std::abs(number)) {
      return near;
    }
    // Codes of floats count up with their sizes.
    return value(here - 1);
  }
  [[nodiscard]] double down(double number) const {
    return number < 0 ? -up_of_size(-number) : toward_zero(number);
  }
  [[nodiscard]] double up(double number) const {
    return number < 0 ? toward_zero(number) : up_of_size(number);
  }

 private:
  [[nodiscard]] double up_of_size(double size) const {
    const std::uint64_t here = code(size);
    const double near = value(here);
    return near >= size ? near : value(here + 1);
  }
  [[nodiscard]] std::uint64_t code(double number) const {
    std::uint64_t code = 0;
    convert_values(to_, reinterpret_cast<const std::byte*>(&number),
                   reinterpret_cast<std::byte*>(&code), 1);
    return code;
  }
  [[nodiscard]] double value(std::uint64_t code) const {
    double number = 0;
    convert_values(from_, reinterpret_cast<const std::byte*>(&code),
                   reinterpret_cast<std::byte*>(&number), 1);
    return number;
  }

  Values to_;
  Values from_;
};

std::vector<Rule> float_rules(const ElementType& type) {
  const Grid grid(type, {});
  const auto named = [&](const char* how) {
    return fmt::format("A is B rounded {} to {}", how, type.name);
  };
  return {
      {fmt::format("A is B rounded to {}", type.name),
       [grid](double b) { return grid.nearest(b); }},
      {named("toward zero"), [grid](double b) { return grid.toward_zero(b); }},
      {named("down"), [grid](double b) { return grid.down(b); }},
      {named("up"), [grid](double b) { return grid.up(b); }}};
}

// Integers, by a scale: what becomes of a quotient on its way to one.
std::vector<Rule> integer_rules(const Values& stored) {
  const Quantisation& by = stored.quantisation;
  const int bits = own_bits(stored.src);
  const bool is_signed = stored.src.kind == ElementKind::signed_integer;
  const double lowest = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  const double highest = lowest + std::ldexp(1.0, bits) - 1;
  const auto real = [&](double q) {
    return print_number((q - by.zero_point) * static_cast<double>(by.scale));
  };
  const std::string held =
      fmt::format("A is B as {} holds it: the nearest step from {} to {}",
                  stored.src.name, real(lowest), real(highest));
  const auto rule = [&](std::string text, double (*round)(double), bool wraps) {
    return Rule{std::move(text), [=](double b) {
                  double q =
                      round(b / static_cast<double>(by.scale)) + by.zero_point;
                  if (wraps) {
                    const double all = std::ldexp(1.0, bits);
                    q -= all * std::floor((q - lowest) / all);
                  }
                  return (std::clamp(q, lowest, highest) - by.zero_point) *
                         static_cast<double>(by.scale);
                }};
  };
  return {rule(held, std::nearbyint, false),
          rule("A is B rounded toward zero", std::trunc, false),
          rule("A is B rounded down", std::floor, false),
          rule("A is B rounded up", std::ceil, false),
          rule("A is B with halves rounded away from zero", std::round, false),
          rule("A is B wrapped around where it should saturate", std::nearbyint,
               true)};
}

}  // namespace

std::vector<Rule> rounding_rules(const std::optional<Values>& stored,
                                 const ElementType& compared) {
  std::vector<Rule> rules;
  const auto add = [&rules](std::vector<Rule> more) {
    rules.insert(rules.end(), more.begin(), more.end());
  };
  if (stored && stored->src.is_integer()) return integer_rules(*stored);
  if (stored) return float_rules(stored->src);
  if (compared.name != "f32" && compared.name != "f64") return {};
  for (const char* name : {"f32", "f16", "bf16"}) {
    if (name != compared.name) add(float_rules(*parse_element_type(name)));
  }
  return rules;
}

std::optional<Rule> clamp_rule(const std::vector<Two>& pairs) {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (const Two& two : pairs) {
    if (two.b < two.a) low = std::max(low, two.a);
    if (two.b > two.a) high = std::min(high, two.a);
  }
  const auto kept = [&](const Two& two) {
    return two.a == std::clamp(two.b, low, std::max(low, high));
  };
  if (low > high || !std::ranges::all_of(pairs, kept)) return std::nullopt;
  std::vector<std::string> words;
  if (std::isfinite(low)) {
    words.push_back(fmt::format("at least {}", print_number(low)));
  }
  if (std::isfinite(high)) {
    words.push_back(fmt::format("at most {}", print_number(high)));
  }
  if (words.empty()) return std::nullopt;
  const bool relu = low == 0 && words.size() == 1;
  return Rule{fmt::format("A is B cut to {}{}", fmt::join(words, " and "),
                          relu ? ", as by a ReLU" : ""),
              [low, high](double b) { return std::clamp(b, low, high); }};
}

}  // namespace stridewise::inspect
