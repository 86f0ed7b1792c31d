// stridewise at LAYOUT INDEX --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <memory>

#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

struct AtCommand : LayoutOptions {
  std::string index;
};

// Numbers alone are in the order of the shape. Ends the command where the shape was
// written in another order than the layout has it.
std::vector<std::int64_t> index_of(const AtCommand& options,
                                   const Layout& layout) {
  const bool by_name = options.index.find('=') != std::string::npos;
  const Result<Shape> written = parse_shape(options.shape);
  const std::vector<std::string> logical = names_of(layout.shape());
  if (by_name || !written || layout.tensors().size() > 1 ||
      names_of(*written) == logical) {
    return value_of(parse_index(options.index, layout.shape()));
  }
  const auto reading = [&](const std::vector<std::string>& order) {
    return print(value_of(parse_shape(options.index, order)));
  };
  throw Failure{
      {ErrorCode::invalid_value,
       fmt::format("the index {} has two readings; name its dims: {} (logical "
                   "order) or {} (order of --shape)",
                   options.index, reading(logical),
                   reading(names_of(*written)))}};
}

// Where each bit of the element lies, lowest first.
std::vector<std::int64_t> bits_of(const Layout& layout,
                                  const std::vector<std::int64_t>& index) {
  std::vector<std::int64_t> bits;
  for (std::int64_t bit = 0; bit < layout.element_bits(); ++bit) {
    bits.push_back(layout.bit_of(index, bit));
  }
  return bits;
}

// "byte 12", "byte 12, bits 4..7" or "bits 0,1,2,8".
std::string print_bits(const std::vector<std::int64_t>& bits) {
  bool together = true;
  for (std::size_t k = 1; k < bits.size(); ++k) {
    together = together && bits[k] == bits[k - 1] + 1;
  }
  if (!together) return fmt::format("bits {}", fmt::join(bits, ","));
  const std::int64_t byte = bits.front() / 8;
  const std::int64_t low = bits.front() % 8;
  if (low == 0 && bits.size() % 8 == 0) return fmt::format("byte {}", byte);
  const auto last = low + static_cast<std::int64_t>(bits.size()) - 1;
  return bits.size() == 1
             ? fmt::format("byte {}, bit {}", byte, low)
             : fmt::format("byte {}, bits {}..{}", byte, low, last);
}

void run_at(Context& context, const AtCommand& options) {
  const Layout layout = options.bind_tensor();
  const std::vector<std::int64_t> index = index_of(options, layout);
  const Tensor& tensor =
      layout.tensors()[static_cast<std::size_t>(layout.tensor())];
  const std::int64_t bit = layout.bit_of(index);
  std::vector<std::int64_t> at(layout.axes().size());
  layout.coordinates_at(bit, at);
  const bool whole =
      !tensor.bitwise && layout.place_bits() == layout.element_bits();
  // Elements of a width that machines load need no list of bits.
  const auto width = static_cast<std::uint64_t>(layout.element_bits());
  const bool listed =
      tensor.bitwise || width < 8 || !std::has_single_bit(width);
  const std::vector<std::int64_t> bits =
      listed ? bits_of(layout, index) : std::vector<std::int64_t>{};
  Json places = Json::array();
  for (const std::int64_t place : bits) places.push_back(place);
  context.answer(
      {{"byte", bit / 8},
       {"bit", bit},
       {"bit_in_byte", bit % 8},
       {"bits", bits.empty() ? Json(nullptr) : std::move(places)},
       {"element_bits", layout.element_bits()},
       {"element_offset",
        whole ? Json(bit / layout.element_bits()) : Json(nullptr)},
       {"part", tensor.name.empty() ? Json(nullptr) : Json(tensor.name)},
       {"coords", coordinates(layout, at)},
       {"index", named(layout.shape(), index)},
       {"dims", named(layout.shape())}},
      fmt::format(
          "{}{}  {}  ({}{} of {})\n",
          bits.empty() ? fmt::format("byte {}", bit / 8) : print_bits(bits),
          whole ? fmt::format("  element {}", bit / layout.element_bits()) : "",
          print_coordinates(layout, at), part_prefix(tensor),
          print_index(layout.shape(), index), print(layout.shape())));
}

}  // namespace

void add_at(Command app, Context& context) {
  Command command = app.add_command("at", "element -> where it is in memory");
  command.footer(
      "  stridewise at nChw16c --shape 2x17x5x4 n=1,c=16,h=4,w=3\n"
      "  stridewise at mace.channel --shape 2x17x5x4 --dtype f16 1,16,4,3\n"
      "  stridewise at 'n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }' "
      "--shape n=3,k=96 \\\n      --part q n=1,k=40");
  auto options = std::make_shared<AtCommand>();
  options->add_to(command);
  command
      .add_option("INDEX", options->index,
                  "n=1,c=16,h=4,w=3, or 1,16,4,3 in the shape's order")
      .required();
  command.callback([&context, options] { run_at(context, *options); });
}

}  // namespace stridewise::cli
