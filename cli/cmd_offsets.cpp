// stridewise offsets LAYOUT --shape S --dtype T --out FILE.npy
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "layout_options.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

struct OffsetsCommand : LayoutOptions {
  std::string out;
  std::string unit = "element";
  bool inverse = false;
};

constexpr std::int64_t slice = 1 << 16;  // numbers made at once

std::string what(const OffsetsCommand& options) {
  return options.inverse
             ? fmt::format(
                   "the number of the index at each {}; -1 padding, "
                   "-2 a gap, -3 another part",
                   options.unit)
             : fmt::format("the {} of each index", options.unit);
}

void run_offsets(Context& context, const OffsetsCommand& options) {
  const Layout layout = options.bind_tensor();
  const OffsetUnit unit = value_of(parse_offset_unit(options.unit));
  const Offsets offsets = value_of(Offsets::make(layout, unit));
  const std::int64_t count =
      options.inverse ? offsets.places() : offsets.count();
  const std::vector<std::int64_t> extents =
      options.inverse ? std::vector{count} : offsets.extents();
  const std::filesystem::path out = options.out;
  check_not_stdout(out);
  check_whole_file(out);
  value_of(check_tensor_name(out));
  for (const std::string& table : options.tables) {
    const std::string file = table.substr(table.find('=') + 1);
    if (value_of(is_same_file(file, out))) {
      throw Failure{
          {ErrorCode::io, out.string() + ": is a table of the layout"}};
    }
  }
  if (options.inverse && layout.unfindable()) {
    throw Failure{*layout.unfindable()};
  }
  const std::string header =
      is_npy(out)
          ? make_npy_header(value_of(parse_element_type("s64")), extents)
          : "";
  if (count > (std::int64_t{1} << 59)) {
    throw Failure{
        {ErrorCode::overflow,
         fmt::format("{} numbers of 8 bytes: no file is that large", count)}};
  }
  const auto head = static_cast<std::int64_t>(header.size());
  write_file(out, head + 8 * count, context.sync(), [&](std::byte* data) {
    std::ranges::copy(std::as_bytes(std::span(header)), data);
    std::vector<std::int64_t> numbers(
        static_cast<std::size_t>(std::min(slice, count)));
    for (std::int64_t first = 0; first < count; first += slice) {
      const std::span<std::int64_t> part(
          numbers.data(),
          static_cast<std::size_t>(std::min(slice, count - first)));
      if (options.inverse) {
        value_of(offsets.fill_inverse(first, part));
      } else {
        offsets.fill(first, part);
      }
      std::memcpy(data + head + 8 * first, part.data(), part.size_bytes());
    }
  });
  Json shape = Json::array();
  for (const std::int64_t extent : extents) shape.push_back(extent);
  context.answer(
      {{"file", out.string()},
       {"shape", std::move(shape)},
       {"unit", options.unit},
       {"inverse", options.inverse},
       {"dims", named(layout.shape())},
       {"memory_bits", layout.size_bits()},
       {"element_bits", layout.element_bits()}},
      fmt::format("{}: {} numbers ({}), {}\n", one_line(out.string()), count,
                  fmt::join(extents, "x"), what(options)));
}

}  // namespace

void add_offsets(Command app, Context& context) {
  Command command = app.add_command(
      "offsets",
      "where all elements lie, as an array of numbers: a gather "
      "table");
  command.footer(
      "64-bit integers, one for each index in logical order. A part that "
      "leaves "
      "the low\ndigits of a dim out has a dim of its own (k/32). Counted in "
      "bits, "
      "where the text says\nwhere each bit lies, one more dim is the bit.\n"
      "  stridewise offsets nChw16c --shape 2x17x5x4 --out at.npy\n"
      "  stridewise offsets nChw16c --shape 2x17x5x4 --inverse --out who.npy\n"
      "In NumPy, dump.reshape(-1)[np.load('at.npy')] is then the logical "
      "tensor.");
  auto options = std::make_shared<OffsetsCommand>();
  options->add_to(command);
  command.add_option("--out,-o", options->out, "file to write: .npy, else raw")
      .required();
  command.add_option("--unit,-u", options->unit, "bit, byte or element")
      .show_default();
  add_sync(command, context);
  command.add_flag("--inverse", options->inverse,
                   "for each place the number of its index; -1 padding, -2 a "
                   "gap, -3 another part");
  command.callback([&context, options] { run_offsets(context, *options); });
}

}  // namespace stridewise::cli
