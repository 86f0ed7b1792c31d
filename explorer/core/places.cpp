// Where an element is, and what is at a place.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "reply.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::explorer {
namespace {

Json place_json(const Layout& layout, std::span<const std::int64_t> index) {
  const std::int64_t bit = layout.bit_of(index);
  const Tensor& tensor =
      layout.tensors()[static_cast<std::size_t>(layout.tensor())];
  Json bits = Json::array();
  for (std::int64_t k = 0; tensor.bitwise && k < layout.element_bits(); ++k) {
    bits.push_back(count(layout.bit_of(index, k)));
  }
  const bool whole =
      !tensor.bitwise && layout.place_bits() == layout.element_bits();
  return {{"byte", count(bit / 8)},
          {"bit", count(bit)},
          {"bit_in_byte", bit % 8},
          {"bits", tensor.bitwise ? std::move(bits) : Json(nullptr)},
          {"element_bits", layout.element_bits()},
          {"element_offset",
           whole ? count(bit / layout.element_bits()) : Json(nullptr)},
          {"part", tensor.name.empty() ? Json(nullptr) : Json(tensor.name)},
          {"coords", coordinates_at(layout, bit)},
          {"expression", print(layout.expression())}};
}

// What lies at a bit, and the bits after it that hold the same.
struct Answer {
  std::int64_t bit;
  std::int64_t bits = 1;
  Found found;
  std::vector<std::int64_t> index;
};

Answer answer_at(const Layout& layout, std::int64_t bit) {
  std::size_t dims = 0;
  for (const Tensor& tensor : layout.tensors()) {
    dims = std::max(dims, tensor.shape.size());
  }
  Answer answer{
      .bit = bit, .found = {}, .index = std::vector<std::int64_t>(dims)};
  answer.found = layout.find(bit, answer.index);
  if (answer.found.place != Place::element) {
    answer.index.clear();
  } else {
    answer.index.resize(
        layout.tensors()[static_cast<std::size_t>(answer.found.tensor)]
            .shape.size());
  }
  return answer;
}

bool goes_on(const Answer& last, const Answer& next) {
  const bool element = last.found.place == Place::element;
  return last.found.place == next.found.place &&
         last.found.tensor == next.found.tensor &&
         last.found.copy == next.found.copy && last.index == next.index &&
         (!element || next.found.bit == last.found.bit + last.bits);
}

Json answer_json(const Layout& layout, const Answer& answer) {
  const bool element = answer.found.place == Place::element;
  const Tensor* const tensor =
      answer.found.tensor < 0
          ? nullptr
          : &layout.tensors()[static_cast<std::size_t>(answer.found.tensor)];
  constexpr std::array kinds = {"element", "padding", "gap", "gap"};
  return {
      {"bit", count(answer.bit)},
      {"bits", answer.bits},
      {"kind", kinds[static_cast<std::size_t>(answer.found.place)]},
      {"part", tensor == nullptr || tensor->name.empty() ? Json(nullptr)
                                                         : Json(tensor->name)},
      {"index", element ? named(tensor->shape, answer.index) : Json()},
      {"first_bit", answer.found.bit},
      {"element_bits", tensor == nullptr ? 0 : tensor->element_bits},
      {"copy", count(answer.found.copy)},
      {"more", answer.found.more},
      {"coords", coordinates_at(layout, answer.bit)}};
}

}  // namespace

Reply at(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Shape& shape = subject->layout.shape();
  // A tensor of one value has no dims to be named.
  const auto index = shape.empty() ? std::vector<std::int64_t>()
                                   : parse_index(request.text("index"), shape);
  if (!index) return unexpected(index.error());
  Json places = Json::array();
  for (const Layout* const layout :
       {&subject->layout, subject->to ? &*subject->to : nullptr}) {
    if (layout == nullptr) continue;
    if (layout->unreadable()) return unexpected(*layout->unreadable());
    places.push_back(place_json(*layout, *index));
  }
  return Json{{"index", named(subject->layout.shape(), *index)},
              {"dims", named(subject->layout.shape())},
              {"places", std::move(places)}};
}

// "byte" or "bit".
Reply who(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Layout& layout = subject->layout;
  if (layout.unfindable()) return unexpected(*layout.unfindable());
  const bool by_byte = request.has("byte");
  if (!by_byte && !request.has("bit")) {
    return fail(ErrorCode::invalid_value, "which byte?");
  }
  const auto asked = request.number(by_byte ? "byte" : "bit", 0);
  if (!asked) return unexpected(asked.error());
  const std::int64_t unit = by_byte ? 8 : 1;
  if (*asked >= (layout.size_bits() + unit - 1) / unit) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("{} {} is outside the tensor's {}",
                    by_byte ? "byte" : "bit", *asked,
                    by_byte ? layout.size_bytes() : layout.size_bits()));
  }
  std::vector<Answer> answers;
  const std::int64_t first = *asked * unit;
  for (std::int64_t bit = first;
       bit < std::min(first + unit, layout.size_bits()); ++bit) {
    Answer next = answer_at(layout, bit);
    if (!answers.empty() && goes_on(answers.back(), next)) {
      ++answers.back().bits;
    } else {
      answers.push_back(std::move(next));
    }
  }
  Json all = Json::array();
  for (const Answer& answer : answers)
    all.push_back(answer_json(layout, answer));
  return Json{{"dims", named(layout.shape())}, {"all", std::move(all)}};
}

}  // namespace stridewise::explorer
