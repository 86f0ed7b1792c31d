// Where a bit of an element lies, by the definition alone: walks the text for each index,
// piece by piece, with no code of the library but the parser. Slow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"

namespace stridewise::testing {

class Definition {
 public:
  Definition(const Expression& expression, const Shape& shape,
             const Binding& binding)
      : expression_(expression), shape_(shape), binding_(binding) {}

  // The bit of memory for that part; nullopt where no piece holds it. `index` by dim of
  // the whole shape.
  std::optional<std::int64_t> bit_of(const std::vector<std::int64_t>& index,
                                     std::int64_t bit,
                                     const std::string& part) {
    Scope scope;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      scope[shape_[d].name] = {index[d], shape_[d].extent};
    }
    scope["#"] = {bit, binding_.element_bits};
    default_scope_ = scope;
    for (const FusedIndex& fused : expression_.fused) {
      scope[fused.name] = flat(fused.body.base, fused.body.terms, scope);
    }
    part_ = part;
    place_.reset();
    const Axis& last = expression_.axes.back();
    Walked at = body(last.base, last.base_in_bytes, last.terms, last.parts,
                     scope, {"", binding_.element_bits, false}, true);
    std::int64_t add = 0;
    for (std::size_t a = expression_.axes.size() - 1; a-- > 0;) {
      const Axis& axis = expression_.axes[a];
      std::int64_t pitch = at.size;
      if (axis.pitch.kind == Step::Kind::exact) pitch = axis.pitch.value * 8;
      if (axis.pitch.kind == Step::Kind::aligned) {
        const std::int64_t unit =
            std::lcm(axis.pitch.value * 8, std::max<std::int64_t>(at.unit, 1));
        pitch = (at.size + unit - 1) / unit * unit;
      }
      const Value coordinate = flat(axis.base, axis.terms, scope);
      add += coordinate.x * pitch;
      at.size = coordinate.extent * pitch;
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
  using Scope = std::map<std::string, Value>;
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
    Value v = d.fused.empty()
                  ? scope.at(d.dim)
                  : flat(d.fused.front().base, d.fused.front().terms, scope);
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

  // A coordinate of digits and copies, in steps.
  Value flat(std::int64_t base, const std::vector<Term>& terms,
             const Scope& scope) {
    std::int64_t x = base, space = 1, last = 0;
    for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
      const Value v = term->copies != 0 ? Value{0, term->copies}
                                        : digit(term->digit, scope);
      const std::int64_t stride =
          term->stride.kind == Step::Kind::exact ? term->stride.value : space;
      x += v.x * stride;
      last += (v.extent - 1) * stride;
      space = std::max(space, v.extent * stride);
    }
    return {x, base + std::max(space, last + 1)};
  }

  bool speaks_of_bits(const Digit& d) const {
    if (d.dim == "#") return true;
    std::vector<Body> bodies(d.fused.begin(), d.fused.end());
    for (const FusedIndex& fused : expression_.fused) {
      if (fused.name == d.dim) bodies.push_back(fused.body);
    }
    for (const Body& fused : bodies) {
      for (const Term& term : fused.terms) {
        if (speaks_of_bits(term.digit)) return true;
      }
    }
    return std::ranges::any_of(d.twists, [this](const Twist& twist) {
      return speaks_of_bits(twist.digit);
    });
  }

  // Sets place_ to where the part's bit lies after the body's begin, if it is in it.
  Walked body(std::int64_t base, bool base_in_bytes,
              const std::vector<Term>& terms, const NestedList<Part>& parts,
              const Scope& scope, Whose whose, bool held) {
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
    std::int64_t add = 0, below = 0, space = 0, last = inner.size;
    for (std::size_t k = cut; k-- > 0;) {
      const Term& term = terms[k];
      Value v =
          term.copies != 0 ? Value{0, term.copies} : digit(term.digit, scope);
      const std::int64_t natural = std::max(space, inner.size);
      std::int64_t stride = natural;
      if (term.stride.kind == Step::Kind::exact) {
        stride = term.stride.value * inner.unit;
      }
      if (term.stride.kind == Step::Kind::bytes) stride = term.stride.value * 8;
      if (term.stride.kind == Step::Kind::aligned) {
        const std::int64_t unit = std::lcm(
            term.stride.value * 8, std::max<std::int64_t>(inner.unit, 1));
        stride = (natural + unit - 1) / unit * unit;
      }
      if (stride < 0) {
        stride = -stride;
        v.x = v.extent - 1 - v.x;
        below += (v.extent - 1) * stride;
      }
      add += v.x * stride;
      last += (v.extent - 1) * stride;
      space = std::max(space, v.extent * stride);
    }
    std::int64_t begin = base * (base_in_bytes ? 8 : inner.unit);
    if (begin != 0) begin -= below;
    if (held && place_) *place_ += add + begin;
    return {begin + std::max(space, last), inner.unit};
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
        inside["#"] = {default_scope_.at("#").x, own.bits};
      }
      bool within = held;
      bool empty = false;
      for (const Slice& slice : part.slices) {
        Value& v = inside.at(slice.dim);
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
  Walked pieces(const std::vector<Term>& terms, std::size_t cut,
                const NestedList<Part>& parts, const Scope& scope,
                const Whose& whose, bool held) {
    const std::vector<Term> rest(
        terms.begin() + static_cast<std::ptrdiff_t>(cut) + 1, terms.end());
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
  Scope default_scope_;
  std::string part_;
  std::optional<std::int64_t> place_;
  std::int64_t size_ = 0;
};

}  // namespace stridewise::testing
