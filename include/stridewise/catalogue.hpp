// Vendors as data: named layouts with their dims, parameters, preconditions,
// source and errata; and the one way from any text to a layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// The values of a parameter that advise() tries: a list, or a range. Numbers are arithmetic
// as those of default values.
struct CatalogueTries {
  std::vector<std::string> values = {};
  std::string least = {};
  std::string most = {};
  // The parameter cuts this extent into parts that are dealt over so many banks. Of a long
  // range those values are tried then between which one part more is dealt, and multiples
  // of a unit, at which parts fill whole rows.
  std::string cuts = {};
  std::string over = {};
  std::string unit = "1";

  [[nodiscard]] bool empty() const { return values.empty() && most.empty(); }
};

// A parameter of a catalogue entry. Its value is a number, or for a parameter
// with choices one of their names.
struct CatalogueParam {
  struct Choice {
    std::string name, notation;
  };

  std::string name;
  // Arithmetic over the parameters before it, element_bits, element_bytes and the extents
  // of the dims ("start*npu_bytes"); a choice's name; "natural" for a stride that may be
  // left out; empty: must be given.
  std::string default_value;
  std::string doc;
  std::int64_t min = 0;
  std::string excludes = {};  // a parameter not to be given beside it
  std::vector<Choice> choices = {};
  CatalogueTries tries = {};
};

// What a chip has, as Chip of advise.hpp: numbers are arithmetic over an entry's parameters.
struct CatalogueChip {
  std::string bank_axis = {};
  std::map<std::string, std::string, std::less<>> limits = {};  // by member
  std::map<std::string, std::string, std::less<>> axes = {};
};

// A precondition: left relation right, both arithmetic over parameters, dim
// names (their extents), element_bits and element_bytes. Checked when sizes are known.
struct CatalogueCheck {
  enum class Relation : std::uint8_t { equal, at_most, less };

  std::string left;
  Relation relation = Relation::equal;
  std::string right;
  std::string message;    // what the vendor requires
  std::string when = {};  // "param=choice", or empty for always
};

struct CatalogueEntry {
  std::string name;  // "okk.aligned": a vendor and a layout of it
  std::vector<std::string> aliases;  // what else people call it
  std::string vendor;                // "Sophon OKKernel (BM1684 TPU)"
  std::string summary;               // one line: what the vendor uses it for
  std::vector<std::string> words;    // what people look for: "channels last"
  std::vector<std::string> dims;     // logical order
  std::vector<CatalogueParam> params;
  // The notation with ${arithmetic}, ${choice parameter} and ${:stride parameter}.
  std::string expression;
  std::vector<CatalogueCheck> checks;
  std::string source;               // where the vendor says so
  std::vector<std::string> errata;  // where documents err, and the truth
  // Texts of layouts that stand for it where advise() chooses; empty: its own name.
  std::vector<std::string> tries = {};
  CatalogueChip chip = {};
};

class Catalogue;

// The layouts that the library knows. The entry "onednn.TAG" stands for every tag.
[[nodiscard]] const Catalogue& catalogue();

// Named layouts. Immutable, cheap to copy, safe to read from many threads.
class Catalogue {
 public:
  Catalogue() = default;

  // The entries of one file: TOML, as those in the folder catalogue/; docs/catalogue.md
  // tells its keys. `file` is named in errors, with the line. Errors: what is no TOML,
  // an unknown key, an expression that is no layout.
  [[nodiscard]] static Result<Catalogue> read(std::string_view text,
                                              std::string_view file);
  // The entries of both, these first. Error invalid_value where a name is in both.
  [[nodiscard]] Result<Catalogue> with(const Catalogue& more) const;

  [[nodiscard]] std::span<const CatalogueEntry> entries() const;
  [[nodiscard]] auto begin() const { return entries().begin(); }
  [[nodiscard]] auto end() const { return entries().end(); }

  // The entry of that exact name, or nullptr. It lives as long as what is returned.
  [[nodiscard]] std::shared_ptr<const CatalogueEntry> find(
      std::string_view name) const;
  // Those in whose name, vendor, summary, source, words or aliases the text stands from the
  // begin of a word on, in any case: "kv cache", "npu" (which is not in "input").
  [[nodiscard]] std::vector<const CatalogueEntry*> about(
      std::string_view text) const;
  // Those that have the word as an alias.
  [[nodiscard]] std::vector<std::shared_ptr<const CatalogueEntry>> called(
      std::string_view word) const;

 private:
  friend const Catalogue& catalogue();

  std::shared_ptr<const std::vector<CatalogueEntry>> entries_;
};

// A layout whose text is understood, but whose sizes are not known yet.
struct LayoutSource {
  std::string name;  // "mace.channel", "onednn.nChw16c"; empty: an expression
  Expression expression;
  std::vector<std::string> dims;  // logical order; empty for an expression
  // The dims are a, b, c ...: positions, to be named after the other layout of
  // a pair (see align_dims).
  bool positional_dims = false;
  // The dims in the order in which the text itself spells them ("nhwc", "mli.chw",
  // "n h w c"); empty where it spells none ("mace.channel").
  std::vector<std::string> spelled_dims;
  // The entry that it is of, and what was given of its parameters. Where the entry
  // depends on the type or the sizes, `expression` is that of no type in particular, and
  // bind() makes the right one.
  std::shared_ptr<const CatalogueEntry> entry = {};
  std::map<std::string, std::string, std::less<>> arguments = {};
  // The extents of the dims, where the text tells them, as CuTe's does. bind() compares.
  std::vector<std::int64_t> extents = {};
  std::int64_t elements = 0;      // or only their product; 0: not told
  std::int64_t element_bits = 0;  // where the text tells the type
  std::string element_type = {};  // its name, where the text tells it

  // The expression for these sizes: that of the entry where it depends on them. Errors: a
  // precondition of the vendor that is not met.
  [[nodiscard]] Result<Expression> expression_for(const Shape& shape,
                                                  const Binding& binding) const;

  // Checks the vendor's preconditions, then binds. The shape's dims may be in
  // any order. Errors: those of Layout::bind, and a precondition not met.
  [[nodiscard]] Result<Layout> bind(const Shape& shape,
                                    std::int64_t element_bytes) const;
  // The same for elements that are no whole bytes, and with the entries of tables.
  [[nodiscard]] Result<Layout> bind(const Shape& shape,
                                    const Binding& binding) const;
};

// Any text that stands for a layout: an expression, a oneDNN tag ("nChw16c"), a text of
// another dialect (see dialect.hpp), or a catalogue name with parameters
// ("okk.aligned(npus=64,start=2)"; parameters by name or in the entry's order). The vendor
// may be left out where one entry alone has the word as an alias. A single word is an expression only
// when it is one of `known_dims`. Errors suggest the nearest name.
[[nodiscard]] Result<LayoutSource> resolve_layout(
    std::string_view text, std::span<const std::string> known_dims = {},
    const Catalogue& names = catalogue());

// Both steps at once: any text that stands for a layout, for this shape and an element of
// so many bytes. Errors: those of resolve_layout and of LayoutSource::bind.
[[nodiscard]] Result<Layout> bind_layout(std::string_view text,
                                         const Shape& shape,
                                         std::int64_t element_bytes);

// Renames the positional dims (a, b, c ...) of one layout after those of the
// other, where it has a logical order: "nchw" and "aBcd16b" speak of the same
// tensor then. An expression has none, so "ab" and "b a" keep their names.
void align_dims(LayoutSource& a, LayoutSource& b);

// What the text of a shape says of layouts of one tensor. Numbers without names are
// read in the logical order of the first layout that has one. Where the first layout
// that spells its dims spells them in another order, they can be read in that order
// as well: `spelled`, whose dims stand in that order. An empty text is the extents that
// a layout's own text tells, as CuTe's does.
struct ShapeReadings {
  Shape logical;
  std::optional<Shape> spelled;
};
// Errors: those of parse_shape; numbers without names for expressions alone; no text where
// no layout tells extents.
[[nodiscard]] Result<ShapeReadings> read_shape(
    std::string_view text, std::span<const LayoutSource> layouts);
// The shape where there is one reading; where there are two, an error that shows both.
[[nodiscard]] Result<Shape> shape_of(std::string_view text,
                                     std::span<const LayoutSource> layouts);

// The dims that a shape for this layout must name: logical order where the
// layout has one, else order of appearance.
[[nodiscard]] std::vector<std::string> dims_of(const LayoutSource& layout);

}  // namespace stridewise
