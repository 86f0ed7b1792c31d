// SPDX-License-Identifier: Apache-2.0
#include "infer/search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/checked.hpp"
#include "catalogue/tags.hpp"
#include "infer/entries.hpp"
#include "infer/sample.hpp"
#include "infer/tags.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

constexpr std::size_t most_fits = 16;
constexpr std::ptrdiff_t most_near = 16;
constexpr std::int64_t most_shifts = 1 << 20;
constexpr std::size_t most_dims = 6;  // all orders of which are tried
constexpr std::array<std::int64_t, 6> block_sizes = {16, 8, 4, 2, 32, 64};

class Search {
 public:
  Search(const InferData& data, const Dims& dims, std::int64_t elements)
      : data_(data),
        dims_(dims),
        elements_(elements),
        places_(data.dump_bytes() / data.width()),
        sample_(sample_of(data, dims.shape, elements)),
        spread_(spread_sample(dims.shape, elements)) {}

  SearchResult run() {
    for (const std::string_view tag : common_tags()) try_text(std::string(tag));
    try_entries();
    if (dims_.shape.size() <= most_dims) {
      try_tags();
      try_orders();
    }
    for (Near& near : near_) result_.near.push_back(std::move(near.fit));
    return std::move(result_);
  }

 private:
  // One that does not fit, and how much of the spread sample it explains.
  struct Near {
    std::size_t count;
    InferFit fit;
  };

  [[nodiscard]] bool full() const { return result_.fits.size() >= most_fits; }

  void try_text(const std::string& text) {
    if (full()) return;
    if (std::optional<Named> named = named_layout(text, dims_)) {
      try_layout(named->layout, named->name);
    }
  }

  void try_layout(const Layout& layout, const std::string& name) {
    if (layout.size_bytes() != data_.dump_bytes()) return;
    data_.looked(tried_ += 64);
    std::size_t k = 0;
    while (k < sample_.elements.size() &&
           data_.equal(sample_.elements[k],
                       layout.offset(sample_.indices[k]) * data_.width())) {
      ++k;
    }
    if (k < sample_.elements.size()) {
      note_near(layout, name, k);
      return;
    }
    const Offsets offsets = offsets_of(layout);
    const auto known =
        std::ranges::find(functions_, offsets) - functions_.begin();
    if (static_cast<std::size_t>(known) < functions_.size()) {
      auto& names = result_.fits[static_cast<std::size_t>(known)].names;
      if (!name.empty() && std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
      return;
    }
    if (!layout.valid()) return;
    const Explained explained = explain(data_, dims_.shape, offsets, false);
    if (explained.matching != elements_) return;
    functions_.push_back(offsets);
    result_.fits.push_back(InferFit{layout, {}, 0, 0});
    if (!name.empty()) result_.fits.back().names.push_back(name);
  }

  // `count`: of the rarest values, how many it explains.
  void note_near(const Layout& layout, const std::string& name,
                 std::size_t count) {
    if (!result_.fits.empty()) return;
    if (!spread_.elements.empty()) count = 0;
    for (std::size_t k = 0; k < spread_.elements.size(); ++k) {
      data_.looked(++looked_);
      count += data_.equal(spread_.elements[k],
                           layout.offset(spread_.indices[k]) * data_.width())
                   ? 1U
                   : 0U;
    }
    const auto at = std::ranges::lower_bound(
        near_, count, std::ranges::greater_equal{}, &Near::count);
    if ((count == 0 && !near_.empty()) || at - near_.begin() >= most_near) {
      return;
    }
    InferFit fit{layout, {}, 0, 0};
    if (!name.empty()) fit.names.push_back(name);
    near_.insert(at, {count, std::move(fit)});
    if (std::ssize(near_) > most_near) near_.pop_back();
  }

  void try_expression(const Expression& expression) {
    if (full()) return;
    const Result<Layout> layout =
        Layout::bind(expression, dims_.shape, data_.width());
    if (layout) try_layout(*layout, "");
  }

  void try_entries() {
    Numbers numbers;
    numbers.blocks = {4, 8, 16, 32, 64, 128};
    for (const std::int64_t pitch : default_pitches(dims_)) {
      const std::int64_t blocks = data_.dump_bytes() / pitch;
      if (blocks > 0 && blocks * pitch == data_.dump_bytes() &&
          std::ranges::find(numbers.blocks, blocks) == numbers.blocks.end()) {
        numbers.blocks.push_back(blocks);
      }
    }
    std::int64_t most_starts = 1;
    for (const std::int64_t blocks : numbers.blocks) {
      if (data_.dump_bytes() % blocks == 0) {
        numbers.pitches.push_back(data_.dump_bytes() / blocks);
        most_starts = std::max(most_starts, blocks);
      }
    }
    for (std::int64_t k = 1; k < std::min<std::int64_t>(most_starts, 64); ++k) {
      numbers.starts.push_back(k);
    }
    for (const std::string& text : entry_texts(dims_, numbers)) {
      try_text(text);
    }
  }

  template <class Visit>
  void for_each_order(Visit visit) const {
    std::vector<std::size_t> order(dims_.shape.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      visit(order);
    } while (std::ranges::next_permutation(order).found);
  }

  // ---------------------------------------------------------- tags ------

  void try_tags() {
    std::vector<std::vector<TagBlock>> all = {{}};
    std::size_t first = 0;
    for (int depth = 0; depth < 3; ++depth) {
      const std::size_t last = all.size();
      for (; first < last; ++first) {
        for (std::size_t d = 0; d < dims_.shape.size(); ++d) {
          for (const std::int64_t size : block_sizes) {
            // Three blocks are two dims interleaved.
            if (depth == 2 && (size > 16 || all[first][0].dim != d ||
                               all[first][1].dim == d)) {
              continue;
            }
            std::vector<TagBlock> blocks = all[first];
            blocks.push_back({d, size});
            all.push_back(std::move(blocks));
          }
        }
      }
    }
    const std::string letters = tag_letters(dims_.shape);
    for (const std::vector<TagBlock>& blocks : all) {
      if (places_of(blocks) != places_) continue;
      for_each_order([&](const std::vector<std::size_t>& order) {
        try_text(tag_text(letters, order, blocks));
      });
    }
  }

  [[nodiscard]] std::int64_t places_of(
      const std::vector<TagBlock>& blocks) const {
    Checked places = 1;
    for (std::size_t d = 0; d < dims_.shape.size(); ++d) {
      std::int64_t size = 1;
      for (const TagBlock& block : blocks) {
        if (block.dim == d) size *= block.size;
      }
      places = mul(places, round_up(dims_.shape[d].extent, size));
    }
    return places.value_or(-1);
  }

  // -------------------------------------------------------- orders ------

  // Dims in every order: natural; one of them aligned; one with a pitch that
  // explains the size; and with a base.
  void try_orders() {
    for_each_order([&](const std::vector<std::size_t>& order) {
      if (full()) return;
      Axis axis;
      for (const std::size_t d : order) {
        axis.terms.push_back(Term{{dims_.shape[d].name}, {}});
      }
      std::int64_t slower = 1;
      for (std::size_t k = 0; k < order.size(); ++k) {
        slower *= dims_.shape[order[k]].extent;
        for (const std::int64_t bytes : {16, 32, 64, 128, 256, 512, 4096}) {
          Axis aligned = axis;
          aligned.terms[k].stride = {Step::Kind::aligned, bytes};
          try_expression(Expression{{aligned}});
        }
        if (places_ % slower != 0) continue;
        Axis pitched = axis;
        pitched.terms[k].stride = {Step::Kind::exact, places_ / slower};
        try_expression(Expression{{pitched}});
      }
      try_shifts(axis);
    });
  }

  // The same memory further on, and something else around it.
  void try_shifts(const Axis& axis) {
    const Result<Layout> plain =
        Layout::bind(Expression{{axis}}, dims_.shape, data_.width());
    if (!plain || plain->places() >= places_) return;
    std::vector<std::int64_t> offsets;
    for (const auto& index : sample_.indices) {
      offsets.push_back(plain->offset(index));
    }
    const std::int64_t last = std::min(places_ - plain->places(), most_shifts);
    for (std::int64_t shift = 0; shift <= last && !full(); ++shift) {
      std::size_t k = 0;
      while (k < offsets.size() &&
             data_.equal(sample_.elements[k],
                         (offsets[k] + shift) * data_.width())) {
        ++k;
      }
      if (k < offsets.size()) continue;
      Axis moved = axis;
      moved.base = shift;
      Expression expression{{moved}};
      if (shift + plain->places() < places_) {
        expression.axes.insert(
            expression.axes.begin(),
            Axis{.pitch = {Step::Kind::exact, places_ * data_.width()}});
      }
      try_expression(expression);
    }
  }

  const InferData& data_;
  const Dims& dims_;
  const std::int64_t elements_;
  const std::int64_t places_;
  const Sample sample_;
  const Sample spread_;
  std::vector<Near> near_;  // most first
  std::int64_t looked_ = 0;
  std::int64_t tried_ = 0;
  std::vector<Offsets> functions_;
  SearchResult result_;
};

}  // namespace

SearchResult search_layouts(const InferData& data, const Dims& dims,
                            std::int64_t elements) {
  return Search(data, dims, elements).run();
}

}  // namespace stridewise::inference
