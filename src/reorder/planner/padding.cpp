// Where a layout holds no element, as rectangles.
//
// The places of a layout are a box of digit values, spread by strides.
//  - In the box but no element: padding. For each dim in turn: the earlier dims
//    at their indices, this dim in its padding, the later dims anywhere.
//  - Outside the box: gaps. By ascending stride: after each copy of what the
//    smaller strides span, as far as the next copy is or would be; and before the
//    first place and after the last one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "reorder/planner/pieces.hpp"

namespace stridewise {
namespace {

using Pieces = std::vector<Piece>;

std::vector<const BoundTerm*> terms_of(const Layout& layout, std::int32_t dim) {
  std::vector<const BoundTerm*> terms;
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim == dim) terms.push_back(&term);
  }
  std::ranges::sort(terms, {}, [](const BoundTerm* t) { return t->div; });
  return terms;
}

// The box of a dim whose digits follow each other exactly: y = x + bias runs
// over 0 .. size-1, once for each combination of digit values.
struct Box {
  std::int64_t bias = 0;
  std::int64_t size = 1;
  bool wraps = false;  // the slowest digit has a mod
};

std::optional<Box> box_of(const Layout& layout, std::int32_t dim) {
  Box box;
  bool complete = false;  // a digit without mod takes all that is left
  std::int64_t least_idle = largest;  // where an idle digit would step
  for (const BoundTerm* term : terms_of(layout, dim)) {
    if (box.size == 1 && !complete) box.bias = term->bias;
    if (term->bias != box.bias) return std::nullopt;
    if (term->extent > 1) {
      if (term->div != box.size || complete) return std::nullopt;
      box.size *= term->extent;
      box.wraps = term->mod != 0;
    } else if (term->mod == 0) {
      least_idle = std::min(least_idle, term->div);
      box.wraps = false;
    }
    complete = complete || term->mod == 0;
  }
  if (least_idle < box.size) return std::nullopt;
  return box;
}

// The box of every dim, or nullopt when one has none.
std::optional<std::vector<Box>> boxes_of(const Layout& layout) {
  std::vector<Box> boxes;
  const auto dims = static_cast<std::int32_t>(layout.shape().size());
  for (std::int32_t d = 0; d < dims; ++d) {
    const std::optional<Box> box = box_of(layout, d);
    if (!box) return std::nullopt;
    boxes.push_back(*box);
  }
  return boxes;
}

// The indices of the box that are no element: [begin, end) ranges of x.
Result<Pieces> padding_of_dim(const Layout& layout, std::int32_t dim,
                              const Box& box) {
  const std::int64_t extent =
      layout.shape()[static_cast<std::size_t>(dim)].extent;
  const std::vector<DigitStep> steps =
      digit_steps(layout, dim, layout.element_bytes());
  Pieces all;
  const auto add_range = [&](std::int64_t begin,
                             std::int64_t end) -> Result<void> {
    if (begin >= end) return {};
    Result<Pieces> pieces = refine({}, steps, begin, end);
    if (!pieces) return unexpected(pieces.error());
    all.insert(all.end(), pieces->begin(), pieces->end());
    return {};
  };
  if (box.size == 1) return all;  // the one combination is an element
  // A slowest digit with a mod wraps around: all lies after the elements.
  const std::int64_t before = box.wraps ? 0 : -box.bias;
  if (auto r = add_range(before, 0); !r) return unexpected(r.error());
  if (auto r = add_range(extent, box.size + before); !r) {
    return unexpected(r.error());
  }
  return all;
}

// Every combination of the dim's digit values: one loop a digit.
Pieces whole_box(const Layout& layout, std::int32_t dim) {
  Piece piece;
  for (const BoundTerm* term : terms_of(layout, dim)) {
    piece.loops.push_back(
        {term->extent, 0, term->flat_stride * layout.element_bytes()});
  }
  return {piece};
}

Result<void> add_padding(const Layout& layout, const std::vector<Box>& boxes,
                         Pieces& pieces) {
  const auto dims = static_cast<std::int32_t>(layout.shape().size());
  std::vector<Pieces> valid(static_cast<std::size_t>(dims));
  std::vector<Pieces> padding(static_cast<std::size_t>(dims));
  std::vector<Pieces> box(static_cast<std::size_t>(dims));
  for (std::int32_t d = 0; d < dims; ++d) {
    const auto k = static_cast<std::size_t>(d);
    Result<Pieces> elements =
        refine({}, digit_steps(layout, d, layout.element_bytes()), 0,
               layout.shape()[k].extent);
    if (!elements) return unexpected(elements.error());
    Result<Pieces> rest = padding_of_dim(layout, d, boxes[k]);
    if (!rest) return unexpected(rest.error());
    valid[k] = *std::move(elements);
    padding[k] = *std::move(rest);
    box[k] = whole_box(layout, d);
  }
  for (std::size_t d = 0; d < valid.size(); ++d) {
    if (padding[d].empty()) continue;
    std::vector<Pieces> factors(valid.begin(),
                                valid.begin() + static_cast<std::int64_t>(d));
    factors.push_back(padding[d]);
    factors.insert(factors.end(),
                   box.begin() + static_cast<std::int64_t>(d) + 1, box.end());
    const Result<Pieces> more = product(factors);
    if (!more) return unexpected(more.error());
    for (Piece piece : *more) {
      piece.dst_offset += layout.base_offset() * layout.element_bytes();
      pieces.push_back(std::move(piece));
    }
  }
  return {};
}

// Terms with more than one value, by ascending stride; nullopt when one's
// copies would overlap what the smaller ones span.
std::optional<std::vector<BoundTerm>> nested_terms(const Layout& layout) {
  std::vector<BoundTerm> terms;
  for (const BoundTerm& term : layout.terms()) {
    if (term.extent > 1) terms.push_back(term);
  }
  std::ranges::sort(terms, {}, &BoundTerm::flat_stride);
  std::int64_t span = 1;
  for (const BoundTerm& term : terms) {
    if (term.flat_stride < span) return std::nullopt;
    span += (term.extent - 1) * term.flat_stride;
  }
  return terms;
}

void add_gaps(const Layout& layout, const std::vector<BoundTerm>& terms,
              Pieces& pieces) {
  const std::int64_t width = layout.element_bytes();
  const auto add_run = [&](std::int64_t begin, std::int64_t end, Piece piece) {
    if (begin >= end) return;
    piece.dst_offset = begin * width;
    piece.loops.push_back({end - begin, 0, width});
    pieces.push_back(std::move(piece));
  };
  const std::int64_t base = layout.base_offset();
  // Where the last of all copies of a term begin.
  std::int64_t last = base;
  for (const BoundTerm& term : terms) {
    last += (term.extent - 1) * term.flat_stride;
  }
  std::int64_t span = 1;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const std::int64_t stride = terms[k].flat_stride;
    last -= (terms[k].extent - 1) * stride;
    // What follows the last copy, for the last ones of the outer terms, too.
    std::int64_t room = layout.places() - last;
    std::int64_t reach = 0;
    for (std::size_t outer = k + 1; outer < terms.size(); ++outer) {
      room = std::min(room, terms[outer].flat_stride - reach);
      reach += (terms[outer].extent - 1) * terms[outer].flat_stride;
    }
    // The last copy, too, if that leaves room: gaps after every one fuse with moves.
    const bool all = stride > span && terms[k].extent <= room / stride;
    const std::int64_t gaps = all ? terms[k].extent : terms[k].extent - 1;
    Piece piece;
    piece.loops.push_back({gaps, 0, stride * width});
    for (std::size_t outer = k + 1; outer < terms.size(); ++outer) {
      piece.loops.push_back(
          {terms[outer].extent, 0, terms[outer].flat_stride * width});
    }
    add_run(base + span, base + stride, std::move(piece));
    span = all ? gaps * stride : span + gaps * stride;
  }
  add_run(0, base, {});
  add_run(base + span, layout.places(), {});
}

// Makes w of w/4 and w%4 that lie as w alone would, so that a tail needs no piece of
// its own. Returns whether there were two such.
bool merge_two(std::vector<DigitStep>& steps) {
  for (DigitStep& inner : steps) {
    // The period is checked when layouts are bound; a modulus may be far beyond its
    // dim.
    const Checked reach = mul(inner.stride, inner.mod);
    if (inner.mod < 2 || !reach) continue;
    const auto outer = std::ranges::find_if(steps, [&](const DigitStep& step) {
      return step.bias == inner.bias && step.div == inner.div * inner.mod &&
             step.stride == *reach;
    });
    if (outer == steps.end()) continue;
    inner.mod *= outer->mod;
    steps.erase(outer);
    return true;
  }
  return false;
}

}  // namespace

std::vector<DigitStep> digit_steps(const Layout& layout, std::int32_t dim,
                                   std::int64_t element_bytes) {
  std::vector<DigitStep> steps;
  steps.reserve(layout.terms().size());
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim == dim) {
      steps.push_back(
          {term.bias, term.div, term.mod, term.flat_stride * element_bytes});
    }
  }
  while (merge_two(steps)) {
  }
  return steps;
}

Result<std::optional<std::vector<Piece>>> places_without_element(
    const Layout& layout) {
  Pieces pieces;
  if (layout.elements() == layout.places()) return std::optional(pieces);
  const auto terms = nested_terms(layout);
  const auto boxes = boxes_of(layout);
  if (!terms || !boxes) return std::optional<Pieces>();
  if (auto added = add_padding(layout, *boxes, pieces); !added) {
    return unexpected(added.error());
  }
  add_gaps(layout, *terms, pieces);
  return std::optional(std::move(pieces));
}

}  // namespace stridewise
