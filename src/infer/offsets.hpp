// Offsets of a layout, dim by dim. A place is a sum of one function of each
// index:
//
//   byte(x) = origin + sum over the dims of steps[d][x_d]      steps[d][0] = 0
//
// That is all that data can tell of a layout, and what layouts are compared by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise::inference {

// A step that no element of the dump tells.
inline constexpr std::int64_t unknown =
    std::numeric_limits<std::int64_t>::min();

struct Offsets {
  std::int64_t origin = 0;                       // bytes; may be negative
  std::vector<std::vector<std::int64_t>> steps;  // bytes; some may be unknown

  friend bool operator==(const Offsets&, const Offsets&) = default;
};

// Those of a layout. O(sum of the extents). Pre: it has elements.
[[nodiscard]] Offsets offsets_of(const Layout& layout);

// The same function, but for the steps that `known` does not know. With
// `anywhere`, origins may differ.
[[nodiscard]] bool agrees(const Layout& layout, const Offsets& known,
                          bool anywhere);

class InferData;

struct Located {
  Offsets offsets;
  bool distinct =
      false;  // no two of the elements that were asked for are equal
};

// The offsets of the reference's elements in the dump, from the places of values
// that occur once in both. The dump is read once, when this is made.
class Locator {
 public:
  Locator(const InferData& data, const Shape& shape, std::int64_t elements);
  // By what else tells the byte of an element, or -1.
  Locator(const Shape& shape, std::int64_t elements,
          const std::function<std::int64_t(std::int64_t)>& place_of);
  ~Locator();
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  // nullopt: too few places are known. One voice for a step is right where the
  // dump is the tensor alone; in what lies around it, a value that is missing may
  // stand by chance, and then steps need two.
  [[nodiscard]] std::optional<Located> run(int least_votes) const;

  // Whether no two of the elements that were asked for are equal.
  [[nodiscard]] bool distinct() const;
  // Of the elements that were asked for, how many have a place.
  [[nodiscard]] double known_share() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How far a layout explains the dump, whose first byte is byte `start` of it.
struct Explained {
  std::int64_t present = 0;       // elements within the dump
  std::int64_t matching = 0;      // of them, with their value
  std::int64_t first_break = -1;  // element in logical order
};
// With `all` false, stops at the first element that differs.
[[nodiscard]] Explained explain(const InferData& data, const Shape& shape,
                                const Offsets& offsets, bool all);

}  // namespace stridewise::inference
