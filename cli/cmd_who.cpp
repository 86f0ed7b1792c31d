// stridewise who LAYOUT --byte B | --coord C --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

struct WhoCommand : LayoutOptions {
  std::optional<std::string> byte;
  std::optional<std::string> bit;
  std::optional<std::string> element;
  std::optional<std::string> coord;
};

// One thing that lies in what was asked for: bits low .. high-1 of memory.
struct Answer {
  std::int64_t low;
  std::int64_t high;
  Found found;
  std::vector<std::int64_t> index;
};

Failure outside(std::string_view unit, std::int64_t at, std::string_view what) {
  return Failure{
      {ErrorCode::invalid_value,
       fmt::format("{} {} is outside the tensor's {}", unit, at, what)}};
}

// The first bit that is asked for, and how many follow it at most.
std::pair<std::int64_t, std::int64_t> asked_bits(const Layout& layout,
                                                 const WhoCommand& options) {
  if (options.coord) {
    const std::vector<std::int64_t> at =
        value_of(parse_coordinates(*options.coord, layout));
    std::int64_t bit = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      bit += at[k] * layout.axes()[k].pitch_bits;
    }
    return {bit, layout.axes().back().pitch_bits};
  }
  if (options.bit) {
    const std::int64_t bit = value_of(parse_count(*options.bit));
    if (bit >= layout.size_bits()) {
      throw outside("bit", bit, fmt::format("{} bits", layout.size_bits()));
    }
    return {bit, 1};
  }
  if (options.byte) {
    const std::int64_t byte = value_of(parse_count(*options.byte));
    if (byte >= layout.size_bytes()) {
      throw outside("byte", byte, fmt::format("{} bytes", layout.size_bytes()));
    }
    return {byte * 8, 8};
  }
  const std::int64_t element = value_of(parse_count(*options.element));
  const std::int64_t places = layout.size_bits() / layout.element_bits();
  if (element >= places) {
    throw outside("element", element, fmt::format("{} places", places));
  }
  return {element * layout.element_bits(), layout.element_bits()};
}

Answer answer_at(const Layout& layout, std::int64_t bit) {
  std::size_t most_dims = 0;
  for (const Tensor& tensor : layout.tensors()) {
    most_dims = std::max(most_dims, tensor.shape.size());
  }
  Answer answer{bit, bit + 1, {}, std::vector<std::int64_t>(most_dims)};
  answer.found = layout.find(bit, answer.index);
  if (answer.found.tensor >= 0) {
    const auto tensor = static_cast<std::size_t>(answer.found.tensor);
    answer.index.resize(layout.tensors()[tensor].shape.size());
  }
  if (answer.found.place != Place::element) answer.index.clear();
  return answer;
}

// What lies in these bits: neighbours that are one thing are one answer.
std::vector<Answer> answers_in(const Layout& layout, std::int64_t first,
                               std::int64_t count) {
  std::vector<Answer> answers;
  const std::int64_t end = std::min(first + count, layout.size_bits());
  for (std::int64_t bit = first; bit < end; ++bit) {
    Answer next = answer_at(layout, bit);
    const bool same = !answers.empty() &&
                      answers.back().found.place == next.found.place &&
                      answers.back().found.tensor == next.found.tensor &&
                      answers.back().found.copy == next.found.copy &&
                      (next.found.place != Place::element ||
                       next.found.bit - answers.back().found.bit ==
                           bit - answers.back().low) &&
                      answers.back().index == next.index;
    if (same) {
      answers.back().high = bit + 1;
    } else {
      answers.push_back(std::move(next));
    }
  }
  return answers;
}

const Tensor* tensor_of(const Layout& layout, const Answer& answer) {
  const std::int32_t tensor = answer.found.tensor;
  return tensor < 0 ? nullptr
                    : &layout.tensors()[static_cast<std::size_t>(tensor)];
}

std::string what(const Layout& layout, const Answer& answer) {
  const Tensor* tensor = tensor_of(layout, answer);
  switch (answer.found.place) {
    case Place::element:
      break;
    case Place::padding:
      return "padding" + (tensor == nullptr || tensor->name.empty()
                              ? ""
                              : " of " + tensor->name);
    case Place::gap:
    case Place::other:
      return "a gap: no element, and no padding of one";
  }
  std::string text = part_prefix(*tensor);
  text += answer.index.empty() ? "the one element"
                               : print_index(tensor->shape, answer.index);
  if (answer.found.copy > 0)
    text += fmt::format(", copy {}", answer.found.copy);
  if (answer.found.more) text += ", among others: elements share places";
  return text;
}

// "  (byte 2 of it)", "  (bits 0..3 of it)"
std::string within(const Layout& layout, const Answer& answer) {
  if (answer.found.place != Place::element) return {};
  const std::int64_t bits = tensor_of(layout, answer)->element_bits;
  const std::int64_t low = answer.found.bit;
  const std::int64_t count = answer.high - answer.low;
  if (count == bits || (bits % 8 == 0 && count >= 8 && low == 0)) return {};
  if (bits % 8 == 0 && low % 8 == 0 && count >= 8) {
    return fmt::format("  (byte {} of it)", low / 8);
  }
  return count == 1
             ? fmt::format("  (bit {} of it)", low)
             : fmt::format("  (bits {}..{} of it)", low, low + count - 1);
}

Json answer_json(const Layout& layout, const Answer& answer) {
  const bool element = answer.found.place == Place::element;
  const Tensor* tensor = tensor_of(layout, answer);
  return {
      {"bit", answer.low},
      {"bits", answer.high - answer.low},
      {"kind", element ? "element" : "padding"},
      {"gap", answer.found.place == Place::gap},
      {"part", tensor == nullptr || tensor->name.empty() ? Json(nullptr)
                                                         : Json(tensor->name)},
      {"index", element ? named(tensor->shape, answer.index) : Json(nullptr)},
      {"bit_in_element", static_cast<std::int64_t>(answer.found.bit)},
      {"copy", answer.found.copy},
      {"more", answer.found.more}};
}

Json json_of(const Layout& layout, const std::vector<Answer>& answers) {
  const Answer& first = answers.front();
  std::vector<std::int64_t> at(layout.axes().size());
  layout.coordinates_at(first.low, at);
  Json all = Json::array();
  for (const Answer& answer : answers) {
    all.push_back(answer_json(layout, answer));
  }
  const bool whole =
      layout.tensor() >= 0 && layout.place_bits() == layout.element_bits();
  const Tensor* tensor = tensor_of(layout, first);
  Json json = answer_json(layout, first);
  json["byte"] = first.low / 8;
  json["byte_in_element"] = first.found.place == Place::element
                                ? static_cast<std::int64_t>(first.found.bit) / 8
                                : first.low % layout.element_bits() / 8;
  json["element_offset"] =
      whole ? Json(first.low / layout.element_bits()) : Json(nullptr);
  json["coords"] = coordinates(layout, at);
  json["dims"] = named(tensor == nullptr ? layout.shape() : tensor->shape);
  json["all"] = std::move(all);
  return json;
}

std::string answers_text(const Layout& layout,
                         const std::vector<Answer>& answers) {
  std::string text;
  for (const Answer& answer : answers) {
    std::vector<std::int64_t> at(layout.axes().size());
    layout.coordinates_at(answer.low, at);
    const Tensor* tensor = tensor_of(layout, answer);
    std::string place = fmt::format("byte {}", answer.low / 8);
    const std::int64_t low = answer.low % 8;
    if (low != 0 || answer.high - answer.low < 8) {
      place += answer.high - answer.low == 1
                   ? fmt::format(", bit {}", low)
                   : fmt::format(", bits {}..{}", low,
                                 low + answer.high - answer.low - 1);
    }
    text += fmt::format(
        "{}{}  at {} ({}), of {}\n", what(layout, answer),
        within(layout, answer), print_coordinates(layout, at), place,
        print(tensor == nullptr ? layout.shape() : tensor->shape));
  }
  return text;
}

void run_who(Context& context, const WhoCommand& options) {
  const Layout layout = options.bind();
  if (layout.unfindable()) throw Failure{*layout.unfindable()};
  if (layout.size_bits() == 0) {
    throw outside("the place", 0, "0 bytes: it is empty");
  }
  const auto [first, count] = asked_bits(layout, options);
  const std::vector<Answer> answers = answers_in(layout, first, count);
  context.answer(json_of(layout, answers), answers_text(layout, answers));
}

}  // namespace

void add_who(Command app, Context& context) {
  Command command = app.add_command(
      "who", "place in memory -> the element that is there, or padding");
  command.footer(
      "  stridewise who nChw16c --shape 2x17x5x4 --byte 4096\n"
      "  stridewise who 'okk.aligned(npus=4,npu_bytes=1024,start=2)' "
      "--shape 2x3x4x5 \\\n      --coord npu=3,offset=28\n"
      "  stridewise who 'n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }' "
      "--shape n=3,k=96 \\\n      --byte 20");
  auto options = std::make_shared<WhoCommand>();
  options->add_to(command);
  Command place = command.add_choice("Place", "exactly one of these");
  place.add_option("--byte,-b", options->byte,
                   "byte from the start, decimal or 0x...");
  place.add_option("--bit", options->bit,
                   "bit from the start; 0 is the lowest "
                   "of byte 0");
  place.add_option("--element,-e", options->element,
                   "element from the start: byte / element size");
  place.add_option("--coord,-c", options->coord,
                   "coordinates by axis, npu=1,offset=28; axes left out are "
                   "at 0");
  command.callback([&context, options] { run_who(context, *options); });
}

}  // namespace stridewise::cli
