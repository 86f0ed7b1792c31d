// SPDX-License-Identifier: Apache-2.0
#include "infer/build.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/checked.hpp"
#include "layout/exact.hpp"

namespace stridewise::inference {
namespace {

constexpr int most_combinations = 512;
// What people align to, the likeliest first.
constexpr std::array<std::int64_t, 5> alignments = {128, 64, 256, 512, 4096};

std::int64_t first_known(const std::vector<std::int64_t>& steps) {
  const auto at = std::ranges::find_if(
      steps, [](std::int64_t step) { return step != unknown; });
  return at - steps.begin();
}

struct Ground {
  std::vector<Term> terms;  // slowest first, exact strides
  std::int64_t base = 0;    // bytes; may be negative
};

// One choice of chains, laid out in one axis.
class Builder {
 public:
  Builder(const Offsets& offsets, const Shape& shape,
          std::int64_t element_bytes, std::int64_t dump_bytes)
      : offsets_(offsets),
        shape_(shape),
        width_(element_bytes),
        dump_bytes_(dump_bytes) {}

  // The byte where digits that are all 0 lie.
  [[nodiscard]] std::int64_t base(const std::vector<Chain>& chains) const {
    std::int64_t base = offsets_.origin;
    for (std::size_t d = 0; d < chains.size(); ++d) {
      const std::int64_t x = first_known(offsets_.steps[d]);
      base += offsets_.steps[d][static_cast<std::size_t>(x)] - chains[d].at(x);
    }
    return base;
  }

  [[nodiscard]] std::optional<Built> run(const std::vector<Chain>& chains) {
    const std::int64_t base_bytes = base(chains);
    // A dump that begins within the layout, perhaps within an element.
    const std::int64_t first =
        base_bytes < 0 ? floor_mod(base_bytes, width_) : base_bytes % width_;
    std::int64_t start =
        base_bytes < 0 ? -base_bytes : (width_ - first) % width_;
    Axis axis;
    axis.terms = terms_of(chains);
    axis.base = (base_bytes + start) / width_;
    take_whole_processors(axis, start);
    beautify(axis);
    Expression expression{{axis}};
    Result<Layout> layout = Layout::bind(expression, shape_, width_);
    if (!layout) return std::nullopt;
    start = start_of(*layout);
    if (start == 0 && layout->size_bytes() > dump_bytes_ && axis.base > 0) {
      // A base lies before all that strides count in full; it may lie within.
      std::optional<Layout> within = base_within(*layout);
      if (!within) within = base_as_digit(*layout);
      if (within) {
        expression = within->expression();
        layout = *std::move(within);
      }
    }
    if (start == 0 && dump_bytes_ % width_ == 0 &&
        layout->size_bytes() < dump_bytes_) {
      // What nothing else explains: one step of an outer axis.
      expression.axes.insert(expression.axes.begin(),
                             Axis{.pitch = {Step::Kind::exact, dump_bytes_}});
      layout = Layout::bind(expression, shape_, width_);
      if (!layout) return std::nullopt;
    }
    return Built{*layout, start, chains};
  }

 private:
  // An outer axis of the slowest digits, in whose every step the others begin at
  // the base, such as an address within each processor; nullopt where none takes
  // the dump's bytes.
  [[nodiscard]] std::optional<Layout> base_within(const Layout& layout) const {
    const Axis flat = exact_expression(layout).axes.front();
    for (std::size_t k = 1; k <= flat.terms.size(); ++k) {
      const std::int64_t pitch = flat.terms[k - 1].stride.value;
      if (pitch < 2) break;
      Axis outer{.base = flat.base / pitch, .pitch = {}};
      Axis inner{.base = flat.base % pitch};
      bool whole = true;
      for (std::size_t t = 0; t < flat.terms.size(); ++t) {
        Term term = flat.terms[t];
        if (t < k) {
          whole = whole && term.stride.value % pitch == 0;
          term.stride.value /= pitch;
        }
        (t < k ? outer : inner).terms.push_back(std::move(term));
      }
      if (!whole) continue;
      outer.pitch = {Step::Kind::exact, pitch * width_};
      beautify(outer, false);
      beautify(inner);
      Result<Layout> bound =
          Layout::bind(Expression{{outer, inner}}, shape_, width_);
      if (bound && bound->size_bytes() == dump_bytes_ &&
          offsets_of(*bound) == offsets_of(layout)) {
        return *bound;
      }
    }
    return std::nullopt;
  }

  // The base as a digit that never changes.
  [[nodiscard]] std::optional<Layout> base_as_digit(
      const Layout& layout) const {
    const Dim& dim = shape_.front();
    const Axis flat = exact_expression(layout).axes.front();
    const Checked bias = mul(flat.base, dim.extent);
    if (!bias) return std::nullopt;
    Axis axis;
    for (std::size_t k = 0; k < flat.terms.size(); ++k) {
      // A digit of one value would take its stride as well.
      if (layout.terms()[k].extent > 1) axis.terms.push_back(flat.terms[k]);
    }
    axis.terms.push_back(
        Term{{dim.name, *bias, dim.extent, 0}, {Step::Kind::exact, 1}});
    Result<Layout> bound = Layout::bind(Expression{{axis}}, shape_, width_);
    if (!bound || bound->size_bytes() > dump_bytes_) return std::nullopt;
    return *bound;
  }

  // The byte of the layout's memory that the dump begins with. A dim of one
  // known index has a stride all the same, which counts where that index is
  // not 0.
  [[nodiscard]] std::int64_t start_of(const Layout& layout) const {
    std::int64_t place = offsets_.origin;
    std::vector<std::int64_t> index;
    for (const std::vector<std::int64_t>& steps : offsets_.steps) {
      index.push_back(first_known(steps));
      place += steps[static_cast<std::size_t>(index.back())];
    }
    return layout.offset(index) * width_ - place;
  }

  // Slowest first. Dims of one index stand after their logical predecessor.
  [[nodiscard]] std::vector<Term> terms_of(
      const std::vector<Chain>& chains) const {
    std::vector<Term> terms;
    for (std::size_t d = 0; d < chains.size(); ++d) {
      for (const Chain::Part& part : chains[d].parts) {
        terms.push_back({{shape_[d].name, chains[d].bias, part.div, part.mod},
                         {Step::Kind::exact, part.stride / width_}});
      }
    }
    std::ranges::stable_sort(terms, std::ranges::greater{},
                             [](const Term& t) { return t.stride.value; });
    for (std::size_t d = 0; d < chains.size(); ++d) {
      if (!chains[d].parts.empty()) continue;
      auto at = terms.begin();
      if (d > 0) {
        at = std::ranges::find(terms, shape_[d - 1].name,
                               [](const Term& t) { return t.digit.dim; }) +
             1;
      }
      terms.insert(at, Term{{shape_[d].name}, {}});
    }
    return terms;
  }

  [[nodiscard]] std::int64_t extent(const Digit& digit) const {
    if (digit.mod != 0) return digit.mod;
    const auto dim = std::ranges::find(shape_, digit.dim, &Dim::name);
    return (dim->extent - 1 + digit.bias) / digit.div + 1;
  }

  // A slowest digit whose steps divide the dump into equal parts, of which some
  // are empty, goes round all of them: c%64 rather than c, when 10 channels are
  // on 64 processors. The base is then the part that it begins with. Processors are a power
  // of two; rows of a frame that are another number do not go round.
  void take_whole_processors(Axis& axis, std::int64_t start) const {
    if (axis.terms.empty() || start != 0) return;
    Term& top = axis.terms.front();
    const bool plain = top.digit.bias == 0 && top.digit.div == 1 &&
                       top.digit.mod == 0 &&
                       top.stride.kind == Step::Kind::exact;
    if (!plain || top.stride.value == 0) return;
    const std::int64_t part = top.stride.value * width_;
    const std::int64_t parts = dump_bytes_ / part;
    const std::int64_t bias = axis.base / top.stride.value;
    if (dump_bytes_ % part != 0 || parts < 2 ||
        !std::has_single_bit(static_cast<std::uint64_t>(parts)) ||
        extent(top.digit) + bias > parts) {
      return;
    }
    if (axis.base != bias * top.stride.value) return;
    // All of them are taken: nothing goes round.
    if (extent(top.digit) == parts) return;
    top.digit.mod = parts;
    top.digit.bias = bias;
    axis.base = 0;
  }

  // Natural strides, and on the last axis alignments, in place of numbers.
  void beautify(Axis& axis, bool last = true) const {
    std::int64_t natural = 1;
    for (std::size_t k = axis.terms.size(); k-- > 0;) {
      Term& term = axis.terms[k];
      const std::int64_t stride =
          term.stride.kind == Step::Kind::exact ? term.stride.value : natural;
      if (stride == natural) {
        term.stride = {};
      } else if (last) {
        for (const std::int64_t bytes : alignments) {
          const std::int64_t unit = std::lcm(bytes, width_);
          if (ceil_div(natural * width_, unit) * unit == stride * width_) {
            term.stride = {Step::Kind::aligned, bytes};
            break;
          }
        }
      }
      natural = std::max(natural, extent(term.digit) * stride);
    }
  }

  const Offsets& offsets_;
  const Shape& shape_;
  const std::int64_t width_;
  const std::int64_t dump_bytes_;
};

// How much there is to read: fewer is better.
std::int64_t cost(const Built& built, std::int64_t dump_bytes) {
  std::int64_t cost = built.start_byte == 0 ? 0 : 1000;
  if (built.start_byte == 0 && built.layout.size_bytes() > dump_bytes) {
    cost += 2000;
  }
  if (!built.layout.valid()) cost += 5000;
  for (const Axis& axis : built.layout.expression().axes) {
    cost += axis.base == 0 ? 0 : 4;
    cost += axis.pitch.kind == Step::Kind::natural ? 0 : 6;
    for (const Term& term : axis.terms) {
      cost += 10;
      cost += term.digit.bias == 0 ? 0 : 3;
      cost += term.stride.kind == Step::Kind::natural   ? 0
              : term.stride.kind == Step::Kind::aligned ? 2
                                                        : 3;
    }
  }
  return cost;
}

}  // namespace

std::optional<Built> build(const Offsets& offsets, const Shape& shape,
                           std::int64_t element_bytes, std::int64_t dump_bytes,
                           std::size_t& stuck) {
  std::vector<std::vector<Chain>> choices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    choices.push_back(
        fit_chains(offsets.steps[d], offsets.origin, element_bytes));
    if (choices.back().empty()) {
      stuck = d;
      return std::nullopt;
    }
  }
  Builder builder(offsets, shape, element_bytes, dump_bytes);
  std::optional<Built> best;
  std::vector<std::size_t> chosen(shape.size(), 0);
  for (int k = 0; k < most_combinations; ++k) {
    std::vector<Chain> chains;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      chains.push_back(choices[d][chosen[d]]);
    }
    // Many differ in a bias alone that puts the base below 0.
    const bool hopeless =
        best && best->start_byte == 0 && builder.base(chains) < 0;
    if (!hopeless) {
      std::optional<Built> built = builder.run(chains);
      if (built &&
          (!best || cost(*built, dump_bytes) < cost(*best, dump_bytes))) {
        best = std::move(built);
      }
    }
    std::size_t d = 0;
    while (d < shape.size() && ++chosen[d] == choices[d].size()) {
      chosen[d++] = 0;
    }
    if (d == shape.size()) break;
  }
  stuck = shape.size();
  return best;
}

}  // namespace stridewise::inference
