// All of memory at any scale: what the first place of each range holds.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "draw/colour.hpp"
#include "reply.hpp"

namespace stridewise::explorer {
namespace {

constexpr std::int64_t most_cells = 1 << 16;

std::string hex(std::uint32_t colour) { return fmt::format("#{:06x}", colour); }

// One letter a cell: ' ' a gap, '.' padding, 'A' and on the colour of an element.
class Cells {
 public:
  Cells(const Layout& layout, const std::string& colour) : layout_(layout) {
    if (layout.tensor() >= 0) {
      if (auto made = draw::make_colouring(layout, colour)) {
        colouring_ = *std::move(made);
      }
      colours_ = colouring_.colours;
    } else {
      colours_ = draw::colours_of(std::ssize(layout.tensors()));
    }
    if (colours_.empty()) colours_ = draw::colours_of(1);
    std::size_t dims = 0;
    for (const Tensor& tensor : layout.tensors()) {
      dims = std::max(dims, tensor.shape.size());
    }
    index_.resize(dims);
  }

  char at(std::int64_t bit) {
    const Found found = layout_.find(bit, index_);
    if (found.place == Place::padding) return '.';
    if (found.place != Place::element) return ' ';
    tensor_ = found.tensor;
    if (layout_.tensor() < 0) {
      constexpr std::int32_t last_letter = 31;
      return static_cast<char>('A' + std::min(found.tensor, last_letter));
    }
    if (found.tensor != layout_.tensor()) return ' ';
    return static_cast<char>('A' + std::max(colouring_.of(index_), 0));
  }
  // Of the last element that was found: "n=1,c=3".
  [[nodiscard]] std::string name() const {
    const Tensor& tensor = layout_.tensors()[static_cast<std::size_t>(tensor_)];
    const std::string text = index_text(tensor.shape, index_);
    return tensor.name.empty() ? text : tensor.name + " " + text;
  }
  [[nodiscard]] const draw::Colouring& colouring() const { return colouring_; }
  [[nodiscard]] Json colours() const {
    Json all = Json::array();
    for (const PictureColour& one : colours_) {
      all.push_back(std::vector<std::string>{hex(one.fill), hex(one.text),
                                             hex(one.dark_fill),
                                             hex(one.dark_text)});
    }
    return all;
  }

 private:
  const Layout& layout_;
  draw::Colouring colouring_;
  std::vector<PictureColour> colours_;
  std::vector<std::int64_t> index_;
  std::int32_t tensor_ = 0;
};

}  // namespace

// "first": a place; "step": places that a cell stands for; "cells": how many. "colour" as for
// draw. Names are told where a cell is one place.
Reply memory_map(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Layout& layout = subject->layout;
  if (layout.unfindable()) return unexpected(*layout.unfindable());
  const auto first = request.number("first", 0);
  const auto step = request.number("step", 1);
  const auto wanted = request.number("cells", 1024);
  if (!first || !step || !wanted || *step < 1 || *wanted > most_cells) {
    return fail(ErrorCode::invalid_value, "map: no such range");
  }
  Cells cells(layout, request.text("colour"));
  std::string kinds;
  Json names = Json::array();
  const std::int64_t places = layout.places();
  for (std::int64_t k = 0; k < *wanted; ++k) {
    // Places are at most 2^62; a cell may begin beyond them.
    if (k > (places - 1 - *first) / *step || *first >= places) break;
    const char kind = cells.at((*first + k * *step) * layout.place_bits());
    kinds.push_back(kind);
    if (*step == 1) names.push_back(kind >= 'A' ? cells.name() : "");
  }
  return Json{{"places", count(places)},
              {"place_bits", layout.place_bits()},
              {"kinds", kinds},
              {"names", std::move(names)},
              {"colour", cells.colouring().name},
              {"colours", cells.colours()}};
}

}  // namespace stridewise::explorer
