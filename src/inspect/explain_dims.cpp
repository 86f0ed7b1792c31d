// Sizes of tensors whose dims are padded to multiples.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "inspect/size_question.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::array<std::int64_t, 7> multiples = {2, 4, 8, 16, 32, 64, 128};

// What one dim is padded to, from the least on.
std::vector<std::int64_t> padded_extents(std::int64_t extent) {
  std::vector<std::int64_t> extents;
  if (extent < 2) return extents;
  for (const std::int64_t multiple : multiples) {
    const std::int64_t more = ceil_div(extent, multiple) * multiple;
    if (more > (extents.empty() ? extent : extents.back())) {
      extents.push_back(more);
    }
  }
  return extents;
}

}  // namespace

void explain_by_dims(SizeQuestion& question) {
  const Layout& layout = question.layout();
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    const std::int64_t extent = layout.shape()[d].extent;
    for (const std::int64_t more : padded_extents(extent)) {
      Shape shape = layout.shape();
      shape[d].extent = more;
      const auto bound = question.bind(layout.expression(), shape);
      if (!bound || bound->size_bytes() != question.bytes()) continue;
      // Padding to more than twice as many is rare.
      question.add(
          more < 2 * extent ? Likelihood::padded : Likelihood::several,
          fmt::format("the size with {} padded from {} to {}{}", shape[d].name,
                      extent, more, question.read_within(*bound)));
    }
  }
}

namespace {

// How much the dims grow: a number to compare.
double growth(const Layout& larger, const Layout& layout) {
  double sum = 0;
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    sum += static_cast<double>(larger.shape()[d].extent) /
           static_cast<double>(layout.shape()[d].extent);
  }
  return sum;
}

// The layout that grows least of the one so far and those with dims d and e padded.
void pad_both(const SizeQuestion& question, std::size_t d, std::size_t e,
              std::optional<Layout>& best) {
  const Layout& layout = question.layout();
  for (const std::int64_t more_d : padded_extents(layout.shape()[d].extent)) {
    for (const std::int64_t more_e : padded_extents(layout.shape()[e].extent)) {
      Shape shape = layout.shape();
      shape[d].extent = more_d;
      shape[e].extent = more_e;
      const Result<std::int64_t> elements = element_count(shape);
      // What follows is larger still.
      if (!elements || *elements > question.bytes() / question.width()) break;
      auto bound = question.bind(layout.expression(), shape);
      if (!bound || bound->size_bytes() != question.bytes()) continue;
      if (best && growth(*best, layout) <= growth(*bound, layout)) continue;
      best = std::move(bound);
    }
  }
}

}  // namespace

void explain_by_two_dims(SizeQuestion& question) {
  const Layout& layout = question.layout();
  const std::size_t dims = layout.shape().size();
  std::optional<Layout> best;
  for (std::size_t d = 0; d < dims; ++d) {
    for (std::size_t e = d + 1; e < dims; ++e) pad_both(question, d, e, best);
  }
  if (!best) return;
  std::string text;
  for (std::size_t d = 0; d < dims; ++d) {
    const Dim& dim = layout.shape()[d];
    const std::int64_t more = best->shape()[d].extent;
    if (more == dim.extent) continue;
    text +=
        fmt::format("{}{} padded from {} to {}", text.empty() ? "" : " and ",
                    dim.name, dim.extent, more);
  }
  question.add(
      Likelihood::padded_twice,
      fmt::format("the size with {}{}", text, question.read_within(*best)));
}

}  // namespace stridewise::inspect
