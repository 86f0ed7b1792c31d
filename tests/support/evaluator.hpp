// What a conversion must give, by places from the definition of both layouts. Slow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"
#include "support/definition.hpp"
#include "support/generators.hpp"

namespace stridewise::testing {

using Bytes = std::vector<std::byte>;

inline Bytes random_bytes(std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) b = static_cast<std::byte>(in_range(0, 255));
  return bytes;
}

inline bool bit_at(std::span<const std::byte> memory, std::int64_t bit) {
  const std::byte byte = memory[static_cast<std::size_t>(bit / 8)];
  return ((byte >> (bit % 8)) & std::byte{1}) != std::byte{0};
}

// Where each element of the tensor without a name lies.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Shape& shape, const Binding& binding)
      // Without "#" elements are whole, their lowest bit first.
      : whole_(text.find('#') == std::string_view::npos),
        bits_(binding.element_bits) {
    const Expression expression = *parse_expression(text);
    Definition definition(expression, shape, binding);
    for_each_index(shape, [&](const std::vector<std::int64_t>& index) {
      for (std::int64_t bit = 0; bit < (whole_ ? 1 : bits_); ++bit) {
        const std::vector<std::int64_t> all =
            definition.bits_of(index, bit, "");
        places_.insert(places_.end(), all.begin(), all.end());
        ends_.push_back(places_.size());
      }
    });
    size_bits_ = definition.size_bits();
  }

  [[nodiscard]] std::int64_t elements() const {
    return std::ssize(ends_) / (whole_ ? 1 : bits_);
  }
  [[nodiscard]] std::int64_t element_bits() const { return bits_; }
  [[nodiscard]] std::int64_t size_bits() const { return size_bits_; }
  [[nodiscard]] std::int64_t size_bytes() const { return (size_bits_ + 7) / 8; }

  // Calls visit(place) for each copy of a bit of an element, by its number in the order of
  // indices.
  template <class Visit>
  void for_each_place(std::int64_t element, std::int64_t bit,
                      Visit visit) const {
    const std::size_t entry = entry_of(element, bit);
    for (std::size_t k = begin_of(entry); k < ends_[entry]; ++k) {
      visit(places_[k] + (whole_ ? bit : 0));
    }
  }
  // Of the copy that is read.
  [[nodiscard]] std::int64_t first_place(std::int64_t element,
                                         std::int64_t bit) const {
    return places_[begin_of(entry_of(element, bit))] + (whole_ ? bit : 0);
  }

  // Whether an index has no place, or two bits have one.
  [[nodiscard]] bool any_missing() const {
    return std::ranges::adjacent_find(ends_) != ends_.end() ||
           (!ends_.empty() && ends_.front() == 0);
  }
  [[nodiscard]] bool any_twice() const {
    std::vector<bool> taken(static_cast<std::size_t>(size_bits_), false);
    for (const std::int64_t place : places_) {
      for (std::int64_t bit = 0; bit < (whole_ ? bits_ : 1); ++bit) {
        const auto at = static_cast<std::size_t>(place + bit);
        if (taken[at]) return true;
        taken[at] = true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] std::size_t entry_of(std::int64_t element,
                                     std::int64_t bit) const {
    return static_cast<std::size_t>(whole_ ? element : element * bits_ + bit);
  }
  [[nodiscard]] std::size_t begin_of(std::size_t entry) const {
    return entry == 0 ? 0 : ends_[entry - 1];
  }

  bool whole_;
  std::int64_t bits_;
  // Of each element, or of each bit: its copies, which end there.
  std::vector<std::int64_t> places_;
  std::vector<std::size_t> ends_;
  std::int64_t size_bits_ = 0;
};

// What dst must hold after the conversion of `in`, where it held `before`.
class Wanted {
 public:
  Wanted(const Evaluator& src, const Evaluator& dst, const Bytes& in,
         const Bytes& before, Fill fill)
      : size_bits_(dst.size_bits()), bytes_(before) {
    if (fill == Fill::zero) std::ranges::fill(bytes_, std::byte{0});
    for (std::int64_t e = 0; e < dst.elements(); ++e) {
      for (std::int64_t bit = 0; bit < dst.element_bits(); ++bit) {
        const bool value = bit_at(in, src.first_place(e, bit));
        dst.for_each_place(e, bit, [&](std::int64_t at) { set(at, value); });
      }
    }
  }

  // In words. The bits after the last one are nobody's.
  [[nodiscard]] std::string difference(std::span<const std::byte> got) const {
    for (std::size_t k = 0; k < bytes_.size(); ++k) {
      const bool last = k + 1 == bytes_.size() && size_bits_ % 8 != 0;
      const auto own =
          static_cast<std::byte>(last ? (1 << (size_bits_ % 8)) - 1 : 255);
      if (((got[k] ^ bytes_[k]) & own) != std::byte{0}) {
        return fmt::format("byte {} is {:02x}, not {:02x}", k,
                           static_cast<unsigned>(got[k]),
                           static_cast<unsigned>(bytes_[k]));
      }
    }
    return {};
  }

 private:
  void set(std::int64_t at, bool value) {
    std::byte& byte = bytes_[static_cast<std::size_t>(at / 8)];
    const std::byte mask = std::byte{1} << (at % 8);
    byte = value ? byte | mask : byte & ~mask;
  }

  std::int64_t size_bits_;
  Bytes bytes_;
};

}  // namespace stridewise::testing
