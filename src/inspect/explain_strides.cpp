// Sizes of rows, planes and processors that lie further apart, or nearer.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "inspect/size_question.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inspect {
namespace {

// Strides are rounded up to these, in bytes.
constexpr std::array<std::int64_t, 6> alignments = {16, 32, 64, 128, 256, 512};

// The byte after the last element.
std::int64_t end_of(const Layout& layout) {
  return ceil_div(layout.used_bits(), 8);
}

// Whether a file of this layout has these bytes, perhaps without what follows
// the last element.
bool explains(const SizeQuestion& question, const Layout& layout) {
  return layout.size_bytes() == question.bytes() ||
         end_of(layout) == question.bytes();
}

// The expression with one stride of the last axis that is another one.
Expression with_stride(const SizeQuestion& question, std::size_t term,
                       std::int64_t stride) {
  Expression other = question.layout().expression();
  other.axes.back().terms[term].stride = {Step::Kind::exact, stride};
  return other;
}

// The digits of the last axis.
std::span<const BoundTerm> last_terms(const Layout& layout) {
  const std::size_t count = layout.expression().axes.back().terms.size();
  return layout.terms().last(count);
}

// Tells of one stride that is not what the layout says, off by little or aligned.
bool other_stride(SizeQuestion& question, std::size_t t) {
  const std::int64_t has = last_terms(question.layout())[t].stride;
  std::vector<std::int64_t> tried = {has + 1, has - 1, has + 2, has - 2};
  for (const std::int64_t unit : alignments) {
    if (unit % question.width() != 0) continue;
    // Nobody aligns what lies side by side.
    if (has == 1) continue;
    const std::int64_t elements = unit / question.width();
    tried.push_back(ceil_div(has, elements) * elements);
  }
  for (const std::int64_t stride : tried) {
    if (stride < 1 || stride == has) continue;
    const Expression other = with_stride(question, t, stride);
    const auto bound = question.bind(other, question.layout().shape());
    if (!bound || !explains(question, *bound)) continue;
    question.add(
        std::abs(stride - has) == 1 ? Likelihood::off_by_one
                                    : Likelihood::stride,
        fmt::format("the size with {} {} elements apart instead of {}{}",
                    print(other.axes.back().terms[t].digit), stride, has,
                    question.read_by(other)));
    return true;
  }
  return false;
}

// A digit whose steps, all alike, fill the file.
struct Steps {
  std::size_t term = 0;
  std::int64_t count = 0;   // of the digit and all slower ones
  std::int64_t stride = 0;  // elements
  int likely = 0;           // 2: rows that are aligned, or a dim that is longer
};

// Whether the digit steps over rows of one whole dim.
bool over_rows(std::span<const BoundTerm> terms, std::size_t t) {
  return t + 2 == terms.size() && terms[t + 1].stride == 1 &&
         terms[t + 1].div == 1 && terms[t + 1].mod == 0;
}

// Whether it steps over whole indices of one dim, which is a longer one then.
bool over_dim(std::span<const BoundTerm> terms, const Steps& steps) {
  const BoundTerm& next = terms[steps.term + 1];
  return next.div == 1 && next.mod == 0 && next.bias == 0 && next.stride > 1 &&
         steps.stride % next.stride == 0;
}

int likely(std::span<const BoundTerm> terms, const Steps& steps,
           std::int64_t width) {
  const std::int64_t bytes = steps.stride * width;
  if (over_dim(terms, steps)) return 2;
  if (over_rows(terms, steps.term) && bytes % 16 == 0) return 2;
  return bytes % 64 == 0 ? 1 : 0;
}

void tell_steps(SizeQuestion& question, const Steps& steps) {
  const Layout& layout = question.layout();
  const auto terms = last_terms(layout);
  const std::size_t t = steps.term;
  const Expression other = with_stride(question, t, steps.stride);
  const std::int64_t width = question.width();
  const BoundTerm& next = terms[t + 1];
  std::string text;
  if (over_rows(terms, t)) {
    text = fmt::format("rows of {}{} instead of {} ({} / {})",
                       steps.stride * width, width == 1 ? "" : " bytes",
                       terms[t].stride * width, question.bytes(), steps.count);
  } else if (over_dim(terms, steps)) {
    const Dim& dim = layout.shape()[static_cast<std::size_t>(next.dim)];
    text = fmt::format("the size with {} padded from {} to {} ({} / {})",
                       dim.name, dim.extent, steps.stride / next.stride,
                       question.bytes(), steps.count * next.stride * width);
  } else {
    text = fmt::format("the size with {} {} elements apart instead of {}",
                       print(other.axes.back().terms[t].digit), steps.stride,
                       terms[t].stride);
  }
  question.add(steps.likely == 2 ? Likelihood::rows : Likelihood::stride,
               text + question.read_by(other));
}

}  // namespace

void explain_by_strides(SizeQuestion& question) {
  const auto terms = last_terms(question.layout());
  // The fastest digit that explains it: slower ones may as well, by other numbers.
  for (std::size_t t = terms.size(); t-- > 0;) {
    if (terms[t].extent >= 2 && other_stride(question, t)) return;
  }
}

// The file's size, divided by how often a digit and all slower ones step, is whole.
void explain_by_rows(SizeQuestion& question, bool likely_alone) {
  const Layout& layout = question.layout();
  if (layout.axes().size() != 1 || layout.axes().front().base != 0) return;
  const auto terms = last_terms(layout);
  std::optional<Steps> best;
  std::int64_t count = 1;
  for (std::size_t t = 0; t + 1 < terms.size(); ++t) {
    // No overflow: these are places of the layout.
    count *= terms[t].extent;
    const std::int64_t unit = count * question.width();
    if (terms[t].extent < 2 || question.bytes() % unit != 0) continue;
    Steps steps{t, count, question.bytes() / unit};
    // More than half as much again is no padding.
    if (steps.stride == terms[t].stride ||
        2 * steps.stride >= 3 * terms[t].stride) {
      continue;
    }
    const auto bound =
        question.bind(with_stride(question, t, steps.stride), layout.shape());
    if (!bound || bound->size_bytes() != question.bytes()) continue;
    steps.likely = likely(terms, steps, question.width());
    // Of those that are as likely, the nearest ones.
    if (!best || steps.likely >= best->likely) best = steps;
  }
  if (best && (best->likely == 2 || !likely_alone)) {
    tell_steps(question, *best);
  }
}

void explain_by_banks(SizeQuestion& question) {
  const Layout& layout = question.layout();
  const Expression& expression = layout.expression();
  const std::int64_t has = layout.axes().front().extent;
  if (expression.axes.size() < 2 || has < 2) return;
  const std::string& name = layout.axes().front().name;
  const std::int64_t pitch = layout.axes().front().pitch_bytes;
  const std::int64_t bytes = question.bytes();
  Expression tight = expression;
  tight.axes[1].pitch = tight.axes[0].pitch = {};
  const auto least = question.bind(tight, layout.shape());
  if (bytes % has == 0 && least &&
      bytes / has >= least->axes().front().pitch_bytes &&
      bytes / has % question.width() == 0) {
    Expression other = expression;
    other.axes[0].pitch = {Step::Kind::exact, bytes / has};
    question.add(
        Likelihood::banks,
        fmt::format("{} {} of {} bytes each, where the layout has "
                    "{}{}",
                    has, name, bytes / has, pitch, question.read_by(other)));
  }
  const Axis& axis = expression.axes.front();
  // What only this tensor takes is no size of a processor.
  if (axis.pitch.kind != Step::Kind::exact || axis.terms.size() != 1 ||
      axis.terms[0].digit.mod == 0 || bytes % pitch != 0) {
    return;
  }
  Expression other = expression;
  Digit& digit = other.axes.front().terms[0].digit;
  const std::int64_t mod = digit.mod;
  digit.mod = bytes / pitch;
  for (Axis& each : other.axes) {
    for (Term& term : each.terms) {
      // What the round of processors leaves over.
      if (term.digit.dim == digit.dim && term.digit.bias == digit.bias &&
          term.digit.div == digit.div * mod) {
        term.digit.div = digit.div * digit.mod;
      }
    }
  }
  question.add(
      Likelihood::banks,
      fmt::format("{} {} of {} bytes each, where the layout has {}{}",
                  bytes / pitch, name, pitch, has, question.read_by(other)));
}

}  // namespace stridewise::inspect
