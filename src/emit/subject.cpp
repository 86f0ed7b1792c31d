// SPDX-License-Identifier: Apache-2.0
#include "emit/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/checked.hpp"
#include "layout/digit.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::emitter {
namespace {

detail::BoundDigit digit_of(const SubjectTerm& term) {
  return {term.bias, term.div, term.mod};
}

// a and b are the high and the low part of one digit.
bool continues(const SubjectTerm& a, const SubjectTerm& b, bool by_axis) {
  const Value& high = by_axis ? a.stride : a.flat_stride;
  const Value& low = by_axis ? b.stride : b.flat_stride;
  if (a.dim != b.dim || a.bias != b.bias || b.mod == 0 ||
      (by_axis && a.axis != b.axis) || !high.known() || !low.known()) {
    return false;
  }
  return a.div == b.div * b.mod && mul(*low.known(), b.mod) == *high.known();
}

}  // namespace

DigitValues values_of(const Subject& subject, const SubjectTerm& term) {
  const auto extent =
      subject.dims[static_cast<std::size_t>(term.dim)].extent.known();
  if (!extent) return {0, std::nullopt};
  const detail::Reach reach = detail::reach_of(digit_of(term), *extent);
  return {reach.low, reach.count};
}

Value digit_of(const Subject& subject, const SubjectTerm& term,
               const Value& x) {
  const DigitValues values = values_of(subject, term);
  if (values.count == 1) return values.low;
  const Value quotient = (x + term.bias) / term.div;
  if (term.mod == 0) return quotient;
  const auto extent =
      subject.dims[static_cast<std::size_t>(term.dim)].extent.known();
  if (extent) {
    const std::int64_t wraps = term.bias / term.div / term.mod;
    if ((term.bias + *extent - 1) / term.div / term.mod == wraps) {
      return quotient - wraps * term.mod;
    }
  }
  return quotient % term.mod;
}

std::vector<SubjectTerm> merged(const Subject& subject, bool by_axis) {
  std::vector<SubjectTerm> terms = subject.terms;
  for (std::size_t low = 0; low < terms.size();) {
    const auto high = std::ranges::find_if(terms, [&](const SubjectTerm& term) {
      return continues(term, terms[low], by_axis);
    });
    if (high == terms.end()) {
      ++low;
      continue;
    }
    terms[low].mod *= high->mod;
    terms[low].fills = false;
    terms.erase(high);
    low = 0;
  }
  return terms;
}

std::string identifier(const std::string& name) {
  // <complex.h> defines I, and compilers define names such as __FILE__.
  if (name.starts_with('_')) return name + "_dim";
  return name.size() == 1 && name != "I" ? name : name + "_";
}

Subject subject_of(const Layout& layout) {
  Subject subject{.title = fmt::format(
                      "{} of {}, {} {} an element", print(layout.expression()),
                      print(layout.shape()), layout.element_bytes(),
                      layout.element_bytes() == 1 ? "byte" : "bytes")};
  for (const Dim& dim : layout.shape()) {
    subject.dims.push_back(
        {identifier(dim.name), dim.extent, dim.name + "_out"});
  }
  for (const BoundAxis& axis : layout.axes()) {
    subject.axes.push_back({axis.base, axis.name + "_out"});
  }
  for (const BoundTerm& term : layout.terms()) {
    subject.terms.push_back({.dim = term.dim,
                             .axis = term.axis,
                             .bias = term.bias,
                             .div = term.div,
                             .mod = term.mod,
                             .stride = term.stride,
                             .flat_stride = term.flat_stride});
    // A digit of one value has a stride that is never taken.
    SubjectTerm& last = subject.terms.back();
    const DigitValues values = values_of(subject, last);
    if (values.count == 1 && values.low == 0) last.stride = 0;
    if (values.count == 1 && values.low == 0) last.flat_stride = 0;
  }
  subject.base_offset = layout.base_offset();
  subject.places = layout.places();
  return subject;
}

Chain chain_of(const Subject& subject, std::span<const SubjectTerm> terms,
               std::int32_t dim) {
  std::vector<std::size_t> own;
  std::vector<detail::BoundDigit> digits;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (terms[k].dim != dim) continue;
    const DigitValues values = values_of(subject, terms[k]);
    if (values.count != 1 && terms[k].flat_stride.is(0)) continue;
    own.push_back(k);
    digits.push_back(digit_of(terms[k]));
  }
  const auto known = detail::chain_of(digits);
  if (!known) return {};
  Chain chain;
  chain.redundant = known->redundant;
  chain.bias = known->bias;
  chain.modulus = known->modulus();
  for (const auto& part : known->parts) {
    chain.parts.push_back({own[part.digit], part.weight});
  }
  const auto extent =
      subject.dims[static_cast<std::size_t>(dim)].extent.known();
  // Where the extent is not known, all that tells indices apart must be here:
  // then a valid layout has no more of them.
  chain.found = extent ? known->known >= *extent
                       : known->known == detail::BoundDigit::infinity ||
                             chain.parts.size() == own.size();
  return chain;
}

bool fits_narrow(const Subject& subject) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (*subject.places.known() > most) return false;
  const std::vector<SubjectTerm> terms = merged(subject, false);
  for (std::size_t d = 0; d < subject.dims.size(); ++d) {
    const Chain chain = chain_of(subject, terms, static_cast<std::int32_t>(d));
    Checked end = add(*subject.dims[d].extent.known(), chain.bias);
    for (const Chain::Part& part : chain.parts) {
      const DigitValues values = values_of(subject, terms[part.term]);
      end = add(end, mul(part.weight, values.low + *values.count));
    }
    // The modulus is added only where digits wrap, which is below the extent
    // plus the bias.
    if (!end || *end > most) return false;
  }
  return std::ranges::all_of(subject.terms, [&](const SubjectTerm& term) {
    const auto dim = static_cast<std::size_t>(term.dim);
    const Checked end = add(*subject.dims[dim].extent.known(), term.bias);
    return end && *end <= most && *term.stride.known() <= most;
  });
}

}  // namespace stridewise::emitter
