// SPDX-License-Identifier: Apache-2.0
#include "infer/offsets.hpp"

#include <algorithm>

#include "infer/data.hpp"

namespace stridewise::inference {

Offsets offsets_of(const Layout& layout) {
  Offsets offsets;
  std::vector<std::int64_t> index(layout.shape().size(), 0);
  const std::int64_t origin = layout.offset(index);
  offsets.origin = origin * layout.element_bytes();
  for (std::size_t d = 0; d < index.size(); ++d) {
    std::vector<std::int64_t> steps;
    for (std::int64_t x = 0; x < layout.shape()[d].extent; ++x) {
      index[d] = x;
      steps.push_back((layout.offset(index) - origin) * layout.element_bytes());
    }
    index[d] = 0;
    offsets.steps.push_back(std::move(steps));
  }
  return offsets;
}

bool agrees(const Layout& layout, const Offsets& known, bool anywhere) {
  std::vector<std::int64_t> index(layout.shape().size(), 0);
  const std::int64_t width = layout.element_bytes();
  const std::int64_t origin = layout.offset(index) * width;
  if (!anywhere && origin != known.origin) return false;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const auto& steps = known.steps[d];
    // The last one first: it tells most.
    for (std::size_t k = steps.size(); k-- > 1;) {
      if (steps[k] == unknown) continue;
      index[d] = static_cast<std::int64_t>(k);
      if (layout.offset(index) * width - origin != steps[k]) return false;
    }
    index[d] = 0;
  }
  return true;
}

namespace {

// Walks all elements, the last dim in an inner loop.
class Explainer {
 public:
  Explainer(const InferData& data, const Shape& shape, const Offsets& offsets,
            bool all)
      : data_(data),
        shape_(shape),
        offsets_(offsets),
        last_byte_(data.dump_bytes() - data.width()),
        all_(all) {
    // Elements of the last dim that follow each other as in the reference.
    if (shape.empty()) return;
    const std::vector<std::int64_t>& steps = offsets.steps.back();
    for (std::size_t x = 0; x < steps.size() && rows_; ++x) {
      rows_ = steps[x] == static_cast<std::int64_t>(x) * data.width();
    }
  }

  Explained run() {
    walk(0, offsets_.origin);
    return explained_;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of dims
  bool walk(std::size_t d, std::int64_t byte) {
    if (d == shape_.size()) return check(byte);
    const bool inner = d + 1 == shape_.size();
    if (inner && byte != unknown && row(byte)) return true;
    for (const std::int64_t step : offsets_.steps[d]) {
      const std::int64_t at =
          step == unknown || byte == unknown ? unknown : byte + step;
      if (!(inner ? check(at) : walk(d + 1, at))) return false;
    }
    return true;
  }

  // All of a row at once, where nothing of it is missing or differs.
  bool row(std::int64_t byte) {
    const std::int64_t count = shape_.back().extent;
    if (!rows_ || byte < 0 || byte > last_byte_ - (count - 1) * data_.width()) {
      return false;
    }
    // A long one in pieces, for what is told of the way.
    constexpr std::int64_t piece = 1 << 20;
    for (std::int64_t x = 0; x < count; x += piece) {
      if (!data_.equal(element_ + x, byte + x * data_.width(),
                       std::min(piece, count - x))) {
        return false;
      }
    }
    element_ += count;
    explained_.present += count;
    explained_.matching += count;
    tell();
    return true;
  }

  void tell() {
    constexpr std::int64_t often = 1 << 24;
    if (element_ - told_ < often) return;
    told_ = element_;
    data_.report(static_cast<double>(element_) /
                 static_cast<double>(elements_));
  }

  bool check(std::int64_t byte) {
    const std::int64_t element = element_++;
    if (element % (1 << 16) == 0) tell();
    if (byte < 0 || byte > last_byte_) return true;
    ++explained_.present;
    if (data_.equal(element, byte)) {
      ++explained_.matching;
      return true;
    }
    if (explained_.first_break < 0) explained_.first_break = element;
    return all_;
  }

  const InferData& data_;
  const Shape& shape_;
  const Offsets& offsets_;
  const std::int64_t last_byte_;
  const bool all_;
  const std::int64_t elements_ = element_count(shape_).value_or(1);
  bool rows_ = true;
  std::int64_t element_ = 0;
  std::int64_t told_ = 0;
  Explained explained_;
};

}  // namespace

Explained explain(const InferData& data, const Shape& shape,
                  const Offsets& offsets, bool all) {
  return Explainer(data, shape, offsets, all).run();
}

}  // namespace stridewise::inference
