// SPDX-License-Identifier: Apache-2.0
#include "infer/told.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "infer/names.hpp"
#include "infer/sample.hpp"
#include "layout/index.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

// How many strides, pitches and bases are numbers.
int explicit_steps(const Layout& layout) {
  int count = 0;
  for (const Axis& axis : layout.expression().axes) {
    count += axis.base == 0 ? 0 : 1;
    count += axis.pitch.kind == Step::Kind::natural ? 0 : 1;
    for (const Term& term : axis.terms) {
      count += term.stride.kind == Step::Kind::natural ? 0 : 1;
    }
  }
  return count;
}

// The layout of a name, whose memory lies elsewhere in the dump.
void take(InferFit& fit, const Named& named, const Offsets& function) {
  fit.start_byte += offsets_of(named.layout).origin - function.origin;
  fit.layout = named.layout;
}

}  // namespace

InferFit finish(const Built& built, const Dims& dims, std::int64_t dump_bytes) {
  InferFit fit{built.layout, {}, built.start_byte, 0};
  const bool whole =
      built.start_byte == 0 && built.layout.size_bytes() == dump_bytes;
  const Offsets function = offsets_of(built.layout);
  std::vector<Named> names =
      names_of(function, built.chains, dims, whole ? dump_bytes : -1,
               built.start_byte != 0);
  // Where nothing shows a block, the name without blocks is the likely one.
  if (built.layout.dense()) {
    std::ranges::stable_sort(names, {}, [](const Named& named) {
      return std::pair(named.strided, named.layout.terms().size());
    });
  }
  for (const Named& named : names) fit.names.push_back(named.name);
  // The memory may be that of a layout that has a name, and the base what lies
  // before it.
  if (names.empty() && built.start_byte == 0) {
    const std::vector<Named> elsewhere =
        names_of(function, built.chains, dims, -1, true);
    for (const Named& named : elsewhere) {
      fit.names_at_base.push_back(named.name);
      if (fit.names_at_base.size() > 1) continue;
      fit.base_bytes = function.origin - offsets_of(named.layout).origin;
    }
    // Digits alone do not tell axes.
    if (!elsewhere.empty() && !elsewhere[0].strided &&
        elsewhere[0].layout.axes().size() > 1) {
      take(fit, elsewhere[0], function);
      fit.names = std::exchange(fit.names_at_base, {});
      fit.base_bytes = 0;
    }
  }
  // A name says more than digits do, unless it adds blocks that nothing shows. A stride of
  // bytes shows them: it is a coincidence of this shape, and the name holds for the next.
  const bool telling =
      !names.empty() && !names[0].strided &&
      (!names[0].rare_tag ||
       names[0].layout.terms().size() <= built.layout.terms().size() ||
       explicit_steps(names[0].layout) < explicit_steps(built.layout));
  if (telling) take(fit, names[0], function);
  const std::int64_t beyond =
      dump_bytes + fit.start_byte - fit.layout.size_bytes();
  fit.trailing_bytes = std::max<std::int64_t>(beyond, 0);
  fit.missing_bytes = std::max<std::int64_t>(-beyond, 0);
  return fit;
}

InferReport all_of(std::vector<InferFit> fits, InferReport report) {
  report.outcome = fits.size() == 1 ? InferReport::Outcome::unproven
                                    : InferReport::Outcome::several;
  report.present = report.matching = report.elements;
  report.fits = std::move(fits);
  report.best.reset();
  report.reason = "values repeat";
  return report;
}

InferReport certain(InferFit fit, InferReport report) {
  report.outcome = InferReport::Outcome::one;
  report.fits.push_back(std::move(fit));
  report.present = report.matching = report.elements;
  report.best.reset();
  report.reason.clear();
  return report;
}

bool starts_anywhere(const InferFit& fit) {
  const Expression& expression = fit.layout.expression();
  const bool whole =
      fit.start_byte == 0 && fit.trailing_bytes == 0 && fit.missing_bytes == 0;
  if (whole || expression.axes.size() < 2 ||
      expression.axes.front().terms.size() != 1) {
    return false;
  }
  const Digit digit = expression.axes.front().terms.front().digit;
  if (digit.mod < 2) return false;
  const Offsets function = offsets_of(fit.layout);
  for (const std::int64_t by : {std::int64_t{1}, digit.mod - 1}) {
    Expression other = expression;
    for (Axis& axis : other.axes) {
      for (Term& term : axis.terms) {
        if (term.digit.dim != digit.dim) continue;
        term.digit.bias =
            (term.digit.bias + by * digit.div) % (digit.mod * digit.div);
      }
    }
    const Result<Layout> layout =
        Layout::bind(other, fit.layout.shape(), fit.layout.element_bytes());
    if (layout && layout->valid() && agrees(*layout, function, true)) {
      return true;
    }
  }
  return false;
}

std::string print_steps(const Shape& shape, std::size_t d,
                        const std::vector<std::int64_t>& steps) {
  std::string text;
  for (std::size_t x = 0; x < std::min<std::size_t>(steps.size(), 6); ++x) {
    const std::int64_t step = steps[x];
    text += fmt::format("{}{}", x == 0 ? "" : ", ",
                        step == unknown ? "?" : std::to_string(step));
  }
  return fmt::format(
      "the places along {} are no sum of digits: from {}=0 on, bytes {}{}",
      shape[d].name, shape[d].name, text, steps.size() > 6 ? ", ..." : "");
}

namespace {

// Of a large tensor, of elements here and there.
Distinct count_distinct(const InferData& data, std::int64_t elements) {
  constexpr std::int64_t most = 1 << 20;
  std::vector<std::uint64_t> keys = sorted_keys(data, elements, most);
  const std::int64_t of = std::ssize(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return {std::ssize(keys), of};
}

}  // namespace

std::string about_values(const Distinct& distinct, std::int64_t elements) {
  const std::string probe = "stridewise probe makes values that settle it";
  // Chance draws a few elements twice.
  if (distinct.of < elements && 8 * distinct.values > 7 * distinct.of) {
    return "nearly all values are distinct, so that is not the reason; " +
           probe;
  }
  if (distinct.values == distinct.of) {
    return "all values are distinct, so that is not the reason; " + probe;
  }
  const std::string count = fmt::format("{} of {} values are distinct, which ",
                                        distinct.values, distinct.of);
  return count +
         (2 * distinct.values > distinct.of ? "is hardly the reason; "
                                            : "may be the reason; ") +
         probe;
}

void explain_none(const InferData& data, const InferOptions& options,
                  InferReport& report) {
  const Distinct distinct = count_distinct(data, report.elements);
  report.distinct = distinct.values;
  const std::string values = "; " + about_values(distinct, report.elements);
  if (!report.best) {
    if (report.reason.empty()) {
      report.reason = "no layout that was tried has the dump's size";
    }
    report.reason += values;
    return;
  }
  Offsets offsets = offsets_of(report.best->layout);
  offsets.origin -= report.best->start_byte;
  const Explained explained = explain(data, options.shape, offsets, true);
  report.present = explained.present;
  report.matching = explained.matching;
  // What explains nothing is near to nothing.
  if (explained.matching == 0) {
    report.best.reset();
    report.reason =
        "no layout that was tried explains a single element" + values;
    return;
  }
  if (explained.first_break >= 0) {
    report.first_break = index_of(options.shape, explained.first_break);
  }
  report.reason =
      fmt::format("none fits: the nearest explains {} of {} elements",
                  explained.matching, report.elements) +
      values;
}

std::string doubt(const Located& located, const Shape& shape,
                  const Explained& explained, std::int64_t elements) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto& steps = located.offsets.steps[d];
    const auto first = std::ranges::find(steps, unknown);
    if (first == steps.end()) continue;
    if (explained.present == elements) {
      if (located.distinct) continue;
      return "values repeat";
    }
    return fmt::format("{} of {} indices of {}, such as {}={}, {}",
                       std::ranges::count(steps, unknown), shape[d].extent,
                       shape[d].name, shape[d].name, first - steps.begin(),
                       located.distinct
                           ? "have no element in the dump"
                           : "have none in the dump or values that repeat");
  }
  return "";
}

}  // namespace stridewise::inference

namespace stridewise {

std::string_view outcome_name(InferReport::Outcome outcome) {
  switch (outcome) {
    case InferReport::Outcome::one:
      return "one fits";
    case InferReport::Outcome::unproven:
      return "fits, maybe not alone";
    case InferReport::Outcome::several:
      return "several fit";
    case InferReport::Outcome::none:
      return "none fits";
    case InferReport::Outcome::unknowable:
      return "cannot know";
  }
  return "";
}

}  // namespace stridewise
