// SPDX-License-Identifier: Apache-2.0
#include "infer/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "infer/beyond.hpp"
#include "infer/build.hpp"
#include "infer/data.hpp"
#include "infer/names.hpp"
#include "infer/offsets.hpp"
#include "infer/search.hpp"
#include "layout/index.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

// Beyond this, layouts are tried only where places tell nothing.
constexpr std::int64_t search_limit = 1 << 22;

bool all_equal(const InferData& data, std::int64_t elements) {
  constexpr std::int64_t piece = 1 << 24;
  for (std::int64_t first = 0; first < elements; first += piece) {
    // Together with the first of the next piece.
    if (!data.constant_reference(first,
                                 std::min(first + piece + 1, elements))) {
      return false;
    }
    data.report(static_cast<double>(first) / static_cast<double>(elements));
  }
  return elements > 1;
}

// The layout of a name, whose memory lies elsewhere in the dump.
void take(InferFit& fit, const Named& named, const Offsets& function) {
  fit.start_byte += offsets_of(named.layout).origin - function.origin;
  fit.layout = named.layout;
}

// A fit as it is told: with its names, and the best name's own expression.
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
  // A name says more than digits do, unless it adds blocks that nothing shows.
  const bool telling = !names.empty() && !names[0].strided &&
                       (!names[0].rare_tag || names[0].layout.terms().size() <=
                                                  built.layout.terms().size());
  if (telling) take(fit, names[0], function);
  const std::int64_t beyond =
      dump_bytes + fit.start_byte - fit.layout.size_bytes();
  fit.trailing_bytes = std::max<std::int64_t>(beyond, 0);
  fit.missing_bytes = std::max<std::int64_t>(-beyond, 0);
  return fit;
}

// Of a dump that is not the layout's memory alone, whether the same layout from
// another processor on would put every element where it is.
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

// What is known when nothing fits.
void explain_none(const InferData& data, const InferOptions& options,
                  bool distinct, InferReport& report) {
  if (!report.best) {
    if (report.reason.empty()) {
      report.reason = "no layout that was tried has the dump's size";
    }
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
    report.reason = "no layout that was tried explains a single element";
    return;
  }
  if (explained.first_break >= 0) {
    report.first_break = index_of(options.shape, explained.first_break);
  }
  report.reason =
      fmt::format("none fits: the nearest explains {} of {} elements{}",
                  explained.matching, report.elements,
                  distinct ? ""
                           : "; values repeat, so that only layouts of the "
                             "catalogue and orders of dims could be tried "
                             "(stridewise probe makes values that do not)");
}

// What the search found, which explains every element. It tries some layouts:
// one that fits is not shown to be the only one.
InferReport searched(SearchResult found, InferReport report) {
  report.outcome = found.fits.size() == 1 ? InferReport::Outcome::unproven
                                          : InferReport::Outcome::several;
  report.present = report.matching = report.elements;
  report.fits = std::move(found.fits);
  report.best.reset();
  report.reason = "values repeat";
  return report;
}

// A layout that has every element, and no other has them there.
InferReport certain(InferFit fit, InferReport report) {
  report.outcome = InferReport::Outcome::one;
  report.fits.push_back(std::move(fit));
  report.present = report.matching = report.elements;
  report.best.reset();
  report.reason.clear();
  return report;
}

// Why the data do not rule out every other function; empty where they do: all
// steps are seen, or no other element has the value of any.
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

// The search for a layout, from what is told surely to what is only tried.
class Decision {
 public:
  Decision(const InferData& data, const Dims& dims, const InferOptions& options,
           std::int64_t elements)
      : data_(data), dims_(dims), options_(options), elements_(elements) {
    report_.elements = elements;
  }

  InferReport run() && {
    if (all_equal(data_, elements_)) {
      report_.outcome = InferReport::Outcome::unknowable;
      report_.reason =
          "all elements of the reference are equal: they tell nothing of where "
          "each one went; use stridewise probe";
      return std::move(report_);
    }
    if (by_places()) return std::move(report_);
    if (!places_tell_ || elements_ <= search_limit) {
      SearchResult found = search_layouts(data_, dims_, elements_);
      if (!found.fits.empty()) return searched(std::move(found), report_);
      // Half of the elements is no chance.
      if (found.best && 2 * matching_ < elements_) report_.best = found.best;
    }
    if (auto beyond = find_beyond(data_, dims_, elements_)) {
      return certain(*std::move(beyond), std::move(report_));
    }
    report_.outcome = InferReport::Outcome::none;
    explain_none(data_, options_, distinct_, report_);
    return std::move(report_);
  }

 private:
  // From the places of values that occur once; one voice for a step is enough, or two are
  // needed. Whether the report is ready.
  bool by_places() {
    const Locator locator(data_, options_.shape, elements_);
    for (const int least_votes : {1, 2}) {
      const std::optional<Located> located = locator.run(least_votes);
      if (!located) {
        places_tell_ = least_votes == 2;
        return false;
      }
      distinct_ = located->distinct;
      std::size_t stuck = 0;
      const std::optional<Built> built =
          build(located->offsets, options_.shape, options_.element_bytes,
                data_.dump_bytes(), stuck);
      if (built) {
        if (takes(*located, *built)) return true;
      } else if (stuck < options_.shape.size() && report_.reason.empty()) {
        report_.reason =
            print_steps(options_.shape, stuck, located->offsets.steps[stuck]);
      }
    }
    return false;
  }

  // Whether this layout, or one that says more, is the answer.
  bool takes(const Located& located, const Built& built) {
    Offsets offsets = offsets_of(built.layout);
    offsets.origin -= built.start_byte;
    const Explained explained = explain(data_, options_.shape, offsets, true);
    if (explained.present == 0 || explained.matching < explained.present) {
      if (!report_.best || explained.matching > matching_) {
        matching_ = explained.matching;
        report_.best = InferFit{built.layout, {}, built.start_byte, 0};
      }
      return false;
    }
    // A layout of which a part of the tensor would be missing is none where
    // another one explains all of it.
    if (explained.present < elements_ && elements_ <= search_limit) {
      SearchResult found = search_layouts(data_, dims_, elements_);
      if (!found.fits.empty()) {
        report_ = searched(std::move(found), std::move(report_));
        return true;
      }
    }
    if (explained.present < elements_ && has_all(data_, dims_, elements_)) {
      return false;
    }
    if (explained.present == elements_ && is_odd(built)) {
      if (auto fit = find_backwards(data_, dims_, elements_)) {
        report_ = certain(*std::move(fit), std::move(report_));
        return true;
      }
    }
    accept(located, built, explained);
    return true;
  }

  // Plain digits can say what runs backwards: by a base before the dump's first byte, or by
  // a bias, which no name explains.
  [[nodiscard]] bool is_odd(const Built& built) const {
    if (built.start_byte != 0) return true;
    const bool biased = std::ranges::any_of(
        built.chains, [](const Chain& chain) { return chain.bias != 0; });
    return biased && finish(built, dims_, data_.dump_bytes()).names.empty();
  }

  void accept(const Located& located, const Built& built,
              const Explained& explained) {
    report_.fits.push_back(finish(built, dims_, data_.dump_bytes()));
    const InferFit& fit = report_.fits.front();
    report_.reason = doubt(located, options_.shape, explained, elements_);
    if (report_.reason.empty() && starts_anywhere(fit)) {
      report_.reason = fmt::format(
          "the dump is not this memory alone, and does not show which {} "
          "comes first",
          fit.layout.axes().front().name);
    }
    report_.outcome = report_.reason.empty() ? InferReport::Outcome::one
                                             : InferReport::Outcome::unproven;
    report_.present = explained.present;
    report_.matching = explained.matching;
    report_.best.reset();
  }

  const InferData& data_;
  const Dims& dims_;
  const InferOptions& options_;
  std::int64_t elements_;
  InferReport report_;
  std::int64_t matching_ = 0;  // elements that the best layout explains
  bool places_tell_ = true;
  bool distinct_ = true;  // no two of the values that were looked for are equal
};

}  // namespace

InferReport decide(std::span<const InferPair> pairs,
                   const InferOptions& options, std::int64_t elements) {
  const InferData data(pairs, options.element_bytes, options.progress,
                       options.zeros);
  const Dims dims{options.shape, options.positional, options.element_bytes,
                  options.names};
  return Decision(data, dims, options, elements).run();
}

}  // namespace stridewise::inference
