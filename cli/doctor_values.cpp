// SPDX-License-Identifier: Apache-2.0
#include "doctor_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace stridewise::cli {
namespace {

// Numbers that are nearer count as one.
constexpr double near_rtol = 1e-3;
// Integers of another origin are spread another way than the golden's values: random bytes
// beside a normal distribution have 0.977.
constexpr double least_correlation = 0.98;
// Halves of a golden of which ReLU made a half zero have 0.95, floats in another byte order 0.4.
constexpr double least_correlation_of_floats = 0.9;
// Reading a larger dump takes as long as looking for its layout.
constexpr std::size_t most_screened_bytes = std::size_t{1} << 26;

// One after the other, as another type.
template <class To>
std::vector<To> values_as(std::span<const std::byte> values,
                          const Values& types) {
  const auto count = static_cast<std::int64_t>(values.size()) /
                     std::int64_t{types.src.bytes()};
  std::vector<To> to(static_cast<std::size_t>(count * types.dst.bytes()) /
                     sizeof(To));
  convert_values(types, values.data(), reinterpret_cast<std::byte*>(to.data()),
                 count);
  return to;
}

// Elements of the golden from here and there, as the reading's type.
std::vector<double> drawn(const DoctorCase& patient, const Reading& reading) {
  constexpr std::int64_t most = 8192;
  const std::int64_t width = patient.golden_type.bytes();
  std::vector<std::byte> values;
  const std::int64_t count = std::min(patient.elements, most);
  // Steps of the golden section come by all parts of the tensor, each element once.
  auto step =
      static_cast<std::int64_t>(0.618 * static_cast<double>(patient.elements));
  while (std::gcd(step, patient.elements) != 1) ++step;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t element = k * step % patient.elements;
    const auto bytes =
        patient.golden.data().subspan(static_cast<std::size_t>(element * width),
                                      static_cast<std::size_t>(width));
    values.insert(values.end(), bytes.begin(), bytes.end());
  }
  const ElementType f64 = value_of(parse_element_type("f64"));
  if (reading.quantisation()) {
    return values_as<double>(values, {patient.golden_type, f64});
  }
  return values_as<double>(
      values_as<std::byte>(values, {patient.golden_type, reading.type}),
      {reading.type, f64});
}

// Numbers that are near have one bucket, or neighbouring ones.
std::int64_t bucket_of(double value, double rtol) {
  if (value == 0 || !std::isfinite(value)) return 0;
  // 1 + rtol is one bucket further on.
  const auto bucket =
      static_cast<std::int64_t>(std::floor(std::log(std::abs(value)) / rtol));
  return 4 * bucket + (value < 0 ? 1 : 2);
}

// Sorts numbers, of which those stay that are finite.
void sort_finite(std::vector<double>& numbers) {
  std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
  std::ranges::sort(numbers);
}

// Of the n-th smallest numbers of both sides, which are sorted: 1 where they lie on a line.
double correlation_of_ranks(std::span<const double> a,
                            std::span<const double> b) {
  const std::size_t count = std::min(a.size(), b.size());
  if (count == 0) return 0;
  double aa = 0;
  double bb = 0;
  double ab = 0;
  const auto at = [count](std::span<const double> x, std::size_t k) {
    return x[k * x.size() / count];
  };
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t k = 0; k < count; ++k) {
    mean_a += at(a, k) / static_cast<double>(count);
    mean_b += at(b, k) / static_cast<double>(count);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double x = at(a, k) - mean_a;
    const double y = at(b, k) - mean_b;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const double spread = std::sqrt(aa * bb);
  return spread > 0 ? ab / spread : 0;
}

// Numbers of the dump from here and there, sorted, without the zeros of padding.
std::vector<double> drawn_from_dump(const ElementType& type,
                                    std::span<const std::byte> dump,
                                    std::size_t count) {
  const auto width = static_cast<std::size_t>(type.bytes());
  const std::size_t places = dump.size() / width;
  const std::size_t step = places / (4 * count) + 1;
  std::vector<std::byte> taken;
  for (std::size_t at = 0; at < places; at += step) {
    const auto bytes = dump.subspan(at * width, width);
    taken.insert(taken.end(), bytes.begin(), bytes.end());
  }
  std::vector<double> numbers =
      values_as<double>(taken, {type, value_of(parse_element_type("f64"))});
  sort_finite(numbers);
  const auto zeros = std::equal_range(numbers.begin(), numbers.end(), 0.0);
  const auto beyond = static_cast<std::ptrdiff_t>(
      numbers.size() - std::min(numbers.size(), count));
  numbers.erase(zeros.first,
                zeros.first + std::min(beyond, zeros.second - zeros.first));
  return numbers;
}

// Whether integers of the dump are the golden's values of some scale, by their order: the
// n-th smallest of both are near a line.
bool rises_alike(std::vector<double> reals, const ElementType& type,
                 std::span<const std::byte> dump) {
  sort_finite(reals);
  if (reals.empty()) return true;
  return correlation_of_ranks(reals,
                              drawn_from_dump(type, dump, reals.size())) >
         least_correlation;
}

// The same of floats, whose scale is known: only numbers of the golden's range count.
bool spreads_alike(std::vector<double> reals, const ElementType& type,
                   std::span<const std::byte> dump) {
  sort_finite(reals);
  if (reals.empty() || !type.is_float()) return true;
  const double around = 0.05 * (reals.back() - reals.front());
  if (around == 0) return true;
  std::vector<double> numbers = drawn_from_dump(type, dump, reals.size());
  std::erase_if(numbers, [&](double x) {
    return x < reals.front() - around || x > reals.back() + around;
  });
  return correlation_of_ranks(reals, numbers) > least_correlation_of_floats;
}

}  // namespace

double agreement_by_chance(const DoctorCase& patient, const Reading& reading) {
  const std::vector<double> values = drawn(patient, reading);
  const std::size_t half = values.size() / 2;
  if (half == 0) return 0;
  std::size_t equal = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double a = values[k];
    const double b = values[k + half];
    double allowed = 0;
    if (reading.quantisation()) {
      allowed = 1.5 * double{reading.quantisation()->scale};
    } else if (reading.near) {
      allowed = reading.near->atol + reading.near->rtol * std::abs(a);
    }
    equal += a == b || std::abs(a - b) <= allowed ? 1U : 0U;
  }
  return static_cast<double>(equal) / static_cast<double>(half);
}

Tolerance near_tolerance(const DoctorCase& patient, double rtol) {
  const std::vector<double> values =
      drawn(patient, {.type = patient.golden_type});
  double sum = 0;
  std::int64_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += std::abs(value);
    ++finite;
  }
  const double mean = finite == 0 ? 0 : sum / static_cast<double>(finite);
  return {.rtol = rtol, .atol = 0.1 * rtol * mean};
}

bool values_occur(const DoctorCase& patient, const Reading& reading,
                  std::span<const std::byte> dump) {
  const ElementType& type = reading.type;
  if (dump.size() > most_screened_bytes) return true;
  if (patient.golden_type.is_float() && type.is_integer()) {
    return !patient.scales.each.empty() ||
           rises_alike(drawn(patient, {.type = patient.golden_type}), type,
                       dump);
  }
  const double rtol =
      std::max(near_rtol, reading.near ? reading.near->rtol : 0);
  constexpr std::size_t most_values = 512;
  std::vector<double> values = drawn(patient, reading);
  // A part of the dump is enough for that.
  if (!spreads_alike(values, type, dump)) return false;
  if (values.size() > most_values) values.resize(most_values);
  std::unordered_map<std::int64_t, bool> found;
  std::erase_if(values,
                [&](double value) { return bucket_of(value, rtol) == 0; });
  for (const double value : values) {
    for (const std::int64_t next : {-4, 0, 4})
      found[bucket_of(value, rtol) + next];
  }
  const ElementType f64 = value_of(parse_element_type("f64"));
  const auto width = static_cast<std::size_t>(type.bytes());
  constexpr std::size_t slice = 1 << 16;
  for (std::size_t at = 0; at + width <= dump.size(); at += slice * width) {
    const std::size_t bytes =
        std::min(slice * width, (dump.size() - at) / width * width);
    for (const double number :
         values_as<double>(dump.subspan(at, bytes), {type, f64})) {
      const auto place = found.find(bucket_of(number, rtol));
      if (place != found.end()) place->second = true;
    }
  }
  const auto there = std::ranges::count_if(values, [&](double value) {
    const std::int64_t bucket = bucket_of(value, rtol);
    return found[bucket - 4] || found[bucket] || found[bucket + 4];
  });
  return 4 * there >= std::ssize(values);
}

}  // namespace stridewise::cli
