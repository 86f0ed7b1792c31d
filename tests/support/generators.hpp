// Random layouts for property tests. Two kinds: valid by construction, with
// everything the notation can say; and arbitrary, of which many are not valid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::testing {

// While one exists, numbers come from a seed of its own instead of RapidCheck,
// which remembers each draw: for generating until something is found.
class UnrecordedDraws {
 public:
  UnrecordedDraws()
      : UnrecordedDraws(
            static_cast<std::uint32_t>(*rc::gen::arbitrary<int>())) {}
  explicit UnrecordedDraws(std::uint32_t seed) : random_(seed) {
    current() = &random_;
  }
  ~UnrecordedDraws() { current() = nullptr; }
  UnrecordedDraws(const UnrecordedDraws&) = delete;
  UnrecordedDraws& operator=(const UnrecordedDraws&) = delete;

  static std::mt19937*& current() {
    static std::mt19937* random = nullptr;
    return random;
  }

 private:
  std::mt19937 random_;
};

inline std::int64_t in_range(std::int64_t low, std::int64_t high) {
  if (std::mt19937* random = UnrecordedDraws::current()) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(*random);
  }
  return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
}

// The dims a, b, ... with extents that keep a tensor to a few thousand
// elements.
inline Shape random_shape() {
  Shape shape;
  const std::int64_t rank = in_range(1, 4);
  for (std::int64_t d = 0; d < rank; ++d) {
    shape.push_back({std::string(1, static_cast<char>('a' + d)),
                     in_range(1, rank == 1 ? 200 : 9)});
  }
  return shape;
}

// Digits of one dim that cover it: blocks from the fastest, then the rest.
inline std::vector<Digit> random_digits(const std::string& dim) {
  const std::int64_t bias = in_range(0, 3) == 0 ? in_range(1, 9) : 0;
  std::vector<Digit> digits;
  std::int64_t div = 1;
  for (std::int64_t blocks = in_range(0, 2); blocks > 0; --blocks) {
    const std::int64_t size = in_range(2, 6);
    digits.push_back({dim, bias, div, size});
    div *= size;
  }
  digits.push_back({dim, bias, div, 0});
  return digits;
}

template <class T>
void shuffle(std::vector<T>& items) {
  for (std::size_t k = items.size(); k > 1; --k) {
    const auto other = in_range(0, static_cast<std::int64_t>(k) - 1);
    std::swap(items[k - 1], items[static_cast<std::size_t>(other)]);
  }
}

// The terms, dealt to one to three axes in order.
inline Expression deal(const std::vector<Digit>& digits) {
  static constexpr const char* names[] = {"row", "", "lane"};
  Expression expression;
  const std::int64_t axes = in_range(1, 3);
  expression.axes.resize(static_cast<std::size_t>(axes));
  for (std::size_t k = 0; k < expression.axes.size(); ++k) {
    expression.axes[k].name = names[k];
    if (in_range(0, 3) == 0) expression.axes[k].base = in_range(1, 5);
  }
  std::size_t axis = 0;
  for (const Digit& digit : digits) {
    if (axis + 1 < expression.axes.size() && in_range(0, 2) == 0) ++axis;
    expression.axes[axis].terms.push_back(Term{digit, {}});
  }
  return expression;
}

inline Step random_alignment() {
  return {Step::Kind::aligned, in_range(1, 40)};
}

// Widens strides and pitches, from the last to the first, never under what
// lies right of them: the layout stays valid.
inline void widen(Expression& expression, const Shape& shape,
                  std::int64_t element_bytes) {
  const auto bound = [&] {
    return *Layout::bind(expression, shape, element_bytes);
  };
  for (std::size_t a = expression.axes.size(); a-- > 0;) {
    Axis& axis = expression.axes[a];
    if (a + 1 < expression.axes.size() && in_range(0, 2) == 0) {
      const std::int64_t natural = bound().axes()[a].pitch_bytes;
      axis.pitch = in_range(0, 1) == 0
                       ? random_alignment()
                       : Step{Step::Kind::exact,
                              natural + element_bytes * in_range(0, 3)};
    }
    for (std::size_t t = axis.terms.size(); t-- > 0;) {
      if (in_range(0, 3) != 0) continue;
      std::size_t flat = t;
      for (std::size_t before = 0; before < a; ++before) {
        flat += expression.axes[before].terms.size();
      }
      const std::int64_t natural = bound().terms()[flat].stride;
      axis.terms[t].stride =
          in_range(0, 1) == 0
              ? random_alignment()
              : Step{Step::Kind::exact, natural + in_range(0, 5)};
    }
  }
}

inline std::int64_t random_element_bytes() {
  return *rc::gen::element<std::int64_t>(1, 2, 3, 4, 8, 16);
}

inline Layout random_valid_layout(const Shape& shape,
                                  std::int64_t element_bytes) {
  std::vector<Digit> digits;
  for (const Dim& dim : shape) {
    for (Digit& digit : random_digits(dim.name)) {
      digits.push_back(std::move(digit));
    }
  }
  shuffle(digits);
  Expression expression = deal(digits);
  widen(expression, shape, element_bytes);
  return *Layout::bind(expression, shape, element_bytes);
}

// Digits and strides at random: often two elements share a place.
inline Expression arbitrary_expression(const Shape& shape) {
  std::vector<Digit> digits;
  const std::int64_t count = in_range(1, 5);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto dim = in_range(0, static_cast<std::int64_t>(shape.size()) - 1);
    digits.push_back({shape[static_cast<std::size_t>(dim)].name,
                      in_range(0, 3) == 0 ? in_range(1, 9) : 0, in_range(1, 6),
                      in_range(0, 1) == 0 ? 0 : in_range(1, 6)});
  }
  Expression expression = deal(digits);
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) {
      const std::int64_t kind = in_range(0, 3);
      if (kind == 0) term.stride = {Step::Kind::exact, in_range(0, 12)};
      if (kind == 1) term.stride = random_alignment();
    }
  }
  return expression;
}

// Calls visit(index) for each index of the shape, last dim fastest.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t count = *element_count(shape);
  for (; count > 0; --count) {
    visit(std::as_const(index));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d].extent) break;
      index[d] = 0;
    }
  }
}

}  // namespace stridewise::testing
