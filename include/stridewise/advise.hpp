// Which layout a tensor should have: what a layout costs, as numbers; candidates from the
// catalogue, ranked by them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
// bank. 1: none waits.
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
// known for up to 65,536 elements.
struct LayoutFacts {
  std::int64_t bytes =
      0;  // that the tensor takes; all banks where there are any
  std::int64_t element_bytes =
      0;  // of the elements alone, rounded up to whole bytes
  std::vector<DimFacts> dims = {};  // as the shape
  std::optional<BankFacts> banks = {};
  std::optional<ConflictFacts> conflicts = {};
  std::optional<VectorFacts> vectors = {};
  // Stretches of elements that follow each other in memory, as long as they go.
  std::optional<std::int64_t> runs = {};
  // That read all elements in the order of memory, of a DMA of so many dims.
  std::optional<std::int64_t> descriptors = {};
  // The most bytes, a power of two, that each row begins at a multiple of: the elements that
  // differ in the dim of the least stride. 0: there is one row, at byte 0.
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

}  // namespace stridewise
