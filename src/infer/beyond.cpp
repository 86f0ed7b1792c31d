// SPDX-License-Identifier: Apache-2.0
#include "infer/beyond.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <vector>

#include "infer/build.hpp"
#include "infer/entries.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 22;

using Places = std::vector<std::int64_t>;  // of elements in logical order

// Where each value stands, in elements; nullopt where one stands nowhere or twice.
std::optional<Places> places_of(const InferData& data, std::int64_t elements) {
  const std::int64_t places = data.dump_bytes() / data.width();
  if (elements > most_elements || places > 4 * most_elements) {
    return std::nullopt;
  }
  std::unordered_map<std::uint64_t, std::int64_t> place_of;
  place_of.reserve(static_cast<std::size_t>(places));
  for (std::int64_t p = 0; p < places; ++p) {
    const auto [at, fresh] =
        place_of.try_emplace(data.dump_key(p * data.width()), p);
    if (!fresh) at->second = -1;
  }
  Places found;
  found.reserve(static_cast<std::size_t>(elements));
  for (std::int64_t e = 0; e < elements; ++e) {
    const auto at = place_of.find(data.reference_key(e));
    if (at == place_of.end() || at->second < 0) return std::nullopt;
    found.push_back(at->second);
  }
  return found;
}

class Beyond {
 public:
  Beyond(const InferData& data, const Dims& dims, const Places& places)
      : data_(data), dims_(dims), places_(places) {}

  std::optional<InferFit> run() const {
    if (auto fit = named()) return fit;
    if (auto fit = reversed()) return fit;
    return xored();
  }

 private:
  [[nodiscard]] const Shape& shape() const { return dims_.shape; }

  bool next(std::vector<std::int64_t>& index) const {
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape()[d].extent) return true;
      index[d] = 0;
    }
    return false;
  }

  // Whether the layout has each element at its place.
  bool explains(const Layout& layout) const {
    const std::int64_t bits = 8 * data_.width();
    std::vector<std::int64_t> index(shape().size(), 0);
    for (const std::int64_t place : places_) {
      if (layout.bit_of(index) != place * bits) return false;
      next(index);
    }
    return true;
  }

  std::optional<InferFit> fit_of(const Result<Layout>& layout,
                                 std::vector<std::string> names) const {
    if (!layout || !layout->valid() || layout->unreadable() ||
        layout->tensors().size() != 1 || layout->shape() != shape() ||
        layout->size_bytes() > data_.dump_bytes() || !explains(*layout)) {
      return std::nullopt;
    }
    return InferFit{
        .layout = *layout,
        .names = std::move(names),
        .trailing_bytes = data_.dump_bytes() - layout->size_bytes()};
  }

  // Layouts of the catalogue that are more than plain digits, by their defaults.
  [[nodiscard]] std::optional<InferFit> named() const {
    std::optional<InferFit> first;
    for (const CatalogueEntry* entry : entries_for(dims_)) {
      const Result<LayoutSource> source =
          resolve_layout(entry->name, {}, dims_.names);
      if (!source || source->expression.plain() ||
          !source->expression.tables().empty()) {
        continue;
      }
      const Result<Layout> layout = source->bind(shape(), dims_.element_bytes);
      if (!layout || layout->size_bytes() != data_.dump_bytes()) continue;
      std::optional<InferFit> fit = fit_of(layout, {entry->name});
      if (!fit) continue;
      if (first) {
        first->names.push_back(entry->name);
      } else {
        first = std::move(fit);
      }
    }
    return first;
  }

  // Dims whose places fall: the layout of the tensor that is turned round in them.
  [[nodiscard]] std::optional<InferFit> reversed() const {
    Offsets offsets;
    std::vector<bool> falls;
    std::int64_t step = static_cast<std::int64_t>(places_.size());
    offsets.origin = places_.front() * data_.width();
    for (const Dim& dim : shape()) {
      step /= dim.extent;
      std::vector<std::int64_t> steps;
      for (std::int64_t x = 0; x < dim.extent; ++x) {
        const auto e = static_cast<std::size_t>(x * step);
        steps.push_back((places_[e] - places_.front()) * data_.width());
      }
      falls.push_back(steps.back() < 0);
      if (falls.back()) {
        const std::int64_t last = steps.back();
        offsets.origin += last;
        std::ranges::reverse(steps);
        for (std::int64_t& s : steps) s -= last;
      }
      offsets.steps.push_back(std::move(steps));
    }
    if (std::ranges::find(falls, true) == falls.end()) return std::nullopt;
    std::size_t stuck = 0;
    const std::optional<Built> built =
        build(offsets, shape(), dims_.element_bytes, data_.dump_bytes(), stuck);
    if (!built || built->start_byte != 0) return std::nullopt;
    Expression expression = built->layout.expression();
    for (std::size_t d = 0; d < falls.size(); ++d) {
      if (falls[d]) turn_round(expression, shape()[d].name);
    }
    return fit_of(Layout::bind(expression, shape(), dims_.element_bytes), {});
  }

  // Digits of x become digits of ~x.
  static void turn_round(Expression& expression, const std::string& dim) {
    const std::string name = dim + "_back";
    bool digits = false;
    for (Axis& axis : expression.axes) {
      for (Term& term : axis.terms) {
        Digit& digit = term.digit;
        if (digit.dim != dim) continue;
        if (digit.bias == 0 && digit.div == 1 && digit.mod == 0) {
          digit.reversed = true;
        } else {
          digit.dim = name;
          digits = true;
        }
      }
    }
    if (!digits) return;
    Body body;
    body.terms.push_back({.digit = {.dim = dim, .reversed = true}});
    expression.fused.push_back({name, std::move(body)});
  }

  // A bit of the index in logical order.
  struct IndexBit {
    std::size_t dim;
    std::int64_t bit;

    friend bool operator==(const IndexBit&, const IndexBit&) = default;
  };

  // A bit of the place: which bits of the index are xored into it, and whether it is turned
  // over. The first one is its own, the others twist it.
  struct PlaceBit {
    std::vector<IndexBit> of;
    bool turned = false;
  };

  // Where all extents are powers of two, and each bit of the place is a xor of bits of the
  // index.
  [[nodiscard]] std::optional<InferFit> xored() const {
    std::vector<IndexBit> bits;  // of the element's number, lowest first
    for (std::size_t d = shape().size(); d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(shape()[d].extent);
      if (!std::has_single_bit(extent)) return std::nullopt;
      for (std::int64_t b = 0; b < std::countr_zero(extent); ++b) {
        bits.push_back({d, b});
      }
    }
    const std::int64_t first = places_.front();
    std::vector<PlaceBit> rows(40);
    for (std::size_t k = 0; k < bits.size(); ++k) {
      const auto column =
          static_cast<std::uint64_t>(places_[std::size_t{1} << k] ^ first);
      if (column >> rows.size() != 0) return std::nullopt;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        if ((column >> row & 1U) != 0) rows[row].of.push_back(bits[k]);
      }
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row].turned = (first >> row & 1) != 0;
      // What no index changes must be zero.
      if (rows[row].of.empty() && rows[row].turned) return std::nullopt;
    }
    if (!choose_own(rows)) return std::nullopt;
    return fit_of(
        Layout::bind(expression_of(rows), shape(), dims_.element_bytes), {});
  }

  // Puts the bit first that a row alone is known by: one that another row has alone twists.
  static bool choose_own(std::vector<PlaceBit>& rows) {
    std::vector<IndexBit> taken;
    std::vector<bool> done(rows.size(), false);
    for (;;) {
      bool progress = false;
      bool open = false;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (done[r] || rows[r].of.empty()) continue;
        open = true;
        const auto is_free = [&](const IndexBit& bit) {
          return std::ranges::find(taken, bit) == taken.end();
        };
        if (std::ranges::count_if(rows[r].of, is_free) != 1) continue;
        const auto own = std::ranges::find_if(rows[r].of, is_free);
        taken.push_back(*own);
        std::iter_swap(rows[r].of.begin(), own);
        done[r] = progress = true;
      }
      if (!open) return true;
      if (!progress) return false;
    }
  }

  // Whether row b continues row a: the next bit of each of the same dims.
  static bool continues(const PlaceBit& a, const PlaceBit& b) {
    if (a.of.size() != b.of.size() || a.of.empty() || a.turned != b.turned) {
      return false;
    }
    for (std::size_t k = 0; k < a.of.size(); ++k) {
      if (a.of[k].dim != b.of[k].dim || a.of[k].bit + 1 != b.of[k].bit) {
        return false;
      }
    }
    return true;
  }

  // Digits of bits that follow each other, slowest first.
  [[nodiscard]] Expression expression_of(std::vector<PlaceBit>& rows) const {
    for (PlaceBit& row : rows) {
      if (row.of.size() > 1) {
        std::sort(row.of.begin() + 1, row.of.end(),
                  [](const IndexBit& a, const IndexBit& b) {
                    return std::pair(a.dim, a.bit) < std::pair(b.dim, b.bit);
                  });
      }
    }
    Axis axis;
    for (std::size_t low = 0; low < rows.size();) {
      std::size_t high = low + 1;
      if (rows[low].of.empty()) {
        low = high;
        continue;
      }
      while (high < rows.size() && continues(rows[high - 1], rows[high])) {
        ++high;
      }
      Term term{.digit = digit(rows[low].of[0], high - low)};
      std::vector<Twist> twists;
      for (std::size_t k = 1; k < rows[low].of.size(); ++k) {
        Twist twist;
        twist.digit = digit(rows[low].of[k], high - low);
        twists.push_back(twist);
      }
      term.digit.reversed = rows[low].turned;
      if (!twists.empty()) term.digit.twists = std::move(twists);
      term.stride = {Step::Kind::exact, std::int64_t{1} << low};
      axis.terms.insert(axis.terms.begin(), std::move(term));
      low = high;
    }
    with_natural_strides(axis);
    for (Term& term : axis.terms) {
      term.digit = without_needless_mod(term.digit);
      std::vector<Twist> twists(term.digit.twists.begin(),
                                term.digit.twists.end());
      for (Twist& twist : twists) {
        twist.digit = without_needless_mod(twist.digit);
      }
      if (!twists.empty()) term.digit.twists = std::move(twists);
    }
    Expression expression;
    expression.axes.push_back(std::move(axis));
    return expression;
  }

  // Strides that follow by themselves need not be written.
  static void with_natural_strides(Axis& axis) {
    std::int64_t space = 1;
    for (std::size_t k = axis.terms.size(); k-- > 0;) {
      Term& term = axis.terms[k];
      if (term.stride.value == space) term.stride = {};
      const std::int64_t stride =
          term.stride.kind == Step::Kind::exact ? term.stride.value : space;
      space = stride * term.digit.mod;
    }
  }

  // The rest of a dim has no more values.
  [[nodiscard]] Digit without_needless_mod(Digit digit) const {
    const auto dim = std::ranges::find(shape(), digit.dim, &Dim::name);
    if (digit.div * digit.mod == dim->extent) digit.mod = 0;
    return digit;
  }

  [[nodiscard]] Digit digit(const IndexBit& low, std::size_t bits) const {
    return {.dim = shape()[low.dim].name,
            .div = std::int64_t{1} << low.bit,
            .mod = std::int64_t{1} << bits};
  }

  const InferData& data_;
  const Dims& dims_;
  const Places& places_;
};

}  // namespace

bool has_all(const InferData& data, std::int64_t elements) {
  return places_of(data, elements).has_value();
}

std::optional<InferFit> find_beyond(const InferData& data, const Dims& dims,
                                    std::int64_t elements) {
  const std::optional<Places> places = places_of(data, elements);
  if (!places || places->empty()) return std::nullopt;
  return Beyond(data, dims, *places).run();
}

}  // namespace stridewise::inference
