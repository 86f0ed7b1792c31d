// SPDX-License-Identifier: Apache-2.0
#include "layout/inverse.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"

namespace stridewise::detail {
namespace {

// Fills the terms; true when nested.
bool list_terms(const Piece& piece, PieceInverse& inverse, bool box) {
  inverse.terms.clear();
  inverse.first_reachable = 0;
  inverse.most_tries = 1;
  for (std::size_t k = 0; k < piece.terms.size(); ++k) {
    const PieceTerm& term = piece.terms[k];
    const Reach reach = box || term.copies != 0 ? Reach{0, term.extent()}
                                                : reach_of(piece, term.digit);
    inverse.first_reachable += reach.low * term.stride;
    if (reach.count > 1 && term.stride > 0) {
      inverse.terms.push_back(InverseTerm{.term = static_cast<std::int32_t>(k),
                                          .low = reach.low,
                                          .count = reach.count,
                                          .stride = Divider(term.stride),
                                          .rest_max = 0});
    }
  }
  std::ranges::stable_sort(
      inverse.terms, std::ranges::greater{},
      [](const InverseTerm& t) { return t.stride.value(); });
  bool nested = true;
  std::int64_t rest = piece.unit - 1;  // cannot overflow: it is in the memory
  for (std::size_t k = inverse.terms.size(); k-- > 0;) {
    InverseTerm& term = inverse.terms[k];
    term.rest_max = rest;
    nested = nested && term.stride.value() > rest;
    const std::int64_t tries =
        std::min(rest / term.stride.value() + 1, term.count);
    inverse.most_tries = mul(inverse.most_tries, tries).value_or(largest);
    rest += (term.count - 1) * term.stride.value();
  }
  return nested;
}

std::int64_t& slot_of(std::span<std::int64_t> slots, std::int32_t k) {
  return slots[static_cast<std::size_t>(k)];
}

bool run_chain(const DecodeStep& step, std::span<std::int64_t> slots) {
  std::int64_t y = 0;
  for (const DecodeStep::Part& part : step.parts) {
    if (step.redundant) y %= part.weight;
    y += part.weight * slot_of(slots, part.slot);
  }
  std::int64_t& out = slot_of(slots, step.out);
  if (!step.is_variable) {
    out = step.divisor.quotient(y);
    if (step.wrap != 0) out %= step.wrap;
    return true;
  }
  std::int64_t x = y - step.bias;
  if (step.modulus != 0) x = step.low + floor_mod(x - step.low, step.modulus);
  if (x < step.low || x >= step.low + step.extent) return false;
  out = step.divisor.quotient(x);
  return true;
}

bool run_split(const DecodeStep& step, std::span<std::int64_t> slots) {
  std::int64_t rest = slot_of(slots, step.in) - step.low;
  if (rest < 0) return false;
  for (std::size_t k = 0; k < step.parts.size(); ++k) {
    const std::int64_t value =
        step.counts[k] <= 1 ? 0 : step.strides[k].quotient(rest);
    if (value >= step.counts[k]) return false;
    slot_of(slots, step.parts[k].slot) = value;
    rest -= value * step.strides[k].value();
  }
  return rest == 0;
}

bool run_search(const DecodeStep& step, std::span<std::int64_t> slots) {
  std::array<std::int64_t, max_slots> values;  // NOLINT: filled below
  for (std::size_t k = 0; k < step.parts.size(); ++k) {
    values[k] = slot_of(slots, step.parts[k].slot);
  }
  const std::int64_t x =
      search_value(step.digits, {values.data(), step.parts.size()}, step.low,
                   step.low + step.extent, step.modulus);
  slot_of(slots, step.out) = x;
  return x >= 0;
}

bool run(const DecodeStep& step, std::span<std::int64_t> slots) {
  const std::int64_t in = step.in < 0 ? 0 : slot_of(slots, step.in);
  switch (step.kind) {
    case DecodeStep::Kind::undo: {
      std::int64_t v = in;
      for (auto t = step.twists.rbegin(); t != step.twists.rend(); ++t) {
        v = untwist(t->first, v, slot_of(slots, t->second), step.unit.extent);
      }
      v = step.unit.undo(v);
      slot_of(slots, step.out) = v;
      return v >= 0;
    }
    case DecodeStep::Kind::raw:
      slot_of(slots, step.out) = step.unit.raw(in);
      return true;
    case DecodeStep::Kind::finish:
      // Of a digit that padding has, no table may have an entry.
      if (in >= step.unit.count) return false;
      slot_of(slots, step.out) = step.unit.finish(in);
      return true;
    case DecodeStep::Kind::chain:
      return run_chain(step, slots);
    case DecodeStep::Kind::offset: {
      const std::int64_t x = in + step.low;
      slot_of(slots, step.out) = x;
      return x >= 0 && x < step.extent;
    }
    case DecodeStep::Kind::rest:
      slot_of(slots, step.out) = step.divisor.remainder(in);
      return true;
    case DecodeStep::Kind::split:
      return run_split(step, slots);
    case DecodeStep::Kind::fuse: {
      std::int64_t sum = step.low;
      for (const DecodeStep::Part& part : step.parts) {
        sum += part.weight * slot_of(slots, part.slot);
      }
      slot_of(slots, step.out) = sum;
      return true;
    }
    case DecodeStep::Kind::search:
      return run_search(step, slots);
  }
  return false;
}

// Values of a piece that was found to hold a place: its index, or padding.
class Finder {
 public:
  Finder(const Piece& piece, const PieceInverse& inverse,
         std::span<const std::int32_t> dims, std::int64_t place,
         std::span<std::int64_t> index)
      : piece_(piece),
        inverse_(inverse),
        dims_(dims),
        place_(place),
        index_(index),
        slots_(storage_.data(), inverse.start.size()) {
    std::ranges::copy(inverse.start, slots_.begin());
  }

  Found run() {
    std::int64_t rest = place_ - piece_.base - inverse_.first_reachable;
    if (rest < 0) return {};
    if (!inverse_.nested) {
      return search(0, rest) ? found_ : Found{};
    }
    for (const InverseTerm& term : inverse_.terms) {
      const std::int64_t value = term.stride.quotient(rest);
      if (value >= term.count) return {};
      slots_[static_cast<std::size_t>(term.term)] = value;
      rest -= value * term.stride.value();
    }
    if (rest >= piece_.unit) return {};
    return element(rest) ? found_ : Found{.place = Place::padding};
  }

 private:
  // Whether the terms' values are those of an element, which is then `found_`.
  bool element(std::int64_t rest) {
    if (!decode(inverse_, slots_)) return false;
    for (std::size_t k = 0; k < dims_.size(); ++k) {
      const auto dim = static_cast<std::size_t>(dims_[k]);
      index_[k] = slots_[static_cast<std::size_t>(inverse_.dim_slots[dim])];
    }
    found_.place = Place::element;
    const std::int64_t bit =
        inverse_.bit_slot < 0
            ? rest + inverse_.bit_low
            : slots_[static_cast<std::size_t>(inverse_.bit_slot)];
    found_.bit = static_cast<std::int32_t>(bit);
    std::int64_t copies = 0;
    for (std::size_t k = 0; k < piece_.terms.size(); ++k) {
      const PieceTerm& term = piece_.terms[k];
      if (term.copies == 0) continue;
      found_.copy = found_.copy * term.copies + slots_[k];
      copies += slots_[k] * term.stride;
    }
    return !inverse_.verify ||
           piece_.bit_of(index_.first(dims_.size()), bit) == place_ - copies;
  }

  // Tries the combinations of reachable values from term k on that add up to `rest`,
  // until one is an element.
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
  bool search(std::size_t k, std::int64_t rest) {
    if (k == inverse_.terms.size()) {
      found_ = {};
      return rest < piece_.unit && element(rest);
    }
    const InverseTerm& term = inverse_.terms[k];
    const std::int64_t stride = term.stride.value();
    const std::int64_t over = rest - term.rest_max;
    const std::int64_t first = over > 0 ? ceil_div(over, stride) : 0;
    const std::int64_t last = std::min(term.count - 1, rest / stride);
    for (std::int64_t v = first; v <= last; ++v) {
      slots_[static_cast<std::size_t>(term.term)] = term.low + v;
      if (search(k + 1, rest - v * stride)) return true;
    }
    return false;
  }

  const Piece& piece_;
  const PieceInverse& inverse_;
  std::span<const std::int32_t> dims_;
  std::int64_t place_;
  std::span<std::int64_t> index_;
  std::array<std::int64_t, max_slots> storage_;  // NOLINT: filled as steps run
  std::span<std::int64_t> slots_;
  Found found_;
};

// NOLINTNEXTLINE(misc-no-recursion): depth is the number of digits
std::int64_t search_from(std::span<const BoundDigit> digits,
                         std::span<const std::int64_t> values, std::size_t k,
                         std::int64_t low, std::int64_t high,
                         std::int64_t period) {
  if (low >= high) return -1;
  if (k == digits.size()) return low;
  const BoundDigit& digit = digits[k];
  const std::int64_t first = values[k] * digit.div - digit.bias;
  if (digit.mod == 0) {
    return search_from(digits, values, k + 1, std::max(low, first),
                       std::min(high, first + digit.div), period);
  }
  if (high - low > period) high = low + period;
  const std::int64_t step = digit.div * digit.mod;
  const std::int64_t copy = floor_div(low - first - digit.div, step) + 1;
  for (std::int64_t begin = first + copy * step; begin < high; begin += step) {
    const std::int64_t found =
        search_from(digits, values, k + 1, std::max(low, begin),
                    std::min(high, begin + digit.div), period);
    if (found >= 0) return found;
  }
  return -1;
}

}  // namespace

void list_terms(const Piece& piece, PieceInverse& inverse) {
  inverse.nested = list_terms(piece, inverse, true);
  if (inverse.nested) {
    inverse.first_reachable = 0;
  } else {
    list_terms(piece, inverse, false);
  }
}

bool decode(const PieceInverse& inverse, std::span<std::int64_t> slots) {
  return std::ranges::all_of(
      inverse.steps, [&](const DecodeStep& step) { return run(step, slots); });
}

Found find(const Piece& piece, const PieceInverse& inverse,
           std::span<const std::int32_t> dims, std::int64_t place,
           std::span<std::int64_t> index) {
  return Finder(piece, inverse, dims, place, index).run();
}

std::int64_t search_value(std::span<const BoundDigit> digits,
                          std::span<const std::int64_t> values,
                          std::int64_t low, std::int64_t high,
                          std::int64_t period) {
  return search_from(digits, values, 0, low, high, period);
}

}  // namespace stridewise::detail
