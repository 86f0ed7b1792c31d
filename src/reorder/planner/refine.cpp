// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/refine.hpp"

#include <algorithm>
#include <iterator>

#include "base/checked.hpp"

namespace stridewise {
namespace {

// Indices x with (x + bias) % period == 0, where a digit steps or wraps.
struct Cuts {
  std::int64_t period;
  std::int64_t bias;

  friend bool operator==(const Cuts&, const Cuts&) = default;

  // The first cut at or after x.
  [[nodiscard]] std::int64_t at_or_after(std::int64_t x) const {
    return x + floor_mod(-(x + bias), period);
  }
};

// A period with which everything at or under it repeats.
struct Level {
  std::int64_t period;
  Cuts align;  // where its repetitions begin
};

std::int64_t place(std::span<const DigitStep> digits, std::int64_t x) {
  std::int64_t sum = 0;
  for (const DigitStep& digit : digits) {
    std::int64_t value = floor_div(x + digit.bias, digit.div);
    if (digit.mod != 0) value = floor_mod(value, digit.mod);
    sum += value * digit.stride;
  }
  return sum;
}

class Refiner {
 public:
  Refiner(std::span<const DigitStep> src, std::span<const DigitStep> dst,
          std::int64_t range)
      : src_(src), dst_(dst) {
    collect(dst);
    collect(src);
    std::ranges::stable_sort(cuts_, {}, &Cuts::period);
    Checked common = 1;
    for (const Cuts& cuts : cuts_) {
      common = lcm(*common, cuts.period);
      if (!common || *common > range) break;
      if (!levels_.empty() && levels_.back().period == *common) {
        if (cuts.period > levels_.back().align.period) {
          levels_.back().align = cuts;
        }
        continue;
      }
      levels_.push_back(Level{*common, cuts});
    }
  }

  Result<std::vector<Piece>> run(std::int64_t begin, std::int64_t end) {
    std::vector<Piece> pieces = build(begin, end, levels_.size());
    if (splits_ <= most_pieces) return pieces;
    return fail(ErrorCode::unsupported,
                "the blocks of the two layouts share no period short enough to "
                "be planned");
  }

 private:
  void collect(std::span<const DigitStep> digits) {
    for (const DigitStep& digit : digits) {
      if (digit.div > 1) add_cuts(digit.div, digit.bias);
      if (digit.mod > 1) add_cuts(digit.div * digit.mod, digit.bias);
    }
  }
  void add_cuts(std::int64_t period, std::int64_t bias) {
    const Cuts cuts{period, bias % period};
    if (std::ranges::find(cuts_, cuts) == cuts_.end()) cuts_.push_back(cuts);
  }

  // Splits [begin, end) at the cuts that `breaks` selects and hands each part
  // to `visit`.
  template <class Breaks, class Visit>
  void split(std::int64_t begin, std::int64_t end, Breaks breaks, Visit visit) {
    for (; begin < end && splits_ <= most_pieces; ++splits_) {
      std::int64_t next = end;
      for (const Cuts& cuts : cuts_) {
        if (breaks(cuts)) next = std::min(next, cuts.at_or_after(begin + 1));
      }
      visit(begin, next);
      begin = next;
    }
  }

  PlanLoop loop(std::int64_t count, std::int64_t x, std::int64_t step) const {
    return {count, place(src_, x + step) - place(src_, x),
            place(dst_, x + step) - place(dst_, x)};
  }

  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of levels
  std::vector<Piece> build(std::int64_t begin, std::int64_t end,
                           std::size_t level) {
    std::vector<Piece> pieces;
    const auto take = [&pieces](std::vector<Piece> more) {
      std::ranges::move(more, std::back_inserter(pieces));
    };
    if (level == 0) {
      split(
          begin, end, [](const Cuts&) { return true; },
          [&](std::int64_t from, std::int64_t to) {
            Piece piece{place(src_, from), place(dst_, from), {}};
            if (to - from > 1) piece.loops.push_back(loop(to - from, from, 1));
            pieces.push_back(std::move(piece));
          });
      return pieces;
    }
    const Level& here = levels_[level - 1];
    const auto breaks = [&](const Cuts& cuts) {
      return here.period % cuts.period != 0;
    };
    // NOLINTNEXTLINE(misc-no-recursion)
    const auto visit = [&](std::int64_t from, std::int64_t to) {
      const std::int64_t first = here.align.at_or_after(from);
      const std::int64_t repeats = first < to ? (to - first) / here.period : 0;
      if (repeats < 2) {
        take(build(from, to, level - 1));
        return;
      }
      take(build(from, first, level - 1));
      std::vector<Piece> inner = build(first, first + here.period, level - 1);
      const PlanLoop outer = loop(repeats, first, here.period);
      for (Piece& piece : inner) {
        piece.loops.insert(piece.loops.begin(), outer);
      }
      take(std::move(inner));
      take(build(first + repeats * here.period, to, level - 1));
    };
    split(begin, end, breaks, visit);
    return pieces;
  }

  std::span<const DigitStep> src_;
  std::span<const DigitStep> dst_;
  std::vector<Cuts> cuts_;
  std::vector<Level> levels_;
  std::size_t splits_ = 0;
};

}  // namespace

Result<std::vector<Piece>> refine(std::span<const DigitStep> src,
                                  std::span<const DigitStep> dst,
                                  std::int64_t begin, std::int64_t end) {
  return Refiner(src, dst, end - begin).run(begin, end);
}

}  // namespace stridewise
