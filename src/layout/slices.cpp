// Slices of one tensor hold each of its elements once.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "layout/tensors.hpp"

namespace stridewise::detail {
namespace {

constexpr std::size_t most_corners = 4096;

// Which values of a dim, or bits, a piece holds: a chain of slices and cuts.
struct Link {
  std::int64_t low;
  std::int64_t extent;
  std::int64_t divisor;  // of the cut that follows; 0: none

  friend bool operator==(const Link&, const Link&) = default;
};
using Links = std::vector<Link>;

// The variable made of `parent` by a slice or a cut, or -1.
std::int32_t next_of(const Piece& piece, std::int32_t parent) {
  for (std::size_t k = 0; k < piece.variables.size(); ++k) {
    const Variable& v = piece.variables[k];
    if (v.source == parent && v.kind == Variable::Kind::slice) {
      return static_cast<std::int32_t>(k);
    }
  }
  return -1;
}

// The rest that a cut leaves of a slice and that goes on in a slice, or -1. Shares
// (%%) are rests too, of whole dims: these hold all values.
std::int32_t rest_of(const Piece& piece, std::int32_t slice) {
  for (std::size_t k = 0; k < piece.variables.size(); ++k) {
    const Variable& v = piece.variables[k];
    if (v.source == slice && v.kind == Variable::Kind::rest &&
        next_of(piece, static_cast<std::int32_t>(k)) >= 0) {
      return static_cast<std::int32_t>(k);
    }
  }
  return -1;
}

Links links_of(const Piece& piece, std::int32_t root) {
  const auto extent = [&](std::int32_t k) {
    return piece.variables[static_cast<std::size_t>(k)].extent;
  };
  Links links = {{0, extent(root), 0}};
  std::int32_t at = root;
  for (;;) {
    if (const std::int32_t slice = next_of(piece, at); slice >= 0) {
      links.back().low += piece.variables[static_cast<std::size_t>(slice)].low;
      links.back().extent = extent(slice);
      at = slice;
      continue;
    }
    const std::int32_t rest = rest_of(piece, at);
    if (rest < 0) return links;
    links.back().divisor = extent(rest);
    links.push_back({0, extent(rest), 0});
    at = rest;
  }
}

// How many values, in steps of `grain`.
Checked count_of(const Links& links, std::int64_t grain) {
  Checked count = ceil_div(links.back().extent, grain);
  for (const Link& link : links) {
    if (link.divisor != 0) count = mul(count, link.extent / link.divisor);
  }
  return count;
}

bool disjoint(const Links& a, const Links& b) {
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k].low + a[k].extent <= b[k].low ||
        b[k].low + b[k].extent <= a[k].low) {
      return true;
    }
    if (a[k] != b[k]) return false;
  }
  return false;
}

class Slices {
 public:
  Slices(const LayoutData& data, const TensorData& tensor)
      : data_(data), tensor_(tensor) {
    for (const std::int32_t p : tensor.pieces) {
      const Piece& piece = data.pieces[static_cast<std::size_t>(p)];
      std::vector<Links> links(tensor.dims.size() + 1);
      for (std::size_t k = 0; k < piece.variables.size(); ++k) {
        const Variable& v = piece.variables[k];
        const auto root = static_cast<std::int32_t>(k);
        if (v.kind == Variable::Kind::dim && v.own_dim >= 0) {
          links[static_cast<std::size_t>(v.own_dim)] = links_of(piece, root);
        }
        if (v.kind == Variable::Kind::bit && is_own(v)) {
          links.back() = links_of(piece, root);
        }
      }
      if (links.back().empty()) {
        links.back() = {{0, tensor.tensor.element_bits, 0}};
      }
      pieces_.push_back(std::move(links));
    }
  }

  Result<void> run() const {
    for (std::size_t a = 0; a < pieces_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (meet(a, b)) return wrong("two parts hold the same elements of", 2);
      }
    }
    Checked held = 0;
    for (const std::vector<Links>& piece : pieces_)
      held = add(held, size(piece));
    const Checked all =
        mul(tensor_.tensor.elements, tensor_.tensor.element_bits);
    if (held == all) return {};
    return wrong("no part holds all elements of", 0);
  }

 private:
  bool is_own(const Variable& v) const {
    return v.extent == tensor_.tensor.element_bits;
  }

  bool meet(std::size_t a, std::size_t b) const {
    for (std::size_t k = 0; k < pieces_[a].size(); ++k) {
      if (disjoint(pieces_[a][k], pieces_[b][k])) return false;
    }
    return true;
  }

  Checked size(const std::vector<Links>& piece) const {
    Checked size = count_of(piece.back(), 1);
    for (std::size_t k = 0; k + 1 < piece.size(); ++k) {
      size = mul(size, count_of(piece[k], tensor_.scales[k]));
    }
    return size;
  }

  // How many pieces hold that bit of that index.
  std::int64_t holders(const std::vector<std::int64_t>& index,
                       std::int64_t bit) const {
    return std::ranges::count_if(tensor_.pieces, [&](std::int32_t p) {
      return data_.pieces[static_cast<std::size_t>(p)]
          .bit_of(index, bit)
          .has_value();
    });
  }

  // An element that `wanted` or more pieces hold (0: none), among the corners of all
  // slices.
  unexpected<Error> wrong(const std::string& what, std::int64_t wanted) const {
    std::vector<std::vector<std::int64_t>> values(tensor_.dims.size() + 1);
    std::size_t corners = 1;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool bits = k == tensor_.dims.size();
      const std::int64_t extent =
          bits ? tensor_.tensor.element_bits : tensor_.tensor.shape[k].extent;
      const std::int64_t scale = bits ? 1 : tensor_.scales[k];
      std::set<std::int64_t> found = {0};
      for (const std::vector<Links>& piece : pieces_) {
        for (const Link& link : piece[k]) {
          found.insert(link.low / scale);
          found.insert((link.low + link.extent) / scale);
        }
      }
      for (const std::int64_t x : found) {
        if (x < extent) values[k].push_back(x);
      }
      corners *= std::max<std::size_t>(values[k].size(), 1);
      if (corners > most_corners) break;
    }
    const std::string whose = fmt::format(
        "{} {}", what,
        tensor_.tensor.name.empty() ? "the tensor" : tensor_.tensor.name);
    if (corners > most_corners) {
      return fail(ErrorCode::invalid_layout, whose);
    }
    for (std::size_t c = 0; c < corners; ++c) {
      std::vector<std::int64_t> at;
      std::size_t rest = c;
      for (const auto& list : values) {
        at.push_back(list[rest % list.size()]);
        rest /= list.size();
      }
      const std::int64_t bit = at.back();
      at.pop_back();
      const std::int64_t count = holders(at, bit);
      if (wanted == 0 ? count != 0 : count < wanted) continue;
      const bool one_bit = std::ranges::any_of(pieces_, [&](const auto& piece) {
        return piece.back().front().extent != tensor_.tensor.element_bits;
      });
      return fail(ErrorCode::invalid_layout,
                  fmt::format("{}: {} {}{}", whose,
                              wanted == 0 ? "none has" : "such as",
                              print_index(tensor_.tensor.shape, at),
                              one_bit ? fmt::format(" #={}", bit) : ""));
    }
    return fail(ErrorCode::invalid_layout, whose);
  }

  const LayoutData& data_;
  const TensorData& tensor_;
  std::vector<std::vector<Links>> pieces_;  // of each own dim, then of bits
};

}  // namespace

Result<void> check_slices(const LayoutData& data, const TensorData& tensor) {
  const bool sliced = std::ranges::any_of(tensor.pieces, [&](std::int32_t p) {
    return std::ranges::any_of(
        data.pieces[static_cast<std::size_t>(p)].variables,
        [](const Variable& v) { return v.kind == Variable::Kind::slice; });
  });
  if (tensor.tensor.elements == 0) return {};
  if (!tensor.pieces.empty() && tensor.pieces.size() < 2 && !sliced) return {};
  return Slices(data, tensor).run();
}

}  // namespace stridewise::detail
