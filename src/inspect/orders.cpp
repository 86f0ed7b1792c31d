// SPDX-License-Identifier: Apache-2.0
#include "inspect/orders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::size_t most_words = 4;
constexpr std::int64_t longest_block = 128;

class Order {
 public:
  Order(const std::string& name, const std::vector<std::int64_t>& to)
      : name_(name), to_(to), size_(static_cast<std::int64_t>(to.size())) {
    for (std::int64_t k = 0; k < size_; ++k) {
      if (holds(k) >= 0 && holds(k) != k) moved_.push_back(k);
    }
  }

  [[nodiscard]] std::string print() const {
    if (moved_.empty()) return "";
    for (const auto say : {&Order::shifted, &Order::reversed, &Order::pairs,
                           &Order::rotated, &Order::within_blocks}) {
      if (std::string text = (this->*say)(); !text.empty()) return text;
    }
    return one_by_one();
  }

 private:
  [[nodiscard]] std::int64_t holds(std::int64_t k) const {
    return to_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] bool right(std::int64_t k, std::int64_t should) const {
    return holds(k) == should || holds(k) == not_known;
  }
  // Whether each of first .. last holds the one `shift` before it.
  [[nodiscard]] bool all_shifted(std::int64_t first, std::int64_t last,
                                 std::int64_t shift) const {
    for (std::int64_t k = first; k <= last; ++k) {
      if (!right(k, k - shift)) return false;
    }
    return true;
  }

  // All from somewhere to the end, or from the beginning to somewhere.
  [[nodiscard]] std::string shifted() const {
    const std::int64_t shift = moved_.front() - holds(moved_.front());
    const std::int64_t by = std::abs(shift);
    // A piece of that length lies where another one should: no shift of all.
    if (std::ssize(moved_) < by || (by > 1 && std::ssize(moved_) < 3)) {
      return "";
    }
    // One alone, beside others that are right, is no shift of all.
    if (moved_.size() == 1 && size_ > 1 &&
        holds(holds(moved_.front())) == holds(moved_.front())) {
      return "";
    }
    const bool late = shift > 0 && moved_.back() == size_ - 1;
    const bool early = shift < 0 && moved_.front() == 0;
    if (!(late || early) ||
        !all_shifted(moved_.front(), moved_.back(), shift)) {
      return "";
    }
    const std::int64_t last = late ? moved_.front() : moved_.back();
    const bool whole = last == (late ? by : size_ - 1 - by);
    return fmt::format("{} is {} {}{}: {}={} holds {}={}", name_,
                       by == 1 ? "one" : std::to_string(by),
                       late ? "late" : "early",
                       whole  ? ""
                       : late ? fmt::format(" from {}={} on", name_, last)
                              : fmt::format(" up to {}={}", name_, last),
                       name_, moved_.front(), name_, holds(moved_.front()));
  }

  [[nodiscard]] std::string reversed() const {
    if (moved_.size() < 3) return "";
    for (std::int64_t k = 0; k < size_; ++k) {
      if (!right(k, size_ - 1 - k)) return "";
    }
    return name_ + " is in reverse order";
  }

  [[nodiscard]] std::string rotated() const {
    const std::int64_t first = moved_.front();
    const std::int64_t by = (holds(first) - first + size_) % size_;
    for (std::int64_t k = 0; k < size_; ++k) {
      if (!right(k, (k + by) % size_)) return "";
    }
    if (moved_.size() < 3) return "";
    return fmt::format("{} is rotated: {}={} holds {}={}", name_, name_, first,
                       name_, holds(first));
  }

  // What the number at `rest` of every block of m holds, relative to the block;
  // a number of which nothing is known keeps its own. Negative: not the same in
  // all of them, or told by one block alone.
  [[nodiscard]] std::int64_t of_blocks(std::int64_t m,
                                       std::int64_t rest) const {
    std::int64_t common = not_known;
    std::int64_t times = 0;
    for (std::int64_t k = rest; k < size_; k += m) {
      if (holds(k) == not_known) continue;
      const std::int64_t here = holds(k) - (k - rest);
      if (holds(k) < 0) return held_by_none;
      if (here < 0 || here >= m || (times > 0 && here != common)) {
        return held_by_none;
      }
      common = here;
      ++times;
    }
    return times == 1 && common != rest ? held_by_none
           : times == 0                 ? rest
                                        : common;
  }

  // The same in every block: what each number of one holds; empty: it is not.
  [[nodiscard]] std::vector<std::int64_t> block() const {
    for (std::int64_t m = 2; 2 * m <= size_ && m <= longest_block; ++m) {
      std::vector<std::int64_t> block;
      for (std::int64_t rest = 0; rest < m; ++rest) {
        block.push_back(of_blocks(m, rest));
        if (block.back() < 0) break;
      }
      if (block.back() >= 0) return block;
    }
    return {};
  }

  // "4k and 4k+3 are swapped", or two alone.
  [[nodiscard]] std::string pairs() const {
    const bool all = std::ranges::all_of(
        moved_, [&](std::int64_t k) { return holds(holds(k)) == k; });
    if (!all) return "";
    const std::vector<std::int64_t> same = block();
    const auto m = std::ssize(same);
    std::vector<std::string> words;
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t other = same[static_cast<std::size_t>(k)];
      if (other <= k) continue;
      words.push_back(residue(m, k) + " and " + residue(m, other));
    }
    if (!words.empty() && words.size() < most_words) {
      return fmt::format("{}={} are swapped", name_, fmt::join(words, ", "));
    }
    if (moved_.size() > 2 * most_words) {
      return fmt::format("{} is rearranged in pairs, such as {}={} and {}",
                         name_, name_, moved_[0], holds(moved_[0]));
    }
    words.clear();
    for (const std::int64_t k : moved_) {
      if (holds(k) < k) continue;
      words.push_back(
          fmt::format("{}={} and {}={}", name_, k, name_, holds(k)));
    }
    return fmt::format("{} are swapped", fmt::join(words, ", "));
  }

  [[nodiscard]] std::string within_blocks() const {
    const std::vector<std::int64_t> same = block();
    const auto m = std::ssize(same);
    std::vector<std::string> words;
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t from = same[static_cast<std::size_t>(k)];
      if (from == k) continue;
      words.push_back(residue(m, k) + " holds " + residue(m, from));
    }
    if (words.empty() || words.size() > most_words) return "";
    return fmt::format("{}={}", name_, fmt::join(words, ", "));
  }

  [[nodiscard]] std::string one_by_one() const {
    std::vector<std::string> words;
    for (const std::int64_t k : moved_) {
      if (words.size() == most_words) break;
      words.push_back(
          fmt::format("{}={} holds {}={}", name_, k, name_, holds(k)));
    }
    return moved_.size() <= most_words
               ? fmt::format("{}", fmt::join(words, ", "))
               : fmt::format("{} is rearranged: {} and so on", name_,
                             fmt::join(words, ", "));
  }

  const std::string& name_;
  const std::vector<std::int64_t>& to_;
  const std::int64_t size_;
  std::vector<std::int64_t> moved_;
};

}  // namespace

std::string print_rearrangement(const std::string& name,
                                const std::vector<std::int64_t>& to) {
  return Order(name, to).print();
}

}  // namespace stridewise::inspect
