// Elements that are asked where their values are: those of a comparison, drawn at
// random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "inspect/judge.hpp"
#include "inspect/reading.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

using Index = std::vector<std::int64_t>;

// One element, of the type in which both sides are compared.
struct Element {
  alignas(16) std::array<std::byte, 16> bytes{};
};

// Both sides of a comparison; B is the reference.
struct Sides {
  const Layout& a;
  std::span<const std::byte> a_bytes;
  const Layout& b;
  std::span<const std::byte> b_bytes;
  ElementType compared;
  Reading reading_a;
  Reading reading_b;
  Judge judge;
  // Called after some looks here and there in memories that are large: each brings in
  // what lies around, which is to go again.
  std::function<void()> looked = {};
  mutable std::int64_t looks = 0;

  // Whether equal bytes of both are equal elements in equal places.
  [[nodiscard]] bool same_memory() const {
    return a == b && reading_a.as_is() && reading_b.as_is();
  }
  // What lies in a place of A, read as the element x. Pre: within A.
  [[nodiscard]] Element value_a(std::int64_t place, const Index& x) const {
    Element value;
    look();
    reading_a.one(a_bytes.data() + place * a.element_bytes(), x,
                  value.bytes.data());
    return value;
  }
  [[nodiscard]] Element value_a(const Index& x) const {
    return value_a(a.offset(x), x);
  }
  [[nodiscard]] Element value_b(const Index& x) const {
    Element value;
    look();
    reading_b.one(b_bytes.data() + b.offset(x) * b.element_bytes(), x,
                  value.bytes.data());
    return value;
  }
  // Whether values are equal enough.
  [[nodiscard]] bool near(const Element& of_a, const Element& of_b) const {
    return judge.all_pass(of_a.bytes.data(), of_b.bytes.data(), 1);
  }
  void look() const {
    constexpr std::int64_t some = 64;
    if (looked && ++looks % some == 0) looked();
  }
};

// The indices of a dim that are drawn from: ranges of `step` of them, by their numbers.
struct Offer {
  std::vector<std::int64_t> ranges;
  std::int64_t step = 1;
  std::int64_t extent = 1;
};
// All indices of each dim; those of a dim where something was counted.
[[nodiscard]] std::vector<Offer> all_indices(const Shape& shape);
[[nodiscard]] Offer counted_indices(const DiffCounts& counts);

// Up to `count` different elements at random, the same ones each time; all of those that
// are offered where there are no more.
[[nodiscard]] std::vector<Index> draw(std::span<const Offer> offers, int count);

}  // namespace stridewise::inspect
