// SPDX-License-Identifier: Apache-2.0
#include "infer/codes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace stridewise::inference {
namespace {

double tolerance_at(double value, const NearOptions& options) {
  return options.atol + options.rtol * std::abs(value);
}

// The finite numbers, ascending.
std::vector<double> sorted(std::span<const double> numbers) {
  std::vector<double> all;
  std::ranges::copy_if(numbers, std::back_inserter(all),
                       [](double x) { return std::isfinite(x); });
  std::ranges::sort(all);
  return all;
}

// Borders between numbers that no tolerance joins.
std::vector<double> borders_in_gaps(const std::vector<double>& values,
                                    const NearOptions& options) {
  std::vector<double> borders;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const double gap = values[k] - values[k - 1];
    if (gap > 2 * std::max(tolerance_at(values[k], options),
                           tolerance_at(values[k - 1], options))) {
      borders.push_back(values[k - 1] + gap / 2);
    }
  }
  return borders;
}

// Borders between equal shares of the numbers, each in the widest gap around.
std::vector<double> borders_of_shares(const std::vector<double>& values,
                                      std::size_t shares) {
  std::vector<double> borders;
  const std::size_t share = values.size() / shares;
  for (std::size_t s = 1; s < shares; ++s) {
    std::size_t best = s * share;
    const std::size_t reach = std::min<std::size_t>(share / 8, 256);
    for (std::size_t k = s * share - reach; k <= s * share + reach; ++k) {
      if (k == 0 || k >= values.size()) continue;
      if (values[k] - values[k - 1] > values[best] - values[best - 1]) best = k;
    }
    borders.push_back(values[best - 1] + (values[best] - values[best - 1]) / 2);
  }
  return borders;
}

// How many numbers are so near to a border that they may be on its other side.
double share_at_borders(const std::vector<double>& values,
                        const std::vector<double>& borders,
                        const NearOptions& options) {
  std::int64_t count = 0;
  for (const double border : borders) {
    const double near = tolerance_at(border, options);
    count += std::ranges::upper_bound(values, border + near) -
             std::ranges::lower_bound(values, border - near);
  }
  return static_cast<double>(count) / static_cast<double>(values.size());
}

// So many equally likely codes would tell as much.
double codes_worth(const std::vector<double>& values,
                   const std::vector<double>& borders) {
  double squares = 0;
  auto from = values.begin();
  for (std::size_t k = 0; k <= borders.size(); ++k) {
    const auto to = k < borders.size()
                        ? std::lower_bound(from, values.end(), borders[k])
                        : values.end();
    const double share =
        static_cast<double>(to - from) / static_cast<double>(values.size());
    squares += share * share;
    from = to;
  }
  return 1 / squares;
}

std::vector<double> choose_borders(const std::vector<double>& values,
                                   const NearOptions& options) {
  constexpr double enough = 64;
  std::vector<double> borders = borders_in_gaps(values, options);
  if (codes_worth(values, borders) >=
      std::min(enough, static_cast<double>(values.size()) / 4)) {
    return borders;
  }
  for (const std::size_t shares :
       {std::size_t{128}, std::size_t{64}, std::size_t{32}, std::size_t{16}}) {
    if (values.size() < 4 * shares) continue;
    borders = borders_of_shares(values, shares);
    if (share_at_borders(values, borders, options) < 0.02) break;
  }
  return borders;
}

class Coder {
 public:
  Coder(const std::vector<double>& borders, std::int64_t width)
      : borders_(borders), width_(width) {
    zero_ = number(0);
  }

  [[nodiscard]] std::vector<std::byte> run(
      std::span<const double> numbers) const {
    std::vector<std::byte> bytes(numbers.size() *
                                 static_cast<std::size_t>(width_));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::uint64_t code = code_of(numbers[k]);
      std::memcpy(bytes.data() + k * static_cast<std::size_t>(width_), &code,
                  static_cast<std::size_t>(std::min<std::int64_t>(width_, 8)));
    }
    return bytes;
  }

 private:
  [[nodiscard]] std::uint64_t number(double x) const {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(borders_, x) -
                                      borders_.begin());
  }
  // Codes that are too many for the width repeat.
  [[nodiscard]] std::uint64_t code_of(double x) const {
    if (std::isnan(x)) return 1;
    const std::uint64_t n = number(x);
    if (n == zero_) return 0;
    const std::uint64_t codes =
        width_ >= 4 ? std::uint64_t{1} << 32 : std::uint64_t{1} << (8 * width_);
    return 1 + n % (codes - 1);
  }

  const std::vector<double>& borders_;
  std::int64_t width_;
  std::uint64_t zero_ = 0;
};

// The dump's numbers without what padding has more of than the reference.
std::vector<double> without_padding(std::vector<double> dump, double padding,
                                    std::size_t elements) {
  const auto [first, end] = std::equal_range(dump.begin(), dump.end(), padding);
  const auto beyond = static_cast<std::ptrdiff_t>(
      dump.size() - std::min(elements, dump.size()));
  dump.erase(first, first + std::min(beyond, end - first));
  return dump;
}

}  // namespace

Coded code_numbers(std::span<const double> reference,
                   std::span<const double> dump, const NearOptions& options) {
  const std::vector<double> values = sorted(reference);
  const std::vector<double> borders =
      values.empty() ? std::vector<double>{} : choose_borders(values, options);
  const Coder coder(borders, options.infer.element_bytes);
  return {coder.run(reference), coder.run(dump)};
}

double Scale::quantise(double real, const NearOptions::Range& range) const {
  if (std::isnan(real)) return zero_point;
  return std::clamp(std::nearbyint(real / scale) + zero_point, range.lowest,
                    range.highest);
}

std::optional<Scale> scale_of_pairs(std::span<const double> reals,
                                    std::span<const double> integers,
                                    const NearOptions::Range& range) {
  // Least squares of real = a * integer + b about the means, without what was cut off.
  const std::size_t count = std::min(reals.size(), integers.size());
  const auto taken = [&](std::size_t k) {
    return integers[k] > range.lowest && integers[k] < range.highest &&
           std::isfinite(reals[k]);
  };
  double n = 0;
  double mean_q = 0;
  double mean_x = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!taken(k)) continue;
    n += 1;
    mean_q += (integers[k] - mean_q) / n;
    mean_x += (reals[k] - mean_x) / n;
  }
  double spread = 0;
  double both = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (!taken(k)) continue;
    const double q = integers[k] - mean_q;
    spread += q * q;
    both += q * (reals[k] - mean_x);
  }
  if (n < 8 || spread <= 0) return std::nullopt;
  const double scale = both / spread;
  const auto stored = static_cast<float>(scale);
  if (!(stored > 0) || !std::isfinite(stored)) return std::nullopt;
  // Plus 0: no zero point is -0.
  const double zero = std::nearbyint(mean_q - mean_x / scale) + 0.0;
  if (!(zero >= range.lowest && zero <= range.highest)) return std::nullopt;
  return Scale{scale, zero};
}

std::optional<Scale> scale_by_rank(std::span<const double> reference,
                                   std::span<const double> dump,
                                   const NearOptions::Range& range) {
  const std::vector<double> reals = sorted(reference);
  const std::vector<double> integers = sorted(dump);
  if (reals.empty() || integers.empty()) return std::nullopt;
  // Padding is zero, or the zero point, which about all of it is.
  std::array<double, 2> paddings = {0, 0};
  std::ptrdiff_t most = 0;
  for (auto at = integers.begin(); at != integers.end();) {
    const auto end = std::upper_bound(at, integers.end(), *at);
    if (end - at > most) {
      most = end - at;
      paddings[1] = *at;
    }
    at = end;
  }
  std::optional<Scale> best;
  double least = std::numeric_limits<double>::infinity();
  for (const double padding : paddings) {
    const std::vector<double> kept =
        without_padding(integers, padding, reals.size());
    if (kept.size() != reals.size()) continue;
    const auto scale = scale_of_pairs(reals, kept, range);
    if (!scale) continue;
    double off = 0;
    for (std::size_t k = 0; k < reals.size(); ++k) {
      off += std::abs(scale->quantise(reals[k], range) - kept[k]);
    }
    if (off >= least) continue;
    least = off;
    best = scale;
  }
  return best;
}

}  // namespace stridewise::inference
