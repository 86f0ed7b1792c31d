// Sizes that do not fit, and what might have been meant.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/checked.hpp"
#include "inspect/size_question.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

using inspect::Likelihood;
using inspect::SizeQuestion;

constexpr std::size_t most_sentences = 3;
constexpr std::array<std::int64_t, 6> whole_units = {64,  128,  256,
                                                     512, 4096, 65536};
constexpr std::array<std::int64_t, 5> header_bytes = {64, 128, 256, 512, 4096};
constexpr std::size_t most_types = 6;
// What is in front of a tensor at most where it has no usual size.
constexpr std::int64_t least_header = 4;
constexpr std::int64_t small_header = 64;

// Without strides, pitches, bases and alignments.
Expression natural(Expression expression, bool alignments_alone) {
  const auto cleared = [&](const Step& step) {
    return alignments_alone ? step.kind == Step::Kind::aligned : true;
  };
  for (Axis& axis : expression.axes) {
    if (cleared(axis.pitch)) axis.pitch = {};
    if (!alignments_alone) axis.base = 0;
    for (Term& term : axis.terms) {
      if (cleared(term.stride)) term.stride = {};
    }
  }
  return expression;
}

void without_padding(SizeQuestion& question) {
  const Layout& layout = question.layout();
  const std::int64_t elements = layout.elements() * question.width();
  const auto has_size = [&](const Expression& expression) {
    const auto bound = question.bind(expression, layout.shape());
    return expression != layout.expression() && bound &&
           bound->size_bytes() == question.bytes();
  };
  if (question.bytes() == elements) {
    const Expression rows = natural(layout.expression(), false);
    question.add(Likelihood::dense,
                 fmt::format("as large as the {} elements alone: written "
                             "without padding{}",
                             layout.elements(),
                             has_size(rows) ? question.read_by(rows) : ""));
    return;
  }
  const Expression loose = natural(layout.expression(), true);
  if (!has_size(loose)) return;
  question.add(Likelihood::dense,
               "as large as the layout without its alignments" +
                   question.read_by(loose));
}

void ends_early(SizeQuestion& question) {
  const Layout& layout = question.layout();
  if (question.bytes() >= question.size() ||
      question.bytes() != ceil_div(layout.used_bits(), 8) ||
      question.bytes() == layout.elements() * question.width()) {
    return;
  }
  question.add(Likelihood::tail,
               "ends with the last element: the padding after it is missing; "
               "read it with --short");
}

// Whether the layout has these bytes in elements of so many bits.
bool fits_bits(const SizeQuestion& question, std::int64_t bits) {
  const Layout& layout = question.layout();
  if (bits == layout.element_bits()) return false;
  const Result<Layout> bound = Layout::bind(layout.expression(), layout.shape(),
                                            Binding{.element_bits = bits});
  return bound && bound->size_bytes() == question.bytes();
}

void other_types(SizeQuestion& question) {
  std::vector<std::string_view> names;
  // Integers of any width have names; these are the usual ones.
  constexpr std::array<std::string_view, 4> small = {"u4", "s4", "u2", "u1"};
  for (const std::string_view name : small) {
    const Result<ElementType> other = parse_element_type(name);
    if (other && fits_bits(question, other->bits)) names.push_back(name);
  }
  for (const ElementType& other : element_types()) {
    // Of 6 bits there are few.
    if (!std::has_single_bit(static_cast<std::uint64_t>(other.bits))) continue;
    if (fits_bits(question, other.bits)) names.push_back(other.name);
  }
  if (names.empty()) return;
  const std::string_view first = names.front();
  if (names.size() > most_types) {
    names.resize(most_types);
    names.emplace_back("...");
  }
  question.add(Likelihood::type,
               fmt::format("the size of another type: {}; read it with "
                           "--dtype {}",
                           fmt::join(names, ", "), first));
}

void header(SizeQuestion& question) {
  const std::int64_t more = question.bytes() - question.size();
  const bool usual =
      std::ranges::find(header_bytes, more) != header_bytes.end();
  if (!usual && (more < least_header || more >= small_header)) return;
  question.add(
      Likelihood::header,
      fmt::format("{} bytes more than the layout's {}, as of a header; "
                  "read it with --skip {}",
                  more, question.size(), more));
}

void rounded_up(SizeQuestion& question) {
  const std::int64_t size = question.size();
  for (const std::int64_t unit : whole_units) {
    if (question.bytes() < size ||
        ceil_div(size, unit) * unit != question.bytes()) {
      continue;
    }
    question.add(
        Likelihood::rounded,
        fmt::format("the layout's {} bytes rounded up to a multiple of "
                    "{}; read it with --skip 0",
                    size, unit));
    return;
  }
}

void several(SizeQuestion& question) {
  const std::int64_t size = question.size();
  if (question.bytes() <= size || question.bytes() % size != 0) return;
  question.add(Likelihood::several,
               fmt::format("{} of these tensors, one after the other; read the "
                           "second with --skip {}",
                           question.bytes() / size, size));
}

void one_index_more_or_less(SizeQuestion& question) {
  const Layout& layout = question.layout();
  for (std::size_t d = 0; d < layout.shape().size(); ++d) {
    for (const std::int64_t by : {-1, 1}) {
      Shape shape = layout.shape();
      shape[d].extent += by;
      if (shape[d].extent < 1) continue;
      const auto bound = question.bind(layout.expression(), shape);
      if (!bound || bound->size_bytes() != question.bytes()) continue;
      question.add(Likelihood::several,
                   fmt::format("the size with {}={}; read it with --shape {}",
                               shape[d].name, shape[d].extent, print(shape)));
    }
  }
}

// What plain digits of whole bytes may be.
void explain_plain(SizeQuestion& question) {
  without_padding(question);
  ends_early(question);
  other_types(question);
  inspect::explain_by_banks(question);
  if (!question.sure()) inspect::explain_by_dims(question);
  if (!question.sure()) inspect::explain_by_rows(question, true);
  if (!question.sure()) inspect::explain_by_strides(question);
  if (!question.sure() && !question.has(Likelihood::stride)) {
    inspect::explain_by_rows(question, false);
  }
  if (!question.sure()) inspect::explain_by_two_dims(question);
}

// Of elements of another width, a dim that is padded: blocked halves taken for rows of floats.
std::vector<std::string> padded_of_another_type(const Layout& layout,
                                                std::int64_t bytes) {
  std::vector<std::string> sentences;
  for (const std::string_view name : {"f16", "f32", "s8", "f64"}) {
    const ElementType type = *parse_element_type(name);
    if (type.bits == layout.element_bits()) continue;
    const Result<Layout> bound =
        Layout::bind(layout.expression(), layout.shape(),
                     Binding{.element_bits = type.bits});
    if (!bound || bound->size_bytes() == 0) continue;
    SizeQuestion question(*bound, type, bytes);
    inspect::explain_by_dims(question);
    if (!question.has(Likelihood::padded)) continue;
    sentences.push_back(
        fmt::format("as {}: {}", name, question.likeliest(1).front()));
  }
  return sentences;
}

std::string difference(const SizeQuestion& question) {
  const std::int64_t away = std::abs(question.size() - question.bytes());
  return fmt::format("{} byte{} {}", away, away == 1 ? "" : "s",
                     question.bytes() > question.size() ? "too many"
                     : away == 1                        ? "is missing"
                                                        : "are missing");
}

}  // namespace

std::vector<std::string> explain_size(const Layout& layout,
                                      const ElementType& type,
                                      std::int64_t bytes) {
  if (bytes == layout.size_bytes()) return {};
  if (bytes == 0) return {"the file is empty"};
  SizeQuestion question(layout, type, bytes);
  if (layout.size_bytes() > 0) {
    const bool plain = layout.plain() && layout.element_bits() % 8 == 0;
    if (plain) {
      explain_plain(question);
    } else {
      other_types(question);
    }
    // As large as of another type, or as several tensors: both may be.
    if (!question.sure() || question.has(Likelihood::type)) several(question);
    if (!question.sure()) {
      header(question);
      rounded_up(question);
      if (plain) one_index_more_or_less(question);
    }
  }
  std::vector<std::string> sentences = question.likeliest(most_sentences);
  if (sentences.empty() && layout.plain() && layout.size_bytes() > 0) {
    sentences = padded_of_another_type(layout, bytes);
    if (sentences.size() > most_sentences) sentences.resize(most_sentences);
  }
  if (sentences.empty()) sentences.push_back(difference(question));
  return sentences;
}

}  // namespace stridewise
