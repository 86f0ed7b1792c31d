// Why a tensor is not valid: proofs first, then searches that end in a witness.
//
//  1. Each dim: its digits tell its indices apart (closure.cpp proves that).
//  2. All places: nested strides cannot collide, and neither can pieces over all of
//     which what lies left of them steps. Else small memories are enumerated, and for
//     large ones the differences of two elements that add up to nothing are searched.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/checked.hpp"
#include "layout/index.hpp"
#include "layout/tensors.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t enumeration_limit = 1 << 18;
// Combinations of digits that one inverse may try: some microseconds.
constexpr std::int64_t tries_limit = 1 << 12;
constexpr int difference_budget = 1 << 18;

using Index = std::vector<std::int64_t>;

Error invalid_layout(std::string message) {
  return Error{ErrorCode::invalid_layout, std::move(message)};
}

// Not shown to be wrong, but not to be right either.
Error undecided(std::string message) {
  return Error{ErrorCode::unsupported, std::move(message)};
}

std::string title(const TensorData& tensor, const Index& index) {
  return (tensor.tensor.name.empty() ? "" : tensor.tensor.name + " ") +
         print_index(tensor.tensor.shape, index);
}

// ------------------------------------------------------------ enumeration ---

// Where an element, a bit of one or a copy begins.
struct Spot {
  std::int64_t place;
  std::int64_t bits;
  std::int32_t tensor;
  std::int64_t element;
};

class Enumeration {
 public:
  explicit Enumeration(const LayoutData& data) : data_(data) {}

  // How many spots there are; saturated.
  [[nodiscard]] std::int64_t count() const {
    Checked sum = 0;
    for (const Piece& piece : data_.pieces) {
      const Tensor& tensor =
          data_.tensors[static_cast<std::size_t>(piece.tensor)].tensor;
      Checked spots = tensor.elements;
      if (piece.bit_variable < 0) spots = mul(spots, tensor.element_bits);
      for (const PieceTerm& term : piece.terms) {
        if (term.copies != 0) spots = mul(spots, term.copies);
      }
      sum = add(sum, spots);
    }
    return saturated(sum);
  }

  // Pre: count() is within the limit.
  [[nodiscard]] std::optional<Error> run() {
    for (const Piece& piece : data_.pieces) add_piece(piece);
    std::ranges::stable_sort(spots_, {}, &Spot::place);
    for (std::size_t k = 1; k < spots_.size(); ++k) {
      const Spot& a = spots_[k - 1];
      const Spot& b = spots_[k];
      if (b.place < a.place + a.bits) return meeting(a, b);
    }
    return std::nullopt;
  }

 private:
  void add_piece(const Piece& piece) {
    const Tensor& tensor =
        data_.tensors[static_cast<std::size_t>(piece.tensor)].tensor;
    const bool whole = piece.bit_variable >= 0;
    std::int64_t low = 0;
    if (whole) low = first_bit(piece);
    for (std::int64_t e = 0; e < tensor.elements; ++e) {
      const Index index = index_of(tensor.shape, e);
      const std::int64_t bits = whole ? low + 1 : tensor.element_bits;
      for (std::int64_t bit = low; bit < bits; ++bit) {
        const auto place = piece.bit_of(index, bit);
        if (place) add_copies(piece, 0, *place, e);
      }
    }
  }

  static std::int64_t first_bit(const Piece& piece) {
    std::int64_t low = 0;
    std::int32_t at = piece.bit_variable;
    while (piece.variables[static_cast<std::size_t>(at)].kind ==
           Variable::Kind::slice) {
      low += piece.variables[static_cast<std::size_t>(at)].low;
      at = piece.variables[static_cast<std::size_t>(at)].source;
    }
    return low;
  }

  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
  void add_copies(const Piece& piece, std::size_t k, std::int64_t place,
                  std::int64_t element) {
    while (k < piece.terms.size() && piece.terms[k].copies == 0) ++k;
    if (k == piece.terms.size()) {
      spots_.push_back({place, piece.unit, piece.tensor, element});
      return;
    }
    for (std::int64_t c = 0; c < piece.terms[k].copies; ++c) {
      add_copies(piece, k + 1, place + c * piece.terms[k].stride, element);
    }
  }

  std::optional<Error> meeting(const Spot& a, const Spot& b) const {
    const auto name = [&](const Spot& spot) {
      const TensorData& tensor =
          data_.tensors[static_cast<std::size_t>(spot.tensor)];
      return title(tensor, index_of(tensor.tensor.shape, spot.element));
    };
    const std::string first = name(a);
    const std::string second = name(b);
    const bool swapped = a.tensor == b.tensor && b.element < a.element;
    return invalid_layout(fmt::format("two elements share a place: {} and {}",
                                      swapped ? second : first,
                                      swapped ? first : second));
  }

  const LayoutData& data_;
  std::vector<Spot> spots_;
};

// ------------------------------------------------------------ differences ---

// Searches digit differences delta with |sum(delta * stride)| less than an element,
// largest stride first, and for each tries to name two elements that differ by it.
class DifferenceSearch {
 public:
  DifferenceSearch(const TensorData& tensor, const Piece& piece,
                   const PieceInverse& inverse)
      : tensor_(tensor),
        piece_(piece),
        inverse_(inverse),
        deltas_(piece.terms.size(), 0) {}

  std::optional<Error> run() {
    walk(0, 0);
    if (witness_) return witness_;
    if (!unresolved_ && budget_ > 0) return std::nullopt;
    return undecided(
        "strides interleave so irregularly that it could not be shown that no "
        "two elements share a place");
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
  void walk(std::size_t k, std::int64_t sum) {
    if (witness_ || --budget_ <= 0) return;
    if (k == inverse_.terms.size()) {
      if (sum < piece_.unit && -sum < piece_.unit) try_realise();
      return;
    }
    const InverseTerm& term = inverse_.terms[k];
    const auto t = static_cast<std::size_t>(term.term);
    const std::int64_t stride = term.stride.value();
    const std::int64_t most = term.count - 1;
    // |sum + delta * stride| must be within rest_max.
    const std::int64_t low =
        std::max(-most, -floor_div(sum + term.rest_max, stride));
    const std::int64_t high =
        std::min(most, floor_div(term.rest_max - sum, stride));
    for (std::int64_t delta = low; delta <= high && !witness_; ++delta) {
      deltas_[t] = delta;
      walk(k + 1, sum + delta * stride);
      if (budget_ <= 0) break;
    }
    deltas_[t] = 0;
  }

  void try_realise() {
    if (std::ranges::all_of(deltas_, [](auto d) { return d == 0; })) return;
    std::vector<std::int64_t> slots = inverse_.start;
    for (std::size_t t = 0; t < deltas_.size(); ++t) {
      slots[t] += std::max<std::int64_t>(-deltas_[t], 0);
    }
    std::vector<std::int64_t> others = slots;
    for (std::size_t t = 0; t < deltas_.size(); ++t) others[t] += deltas_[t];
    if (!decode(inverse_, slots) || !decode(inverse_, others)) {
      unresolved_ = true;
      return;
    }
    const Index a = index_at(slots);
    const Index b = index_at(others);
    witness_ = invalid_layout(fmt::format(
        "two elements share a place: {} and {}", title(tensor_, std::min(a, b)),
        title(tensor_, std::max(a, b))));
  }

  Index index_at(const std::vector<std::int64_t>& slots) const {
    Index index;
    for (const std::int32_t dim : tensor_.dims) {
      index.push_back(slots[static_cast<std::size_t>(
          inverse_.dim_slots[static_cast<std::size_t>(dim)])]);
    }
    return index;
  }

  const TensorData& tensor_;
  const Piece& piece_;
  const PieceInverse& inverse_;
  std::vector<std::int64_t> deltas_;
  std::optional<Error> witness_;
  bool unresolved_ = false;
  int budget_ = difference_budget;
};

// Nested on what is reachable: c%16 with C = 3 reaches 0..2. (When the box is
// nested, so is this.)
bool nested(const PieceInverse& inverse) {
  return std::ranges::all_of(inverse.terms, [](const InverseTerm& term) {
    return term.stride.value() > term.rest_max;
  });
}

Error takes_too_long() {
  return undecided(
      "strides interleave so much that telling what is at a place would take "
      "too long");
}

}  // namespace

std::optional<Error> find_defect(const LayoutData& data,
                                 const TensorData& tensor) {
  if (tensor.tensor.elements == 0) return std::nullopt;
  bool all_nested = data.parts_nest;
  std::int64_t most_tries = 1;
  for (const std::int32_t p : tensor.pieces) {
    const PieceInverse& inverse = data.inverses[static_cast<std::size_t>(p)];
    if (inverse.not_covered) return inverse.not_covered;
    all_nested = all_nested && nested(inverse);
    most_tries = std::max(most_tries, inverse.most_tries);
  }
  if (all_nested) return std::nullopt;
  std::optional<Error> defect;
  if (Enumeration all(data); all.count() <= enumeration_limit) {
    defect = all.run();
  } else if (data.parts_nest) {
    for (const std::int32_t p : tensor.pieces) {
      const auto k = static_cast<std::size_t>(p);
      if (defect || nested(data.inverses[k])) continue;
      defect = DifferenceSearch(tensor, data.pieces[k], data.inverses[k]).run();
    }
  } else {
    defect = undecided(
        "digits and strides are too irregular for a tensor of this size to be "
        "shown valid");
  }
  if (!defect && most_tries > tries_limit) defect = takes_too_long();
  return defect;
}

std::optional<Error> find_unfindable(const LayoutData& data) {
  for (const PieceInverse& inverse : data.inverses) {
    if (inverse.unsolved) return inverse.unsolved;
    if (inverse.most_tries > tries_limit) return takes_too_long();
  }
  return std::nullopt;
}

}  // namespace stridewise::detail
