// SPDX-License-Identifier: Apache-2.0
#include "layout/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"

namespace stridewise::detail {
namespace {

std::string title(const TensorData& tensor) {
  return tensor.tensor.name.empty() ? "the tensor"
                                    : "part " + tensor.tensor.name;
}

// How much of a dim one step of the tensor's own takes; 0 where it does not have it.
Result<std::int64_t> scale_of(const LayoutData& data, const TensorData& tensor,
                              std::size_t dim) {
  std::int64_t scale = -1;
  for (const std::int32_t p : tensor.pieces) {
    const std::int64_t own =
        data.inverses[static_cast<std::size_t>(p)].scales[dim];
    if (scale >= 0 && own != scale) {
      return fail(
          ErrorCode::invalid_layout,
          fmt::format("the slices of {} differ in how much they tell of dim {}",
                      title(tensor), data.shape[dim].name));
    }
    scale = own;
  }
  return std::max<std::int64_t>(scale, 0);
}

Result<void> find_own_dims(const LayoutData& data, TensorData& tensor) {
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    const Dim& dim = data.shape[d];
    const bool all = data.tensors.size() == 1 && tensor.tensor.name.empty();
    const Result<std::int64_t> scale =
        all ? Result<std::int64_t>(1) : scale_of(data, tensor, d);
    if (!scale) return unexpected(scale.error());
    if (*scale == 0) continue;
    tensor.dims.push_back(static_cast<std::int32_t>(d));
    tensor.scales.push_back(*scale);
    tensor.tensor.shape.push_back(
        {*scale == 1 ? dim.name : fmt::format("{}/{}", dim.name, *scale),
         ceil_div(dim.extent, *scale)});
  }
  const Result<std::int64_t> count = element_count(tensor.tensor.shape);
  if (!count) return unexpected(count.error());
  tensor.tensor.elements = *count;
  return {};
}

// Where a part knows no more of a dim than x/g, its slices and cuts are of whole x/g.
Result<void> check_grains(const LayoutData& data, const TensorData& tensor) {
  for (const std::int32_t p : tensor.pieces) {
    const auto& variables = data.pieces[static_cast<std::size_t>(p)].variables;
    for (const Variable& v : variables) {
      const bool slice = v.kind == Variable::Kind::slice;
      if (!slice && v.kind != Variable::Kind::rest) continue;
      const Variable* root = &v;
      while (root->kind == Variable::Kind::slice ||
             root->kind == Variable::Kind::rest) {
        root = &variables[static_cast<std::size_t>(root->source)];
      }
      const auto own = std::ranges::find(tensor.dims, root->source);
      if (root->kind != Variable::Kind::dim || own == tensor.dims.end())
        continue;
      const std::int64_t scale =
          tensor.scales[static_cast<std::size_t>(own - tensor.dims.begin())];
      if ((slice ? v.low : v.divisor.value()) % scale == 0) continue;
      return fail(ErrorCode::invalid_layout,
                  fmt::format("{} tells no more of dim {} than {}/{}, but its "
                              "slices are finer",
                              title(tensor), root->name, root->name, scale));
    }
  }
  return {};
}

// Tells the pieces' variables which own dim they are the index of.
void number_dims(LayoutData& data, const TensorData& tensor) {
  for (const std::int32_t p : tensor.pieces) {
    for (Variable& v : data.pieces[static_cast<std::size_t>(p)].variables) {
      if (v.kind != Variable::Kind::dim) continue;
      const auto own = std::ranges::find(tensor.dims, v.source);
      const auto k = own - tensor.dims.begin();
      const bool has = own != tensor.dims.end();
      v.own_dim = has ? static_cast<std::int32_t>(k) : -1;
      v.scale = has ? tensor.scales[static_cast<std::size_t>(k)] : 1;
    }
  }
}

// What all places of the tensor's elements are multiples of.
std::int64_t place_bits_of(const LayoutData& data, const TensorData& tensor) {
  std::int64_t bits = tensor.tensor.element_bits;
  for (const std::int32_t p : tensor.pieces) {
    const Piece& piece = data.pieces[static_cast<std::size_t>(p)];
    bits = std::gcd(std::gcd(bits, piece.unit), piece.base);
    for (const PieceTerm& term : piece.terms) {
      if (term.extent() > 1) bits = std::gcd(bits, term.stride);
    }
  }
  return bits;
}

bool is_plain(const LayoutData& data, const TensorData& tensor) {
  if (data.tensors.size() != 1 || tensor.pieces.size() != 1 ||
      !tensor.tensor.name.empty() || tensor.tensor.bitwise ||
      tensor.place_bits != tensor.tensor.element_bits) {
    return false;
  }
  const Piece& piece = data.pieces.front();
  return std::ranges::all_of(piece.terms,
                             [](const PieceTerm& term) {
                               return term.copies == 0 && term.digit.plain();
                             }) &&
         std::ranges::all_of(piece.variables, [](const Variable& v) {
           return v.kind == Variable::Kind::dim ||
                  v.kind == Variable::Kind::bit;
         });
}

// The digits of a plain layout in elements.
void fill_plain(const LayoutData& data, TensorData& tensor) {
  const Piece& piece = data.pieces.front();
  const std::int64_t width = tensor.tensor.element_bits;
  tensor.base_offset = piece.base / width;
  for (const PieceTerm& term : piece.terms) {
    const Unit& unit = term.digit.unit;
    const Variable& v =
        piece.variables[static_cast<std::size_t>(unit.variable)];
    const std::int64_t pitch =
        data.axes[static_cast<std::size_t>(term.axis)].pitch_bits;
    tensor.terms.push_back(
        BoundTerm{.axis = term.axis,
                  .dim = v.source,
                  .bias = unit.bias,
                  .div = unit.div.value(),
                  .mod = unit.mod,
                  .extent = unit.count,
                  .stride = pitch == 0 ? 0 : term.stride / pitch,
                  .flat_stride = term.stride / width});
    tensor.flat_terms.push_back(FlatTerm{.bias = unit.bias,
                                         .flat_stride = term.stride / width,
                                         .div = unit.div,
                                         .mod = unit.mod_divider,
                                         .dim = v.source,
                                         .has_div = unit.div.value() != 1,
                                         .has_mod = unit.mod != 0});
  }
}

std::optional<Error> choose_a_part(const LayoutData& data) {
  std::string names;
  for (const TensorData& tensor : data.tensors) {
    names += (names.empty() ? "" : ", ") + tensor.tensor.name;
  }
  return Error{
      ErrorCode::mismatch,
      fmt::format("the layout has several parts: {}; choose one", names)};
}

// A dim that no digit names, of those with more than one index.
std::optional<Error> unnamed_dim(const LayoutData& data) {
  for (std::size_t d = 0; d < data.shape.size(); ++d) {
    if (data.shape[d].extent <= 1) continue;
    if (std::ranges::none_of(data.inverses, [&](const PieceInverse& inverse) {
          return inverse.named[d];
        })) {
      return Error{ErrorCode::invalid_layout,
                   fmt::format("dim {} is not covered: no digit of the layout "
                               "names it",
                               data.shape[d].name)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string print_index(const Shape& shape,
                        const std::vector<std::int64_t>& index) {
  std::string text;
  for (std::size_t d = 0; d < index.size(); ++d) {
    text += fmt::format("{}{}={}", d == 0 ? "" : ",", shape[d].name, index[d]);
  }
  return text;
}

Result<void> finish_tensors(LayoutData& data) {
  for (std::size_t p = 0; p < data.pieces.size(); ++p) {
    data.tensors[static_cast<std::size_t>(data.pieces[p].tensor)]
        .pieces.push_back(static_cast<std::int32_t>(p));
  }
  for (TensorData& tensor : data.tensors) {
    if (auto found = find_own_dims(data, tensor); !found) return found;
    if (auto whole = check_grains(data, tensor); !whole) return whole;
    number_dims(data, tensor);
    tensor.place_bits = place_bits_of(data, tensor);
    tensor.plain = is_plain(data, tensor);
  }
  // A tensor without elements takes no memory.
  const bool nothing = std::ranges::all_of(
      data.tensors,
      [](const TensorData& tensor) { return tensor.tensor.elements == 0; });
  if (nothing) {
    data.size_bits = 0;
  }
  data.none.tensor.shape = data.shape;
  data.none.tensor.element_bits = data.binding.element_bits;
  for (TensorData& tensor : data.tensors) {
    tensor.places = data.size_bits / tensor.place_bits;
    if (tensor.plain) fill_plain(data, tensor);
    if (auto covered = check_slices(data, tensor); !covered) return covered;
    data.listed.push_back(tensor.tensor);
    data.none.tensor.elements =
        saturated(add(data.none.tensor.elements, tensor.tensor.elements));
  }
  const std::optional<Error> unnamed = unnamed_dim(data);
  for (TensorData& tensor : data.tensors) {
    tensor.defect = find_defect(data, tensor);
    if (unnamed && data.tensors[0].tensor.elements > 0) {
      tensor.unreadable = unnamed;
      if (!tensor.defect) tensor.defect = unnamed;
    }
    if (!data.none.defect) data.none.defect = tensor.defect;
  }
  data.unfindable = find_unfindable(data);
  if (data.tensors.size() > 1) data.none.unreadable = choose_a_part(data);
  data.none.places = data.size_bits;
  return {};
}

}  // namespace stridewise::detail
