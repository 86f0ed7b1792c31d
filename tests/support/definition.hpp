// Where a bit of an element lies, by the definition alone: walks the text for each index,
// piece by piece, with no code of the library but the parser. Slow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::testing {

class Definition {
 public:
  Definition(const Expression& expression, const Shape& shape,
             const Binding& binding)
      : expression_(expression), shape_(shape), binding_(binding) {
    for (const Axis& axis : expression_.axes) {
      find_copies(axis.terms, axis.parts);
    }
  }

  // The bits of memory that hold a bit of that part's element: one, or as many as there
  // are copies, in rising order; none where no piece holds it. `index` by dim of the whole
  // shape.
  std::vector<std::int64_t> bits_of(const std::vector<std::int64_t>& index,
                                    std::int64_t bit, const std::string& part) {
    std::vector<std::int64_t> bits;
    do {
      if (const auto at = bit_of(index, bit, part)) bits.push_back(*at);
    } while (choose_next_copies());
    std::ranges::sort(bits);
    bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
    return bits;
  }

  // The first of them.
  std::optional<std::int64_t> bit_of(const std::vector<std::int64_t>& index,
                                     std::int64_t bit,
                                     const std::string& part) {
    Scope scope;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      scope[shape_[d].name] = {index[d], shape_[d].extent};
    }
    scope["#"] = {bit, binding_.element_bits};
    default_bit_ = bit;
    for (const FusedIndex& fused : expression_.fused) {
      scope[fused.name] = flat(fused.body, scope);
    }
    part_ = part;
    place_.reset();
    const Axis& last = expression_.axes.back();
    Walked at = body(last.base, last.base_in_bytes, last.terms, last.parts,
                     scope, {"", binding_.element_bits, false}, true);
    std::int64_t add = 0;
    for (std::size_t a = expression_.axes.size() - 1; a-- > 0;) {
      const Axis& axis = expression_.axes[a];
      // Of a pitch a step is a byte.
      Step pitch = axis.pitch;
      if (pitch.kind == Step::Kind::exact) pitch.kind = Step::Kind::bytes;
      const std::int64_t step = stride_of(pitch, at.size, at.unit);
      const Laid laid = lay(axis.terms, scope, step, step);
      const std::int64_t begin =
          begin_of(axis.base, axis.base_in_bytes ? 8 : step, laid);
      add += begin + laid.add;
      at.size = begin + laid.size;
    }
    size_ = at.size;
    if (!place_) return std::nullopt;
    return *place_ + add;
  }

  [[nodiscard]] std::int64_t size_bits() const { return size_; }

 private:
  struct Value {
    std::int64_t x;
    std::int64_t extent;
  };
  // What each name means here. Names are those of the text and the shape.
  class Scope {
   public:
    Value& operator[](std::string_view name) {
      for (auto& [own, value] : values_) {
        if (own == name) return value;
      }
      return values_.emplace_back(name, Value{}).second;
    }
    [[nodiscard]] const Value& at(std::string_view name) const {
      const auto found = std::ranges::find(
          values_, name, &std::pair<std::string_view, Value>::first);
      if (found == values_.end()) throw std::out_of_range(std::string(name));
      return found->second;
    }

   private:
    std::vector<std::pair<std::string_view, Value>> values_;
  };
  using Terms = std::span<const Term>;
  struct Whose {
    std::string part;
    std::int64_t bits;
    bool bitwise;
  };
  struct Walked {
    std::int64_t size;
    std::int64_t unit;  // 0: of several widths
  };

  Value unit(const Digit& d, const Scope& scope) {
    Value v = d.fused.empty() ? scope.at(d.dim) : flat(d.fused.front(), scope);
    v.x += d.bias;
    v.extent = v.extent == 0 ? 0 : v.extent + d.bias + d.after;
    if (d.share != Share::none) {
      const std::int64_t share = (v.extent + d.shares - 1) / d.shares;
      v = d.share == Share::number
              ? Value{v.x / share, d.shares}
              : Value{v.x % share, std::min(v.extent, share)};
    }
    v.x /= d.div;
    v.extent = (v.extent + d.div - 1) / d.div;
    if (d.mod != 0) v = {v.x % d.mod, d.mod};
    if (d.reversed) v.x = v.extent - 1 - v.x;
    if (!d.table.empty()) {
      const auto& entries = d.table.name.empty()
                                ? d.table.entries
                                : binding_.tables.at(d.table.name);
      v = {entries[static_cast<std::size_t>(v.x)],
           *std::ranges::max_element(entries) + 1};
    }
    return v;
  }

  Value digit(const Digit& d, const Scope& scope) {
    Value v = unit(d, scope);
    for (const Twist& twist : d.twists) {
      const std::int64_t w = unit(twist.digit, scope).x;
      if (twist.kind == Twist::Kind::exclusive_or) v.x ^= w;
      if (twist.kind == Twist::Kind::plus) v.x = (v.x + w) % v.extent;
      if (twist.kind == Twist::Kind::minus) {
        v.x = ((v.x - w) % v.extent + v.extent) % v.extent;
      }
    }
    return v;
  }

  // Whether the stride of a term is never taken: it is given, and the dim has one index.
  bool never_taken(const Term& term, const Scope& scope) const {
    const bool given = term.stride.kind == Step::Kind::exact ||
                       term.stride.kind == Step::Kind::bytes;
    const Digit& d = term.digit;
    return given && term.copies == 0 && d.fused.empty() && d.twists.empty() &&
           d.bias == 0 && d.after == 0 && scope.at(d.dim).extent <= 1 &&
           std::ranges::find(shape_, d.dim, &Dim::name) != shape_.end();
  }

  // Where terms lead to, and what they take, around what takes `size` bits in units of so
  // many; `below`: how far they go backwards.
  struct Laid {
    std::int64_t add;
    std::int64_t below;
    std::int64_t size;
  };
  Laid lay(Terms terms, const Scope& scope, std::int64_t size,
           std::int64_t unit) {
    std::int64_t add = 0, below = 0, space = 0, last = size;
    for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
      Value v = term->copies != 0 ? Value{copy_of(*term), term->copies}
                                  : digit(term->digit, scope);
      std::int64_t stride =
          stride_of(term->stride, std::max(space, size), unit);
      if (stride < 0) {
        stride = -stride;
        v.x = v.extent - 1 - v.x;
        below += (v.extent - 1) * stride;
      }
      add += v.x * stride;
      if (v.extent == 1 && never_taken(*term, scope)) continue;
      last += (v.extent - 1) * stride;
      space = std::max(space, v.extent * stride);
    }
    return {add, below, std::max(space, last)};
  }

  static std::int64_t stride_of(const Step& step, std::int64_t natural,
                                std::int64_t unit) {
    switch (step.kind) {
      case Step::Kind::natural:
        return natural;
      case Step::Kind::exact:
        return step.value * unit;
      case Step::Kind::bytes:
        return step.value * 8;
      case Step::Kind::aligned:
        break;
    }
    const std::int64_t whole =
        std::lcm(step.value * 8, std::max<std::int64_t>(unit, 1));
    return (natural + whole - 1) / whole * whole;
  }

  // A coordinate of digits, in steps.
  Value flat(const Body& body, const Scope& scope) {
    const Laid laid = lay(body.terms, scope, 1, 1);
    return {body.base + laid.add, body.base + laid.size};
  }

  // Once for each digit of the text.
  bool speaks_of_bits(const Digit& d) {
    const auto known = of_bits_.find(&d);
    if (known != of_bits_.end()) return known->second;
    return of_bits_[&d] = find_bits(d);
  }
  bool any_of_bits(Terms terms) {
    return std::ranges::any_of(
        terms, [this](const Term& term) { return speaks_of_bits(term.digit); });
  }
  bool find_bits(const Digit& d) {
    if (d.dim == "#") return true;
    for (const Body& fused : d.fused) {
      if (any_of_bits(fused.terms)) return true;
    }
    for (const FusedIndex& fused : expression_.fused) {
      if (fused.name == d.dim && any_of_bits(fused.body.terms)) return true;
    }
    return std::ranges::any_of(d.twists, [this](const Twist& twist) {
      return speaks_of_bits(twist.digit);
    });
  }

  void find_copies(Terms terms, const NestedList<Part>& parts) {
    for (const Term& term : terms) {
      if (term.copies != 0) copies_.push_back({&term, 0});
    }
    for (const Part& part : parts) {
      find_copies(part.body.terms, part.body.parts);
    }
  }
  // Counts up through all choices of copies; false after the last, when all are the first.
  bool choose_next_copies() {
    for (auto& [term, chosen] : copies_) {
      if (++chosen < term->copies) return true;
      chosen = 0;
    }
    return false;
  }
  [[nodiscard]] std::int64_t copy_of(const Term& term) const {
    const auto found = std::ranges::find(copies_, &term, &Chosen::first);
    return found == copies_.end() ? 0 : found->second;
  }

  // Sets place_ to where the part's bit lies after the body's begin, if it is in it.
  Walked body(std::int64_t base, bool base_in_bytes, Terms terms,
              const NestedList<Part>& parts, const Scope& scope, Whose whose,
              bool held) {
    std::size_t cut = 0;
    while (cut < terms.size() && terms[cut].cuts.empty()) {
      whose.bitwise = whose.bitwise || (terms[cut].copies == 0 &&
                                        speaks_of_bits(terms[cut].digit));
      ++cut;
    }
    Walked inner{};
    if (cut < terms.size()) {
      inner = pieces(terms, cut, parts, scope, whose, held);
    } else if (!parts.empty()) {
      inner = list(parts, scope, whose, held);
    } else {
      inner.unit = whose.bitwise ? 1 : scope.at("#").extent;
      inner.size = inner.unit;
      if (held && whose.part == part_) {
        place_ = whose.bitwise ? 0 : scope.at("#").x;
      }
    }
    const Laid laid = lay(terms.first(cut), scope, inner.size, inner.unit);
    const std::int64_t begin =
        begin_of(base, base_in_bytes ? 8 : inner.unit, laid);
    if (held && place_) *place_ += laid.add + begin;
    return {begin + laid.size, inner.unit};
  }

  // Without a base memory begins at the last element of what goes backwards.
  static std::int64_t begin_of(std::int64_t base, std::int64_t unit,
                               const Laid& laid) {
    return base == 0 ? 0 : base * unit - laid.below;
  }

  Walked list(const NestedList<Part>& parts, const Scope& scope,
              const Whose& whose, bool held) {
    Walked all{0, -1};
    std::optional<std::int64_t> found;
    for (const Part& part : parts) {
      Scope inside = scope;
      Whose own = whose;
      if (!part.name.empty()) own.part = part.name;
      if (!part.type.empty()) {
        own.bits = parse_element_type(part.type)->bits;
      }
      if (!part.name.empty() || !part.type.empty()) {
        own.bitwise = false;
        inside["#"] = {default_bit_, own.bits};
      }
      bool within = held;
      bool empty = false;
      for (const Slice& slice : part.slices) {
        Value& v = inside[slice.dim];
        const std::int64_t high =
            slice.high < 0 ? v.extent : std::min(slice.high, v.extent);
        within = within && v.x >= slice.low && v.x < high;
        empty = empty || slice.low >= high;
        v = {within ? v.x - slice.low : 0,
             std::max<std::int64_t>(high - slice.low, 0)};
      }
      if (empty) continue;
      place_.reset();
      const Walked one =
          body(part.body.base, part.body.base_in_bytes, part.body.terms,
               part.body.parts, inside, own, within);
      if (place_) found = *place_ + all.size;
      all.size += one.size;
      all.unit = all.unit < 0 || all.unit == one.unit ? one.unit : 0;
    }
    place_ = found;
    return {all.size, std::max<std::int64_t>(all.unit, 0)};
  }

  // Each piece of a cut on its own.
  Walked pieces(Terms terms, std::size_t cut, const NestedList<Part>& parts,
                const Scope& scope, const Whose& whose, bool held) {
    const Terms rest = terms.subspan(cut + 1);
    const std::string& dim = terms[cut].digit.dim;
    const Value v = scope.at(dim);
    std::vector<std::int64_t> sizes;
    std::int64_t left = v.extent;
    for (const std::int64_t size : terms[cut].cuts) {
      for (; left >= size; left -= size) sizes.push_back(size);
    }
    if (left > 0) sizes.push_back(left);
    Walked all{0, 0};
    std::optional<std::int64_t> found;
    std::int64_t start = 0;
    for (const std::int64_t size : sizes) {
      Scope inside = scope;
      const bool within = held && v.x >= start && v.x < start + size;
      inside[dim] = {within ? v.x - start : 0, size};
      place_.reset();
      const Walked one = body(0, false, rest, parts, inside, whose, within);
      if (place_) found = *place_ + all.size;
      all = {all.size + one.size, one.unit};
      start += size;
    }
    place_ = found;
    return all;
  }

  const Expression& expression_;
  const Shape& shape_;
  const Binding& binding_;
  using Chosen = std::pair<const Term*, std::int64_t>;
  std::vector<Chosen> copies_;  // of the places of memory
  std::map<const Digit*, bool> of_bits_;
  std::int64_t default_bit_ = 0;
  std::string part_;
  std::optional<std::int64_t> place_;
  std::int64_t size_ = 0;
};

}  // namespace stridewise::testing
