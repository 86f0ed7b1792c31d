// What follows from a layout: sizes, digits, its entry in the catalogue, other dialects.
// SPDX-License-Identifier: Apache-2.0
#include "reply.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::explorer {
namespace {

// Of all pieces of the normal form.
Json digits_json(const Layout& layout) {
  Json digits = Json::array();
  for (const LayoutPiece& piece : layout.pieces()) {
    const Tensor& tensor =
        layout.tensors()[static_cast<std::size_t>(piece.tensor)];
    for (const LayoutPiece::Digit& digit : piece.digits) {
      digits.push_back(
          {{"part", tensor.name},
           {"axis", layout.axes()[static_cast<std::size_t>(digit.axis)].name},
           {"digit", print(digit.term)},
           {"extent", count(digit.extent)},
           {"stride_bits", count(digit.stride_bits)}});
    }
  }
  return digits;
}

Json parts_json(const Layout& layout) {
  Json parts = Json::array();
  for (const Tensor& tensor : layout.tensors()) {
    if (!tensor.name.empty()) parts.push_back(tensor.name);
  }
  return parts;
}

Json dialects_json(const Layout& layout) {
  Json texts = Json::array();
  for (const std::string& name : dialect_names()) {
    const Result<std::string> text = print_as(layout, *parse_dialect(name));
    texts.push_back({{"dialect", name},
                     {"text", text ? Json(*text) : Json(nullptr)},
                     {"why", text ? "" : text.error().message}});
  }
  return texts;
}

Json layout_json(const LayoutSource& source, const Layout& layout) {
  const bool counts = layout.plain() && layout.valid();
  Json json = {
      {"expression", print(layout.expression())},
      {"dims", named(layout.shape())},
      {"entry", source.entry ? Json(source.entry->name) : Json(nullptr)},
      {"size_bytes", count(layout.size_bytes())},
      {"elements", count(layout.elements())},
      {"padding_elements",
       counts ? count(layout.places() - layout.elements()) : Json(nullptr)},
      {"element_bits", layout.element_bits()},
      {"dense", layout.dense()},
      {"plain", layout.plain()},
      {"digits", digits_json(layout)},
      {"parts", parts_json(layout)},
      {"reason",
       layout.defect() ? Json(layout.defect()->message) : Json(nullptr)}};
  if (layout.tensor() >= 0) json["dialects"] = dialects_json(layout);
  return json;
}

}  // namespace

// What the texts of layouts need beside a shape, and have: before any size is known.
Reply needs(const Request& request) {
  const auto sources = sources_of(request);
  if (!sources) return unexpected(sources.error());
  std::vector<std::string> tables;
  for (const LayoutSource& source : *sources) {
    for (std::string& name : source.expression.tables()) {
      tables.push_back(std::move(name));
    }
  }
  return Json{{"tables", tables},
              {"parts", sources->front().expression.parts()},
              {"dims", dims_of(sources->front())}};
}

Reply facts(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  Json layouts = Json::array();
  layouts.push_back(layout_json(subject->sources[0], subject->layout));
  if (subject->to) {
    layouts.push_back(layout_json(subject->sources[1], *subject->to));
  }
  return Json{{"shape", print(subject->shape)},

              {"extents", named(subject->shape)},
              {"dtype", subject->type.name},
              {"layouts", std::move(layouts)}};
}

}  // namespace stridewise::explorer
