// The xor of bits of a place, as a xor of digits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/checked.hpp"
#include "dialects/read.hpp"

namespace stridewise::dialects {
namespace {

bool is_power(std::int64_t x) {
  return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x));
}
std::int64_t log2_of(std::int64_t x) {
  return std::countr_zero(static_cast<std::uint64_t>(x));
}

// A leaf as bits low .. high-1 of the place.
struct Bits {
  std::int64_t low, high;
};
std::optional<Bits> bits_of(const Leaf& leaf) {
  if (!is_power(leaf.stride) || !is_power(leaf.extent)) return std::nullopt;
  return Bits{log2_of(leaf.stride),
              log2_of(leaf.stride) + log2_of(leaf.extent)};
}

// Cuts leaves where their bits reach over `boundary`, if what lies below is whole bits.
void cut_at(std::vector<Leaf>& leaves, std::int64_t boundary) {
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const Leaf whole = leaves[k];
    if (!is_power(whole.stride)) continue;
    const std::int64_t low = log2_of(whole.stride);
    if (low >= boundary) continue;
    const std::int64_t below = std::int64_t{1} << (boundary - low);
    if (whole.extent <= below || whole.extent % below != 0) continue;
    leaves[k].mod = leaves[k].extent = below;
    leaves.push_back({whole.dim, whole.div * below,
                      whole.mod == 0 ? 0 : whole.mod / below,
                      whole.extent / below, whole.stride * below});
  }
}

Term term_of(const Leaf& leaf) {
  return {.digit = {.dim = leaf.dim, .div = leaf.div, .mod = leaf.mod},
          .stride = {Step::Kind::exact, leaf.stride}};
}

// Where the bits of leaves overlap, or are no bits, below `end`.
bool made_of_bits(const std::vector<Leaf>& leaves, std::int64_t begin,
                  std::int64_t end) {
  std::uint64_t seen = 0;
  std::int64_t below = 0;  // what leaves below `begin` add up to
  for (const Leaf& leaf : leaves) {
    if (leaf.extent == 1) continue;
    if (leaf.stride % (std::int64_t{1} << end) == 0) continue;
    const std::optional<Bits> bits = bits_of(leaf);
    const std::int64_t reach = saturated(mul(leaf.extent - 1, leaf.stride));
    if (!bits || bits->high <= begin) {
      below = saturated(add(below, reach));
      if (below >> begin != 0) return false;
      continue;
    }
    const std::uint64_t mask = ((std::uint64_t{1} << bits->high) - 1) &
                               ~((std::uint64_t{1} << bits->low) - 1);
    if ((seen & mask) != 0) return false;
    seen |= mask;
  }
  return true;
}

// Where the bits that are xored lie, and those that they are xored with.
struct Ends {
  std::int64_t to, from;
};

Ends ends_of(const Swizzle& swizzle) {
  return swizzle.shift > 0 ? Ends{swizzle.base, swizzle.base + swizzle.shift}
                           : Ends{swizzle.base - swizzle.shift, swizzle.base};
}

// A digit and the one that it is xored with are as wide.
void cut_alike(std::vector<Leaf>& leaves, const Ends& ends, std::int64_t bits) {
  for (const std::int64_t boundary :
       {ends.to, ends.to + bits, ends.from, ends.from + bits}) {
    cut_at(leaves, boundary);
  }
  for (std::int64_t k = 1; k < bits; ++k) {
    const auto begins = [&](std::int64_t boundary) {
      return std::ranges::any_of(leaves, [&](const Leaf& leaf) {
        const std::optional<Bits> own = bits_of(leaf);
        return own && (own->low == boundary || own->high == boundary);
      });
    };
    if (begins(ends.to + k) || begins(ends.from + k)) {
      cut_at(leaves, ends.to + k);
      cut_at(leaves, ends.from + k);
    }
  }
}

// The terms of leaves that are cut alike.
std::vector<Term> xored(const std::vector<Leaf>& leaves, const Ends& ends,
                        std::int64_t bits) {
  std::vector<Term> terms;
  std::vector<bool> taken(leaves.size(), false);
  for (const Leaf& leaf : leaves) {
    Term term = term_of(leaf);
    const std::optional<Bits> own = bits_of(leaf);
    if (own && own->low >= ends.to && own->high <= ends.to + bits) {
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        const std::optional<Bits> by = bits_of(leaves[k]);
        if (!by || by->low - ends.from != own->low - ends.to ||
            by->high == by->low) {
          continue;
        }
        taken[k] = true;
        // A value that is xored has a power of two of values, whatever the extent.
        term.digit.mod = leaf.extent;
        term.digit.twists = {{Twist{.digit = {.dim = leaves[k].dim,
                                              .div = leaves[k].div,
                                              .mod = leaves[k].extent}}}};
      }
    }
    terms.push_back(std::move(term));
  }
  // Bits that are xored with nothing: they stand there as they are.
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const std::optional<Bits> by = bits_of(leaves[k]);
    if (taken[k] || !by || by->low < ends.from || by->high > ends.from + bits) {
      continue;
    }
    Leaf copy = leaves[k];
    copy.mod = copy.extent;
    copy.stride = std::int64_t{1} << (by->low - ends.from + ends.to);
    if (copy.extent > 1) terms.push_back(term_of(copy));
  }
  return terms;
}

}  // namespace

Result<std::vector<Term>> swizzled(std::vector<Leaf> leaves,
                                   const Swizzle& swizzle) {
  const std::int64_t distance =
      swizzle.shift < 0 ? -swizzle.shift : swizzle.shift;
  if (swizzle.bits == 0 || distance == 0) {
    std::vector<Term> terms;
    for (const Leaf& leaf : leaves) terms.push_back(term_of(leaf));
    return terms;
  }
  const std::int64_t end = swizzle.base + distance + swizzle.bits;
  if (end > 62 || distance < swizzle.bits) {
    return fail(ErrorCode::invalid_value,
                fmt::format("a swizzle of {} bits from bit {} on, {} apart: "
                            "the bits overlap, or leave the place",
                            swizzle.bits, swizzle.base, distance));
  }
  const Ends ends = ends_of(swizzle);
  cut_alike(leaves, ends, swizzle.bits);
  if (!made_of_bits(leaves, swizzle.base, end)) {
    return fail(ErrorCode::unsupported,
                "a swizzle xors bits of the place; here digits do not lie at "
                "whole bits: their sizes and strides must be powers of two");
  }
  return xored(leaves, ends, swizzle.bits);
}

}  // namespace stridewise::dialects
