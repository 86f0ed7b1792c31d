// SPDX-License-Identifier: Apache-2.0
#include "inspect/size_question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inspect {

SizeQuestion::SizeQuestion(const Layout& layout, const ElementType& type,
                           std::int64_t bytes)
    : layout_(layout), type_(type), bytes_(bytes), size_(layout.size_bytes()) {}

std::optional<Layout> SizeQuestion::bind(const Expression& expression,
                                         const Shape& shape) const {
  Result<Layout> bound =
      Layout::bind(expression, shape, layout_.element_bytes());
  if (!bound || !bound->valid()) return std::nullopt;
  return *std::move(bound);
}

std::string SizeQuestion::read_by(const Expression& expression) const {
  const auto bound = bind(expression, layout_.shape());
  if (!bound || ceil_div(bound->used_bits(), 8) > bytes_) return "";
  const bool more = bytes_ > bound->size_bytes();
  // Where only what follows the memory is larger, the layout is the same.
  if (expression == layout_.expression()) {
    return more ? "; read it with --skip 0" : "";
  }
  return fmt::format("; read it by '{}'{}", print(expression),
                     more ? " with --skip 0" : "");
}

std::string SizeQuestion::read_within(const Layout& larger) const {
  Expression expression = layout_.expression();
  std::size_t bound_term = larger.terms().size();
  // From the fastest on: natural strides are what the faster ones take.
  for (std::size_t a = expression.axes.size(); a-- > 0;) {
    Axis& axis = expression.axes[a];
    const bool last = a + 1 == expression.axes.size();
    const std::int64_t pitch = larger.axes()[a].pitch_bytes;
    const auto pitched = bind(expression, layout_.shape());
    if (!pitched) return "";
    if (!last && pitched->axes()[a].pitch_bytes != pitch) {
      axis.pitch = {Step::Kind::exact, pitch};
    }
    for (std::size_t t = axis.terms.size(); t-- > 0;) {
      --bound_term;
      const BoundTerm& wanted = larger.terms()[bound_term];
      const auto bound = bind(expression, layout_.shape());
      if (!bound) return "";
      if (wanted.extent < 2 ||
          bound->terms()[bound_term].stride == wanted.stride)
        continue;
      axis.terms[t].stride = {Step::Kind::exact, wanted.stride};
    }
  }
  return read_by(expression);
}

void SizeQuestion::add(Likelihood likelihood, std::string sentence) {
  found_.push_back({likelihood, std::move(sentence)});
}

bool SizeQuestion::sure() const {
  return std::ranges::any_of(found_, [](const Found& found) {
    return found.likelihood <= Likelihood::off_by_one;
  });
}

bool SizeQuestion::has(Likelihood likelihood) const {
  return std::ranges::find(found_, likelihood, &Found::likelihood) !=
         found_.end();
}

std::vector<std::string> SizeQuestion::likeliest(std::size_t most) {
  std::ranges::stable_sort(found_, {}, &Found::likelihood);
  std::vector<std::string> sentences;
  for (const Found& found : found_) {
    if (sentences.size() == most) break;
    sentences.push_back(found.sentence);
  }
  return sentences;
}

}  // namespace stridewise::inspect
