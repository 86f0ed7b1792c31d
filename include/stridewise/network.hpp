// A layout for every tensor of a network: such that operations, what is wasted and the
// conversions between them cost least.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

struct NetworkTensor {
  std::string name;
  Shape shape;
  std::int64_t element_bits = 32;
  // Where it is kept. Empty: as it is written; of one that no operation writes, as any reader
  // wants it.
  std::vector<std::string> layouts = {};
  // Whether readers that want it otherwise convert it. Not: all that touch it agree.
  bool converts = true;
};

// One way to run an operation.
struct NetworkChoice {
  // Of each tensor that it reads or writes.
  std::map<std::string, std::string, std::less<>> layouts = {};
  double cost = 0;  // in bytes that could be copied meanwhile
};

struct NetworkOperation {
  std::string name;
  std::vector<std::string> reads = {};
  std::vector<std::string> writes = {};
  std::vector<NetworkChoice> choices = {};
};

struct Network {
  std::vector<NetworkTensor> tensors = {};
  std::vector<NetworkOperation> operations = {};
};

// A network from TOML; docs/advise.md tells its keys. `file` is named in errors, with the line.
[[nodiscard]] Result<Network> read_network(std::string_view text,
                                           std::string_view file);

struct NetworkOptions {
  double waste_weight = 1;   // of a byte that holds no element
  std::string machine = {};  // as PlanOptions::machine
  // Entries of a table beyond which the optimum is bounded instead of found.
  std::int64_t most_entries = 1 << 22;
};

struct NetworkConversion {
  std::string tensor;
  std::string from;
  std::string to;
  double cost = 0;  // bytes that could be copied meanwhile
};

struct NetworkAdvice {
  // Of each operation: which of its choices; of each tensor: the layout that it is kept in.
  std::vector<std::size_t> choices = {};
  std::vector<std::string> layouts = {};
  std::vector<NetworkConversion> conversions = {};
  double cost = 0;        // of all
  double operations = 0;  // parts of it
  double waste = 0;
  double moves = 0;
  // No solution costs less. Equal to `cost`: this is the best there is.
  double bound = 0;
};

// The best choices. Exact where operations and tensors form a tree, and wherever tables of so
// many entries do: chains, residual blocks, skip connections. Otherwise good, with a bound.
// Errors: invalid_value for two tensors or operations of one name, two writers of a tensor, an
// operation without a choice; unknown_name for a tensor that is not there, or a layout that
// is none; mismatch where a choice leaves out one of its tensors, a layout does not suit the
// tensor, or no choices agree on a tensor that is not converted.
// O(operations x choices ^ (width + 1)), where width is 1 of a tree.
[[nodiscard]] Result<NetworkAdvice> advise_network(
    const Network& network, const NetworkOptions& options = {},
    const Catalogue& names = catalogue());

// What a given choice for each operation costs. Errors: as above.
// Pre: choices[k] is a choice of operation k.
[[nodiscard]] Result<NetworkAdvice> assess_network(
    const Network& network, const std::vector<std::size_t>& choices,
    const NetworkOptions& options = {}, const Catalogue& names = catalogue());

// What people do without asking: each operation in order takes what is cheapest by then.
[[nodiscard]] Result<NetworkAdvice> greedy_network(
    const Network& network, const NetworkOptions& options = {},
    const Catalogue& names = catalogue());
// Each operation takes the choice with most tensors in this layout, the cheapest of these.
[[nodiscard]] Result<NetworkAdvice> uniform_network(
    const Network& network, const std::string& layout,
    const NetworkOptions& options = {}, const Catalogue& names = catalogue());

}  // namespace stridewise
