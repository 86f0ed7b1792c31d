// SPDX-License-Identifier: Apache-2.0
#include "infer/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "infer/beyond.hpp"
#include "infer/build.hpp"
#include "infer/data.hpp"
#include "infer/names.hpp"
#include "infer/offsets.hpp"
#include "infer/partial.hpp"
#include "infer/search.hpp"
#include "infer/tabled.hpp"
#include "infer/tile_search.hpp"
#include "infer/told.hpp"

namespace stridewise::inference {
namespace {

using Outcome = InferReport::Outcome;

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

bool has_table(const Layout& layout) {
  return std::ranges::any_of(
      layout.expression().axes.front().terms,
      [](const Term& term) { return !term.digit.table.empty(); });
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
    if (hopeless_) {
      report_.reason = "hardly any value of the reference is in the dump";
      explain_none(data_, options_, report_);
      return std::move(report_);
    }
    if (!places_tell_ || elements_ <= search_limit) {
      SearchResult& found = searched();
      if (!found.fits.empty()) {
        return all_of(std::move(found.fits), std::move(report_));
      }
      for (InferFit& near : found.near) {
        const Explained explained =
            explain(data_, options_.shape, offsets_of(near.layout), true);
        note_best(std::move(near), explained);
      }
    }
    if (tiles_may_tell_ && !nearly_all(matching_)) {
      by_tiles();
      if (!report_.fits.empty()) return std::move(report_);
    }
    if (known()) {
      if (auto beyond = find_beyond(*known()))
        return by_known(*std::move(beyond));
    }
    if (stuck_ && by_table(*stuck_, Outcome::one, true))
      return std::move(report_);
    report_.outcome = InferReport::Outcome::none;
    explain_none(data_, options_, report_);
    return std::move(report_);
  }

 private:
  // From the places of values that occur once; one voice for a step is enough, or two are
  // needed. Whether the report is ready.
  bool by_places() {
    const Locator locator(data_, options_.shape, elements_);
    // Where many have a place, tiles tell nothing more.
    tiles_may_tell_ = !locator.distinct() && locator.known_share() < 0.25;
    hopeless_ = locator.distinct() && locator.known_share() < 0.01;
    for (const int least_votes : {1, 2}) {
      const std::optional<Located> located = locator.run(least_votes);
      if (!located) {
        places_tell_ = least_votes == 2;
        return false;
      }
      std::size_t stuck = 0;
      const std::optional<Built> built =
          build(located->offsets, options_.shape, options_.element_bytes,
                data_.dump_bytes(), stuck);
      if (built) {
        if (takes(*located, *built)) return true;
      } else if (stuck < options_.shape.size() && report_.reason.empty()) {
        stuck_ = located->offsets;
        report_.reason =
            print_steps(options_.shape, stuck, located->offsets.steps[stuck]);
      }
    }
    return false;
  }

  // What explains so much is the layout, but for faults.
  [[nodiscard]] bool nearly_all(std::int64_t matching) const {
    return 50 * matching > 49 * elements_;
  }

  // From the places of tiles, where those of single elements tell nothing.
  void by_tiles() {
    const auto attempt = [&](const PlaceOf& place_of) {
      const Locator locator(options_.shape, elements_, place_of);
      return std::ranges::any_of(std::array{2, 1}, [&](int least_votes) {
        return tiles_tell(locator.run(least_votes));
      });
    };
    static_cast<void>(search_tiles(data_, options_.shape, elements_,
                                   options_.most_looked_at, attempt));
  }

  // Whether the search is to end.
  bool tiles_tell(const std::optional<Located>& located) {
    if (!located) return false;
    std::size_t stuck = 0;
    const std::optional<Built> built =
        build(located->offsets, options_.shape, options_.element_bytes,
              data_.dump_bytes(), stuck);
    if (!built) return by_table(located->offsets, Outcome::unproven, true);
    // What runs backwards can also be a bias that no name explains.
    if (is_odd(*built) &&
        by_table(located->offsets, Outcome::unproven, false)) {
      return true;
    }
    const Explained explained = explained_by(*built);
    if (explained.matching < elements_) {
      note_best({built->layout, {}, built->start_byte, 0}, explained);
      return nearly_all(explained.matching);
    }
    accept(*located, *built, explained);
    report_.outcome = InferReport::Outcome::unproven;
    report_.reason = "values repeat";
    return true;
  }

  // Where the steps of a dim are no sum of digits: digits that run backwards, or a table.
  bool by_table(const Offsets& offsets, Outcome outcome, bool tables) {
    const std::optional<Layout> layout =
        build_with_tables(offsets, options_.shape, options_.element_bytes);
    if (!layout || (!tables && has_table(*layout))) return false;
    const Explained explained =
        explain(data_, options_.shape, offsets_of(*layout), true);
    if (explained.matching < elements_) return false;
    const std::int64_t beyond = data_.dump_bytes() - layout->size_bytes();
    report_ = certain({.layout = *layout,
                       .names = {},
                       .trailing_bytes = std::max<std::int64_t>(beyond, 0),
                       .missing_bytes = std::max<std::int64_t>(-beyond, 0)},
                      std::move(report_));
    report_.outcome = outcome;
    if (outcome != Outcome::one) report_.reason = "values repeat";
    return true;
  }

  [[nodiscard]] Explained explained_by(const Built& built) const {
    Offsets offsets = offsets_of(built.layout);
    offsets.origin -= built.start_byte;
    return explain(data_, options_.shape, offsets, true);
  }

  // The layout that explains most is the nearest one, should none fit.
  void note_best(InferFit fit, const Explained& explained) {
    if (!fit.layout.valid()) return;
    if (report_.best && explained.matching <= matching_) return;
    matching_ = explained.matching;
    report_.best = std::move(fit);
  }

  // Whether this layout, or one that says more, is the answer.
  bool takes(const Located& located, const Built& built) {
    const Explained explained = explained_by(built);
    if (explained.present == 0 || explained.matching < explained.present) {
      note_best({built.layout, {}, built.start_byte, 0}, explained);
      return false;
    }
    // A layout of which a part of the tensor would be missing is none where
    // another one explains all of it.
    if (explained.present < elements_ && elements_ <= search_limit) {
      SearchResult& found = searched();
      if (!found.fits.empty()) {
        report_ = all_of(std::move(found.fits), std::move(report_));
        return true;
      }
    }
    // What the dump has all of is not half of it.
    if (explained.present < elements_ && known()) return false;
    if (explained.present < elements_ &&
        !enough_present(data_, built.layout, elements_, explained.present)) {
      note_best({built.layout, {}, built.start_byte, 0}, explained);
      return false;
    }
    if (explained.present == elements_ && is_odd(built) && known()) {
      if (auto fit = find_backwards(*known())) {
        report_ = by_known(*std::move(fit));
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

  // Layouts that were tried; once, where they are asked for.
  SearchResult& searched() {
    if (!searched_) searched_ = search_layouts(data_, dims_, elements_);
    return *searched_;
  }

  // A layout that the known places tell, and that explains every element.
  InferReport by_known(InferFit fit) {
    if (known_->complete()) return certain(std::move(fit), std::move(report_));
    return all_of({std::move(fit)}, std::move(report_));
  }

  // The places of elements; looked for once, where they are asked for.
  std::optional<KnownPlaces>& known() {
    if (!looked_for_) known_ = KnownPlaces::find(data_, dims_, elements_);
    looked_for_ = true;
    return known_;
  }

  const InferData& data_;
  const Dims& dims_;
  const InferOptions& options_;
  std::int64_t elements_;
  InferReport report_;
  std::int64_t matching_ = 0;     // elements that the best layout explains
  std::optional<Offsets> stuck_;  // are of a dim that is no sum of digits
  bool places_tell_ = true;
  std::optional<SearchResult> searched_;
  std::optional<KnownPlaces> known_;
  bool looked_for_ = false;
  bool tiles_may_tell_ = false;
  bool hopeless_ = false;  // values differ, and are not in the dump
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
