// The inverse as code: place -> digits -> index, as in layout/inverse.cpp. What
// that decides for each place is decided here once, from what each remainder and
// each digit can be.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "emit/subject.hpp"
#include "emit/writer.hpp"

namespace stridewise::emitter {
namespace {

class Inverse {
 public:
  Inverse(const Subject& subject, Body& body)
      : subject_(subject), body_(body), terms_(merged(subject, false)) {
    for (std::size_t d = 0; d < subject.dims.size(); ++d) {
      chains_.push_back(
          chain_of(subject, terms_, static_cast<std::int32_t>(d)));
    }
    std::int64_t first = *known_or(subject_.base_offset, 0);
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      const DigitValues values = values_of(subject, terms_[k]);
      values_.emplace_back(values.low);
      if (values.count == 1) {
        first += values.low * *known_or(terms_[k].flat_stride, 0);
      } else if (!terms_[k].flat_stride.is(0)) {
        first += values.low * *known_or(terms_[k].flat_stride, 0);
        order_.push_back(k);
      }
    }
    first_ = subject.dynamic ? subject.base_offset : Value(first);
    if (!subject.dynamic) sort_by_stride();
    name_digits();
  }

  void write() {
    if (is_empty()) {
      body_.line("return 0;");
      return;
    }
    const Value offset = variable("offset");
    std::string outside = fmt::format("offset < {}", first_.text());
    std::optional<std::int64_t> high;
    if (subject_.dynamic) {
      outside += fmt::format(" || offset >= {}", subject_.places.text());
    } else {
      high = rest_max_.empty() ? 0 : reach(0) + rest_max_[0];
      outside += fmt::format(" || offset > {}", *first_.known() + *high);
    }
    body_.line(fmt::format("if ({}) return 0;", outside));
    Value rest = offset - first_;
    if (!first_.is(0) && !order_.empty()) {
      body_.constant("rest", rest);
      rest = variable("rest");
    }
    walk(0, rest, high);
    for (; loops_ > 0; --loops_) {
      body_.indent(-1);
      body_.line("}");
      if (loops_ == 1) body_.line("return 0;");
    }
  }

 private:
  static std::optional<std::int64_t> known_or(const Value& value,
                                              std::int64_t otherwise) {
    return value.known() ? value.known() : otherwise;
  }

  bool is_empty() const {
    return std::ranges::any_of(
        subject_.dims, [](const SubjectDim& dim) { return dim.extent.is(0); });
  }

  const SubjectTerm& term(std::size_t k) const { return terms_[order_[k]]; }
  std::int64_t count(std::size_t k) const {
    return *values_of(subject_, term(k)).count;
  }
  // The most that a digit adds to a place, beyond its least.
  std::int64_t reach(std::size_t k) const {
    return (count(k) - 1) * *term(k).flat_stride.known();
  }

  void sort_by_stride() {
    std::ranges::stable_sort(
        order_, std::ranges::greater{},
        [&](std::size_t k) { return *terms_[k].flat_stride.known(); });
    rest_max_.assign(order_.size(), 0);
    for (std::size_t k = order_.size(); k-- > 1;) {
      rest_max_[k - 1] = rest_max_[k] + reach(k);
    }
  }

  // A digit that is the whole index is named after its dim, others after the
  // dim and a number.
  void name_digits() {
    names_.resize(terms_.size());
    std::vector<int> numbers(subject_.dims.size(), 0);
    for (const std::size_t k : order_) {
      const auto d = static_cast<std::size_t>(terms_[k].dim);
      // A number alone after a longer name may be a macro: M_PI_2 is one.
      const std::string& name = subject_.dims[d].name;
      names_[k] = names_index(k) ? name
                                 : fmt::format("{}{}{}", name,
                                               name.size() == 1 ? "" : "digit",
                                               ++numbers[d]);
    }
  }

  bool names_index(std::size_t k) const {
    const Chain& chain = chains_[static_cast<std::size_t>(terms_[k].dim)];
    return chain.found && !chain.redundant && chain.bias == 0 &&
           chain.parts.size() == 1 && chain.parts[0].term == k &&
           chain.parts[0].weight == 1 && values_[k].is(0);
  }

  bool is_index(std::size_t k) const {
    return names_[k] ==
           subject_.dims[static_cast<std::size_t>(terms_[k].dim)].name;
  }

  void fail_if(const std::string& condition) {
    body_.line(fmt::format("if ({}) {};", condition,
                           loops_ > 0 ? "continue" : "return 0"));
  }

  // From the k-th digit on. `rest` is what the digits from there on add up to,
  // if there is an element, and at most `high`.
  // NOLINTNEXTLINE(misc-no-recursion): depth is the number of terms
  void walk(std::size_t k, const Value& rest,
            std::optional<std::int64_t> high) {
    if (k == order_.size()) {
      if (high != 0) fail_if(rest.text() + " != 0");
      decode();
      return;
    }
    const std::size_t at = order_[k];
    const Value& stride = terms_[at].flat_stride;
    const Value digit = variable(names_[at]);
    const Value low = values_[at];
    values_[at] = digit + low;
    if (!subject_.dynamic && *stride.known() <= rest_max_[k]) {
      search(k, rest, digit);
      return;
    }
    if (stride.is(1) && !is_index(at)) {
      names_[at] = rest.text();  // the last digit is what is left
      values_[at] = rest + low;
    } else {
      body_.constant(names_[at], rest / stride);
    }
    if (may_exceed(k, high)) {
      fail_if(names_[at] + " >= " + count_of(k).text());
    }
    std::optional<std::int64_t> left = high;
    if (stride.known()) {
      left = std::min(*stride.known() - 1, high.value_or(*stride.known() - 1));
    }
    if (left == 0) {
      walk(k + 1, 0, 0);
      return;
    }
    const std::string next = fmt::format("rest{}", k + 1);
    const bool masks =
        stride.known() &&
        std::has_single_bit(static_cast<std::uint64_t>(*stride.known()));
    body_.constant(next, masks ? rest % stride : rest - digit * stride);
    walk(k + 1, variable(next), left);
  }

  // What a digit's values are less than.
  Value count_of(std::size_t k) const {
    const SubjectTerm& t = term(k);
    if (!subject_.dynamic) return count(k);
    if (!is_index(order_[k])) return t.mod;
    return subject_.dims[static_cast<std::size_t>(t.dim)].extent;
  }

  // Whether the quotient may be more than the digit's greatest value. Without
  // sizes, an index beyond its extent is found when it is decoded.
  bool may_exceed(std::size_t k, std::optional<std::int64_t> high) const {
    const SubjectTerm& t = term(k);
    if (!subject_.dynamic) return *high / *t.flat_stride.known() >= count(k);
    if (t.mod == 0) return is_index(order_[k]) && !t.fills;
    return is_index(order_[k]) || !t.fills;
  }

  // Strides interleave: several values of the digit are possible.
  // NOLINTNEXTLINE(misc-no-recursion)
  void search(std::size_t k, const Value& rest, const Value& digit) {
    const Value& stride = term(k).flat_stride;
    const std::int64_t later = rest_max_[k];
    const std::string from = digit.text() + "_from";
    const Value least = (rest - later + (*stride.known() - 1)) / stride;
    body_.constant(from, Value(fmt::format("{} > {} ? {} : 0", rest.text(),
                                           later, least.text()),
                               Binding::anything_else));
    body_.line(
        fmt::format("for ({0} {1} = {2}; {1} < {3} && {4} <= {5}; "
                    "++{1}) {{",
                    body_.integer(), digit.text(), from, count(k),
                    (digit * stride).text(), rest.text()));
    ++loops_;
    body_.indent(1);
    const std::string next = fmt::format("rest{}", k + 1);
    if (later == 0 && k + 1 == order_.size()) {
      fail_if(fmt::format("{} != {}", (digit * stride).text(), rest.text()));
      walk(k + 1, 0, 0);
      return;
    }
    body_.constant(next, rest - digit * stride);
    walk(k + 1, variable(next), later);
  }

  void decode() {
    for (std::size_t d = 0; d < subject_.dims.size(); ++d) {
      if (chains_[d].found) {
        decode_chain(d);
      } else {
        search_index(d);
      }
    }
    for (const SubjectDim& dim : subject_.dims) {
      body_.line(fmt::format("*{} = {};", dim.out, dim.name));
    }
    body_.line("return 1;");
  }

  void decode_chain(std::size_t d) {
    const SubjectDim& dim = subject_.dims[d];
    const Chain& chain = chains_[d];
    if (chain.parts.size() == 1 && names_[chain.parts[0].term] == dim.name) {
      return;  // decoded and checked already
    }
    Value sum = 0;  // the index plus the bias
    Checked low = 0;
    Checked high = 0;
    for (std::size_t p = 0; p < chain.parts.size(); ++p) {
      const Chain::Part& part = chain.parts[p];
      const DigitValues values = values_of(subject_, terms_[part.term]);
      if (chain.redundant && p > 0 && !sum.known()) {
        const std::string name = fmt::format("{}_low{}", dim.name, p);
        body_.constant(name, sum % part.weight);
        sum = variable(name);
        low = 0;
        high = part.weight - 1;
      } else if (sum.known()) {
        sum = *sum.known() % part.weight;
        low = high = sum.known();
      }
      // The greater parts first, as they are written.
      sum = values_[part.term] * part.weight + sum;
      low = add(low, mul(values.low, part.weight));
      high = values.count
                 ? add(high, mul(values.low + *values.count - 1, part.weight))
                 : std::nullopt;
    }
    const std::int64_t bias = chain.bias;
    const std::optional<std::int64_t> extent = dim.extent.known();
    // Indices wrap round the modulus.
    const bool wraps = bias > 0 && chain.modulus != 0 &&
                       (!extent || bias + *extent > chain.modulus);
    if (wraps) {
      const std::int64_t begin = bias % chain.modulus;
      body_.constant(dim.name + "_sum", sum);
      const Value whole = variable(dim.name + "_sum");
      body_.constant(
          dim.name,
          Value(fmt::format("{0} < {1} ? {2} : {3}", whole.text(), begin,
                            (whole + (chain.modulus - begin)).text(),
                            (whole - begin).text()),
                Binding::anything_else));
    } else {
      body_.constant(dim.name, sum - bias);
    }
    std::string outside;
    if (!wraps && (!low || *low < bias)) outside = dim.name + " < 0";
    const bool beyond = !high || !extent || wraps || *high - bias >= *extent;
    if (beyond && !(wraps && extent && *extent >= chain.modulus)) {
      outside += fmt::format("{}{} >= {}", outside.empty() ? "" : " || ",
                             dim.name, dim.extent.text());
    }
    if (!outside.empty()) fail_if(outside);
    if (chain.redundant) check_digits(d);
  }

  // Digits that say the same of the index must agree.
  void check_digits(std::size_t d) {
    for (const std::size_t k : order_) {
      if (static_cast<std::size_t>(terms_[k].dim) != d) continue;
      const Value digit =
          digit_of(subject_, terms_[k], variable(subject_.dims[d].name));
      fail_if(fmt::format("{} != {}", digit.within(Binding::sum),
                          values_[k].within(Binding::sum)));
    }
  }

  // Digits that do not follow each other: the first index that has them.
  void search_index(std::size_t d) {
    const SubjectDim& dim = subject_.dims[d];
    std::string differs;
    for (const std::size_t k : order_) {
      if (static_cast<std::size_t>(terms_[k].dim) != d) continue;
      differs += fmt::format("{}{} != {}", differs.empty() ? "" : " || ",
                             digit_of(subject_, terms_[k], variable(dim.name))
                                 .within(Binding::sum),
                             values_[k].within(Binding::sum));
    }
    if (differs.empty()) {
      body_.constant(dim.name, 0);
      return;
    }
    body_.line(fmt::format("{} {} = 0;", body_.integer(), dim.name));
    body_.line(fmt::format("while ({0} < {1} && ({2})) ++{0};", dim.name,
                           dim.extent.text(), differs));
    fail_if(fmt::format("{} == {}", dim.name, dim.extent.text()));
  }

  const Subject& subject_;
  Body& body_;
  std::vector<SubjectTerm> terms_;
  std::vector<Chain> chains_;       // one a dim
  std::vector<Value> values_;       // of each term
  std::vector<std::string> names_;  // of each term's digit
  std::vector<std::size_t> order_;  // terms that vary, greatest stride first
  std::vector<std::int64_t> rest_max_;  // what those after each one can add
  Value first_ = 0;                     // the least place of an element
  int loops_ = 0;                       // around what is being written
};

}  // namespace

void write_inverse(const Subject& subject, Body& body) {
  Inverse(subject, body).write();
}

}  // namespace stridewise::emitter
