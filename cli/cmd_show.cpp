// stridewise show LAYOUT --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

const std::string& axis_name(const Layout& layout, std::int32_t axis) {
  return layout.axes()[static_cast<std::size_t>(axis)].name;
}

const std::string& dim_name(const Layout& layout, const BoundTerm& term) {
  return layout.shape()[static_cast<std::size_t>(term.dim)].name;
}

const Tensor& tensor_of(const Layout& layout, std::int32_t tensor) {
  return layout.tensors()[static_cast<std::size_t>(tensor)];
}

std::string type_name(const Tensor& tensor, const LayoutOptions& options) {
  return std::string(tensor.type.empty()
                         ? options.type().name
                         : value_of(parse_element_type(tensor.type)).name);
}

// A number of bits as bytes where it is whole ones: "12", "1.5".
std::string bytes_of(std::int64_t bits) {
  return bits % 8 == 0 ? fmt::format("{}", bits / 8)
                       : fmt::format("{}", static_cast<double>(bits) / 8);
}

// "k 0..128, # 4..6"
std::string print_slices(const LayoutPiece& piece) {
  std::string text;
  for (const Slice& slice : piece.slices) {
    text += fmt::format("{}{} {}..{}", text.empty() ? "" : ", ", slice.dim,
                        slice.low, slice.high);
  }
  return text;
}

// ------------------------------------------------------------------ JSON ---

Json term_json(const Layout& layout, const BoundTerm& term) {
  return {{"axis", axis_name(layout, term.axis)},
          {"dim", dim_name(layout, term)},
          {"bias", term.bias},
          {"div", term.div},
          {"mod", term.mod == 0 ? Json(nullptr) : Json(term.mod)},
          {"extent", term.extent},
          {"stride_elements", term.stride},
          {"flat_stride_elements", term.flat_stride}};
}

Json piece_json(const Layout& layout, const LayoutPiece& piece) {
  Json digits = Json::array();
  for (const LayoutPiece::Digit& digit : piece.digits) {
    digits.push_back({{"axis", axis_name(layout, digit.axis)},
                      {"digit", print(digit.term)},
                      {"extent", digit.extent},
                      {"stride_bits", digit.stride_bits}});
  }
  const Tensor& tensor = tensor_of(layout, piece.tensor);
  return {{"part", tensor.name.empty() ? Json(nullptr) : Json(tensor.name)},
          {"slices", print_slices(piece)},
          {"base_bits", piece.base_bits},
          {"digits", std::move(digits)}};
}

Json parts_json(const Layout& layout, const LayoutOptions& options) {
  Json parts = Json::array();
  for (const Tensor& tensor : layout.tensors()) {
    if (tensor.name.empty()) continue;
    parts.push_back({{"name", tensor.name},
                     {"dtype", type_name(tensor, options)},
                     {"element_bits", tensor.element_bits},
                     {"dims", named(tensor.shape)},
                     {"elements", tensor.elements},
                     {"bitwise", tensor.bitwise}});
  }
  return parts;
}

// Places without an element, where places are those of one tensor.
Json padding_json(const Layout& layout) {
  const bool counts = layout.plain() && layout.valid();
  return counts ? Json(layout.places() - layout.elements()) : Json(nullptr);
}

Json layout_json(const Layout& layout, const LayoutOptions& options) {
  Json axes = Json::array();
  for (const BoundAxis& axis : layout.axes()) {
    axes.push_back({{"name", axis.name},
                    {"extent", axis.extent},
                    {"base", axis.base},
                    {"pitch_bytes", axis.pitch_bytes},
                    {"pitch_bits", axis.pitch_bits}});
  }
  Json terms = Json::array();
  for (const BoundTerm& term : layout.terms()) {
    terms.push_back(term_json(layout, term));
  }
  Json pieces = Json::array();
  for (const LayoutPiece& piece : layout.pieces()) {
    pieces.push_back(piece_json(layout, piece));
  }
  Json json = {{"layout", options.layout},
               {"expression", print(layout.expression())},
               {"dims", named(layout.shape())},
               {"dtype", options.type().name},
               {"axes", std::move(axes)},
               {"terms", std::move(terms)},
               {"pieces", std::move(pieces)},
               {"parts", parts_json(layout, options)},
               {"size_bytes", layout.size_bytes()},
               {"size_bits", layout.size_bits()},
               {"element_bits", layout.element_bits()},
               {"elements", layout.elements()},
               {"padding_elements", padding_json(layout)},
               {"dense", layout.dense()},
               {"plain", layout.plain()},
               {"valid", layout.valid()},
               {"readable", layout.tensor() < 0 || !layout.unreadable()}};
  if (!layout.valid()) json["reason"] = layout.defect()->message;
  return json;
}

// ------------------------------------------------------------------ text ---

std::string plain_text(const Layout& layout) {
  std::string text = "\n  axis       digit            extent       stride\n";
  for (const BoundTerm& term : layout.terms()) {
    const Digit digit{dim_name(layout, term), term.bias, term.div, term.mod};
    text += fmt::format("  {:<10} {:<12} {:>10} {:>12}\n",
                        axis_name(layout, term.axis), print(digit), term.extent,
                        term.stride);
  }
  return text;
}

std::string title_of(const Layout& layout, const LayoutPiece& piece) {
  const Tensor& tensor = tensor_of(layout, piece.tensor);
  const std::string slices = print_slices(piece);
  std::string title = tensor.name.empty() ? "piece" : "part " + tensor.name;
  if (!slices.empty()) title += fmt::format(" [{}]", slices);
  if (piece.base_bits != 0) {
    title += fmt::format(", from byte {}", bytes_of(piece.base_bits));
  }
  return title;
}

std::string pieces_text(const Layout& layout) {
  std::string text;
  for (const LayoutPiece& piece : layout.pieces()) {
    text += fmt::format(
        "\n  {}\n  axis       digit                extent        bytes\n",
        title_of(layout, piece));
    for (const LayoutPiece::Digit& digit : piece.digits) {
      text += fmt::format("  {:<10} {:<16} {:>10} {:>12}\n",
                          axis_name(layout, digit.axis), print(digit.term),
                          digit.extent, bytes_of(digit.stride_bits));
    }
  }
  return text;
}

std::string parts_text(const Layout& layout, const LayoutOptions& options) {
  std::string text;
  for (const Tensor& tensor : layout.tensors()) {
    if (tensor.name.empty()) continue;
    text += fmt::format("  part      {}: {} of {}, {} elements\n", tensor.name,
                        tensor.shape.empty() ? "one" : print(tensor.shape),
                        type_name(tensor, options), tensor.elements);
  }
  return text;
}

std::string layout_text(const Layout& layout, const LayoutOptions& options) {
  std::string text = fmt::format(
      "{}\n  shape     {} of {}\n  size      {} bytes ({})\n"
      "  elements  {}{}\n{}",
      print(layout.expression()), print(layout.shape()),
      layout.tensor() >= 0
          ? type_name(tensor_of(layout, layout.tensor()), options)
          : options.type().name,
      bytes_of(layout.size_bits()),
      print_bytes(static_cast<double>(layout.size_bytes())), layout.elements(),
      layout.plain() && layout.valid()
          ? fmt::format(", and {} places without an element",
                        layout.places() - layout.elements())
          : "",
      parts_text(layout, options));
  for (const BoundAxis& axis : layout.axes()) {
    text +=
        fmt::format("  axis      {}: extent {}, {} bytes a step{}\n", axis.name,
                    axis.extent, bytes_of(axis.pitch_bits),
                    axis.base == 0 ? "" : fmt::format(", from {}", axis.base));
  }
  text += layout.plain() ? plain_text(layout) : pieces_text(layout);
  if (!layout.valid()) {
    text += fmt::format("\nNOT VALID: {}\n", layout.defect()->message);
    if (!layout.unreadable() && layout.tensor() >= 0) {
      text += "It can be read: every index has a place.\n";
    }
  }
  return text;
}

// --------------------------------------------------------------- dialects ---

// The layout in the dialects asked for; one that none of them can say is a "no".
void answer_as(Context& context, const Layout& layout,
               const LayoutOptions& options, const std::string& as) {
  const std::vector<std::string> names =
      as == "all" ? dialect_names() : std::vector<std::string>{as};
  Json json = Json::object();
  std::string text;
  bool said = false;
  for (const std::string& name : names) {
    const Result<std::string> word =
        print_as(layout, value_of(parse_dialect(name)));
    said = said || word;
    json[name] =
        word ? Json{{"text", *word}}
             : Json{{"text", nullptr}, {"reason", word.error().message}};
    text += as == "all" ? fmt::format("{:<10} ", name) : "";
    text += word ? *word + "\n"
                 : fmt::format("{} cannot say it: {}\n",
                               as == "all" ? "-" : name, word.error().message);
  }
  context.answer({{"layout", options.layout}, {"as", std::move(json)}}, text);
  if (!said) context.exit_code = exit_no;
}

}  // namespace

void add_show(Command app, Context& context) {
  Command command = app.add_command(
      "show", "all that follows from a layout: digits, strides, size, padding");
  command.footer(
      "Strides are in steps of their axis: elements on the last one. Where a "
      "layout is more\nthan plain digits, they are in bytes of the memory. "
      "Exit "
      "code 1 when the layout is\nnot valid: a dim is not covered, or two "
      "elements share a place.\n"
      "  stridewise show nChw16c --shape 2x17x5x4\n"
      "  stridewise show 'n:120 c:30 h:8 w' --shape n=2,c=3,h=3,w=5 --dtype "
      "s8\n"
      "  stridewise show 'n k/32 { d:f16 = - ; q:u4 = k%16 k%32/16 }' "
      "--shape n=3,k=96\n"
      "  stridewise show nhwc --shape 2x17x5x4 --as torch");
  auto options = std::make_shared<LayoutOptions>();
  options->add_to(command);
  auto as = std::make_shared<std::string>();
  command.add_option("--as", *as,
                     "write it as another program does: onednn, tvm, openvino, "
                     "xla, cute,\ntirx, numpy, torch, or all of them");
  command.callback([&context, options, as] {
    if (!as->empty()) {
      answer_as(context, options->bind_tensor(), *options, *as);
      return;
    }
    const Layout layout = options->bind();
    context.answer(layout_json(layout, *options),
                   layout_text(layout, *options));
    if (!layout.valid()) context.exit_code = exit_no;
  });
}

}  // namespace stridewise::cli
