// SPDX-License-Identifier: Apache-2.0
#include "draw/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stridewise::draw {
namespace {

std::int64_t digits(std::int64_t number) {
  return static_cast<std::int64_t>(fmt::format("{}", number).size());
}

}  // namespace

std::optional<std::string> number_label(const PictureCell& cell,
                                        const DrawOptions& options,
                                        const Shape& shape,
                                        std::span<const std::int64_t> index) {
  switch (options.label) {
    case DrawLabel::offset:
      return fmt::format("{}", cell.offset);
    case DrawLabel::value: {
      if (options.data) return cell.value;
      std::int64_t number = 0;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        number = number * shape[d].extent + index[d];
      }
      return fmt::format("{}", number);
    }
    case DrawLabel::index:
      break;
  }
  return std::nullopt;
}

Labels::Labels(const Layout& layout, const DrawOptions& options)
    : options_(options), shape_(layout.shape()) {
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d].extent > 1) dims_.push_back(d);
  }
  if (dims_.empty()) {
    for (std::size_t d = 0; d < shape_.size(); ++d) dims_.push_back(d);
  }
}

std::vector<std::string> Labels::dims() const {
  std::vector<std::string> names;
  for (const std::size_t d : dims_) names.push_back(shape_[d].name);
  return names;
}

std::string Labels::of(const PictureCell& cell) const {
  if (cell.kind != Place::element) return "";
  if (auto number = number_label(cell, options_, shape_, cell.index)) {
    return *std::move(number);
  }
  std::string text;
  for (const std::size_t d : dims_) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", cell.index[d]);
  }
  return text;
}

std::int64_t Labels::width(const Layout& layout) const {
  switch (options_.label) {
    case DrawLabel::offset:
      return digits(layout.places());
    case DrawLabel::value:
      return options_.data ? 7 : digits(layout.elements());
    case DrawLabel::index:
      break;
  }
  std::int64_t sum = static_cast<std::int64_t>(dims_.size()) - 1;
  for (const std::size_t d : dims_) sum += digits(shape_[d].extent - 1);
  return std::max<std::int64_t>(1, sum);
}

}  // namespace stridewise::draw
