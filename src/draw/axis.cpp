// SPDX-License-Identifier: Apache-2.0
#include "draw/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "draw/gaps.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::draw {

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

Digit digit_of(const Layout& layout, const BoundTerm& term) {
  return {layout.shape()[static_cast<std::size_t>(term.dim)].name, term.bias,
          term.div, term.mod};
}

std::vector<AxisTerm> axis_terms(const Layout& layout, std::size_t axis) {
  std::vector<AxisTerm> terms;
  for (const BoundTerm& term : layout.terms()) {
    if (static_cast<std::size_t>(term.axis) != axis || term.extent <= 1) {
      continue;
    }
    terms.push_back({print(digit_of(layout, term)), term.extent, term.stride});
  }
  std::ranges::stable_sort(terms, std::ranges::greater{}, &AxisTerm::stride);
  return terms;
}

bool nested(std::span<const AxisTerm> terms) {
  std::int64_t reach = 0;  // of all smaller strides; bound in bind()
  for (std::size_t k = terms.size(); k-- > 0;) {
    if (terms[k].stride <= reach) return false;
    reach += (terms[k].extent - 1) * terms[k].stride;
  }
  return true;
}

std::int64_t axis_room(const Layout& layout, std::size_t axis) {
  const std::span<const BoundAxis> axes = layout.axes();
  return axis == 0
             ? axes[axis].extent
             : ceil_div(axes[axis - 1].pitch_bytes, axes[axis].pitch_bytes);
}

bool all_nested(const Layout& layout) {
  for (std::size_t a = 0; a < layout.axes().size(); ++a) {
    if (!nested(axis_terms(layout, a))) return false;
  }
  return true;
}

namespace {

constexpr std::int64_t glance = 48;  // units

// The nested loops over an axis, each cut down to what the budget allows.
class Elision {
 public:
  Elision(std::span<const AxisTerm> terms, const AxisView& view) : view_(view) {
    std::int64_t space = view.extent - view.base;
    for (const AxisTerm& term : terms) {
      if (term.stride < view.unit) break;
      loops_.push_back({term.name, term.extent, term.stride, term.extent});
      space = term.stride;
    }
    // What one step of the innermost loop takes, in units.
    std::int64_t used = 1;
    for (std::size_t k = loops_.size(); k < terms.size(); ++k) {
      used = std::max(used, terms[k].extent * terms[k].stride);
    }
    inner_ = shown_inner_ =
        std::max<std::int64_t>(1, ceil_div(std::min(used, space), view.unit));
    cut();
  }

  void run() { visit(0, view_.base); }

  std::set<std::int64_t> shown;
  // Left out by one loop: [begin, end) of the axis, in steps of a digit.
  struct Left {
    std::int64_t begin, end, stride;
    std::string name;
  };
  std::vector<Left> left;

  // Shows a unit with those around it, up to a whole step of an outer digit,
  // where these are few.
  void force(std::int64_t unit) {
    constexpr std::int64_t few = 8;
    shown.insert(unit);
    const std::int64_t at = unit * view_.unit;
    if (at < view_.base) return;
    std::int64_t rest = at - view_.base;
    for (const Loop& loop : loops_) {
      const std::int64_t units =
          ceil_div(mul(loop.extent, loop.stride).value_or(largest), view_.unit);
      if (units <= few) return show_all(at - rest, units);
      rest %= loop.stride;
    }
    if (inner_ <= few) show_all(at - rest, inner_);
  }

 private:
  struct Loop {
    std::string name;
    std::int64_t extent, stride, kept;
  };

  [[nodiscard]] std::int64_t total() const {
    Checked product = shown_inner_;
    for (const Loop& loop : loops_) product = mul(product, loop.kept);
    return product.value_or(largest);
  }

  // The outermost loops give way first, down to their ends; only then the
  // inner ones, and at last all but the first step.
  void cut() {
    for (Loop& loop : loops_) {
      for (const std::int64_t least : {3, 2}) keep(loop.kept, least);
    }
    for (const std::int64_t least : {3, 2}) keep(shown_inner_, least);
    for (Loop& loop : loops_) keep(loop.kept, 1);
    keep(shown_inner_, 1);
  }

  // As many of `count` as the budget has room for, but `least`.
  void keep(std::int64_t& count, std::int64_t least) {
    if (total() <= view_.budget || count <= least) return;
    const std::int64_t others = std::max<std::int64_t>(1, total() / count);
    count = std::clamp(view_.budget / others, least, count);
  }

  void show(std::int64_t begin) {
    const std::int64_t units = ceil_div(view_.extent, view_.unit);
    const std::int64_t first = begin / view_.unit;
    // A block that does not begin with a unit reaches into one more.
    const std::int64_t many = shown_inner_ == inner_ && begin % view_.unit != 0
                                  ? inner_ + 1
                                  : shown_inner_;
    const std::int64_t head = many == inner_ ? many : many - (many > 2 ? 1 : 0);
    for (std::int64_t k = 0; k < std::min(head, units - first); ++k) {
      shown.insert(first + k);
    }
    if (head < many && first + inner_ - 1 < units) {
      shown.insert(first + inner_ - 1);
    }
  }

  void show_all(std::int64_t begin, std::int64_t units) {
    const std::int64_t end = std::min(begin + units * view_.unit, view_.extent);
    for (std::int64_t unit = begin / view_.unit; unit * view_.unit < end;
         ++unit) {
      shown.insert(unit);
    }
  }

  void visit(std::size_t depth, std::int64_t begin) {
    if (depth == loops_.size()) return show(begin);
    const Loop& loop = loops_[depth];
    const bool all = loop.kept == loop.extent;
    const std::int64_t head =
        all ? loop.extent : std::max<std::int64_t>(1, loop.kept - 1);
    for (std::int64_t v = 0; v < head; ++v) {
      visit(depth + 1, begin + v * loop.stride);
    }
    if (all) return;
    const std::int64_t tail = loop.kept > 1 ? 1 : 0;
    left.push_back({begin + head * loop.stride,
                    begin + (loop.extent - tail) * loop.stride, loop.stride,
                    loop.name});
    if (tail != 0) visit(depth + 1, begin + (loop.extent - 1) * loop.stride);
  }

  AxisView view_;
  std::vector<Loop> loops_;
  std::int64_t inner_ = 1;        // units in one step of the innermost loop
  std::int64_t shown_inner_ = 1;  // of which these are shown
};

// The whole steps of loops within a run, the outermost first, and the units that
// remain: together exactly what is left out. Units alone where that is not so, or
// says little.
std::string text_of(const AxisRun& run, const AxisView& view,
                    std::span<const Elision::Left> left) {
  const std::int64_t begin = run.begin * view.unit;
  const std::int64_t end = begin + run.count * view.unit;
  struct Steps {
    std::string name;
    std::int64_t stride, count;
  };
  std::vector<Steps> all;
  std::int64_t rest = end - begin;
  for (const Elision::Left& part : left) {
    const std::int64_t from = std::max<std::int64_t>(0, begin - part.begin);
    const std::int64_t to = std::min(end, part.end) - part.begin;
    const std::int64_t count = to / part.stride - ceil_div(from, part.stride);
    if (count <= 0) continue;
    rest -= count * part.stride;
    const auto known = std::ranges::find(all, part.name, &Steps::name);
    if (known == all.end()) {
      all.push_back({part.name, part.stride, count});
    } else {
      known->count += count;
    }
  }
  const auto units = [&](std::int64_t count, const char* more) {
    return fmt::format("{}{} {}{}", grouped(count), more, view.unit_name,
                       count == 1 ? "" : "s");
  };
  if (rest % view.unit != 0 || rest > (end - begin) / 2) {
    return units(run.count, " more");
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Steps::stride);
  std::string text;
  for (const Steps& one : all) {
    text +=
        fmt::format("{}{}{} {}", text.empty() ? "" : ", ", grouped(one.count),
                    text.empty() ? " more" : "", one.name);
  }
  return rest == 0 ? text : text + " and " + units(rest / view.unit, "");
}

}  // namespace

std::vector<AxisRun> shown_runs(std::span<const AxisTerm> terms,
                                const AxisView& view,
                                std::span<const std::int64_t> forced) {
  const std::int64_t units = ceil_div(view.extent, view.unit);
  const std::int64_t used =
      view.used == 0 ? units : ceil_div(view.used, view.unit);
  const std::vector<Units> gaps = long_gaps(terms, view, units, used);
  if (units <= view.budget && gaps.empty()) {
    return {{.begin = 0, .count = units}};
  }
  // What leaves out elements leaves out enough to be read at a glance.
  AxisView cut = view;
  cut.extent = std::min(view.extent, used * view.unit);
  const bool whole = used <= view.budget;
  if (!whole) {
    cut.budget = std::max(std::min<std::int64_t>(view.budget, 12),
                          std::min<std::int64_t>(view.budget / 2, glance));
  }
  Elision elision(terms, cut);
  std::set<std::int64_t>& shown = elision.shown;
  if (whole) {
    for (std::int64_t unit = 0; unit < used; ++unit) shown.insert(unit);
  } else {
    elision.run();
    shown.insert({0, used - 1});
  }
  if (units - used <= few_gaps) {
    for (std::int64_t unit = used; unit < units; ++unit) shown.insert(unit);
  }
  // Of a gap the ends, which have its addresses.
  for (const Units& gap : gaps) {
    shown.erase(shown.lower_bound(gap.begin), shown.lower_bound(gap.end));
    shown.insert({gap.begin, gap.end - 1});
  }
  for (const std::int64_t unit : forced) {
    if (unit < used && !whole) {
      elision.force(unit);
    } else {
      shown.insert(unit);
    }
  }
  std::vector<AxisRun> runs;
  std::int64_t next = 0;
  const auto add = [&](std::int64_t begin, std::int64_t end, bool elided) {
    if (begin == end) return;
    if (!runs.empty() && runs.back().elided == elided) {
      runs.back().count += end - begin;
    } else {
      runs.push_back({.begin = begin, .count = end - begin, .elided = elided});
    }
  };
  for (const std::int64_t unit : shown) {
    // One or two units take no more room than words about them.
    add(next, unit, unit - next > 2);
    add(unit, unit + 1, false);
    next = unit + 1;
  }
  for (AxisRun& run : runs) {
    if (!run.elided) continue;
    run.gaps =
        next_used_unit(terms, view, run.begin, used) >= run.begin + run.count;
    run.text = run.gaps ? fmt::format("{} more {}s of gaps", grouped(run.count),
                                      view.unit_name)
                        : text_of(run, view, elision.left);
  }
  return runs;
}

}  // namespace stridewise::draw
