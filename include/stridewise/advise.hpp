// Which layout a tensor should have: what a layout costs, as numbers; candidates from the
// catalogue, ranked by them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// What a chip has room for and reads at once. 0 or empty: not known, and no limit.
struct Chip {
  // The axis whose coordinate is the number of the bank ("npu"). Empty: byte b of memory is
  // in bank b / bank_width_bytes % banks.
  std::string bank_axis = {};
  std::int64_t banks = 0;
  std::int64_t bank_width_bytes = 0;
  std::int64_t bank_bytes = 0;    // room in one bank
  std::int64_t memory_bytes = 0;  // room for the tensor
  std::int64_t row_alignment_bytes =
      0;                          // what rows should begin at multiples of
  std::int64_t vector_bytes = 0;  // of one load
  // Loops of one descriptor of a DMA, of which the innermost walks a run of bytes.
  std::int64_t dma_dims = 0;
  // The most coordinates of an axis, by its name: {"pixel", 16384}.
  std::map<std::string, std::int64_t, std::less<>> axes = {};

  friend bool operator==(const Chip&, const Chip&) = default;
};

// Its numbers by name, as catalogues and options have them.
struct ChipLimit {
  std::string_view name;
  std::int64_t Chip::*member;
};
inline constexpr std::array<ChipLimit, 7> chip_limits = {
    {{"banks", &Chip::banks},
     {"bank_width_bytes", &Chip::bank_width_bytes},
     {"bank_bytes", &Chip::bank_bytes},
     {"memory_bytes", &Chip::memory_bytes},
     {"row_alignment_bytes", &Chip::row_alignment_bytes},
     {"vector_bytes", &Chip::vector_bytes},
     {"dma_dims", &Chip::dma_dims}}};
// Sets one of them; a name that is none is an axis, whose coordinates are at most so many.
void set_limit(Chip& chip, std::string_view name, std::int64_t most);

// How a kernel reads the tensor.
struct Access {
  // The dim along which it loads vectors; empty: none.
  std::string vector_dim = {};
  std::int64_t vector_lanes = 0;
  // The box of indices that it reads at once, for conflicts of banks; empty: the vector.
  std::vector<Dim> box = {};

  friend bool operator==(const Access&, const Access&) = default;
};

struct DimFacts {
  std::string dim;
  // Places whose digits are past the end of this dim, whatever those of others are. A place
  // may be past several. Zero where the layout is not plain.
  std::int64_t padding_places = 0;
  // The most neighbouring indices, all others as they are, that lie side by side. nullopt:
  // too many indices to be walked.
  std::optional<std::int64_t> run = {};
};

struct BankFacts {
  std::int64_t banks = 0;  // that there are
  std::int64_t used = 0;   // that hold an element
  // From the first byte of the tensor in a bank to the end of its last element, rounded up
  // to whole rows; of the bank where that is most. All banks give up as much.
  std::int64_t fullest_bytes = 0;
  std::int64_t fullest_elements = 0;  // of the bank that has most
};

// How many turns a bank takes for one access: of its words that are asked for, most in one
// bank. 1: none waits. Where an axis tells the bank and no width does, each element is a word.
struct ConflictFacts {
  std::int64_t worst = 1;
  double mean =
      1;  // over all places of the box, which begins at multiples of its extents
};

struct VectorFacts {
  std::int64_t per_line = 0;  // loads that hold all indices of the dim
  double filled = 0;          // the part of their lanes that does
};

// What a layout costs. Each number is what a walk over all places would count; it is had
// from the digits where the layout is plain. Of one that is not, facts other than sizes are
// known for up to 65,536 elements whose bits lie side by side, rows and descriptors never.
struct LayoutFacts {
  std::int64_t bytes =
      0;  // that the tensor takes; all banks where there are any
  std::int64_t element_bytes =
      0;  // of the elements alone, rounded up to whole bytes
  std::vector<DimFacts> dims = {};  // as the shape
  std::optional<BankFacts> banks = {};
  // Room that the tensor leaves: of a bank, where the chip says `bank_bytes`, else of
  // `memory_bytes`. Less than 0 where it does not fit; nullopt where neither is said.
  std::optional<std::int64_t> left_bytes = {};
  std::optional<ConflictFacts> conflicts = {};
  std::optional<VectorFacts> vectors = {};
  // Stretches of elements that follow each other in memory, as long as they go.
  std::optional<std::int64_t> runs = {};
  // That read all elements in the order of memory, of a DMA of so many dims.
  std::optional<std::int64_t> descriptors = {};
  // The most bytes that each row begins at a multiple of. A row is elements that differ in
  // nothing but the dim of the least stride. 0: there is one row, at byte 0.
  std::optional<std::int64_t> row_alignment_bytes = {};

  [[nodiscard]] std::int64_t waste_bytes() const {
    return bytes - element_bytes;
  }
};

// Pre: the layout is valid and one of its tensors is chosen. Errors: a dim of the access
// that the tensor has not, a box of more than 4,096 indices or none.
// O(extents x digits), and the places of the box.
[[nodiscard]] Result<LayoutFacts> layout_facts(const Layout& layout,
                                               const Chip& chip = {},
                                               const Access& access = {});

// A limit of the chip that a layout does not keep.
struct MissedLimit {
  std::string limit;  // "bank_bytes", "memory_bytes", or the name of an axis
  std::int64_t is = 0;
  std::int64_t most = 0;
};
[[nodiscard]] std::vector<MissedLimit> missed_limits(const Layout& layout,
                                                     const LayoutFacts& facts,
                                                     const Chip& chip);

// ------------------------------------------------------------- candidates ---

// What is lost against a layout that loses nothing: each is 0 at best and has no unit.
enum class Cost : std::uint8_t {
  waste,  // bytes that hold no element, for each byte of the elements
  banks,  // banks x elements of the fullest bank, against all elements; less 1
  conflicts,  // turns of the busiest bank, in the mean; less 1
  lanes,      // lanes of loads along the vector's dim, for each element; less 1
  runs,     // 64 bytes for each jump to another run, for each byte of elements
  rows,     // the part of the alignment that rows should have and have not
  convert,  // the price there and back, in copies of the same bytes; less 1
};
inline constexpr std::size_t cost_count = 7;
inline constexpr std::array<std::string_view, cost_count> cost_names = {
    "waste", "banks", "conflicts", "lanes", "runs", "rows", "convert"};
using Weights = std::array<double, cost_count>;
// A conversion happens once, reads happen often.
inline constexpr Weights default_weights = {1, 1, 1, 1, 1, 0.5, 0.1};

// What a plan says of a conversion.
struct Price {
  std::int64_t bytes = 0;  // read and written
  // By the model of the planner; nullopt where it has no price: of fields of bits.
  std::optional<double> cycles = {};
  std::optional<double> copies = {};  // of what a copy of the tensor takes
};

struct AdviseOptions {
  // Vendors of the catalogue, or entries, with values for parameters: "okk",
  // "okk(npus=4)", "okk.matrix(npus=4)". Empty: all.
  std::vector<std::string> families = {};
  Access access = {};
  // Replaces what the catalogue says of the chip, where it is set.
  Chip chip = {};
  // What the tensor is in now.
  std::optional<Layout> from = {};
  Weights weights = default_weights;
  std::string machine = {};  // as PlanOptions::machine
};

struct Candidate {
  std::string name;                    // a text that resolve_layout() takes
  std::vector<std::string> also = {};  // others that put all in the same places
  Layout layout;
  Chip chip;
  LayoutFacts facts = {};
  std::vector<MissedLimit> missed = {};
  std::optional<Price> there = {};  // from what the tensor is in now
  std::optional<Price> back = {};
  std::array<std::optional<double>, cost_count> costs = {};
  // Costs that apply, but are not known: the layout is too large to be walked, or the plan
  // has no price.
  std::array<bool, cost_count> unknown = {};
  double score = 0;  // the weighted sum; what is not known counts as the worst
  bool front = false;  // no other one is as good in all and better in one
};

struct LeftOut {
  std::string name;
  std::string why;
};

struct Advice {
  // Those that fit the chip first, then the least score. Of each entry the best.
  std::vector<Candidate> candidates = {};
  std::vector<LeftOut> left_out = {};
  std::int64_t tried = 0;  // values of parameters, too
};

// Layouts of the catalogue for a tensor, ranked. Errors: a family that is not known, or a
// parameter that none of its entries has; no entry for these dims; those of layout_facts()
// and of check_axes().
// O(values that are tried) facts, and one plan for each entry where `from` is set.
[[nodiscard]] Result<Advice> advise(const Shape& shape,
                                    std::int64_t element_bits,
                                    const AdviseOptions& options,
                                    const Catalogue& names = catalogue());

// The shape that a text tells: "m=128,k=64", or numbers without names, "2x40": of the dims
// that all layouts of the families with as many share, or n, c, h, w among others. Errors:
// those of parse_shape; unknown_name where there are several such dims; the message lists them.
[[nodiscard]] Result<Shape> family_shape(
    std::string_view text, const std::vector<std::string>& families,
    const Catalogue& names = catalogue());

// What kernels of an operation do with a tensor.
enum class Operation : std::uint8_t { copy, conv, pool, gemm };
// "copy", "conv", "pool" or "gemm"; nullopt: none of them.
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);
// The vectors that they load, of as many lanes as the chip has: along the channels (c, else
// i) for conv and pool, along k (else the last dim) for gemm, none for copy.
[[nodiscard]] Access access_of(Operation operation, const Shape& shape);

// Whether each axis that the chip limits is one of a candidate: another name is misspelt.
[[nodiscard]] Result<void> check_axes(const Chip& chip,
                                      std::span<const Candidate> candidates);

// A layout of one's own, with the same columns as those of advise().
[[nodiscard]] Result<Candidate> assess(const LayoutSource& source,
                                       const Shape& shape,
                                       std::int64_t element_bits,
                                       const AdviseOptions& options);

// The chip of the layout's entry, of which `more` replaces what it sets.
[[nodiscard]] Result<Chip> chip_of(const LayoutSource& source,
                                   const Shape& shape,
                                   std::int64_t element_bits,
                                   const Chip& more = {});

// What an entry is good for, in a sentence: what lies side by side, what is rounded up, over
// which banks it is dealt; with the defaults of its parameters. Empty where only who uses it
// can tell: of parameters without a default, or a memory of several tensors.
[[nodiscard]] std::string good_for(const CatalogueEntry& entry,
                                   const Catalogue& names = catalogue());

// How a candidate differs from another, a sentence for each cost of which they do.
[[nodiscard]] std::vector<std::string> compare_candidates(const Candidate& a,
                                                          const Candidate& b);

}  // namespace stridewise
