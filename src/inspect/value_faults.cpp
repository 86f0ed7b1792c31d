// SPDX-License-Identifier: Apache-2.0
#include "inspect/value_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "inspect/evidence.hpp"
#include "inspect/value.hpp"
#include "inspect/value_rules.hpp"
#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::size_t least_examples = 8;
constexpr int value_samples = 512;
// What a rule with two numbers, of some twenty, costs.
constexpr double value_choice_bits = 24;
constexpr double least_share = 0.99;

constexpr int samples_for_indices = 16;      // of each
constexpr std::int64_t most_indices = 1024;  // of a dim

class ValueFaults {
 public:
  ValueFaults(const Sides& sides, const std::vector<Example>& differ,
              const std::vector<DiffCounts>& by_dim)
      : sides_(sides), differ_(differ), by_dim_(by_dim) {
    for (const Example& example : differ) {
      if (const auto two = two_of(example.a, example.b)) {
        different_.push_back(*two);
      }
    }
    for (const DiffCounts& counts : by_dim) {
      wrong_.push_back(counted_indices(counts));
    }
    for (const Index& x : draw(wrong_, value_samples)) {
      if (const auto two = two_of(sides.value_a(x), sides.value_b(x))) {
        around_.push_back(*two);
      }
    }
  }

  std::string run() {
    if (sides_.compared.kind == ElementKind::complex_floating) return "";
    if (differ_.size() < least_examples) return "";
    if (std::string text = reversed_bytes(); !text.empty()) return text;
    if (different_.size() < least_examples) return "";
    std::vector<Rule> rules =
        rounding_rules(sides_.reading_a.fused(), sides_.compared);
    for (Rule& rule : linear_rules(different_))
      rules.push_back(std::move(rule));
    for (const Rule& rule : rules) {
      if (explains(rule)) return rule.text + where(rule);
    }
    if (std::string text = clamped(); !text.empty()) return text;
    for (std::size_t d = 0; d < by_dim_.size(); ++d) {
      if (std::string text = by_index(d); !text.empty()) return text;
    }
    return constant();
  }

 private:
  [[nodiscard]] std::optional<Two> two_of(const Element& a,
                                          const Element& b) const {
    const Two two{value_at(sides_.compared, a.bytes.data()).real,
                  value_at(sides_.compared, b.bytes.data()).real};
    if (!std::isfinite(two.a) || !std::isfinite(two.b)) return std::nullopt;
    return two;
  }

  // Whether a value of A is the one that a rule gives: within the tolerance, and within
  // what the numbers of the rule are rounded by.
  [[nodiscard]] bool fits(double a, double expected) const {
    const double rounding = sides_.compared.is_integer()    ? 0.5
                            : sides_.compared.name == "f64" ? 0
                            : sides_.compared.name == "f32"
                                ? 0x1p-21 * std::abs(expected)
                                : 0x1p-7 * std::abs(expected);
    const Tolerance& tolerance = sides_.judge.tolerance();
    return std::abs(a - expected) <=
           tolerance.atol + tolerance.rtol * std::abs(expected) +
               std::max(rounding, 1e-9 * std::abs(expected));
  }

  [[nodiscard]] double share(const Rule& rule,
                             const std::vector<Two>& pairs) const {
    const auto right = std::ranges::count_if(
        pairs, [&](const Two& two) { return fits(two.a, rule.of(two.b)); });
    return static_cast<double>(right) / static_cast<double>(pairs.size());
  }

  // Bits by which these pairs speak for a rule: against other pairs of the same values,
  // of which only those count that differ as well.
  [[nodiscard]] double bits(const Rule& rule,
                            const std::vector<Two>& pairs) const {
    const auto agrees = [&](std::size_t k,
                            std::size_t j) -> std::optional<bool> {
      if (fits(pairs[k].a, pairs[j].b)) return std::nullopt;
      return fits(pairs[k].a, rule.of(pairs[j].b));
    };
    const double chance = chance_of(pairs.size(), 0.5, agrees);
    return bits_of(share(rule, pairs), chance) *
           static_cast<double>(pairs.size());
  }

  [[nodiscard]] bool explains(const Rule& rule) const {
    return share(rule, different_) >= least_share &&
           bits(rule, different_) > least_bits + value_choice_bits;
  }

  // ", where c=3", or where it is not so of all elements there.
  [[nodiscard]] std::string where(const Rule& rule) const {
    if (around_.empty() || share(rule, around_) < least_share) {
      return ", where they differ";
    }
    return box();
  }
  [[nodiscard]] std::string box() const {
    const std::string text = print_all_counts(by_dim_);
    return text.empty() || irregular(by_dim_) ? "" : ", where " + text;
  }

  // Facts about all that was drawn, which no chance has to be asked for.
  [[nodiscard]] std::string clamped() const {
    const std::optional<Rule> rule = clamp_rule(different_);
    if (!rule) return "";
    std::set<double> cut;
    for (const Two& two : different_) cut.insert(two.b);
    if (cut.size() < 4) return "";
    const bool all = std::ranges::all_of(
        around_, [&](const Two& two) { return fits(two.a, rule->of(two.b)); });
    // Where nothing lies within the limits, A is one number.
    const bool within = std::ranges::any_of(around_, [&](const Two& two) {
      return fits(two.a, two.b) && !fits(two.a, different_.front().a);
    });
    return all && within ? rule->text + box() : "";
  }

  [[nodiscard]] std::string constant() const {
    const double value = different_.front().a;
    const bool all = differ_.size() == different_.size() &&
                     std::ranges::all_of(different_, [&](const Two& two) {
                       return two.a == value;
                     });
    std::vector<double> wanted;
    for (const Two& two : different_) wanted.push_back(two.b);
    std::ranges::sort(wanted);
    if (!all || wanted.front() == wanted.back()) return "";
    return fmt::format("A is {} in all that differs", print_number(value));
  }

  [[nodiscard]] std::string reversed_bytes() const {
    const std::int64_t width = sides_.a.element_bytes();
    if (width < 2) return "";
    Evidence evidence;
    for (const Example& example : differ_) {
      const std::byte* const at =
          sides_.a_bytes.data() + sides_.a.offset(example.index) * width;
      Element reversed, value;
      std::reverse_copy(at, at + width, reversed.bytes.begin());
      sides_.reading_a.one(reversed.bytes.data(), example.index,
                           value.bytes.data());
      evidence.add(sides_, value, example.b);
    }
    if (evidence.share() < least_share ||
        evidence.bits(sides_) < least_bits + value_choice_bits) {
      return "";
    }
    return "the bytes of each element of A are in reverse order (big-endian?)";
  }

  // ------------------------------------------------------- each of a dim ------

  // What an index of a dim has: a factor or an offset, and the bits that speak for it.
  struct OfIndex {
    double number = 0;
    double bits = 0;
  };
  using NumberOf = std::optional<double> (*)(const std::vector<Two>&);

  [[nodiscard]] std::optional<OfIndex> of_index(const std::vector<Two>& pairs,
                                                NumberOf number_of,
                                                bool factor) const {
    if (pairs.size() < least_examples) return std::nullopt;
    const std::optional<double> number = number_of(pairs);
    if (!number) return std::nullopt;
    const Rule rule{
        "", [n = *number, factor](double b) { return factor ? n * b : b + n; }};
    if (share(rule, pairs) < 0.9) return std::nullopt;
    return OfIndex{*number, bits(rule, pairs)};
  }

  [[nodiscard]] std::vector<std::vector<Two>> pairs_of(std::size_t d) const {
    std::vector<Offer> offers = wrong_;
    std::vector<std::vector<Two>> all;
    for (const std::int64_t k : wrong_[d].ranges) {
      offers[d].ranges = {k};
      std::vector<Two>& pairs = all.emplace_back();
      for (const Index& x : draw(offers, samples_for_indices)) {
        const auto two = two_of(sides_.value_a(x), sides_.value_b(x));
        if (two) pairs.push_back(*two);
      }
    }
    return all;
  }

  // The numbers that indices of a dim have; nullopt: not nearly all have one.
  [[nodiscard]] std::optional<std::map<std::int64_t, double>> numbers_of(
      const std::vector<std::vector<Two>>& all, std::size_t d,
      bool factor) const {
    std::map<std::int64_t, double> numbers;
    double found = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto one = of_index(all[k], factor ? factor_of : offset_of, factor);
      if (!one) continue;
      found += one->bits - value_choice_bits;
      numbers[wrong_[d].ranges[k]] = one->number;
    }
    const bool most = 10 * numbers.size() >= 9 * all.size();
    if (!most || numbers.size() < 2 || found < least_bits) return std::nullopt;
    return numbers;
  }

  // Whether what differs does so by these numbers: what is within the tolerance tells none.
  [[nodiscard]] bool differ_by(const std::map<std::int64_t, double>& numbers,
                               std::size_t d, bool factor) const {
    std::size_t right = 0;
    std::size_t all = 0;
    for (const Example& example : differ_) {
      const auto two = two_of(example.a, example.b);
      const auto number = numbers.find(example.index[d]);
      if (!two || number == numbers.end()) continue;
      ++all;
      right += fits(two->a,
                    factor ? number->second * two->b : two->b + number->second)
                   ? 1U
                   : 0U;
    }
    return all >= least_examples && 100 * right >= 95 * all;
  }

  [[nodiscard]] std::string by_index(std::size_t d) const {
    const DiffCounts& counts = by_dim_[d];
    if (counts.extent < 2 || counts.extent > most_indices) return "";
    const std::vector<std::vector<Two>> pairs = pairs_of(d);
    for (const bool factor : {true, false}) {
      const auto numbers = numbers_of(pairs, d, factor);
      if (!numbers || !differ_by(*numbers, d, factor)) continue;
      constexpr std::size_t most_words = 4;
      std::vector<std::string> words;
      for (const auto& [index, number] : *numbers) {
        if (words.size() < most_words) words.push_back(print_number(number));
      }
      return fmt::format(
          "A is B {} each {} has its own: {}{}",
          factor ? "times a factor, of which" : "plus an offset, of which",
          counts.name, fmt::join(words, ", "),
          numbers->size() > most_words ? " and so on" : "");
    }
    return "";
  }

  const Sides& sides_;
  const std::vector<Example>& differ_;
  const std::vector<DiffCounts>& by_dim_;
  std::vector<Offer> wrong_;    // by dim: the indices where something differs
  std::vector<Two> different_;  // of differ_, as far as both are finite
  std::vector<Two> around_;     // of all indices where something differs
};

}  // namespace

std::string value_fault(const Sides& sides, const std::vector<Example>& differ,
                        const std::vector<DiffCounts>& by_dim) {
  return ValueFaults(sides, differ, by_dim).run();
}

}  // namespace stridewise::inspect
