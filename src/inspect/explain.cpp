// Sizes that do not fit, and what might have been meant.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/checked.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

constexpr std::size_t most_sentences = 3;
// Extents and strides are rounded up to these, in elements and in bytes.
constexpr std::array<std::int64_t, 7> multiples = {2, 4, 8, 16, 32, 64, 128};
constexpr std::array<std::int64_t, 6> alignments = {16, 32, 64, 128, 256, 512};
constexpr std::array<std::int64_t, 6> whole_units = {64,  128,  256,
                                                     512, 4096, 65536};

// What people do, the likeliest first.
enum Likelihood {
  dense,
  tail,
  type,
  banks,
  padded,
  off_by_one,
  stride,
  rounded,
  several
};

class Explainer {
 public:
  Explainer(const Layout& layout, const ElementType& type, std::int64_t bytes)
      : layout_(layout),
        type_(type),
        bytes_(bytes),
        size_(layout.size_bytes()),
        elements_bytes_(layout.elements() * layout.element_bytes()) {}

  std::vector<std::string> run() {
    if (layout_.elements() > 0) {
      without_padding();
      ends_early();
      other_types();
      banks_of_others();
      if (!sure()) padded_dims();
      if (!sure()) other_strides();
      if (!sure()) rounded_up();
      if (!sure()) more_or_less();
    }
    std::ranges::stable_sort(found_, {}, &Found::likelihood);
    std::vector<std::string> sentences;
    for (Found& found : found_) {
      if (sentences.size() == most_sentences) break;
      sentences.push_back(std::move(found.sentence));
    }
    if (!sentences.empty()) return sentences;
    const std::int64_t away = std::abs(size_ - bytes_);
    return {fmt::format("{} byte{} {}", away, away == 1 ? "" : "s",
                        bytes_ > size_ ? "too many"
                        : away == 1    ? "is missing"
                                       : "are missing")};
  }

 private:
  struct Found {
    Likelihood likelihood;
    std::string sentence;
  };

  void add(Likelihood likelihood, std::string sentence) {
    Found& found = found_.emplace_back();
    found.likelihood = likelihood;
    found.sentence = std::move(sentence);
  }
  // Whether something that says what lies where explains the size.
  [[nodiscard]] bool sure() const {
    return std::ranges::any_of(found_, [](const Found& found) {
      return found.likelihood <= off_by_one;
    });
  }

  [[nodiscard]] std::optional<Layout> bind(const Expression& expression,
                                           const Shape& shape) const {
    Result<Layout> bound =
        Layout::bind(expression, shape, layout_.element_bytes());
    if (!bound || !bound->valid()) return std::nullopt;
    return *std::move(bound);
  }

  // The byte after the last element. Dims add up, so that each has its own last.
  [[nodiscard]] static std::int64_t end_of(const Layout& layout) {
    constexpr std::int64_t most_asked = 1 << 16;
    std::vector<std::int64_t> index(layout.shape().size(), 0);
    const std::int64_t origin = layout.offset(index);
    std::int64_t end = origin;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t extent = layout.shape()[d].extent;
      std::int64_t most = 0;
      for (std::int64_t x = std::max<std::int64_t>(extent - most_asked, 0);
           x < extent; ++x) {
        index[d] = x;
        most = std::max(most, layout.offset(index) - origin);
      }
      index[d] = 0;
      end += most;
    }
    return (end + 1) * layout.element_bytes();
  }

  // Whether a file of this layout has these bytes, perhaps without what follows
  // the last element.
  [[nodiscard]] bool explains(const Layout& layout) const {
    return layout.size_bytes() == bytes_ || end_of(layout) == bytes_;
  }

  void without_padding() {
    if (bytes_ == elements_bytes_) {
      add(dense, fmt::format("as large as the {} elements alone: written "
                             "without padding",
                             layout_.elements()));
      return;
    }
    Expression expression = layout_.expression();
    for (Axis& axis : expression.axes) {
      if (axis.pitch.kind == Step::Kind::aligned) axis.pitch = {};
      for (Term& term : axis.terms) {
        if (term.stride.kind == Step::Kind::aligned) term.stride = {};
      }
    }
    if (expression == layout_.expression()) return;
    const auto natural = bind(expression, layout_.shape());
    if (natural && natural->size_bytes() == bytes_) {
      add(dense, "as large as the layout without its alignments");
    }
  }

  void ends_early() {
    if (bytes_ == end_of(layout_) && bytes_ != elements_bytes_) {
      add(tail, "ends with the last element: the padding after it is missing");
    }
  }

  void other_types() {
    std::vector<std::string> names;
    for (const ElementType& other : element_types()) {
      if (other.bits == type_.bits) continue;
      const Result<Layout> bound =
          Layout::bind(layout_.expression(), layout_.shape(), other.bytes());
      if (bound && bound->size_bytes() == bytes_)
        names.emplace_back(other.name);
    }
    if (names.empty()) return;
    add(type,
        fmt::format("the size of another type: {}", fmt::join(names, ", ")));
  }

  // Other numbers of processors, and processors of other sizes.
  void banks_of_others() {
    const Expression& expression = layout_.expression();
    const std::int64_t has = layout_.axes().front().extent;
    if (expression.axes.size() < 2 || has < 2) return;
    const std::string& name = layout_.axes().front().name;
    const std::int64_t pitch = layout_.axes().front().pitch_bytes;
    Expression tight = expression;
    tight.axes[1].pitch = tight.axes[0].pitch = {};
    const auto least = bind(tight, layout_.shape());
    if (bytes_ % has == 0 && least &&
        bytes_ / has >= least->axes().front().pitch_bytes &&
        bytes_ / has % layout_.element_bytes() == 0) {
      add(banks, fmt::format("{} {} of {} bytes each, where the layout has {}",
                             has, name, bytes_ / has, pitch));
    }
    const Axis& axis = expression.axes.front();
    // What only this tensor takes is no size of a processor.
    if (axis.pitch.kind != Step::Kind::exact || axis.terms.size() != 1 ||
        axis.terms[0].digit.mod == 0 || bytes_ % pitch != 0) {
      return;
    }
    add(banks, fmt::format("{} {} of {} bytes each, where the layout has {}",
                           bytes_ / pitch, name, pitch, has));
  }

  void padded_dims() {
    for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
      const std::int64_t extent = layout_.shape()[d].extent;
      std::int64_t tried = extent;
      for (const std::int64_t multiple : multiples) {
        const std::int64_t more = ceil_div(extent, multiple) * multiple;
        if (more <= tried || extent < 2) continue;
        tried = more;
        Shape shape = layout_.shape();
        shape[d].extent = more;
        const auto bound = bind(layout_.expression(), shape);
        if (!bound || bound->size_bytes() != bytes_) continue;
        // Padding to more than twice as many is rare.
        add(more < 2 * extent ? padded : several,
            fmt::format("the size with {} padded from {} to {}", shape[d].name,
                        extent, more));
      }
    }
  }

  // One stride that is not what the layout says, off by little or aligned.
  void other_strides() {
    std::size_t bound_term = 0;
    const Expression& expression = layout_.expression();
    for (std::size_t a = 0; a < expression.axes.size(); ++a) {
      for (std::size_t t = 0; t < expression.axes[a].terms.size(); ++t) {
        const BoundTerm& term = layout_.terms()[bound_term++];
        if (a + 1 < expression.axes.size() || term.extent < 2) continue;
        other_stride(a, t, term.stride);
      }
    }
  }

  void other_stride(std::size_t a, std::size_t t, std::int64_t has) {
    std::vector<std::int64_t> tried = {has + 1, has - 1, has + 2, has - 2};
    for (const std::int64_t unit : alignments) {
      if (unit % layout_.element_bytes() != 0) continue;
      const std::int64_t elements = unit / layout_.element_bytes();
      // Nobody aligns what lies side by side.
      if (has == 1) continue;
      tried.push_back(ceil_div(has, elements) * elements);
    }
    const Digit& digit = layout_.expression().axes[a].terms[t].digit;
    for (const std::int64_t stride : tried) {
      if (stride < 1 || stride == has) continue;
      Expression other = layout_.expression();
      Term& term = other.axes[a].terms[t];
      term.stride = {Step::Kind::exact, stride};
      const auto bound = bind(other, layout_.shape());
      if (!bound || !explains(*bound)) continue;
      add(std::abs(stride - has) == 1 ? off_by_one : Likelihood::stride,
          fmt::format("the size with {} {} elements apart instead of {}",
                      print(digit), stride, has));
      return;
    }
  }

  void rounded_up() {
    for (const std::int64_t unit : whole_units) {
      if (bytes_ < size_ || ceil_div(size_, unit) * unit != bytes_) continue;
      add(rounded,
          fmt::format("the layout's {} bytes rounded up to a multiple of {}",
                      size_, unit));
      return;
    }
  }

  void more_or_less() {
    if (bytes_ > size_ && bytes_ % size_ == 0) {
      add(several, fmt::format("{} of these tensors, one after the other",
                               bytes_ / size_));
    }
    for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
      for (const std::int64_t by : {-1, 1}) {
        Shape shape = layout_.shape();
        shape[d].extent += by;
        if (shape[d].extent < 1) continue;
        const auto bound = bind(layout_.expression(), shape);
        if (!bound || bound->size_bytes() != bytes_) continue;
        add(several,
            fmt::format("the size with {}={}", shape[d].name, shape[d].extent));
      }
    }
  }

  const Layout& layout_;
  const ElementType& type_;
  const std::int64_t bytes_;
  const std::int64_t size_;
  const std::int64_t elements_bytes_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::string> explain_size(const Layout& layout,
                                      const ElementType& type,
                                      std::int64_t bytes) {
  if (bytes == layout.size_bytes()) return {};
  if (bytes == 0) return {"the file is empty"};
  if (!layout.plain() || layout.element_bits() % 8 != 0) {
    const std::int64_t away = std::abs(layout.size_bytes() - bytes);
    return {fmt::format("{} byte{} {}", away, away == 1 ? "" : "s",
                        bytes > layout.size_bytes() ? "too many" : "missing")};
  }
  return Explainer(layout, type, bytes).run();
}

}  // namespace stridewise
