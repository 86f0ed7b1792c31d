// SPDX-License-Identifier: Apache-2.0
#include "inspect/tally.hpp"

#include <algorithm>
#include <cmath>

#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::int64_t most_tabulated = 1 << 20;

}  // namespace

// ----------------------------------------------------------------- Along ---

Along::Along(const Layout& layout, std::size_t dim)
    : layout_(layout),
      dim_(dim),
      extent_(dim < layout.shape().size() ? layout.shape()[dim].extent : 1) {
  // No place is to be had where another dim is empty.
  if (layout.elements() == 0) extent_ = 0;
  int digits = 0;
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim != static_cast<std::int32_t>(dim)) continue;
    plain_ =
        ++digits == 1 && term.div == 1 && term.mod == 0 ? term.flat_stride : 0;
  }
  if (extent_ > most_tabulated) return;
  for (std::int64_t x = 0; x < extent_; ++x) {
    places_.push_back(compute_place(x));
  }
  if (layout.axes().size() < 2) return;
  for (std::size_t k = 0; k < layout.axes().size(); ++k) {
    std::vector<std::int64_t>& steps = coordinates_.emplace_back();
    for (std::int64_t x = 0; x < extent_; ++x) {
      steps.push_back(compute_coordinate(k, x));
    }
  }
}

std::int64_t Along::compute_place(std::int64_t x) const {
  if (layout_.shape().empty()) return 0;
  std::vector<std::int64_t> index(layout_.shape().size(), 0);
  const std::int64_t zero = layout_.offset(index);
  index[dim_] = x;
  return layout_.offset(index) - zero;
}

std::int64_t Along::compute_coordinate(std::size_t axis, std::int64_t x) const {
  if (layout_.shape().empty()) return 0;
  std::vector<std::int64_t> index(layout_.shape().size(), 0);
  std::vector<std::int64_t> zero(layout_.axes().size());
  std::vector<std::int64_t> there(layout_.axes().size());
  layout_.coordinates_of(index, zero);
  index[dim_] = x;
  layout_.coordinates_of(index, there);
  return there[axis] - zero[axis];
}

std::int64_t Along::run(std::int64_t x, std::int64_t most) const {
  const std::int64_t end = std::min(extent_ - x, most);
  if (plain_ == 1) return end;
  const std::int64_t first = place(x);
  std::int64_t count = 1;
  while (count < end && place(x + count) - first == count) ++count;
  return count;
}

// ----------------------------------------------------------------- Tally ---

Tally::Tally(const Sides& sides, std::size_t dim, DiffReport& report)
    : sides_(sides),
      report_(report),
      width_(sides.compared.bytes()),
      judge_(sides.judge),
      rounds_(judge_.rounds()),
      along_(sides.a, dim),
      coordinates_(sides.a.axes().size()) {
  for (const Dim& d : sides.a.shape()) {
    report.by_dim.push_back(counts_of(d.name, d.extent));
  }
  if (sides.a.axes().size() < 2) return;
  for (const BoundAxis& axis : sides.a.axes()) {
    report.by_axis.push_back(counts_of(axis.name, axis.extent));
  }
}

void Tally::run(std::vector<std::int64_t>& index, std::int64_t count,
                const std::byte* a, const std::byte* b) {
  for (std::int64_t first = 0; first < count; first += Marks::most) {
    const std::int64_t some = std::min(Marks::most, count - first);
    const std::byte* const at_a = a + first * width_;
    const std::byte* const at_b = b + first * width_;
    judge_.mark(at_a, at_b, some, marks_);
    if (marks_.count > 0) marked(index, first, some, at_a, at_b);
  }
}

void Tally::marked(std::vector<std::int64_t>& index, std::int64_t first,
                   std::int64_t count, const std::byte* a, const std::byte* b) {
  const std::span fails(marks_.fails.data(), static_cast<std::size_t>(count));
  const std::size_t dim = along_.dim();
  const bool has_dim = dim < index.size();
  const std::int64_t begin = (has_dim ? index[dim] : 0) + first;
  const auto least = std::ranges::find(fails, 1) - fails.begin();
  report_.differences += marks_.count;
  report_.max_abs = std::max(report_.max_abs, marks_.max_finite_abs);
  report_.max_rel = std::max(report_.max_rel, marks_.max_rel);
  report_.max_ulp = std::max(report_.max_ulp, marks_.max_ulp);
  report_.nan_a += marks_.nan_a;
  report_.nan_b += marks_.nan_b;
  report_.infinite += infinite_ones(count);

  index_ = index;
  if (has_dim) index_[dim] = 0;
  count_places(begin, fails);
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (d != dim) add(report_.by_dim[d], index[d], marks_.count);
  }
  if (has_dim) add_run(report_.by_dim[dim], begin, fails);

  take_example(begin, count, a, b);

  const auto here = [&](std::int64_t k) {
    if (has_dim) index_[dim] = begin + k;
    return difference(index_, a + k * width_, b + k * width_);
  };
  if (has_dim) index_[dim] = begin + least;
  if (!report_.first || index_ < report_.first->index) {
    report_.first = here(least);
  }
  if (report_.worst && marks_.max_abs < report_.worst->abs) return;
  const std::int64_t worst = worst_of(least, count, a, b);
  // Most are as far off as the worst one is where all are wrong alike.
  if (has_dim) index_[dim] = begin + worst;
  if (report_.worst && marks_.max_abs == report_.worst->abs && !rounds_ &&
      index_ > report_.worst->index) {
    return;
  }
  Difference candidate = here(worst);
  const std::byte* const at_a = a + worst * width_;
  const std::byte* const at_b = b + worst * width_;
  if (report_.worst && !exceeds(candidate, at_a, at_b)) return;
  report_.worst = std::move(candidate);
  std::copy_n(at_a, width_, worst_a_.bytes.begin());
  std::copy_n(at_b, width_, worst_b_.bytes.begin());
}

// Of those that fail, the ones with an infinite error that is no NaN's.
std::int64_t Tally::infinite_ones(std::int64_t count) const {
  if (marks_.max_abs == marks_.max_finite_abs) return 0;
  std::int64_t infinite = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    infinite += marks_.fails[at] != 0 && std::isinf(marks_.abs[at]) ? 1 : 0;
  }
  return infinite - marks_.nan_a - marks_.nan_b;
}

// One of those that fail in a row, which stays with the chance that all rows have
// (Vitter's reservoir). index_ is that of the row.
void Tally::take_example(std::int64_t begin, std::int64_t count,
                         const std::byte* a, const std::byte* b) {
  constexpr std::int64_t most = 512;
  ++offered_;
  std::int64_t slot = std::ssize(examples_);
  if (slot == most) slot = sequence_.below(offered_);
  if (slot >= most) return;
  std::int64_t k = sequence_.below(count);
  while (marks_.fails[static_cast<std::size_t>(k)] == 0) k = (k + 1) % count;
  if (slot == std::ssize(examples_)) examples_.emplace_back();
  Example& example = examples_[static_cast<std::size_t>(slot)];
  example.index = index_;
  if (along_.dim() < index_.size()) example.index[along_.dim()] = begin + k;
  std::copy_n(a + k * width_, width_, example.a.bytes.begin());
  std::copy_n(b + k * width_, width_, example.b.bytes.begin());
}

// By bytes and by axes. index_ is that of the run with its own dim at 0.
void Tally::count_places(std::int64_t begin,
                         std::span<const std::int64_t> fails) {
  const std::int64_t place = sides_.a.offset(index_);
  const auto count = std::ssize(fails);
  const auto failed = [&](std::int64_t k) {
    return fails[static_cast<std::size_t>(k)] != 0;
  };
  const auto widen = [&](std::int64_t k) {
    const std::int64_t byte =
        (place + along_.place(begin + k)) * sides_.a.element_bytes();
    if (extent_.first_byte_a < 0 || byte < extent_.first_byte_a) {
      extent_.first_byte_a = byte;
    }
    extent_.last_byte_a = std::max(extent_.last_byte_a, byte);
  };
  if (along_.ascends()) {
    std::int64_t least = 0;
    std::int64_t most = count - 1;
    while (!failed(least)) ++least;
    while (!failed(most)) --most;
    widen(least);
    widen(most);
  } else {
    for (std::int64_t k = 0; k < count; ++k) {
      if (failed(k)) widen(k);
    }
  }
  if (report_.by_axis.empty()) return;
  sides_.a.coordinates_of(index_, coordinates_);
  for (std::size_t axis = 0; axis < coordinates_.size(); ++axis) {
    DiffCounts& counts = report_.by_axis[axis];
    for (std::int64_t k = 0; k < count; ++k) {
      if (!failed(k)) continue;
      add(counts, coordinates_[axis] + along_.coordinate(axis, begin + k), 1);
    }
  }
}

// The first one of the largest error, from the first that fails on.
std::int64_t Tally::worst_of(std::int64_t least, std::int64_t count,
                             const std::byte* a, const std::byte* b) const {
  const auto abs = [&](std::int64_t k) {
    return marks_.abs[static_cast<std::size_t>(k)];
  };
  const auto failed = [&](std::int64_t k) {
    return marks_.fails[static_cast<std::size_t>(k)] != 0;
  };
  std::int64_t worst = least;
  while (!failed(worst) || abs(worst) != marks_.max_abs) ++worst;
  if (!rounds_) return worst;
  // Errors that are one double may differ all the same.
  for (std::int64_t k = worst + 1; k < count; ++k) {
    if (!failed(k) || abs(k) != marks_.max_abs) continue;
    if (judge_.larger(a + k * width_, b + k * width_, a + worst * width_,
                      b + worst * width_)) {
      worst = k;
    }
  }
  return worst;
}

// Whether a candidate, of these values, is worse than the worst one.
bool Tally::exceeds(const Difference& one, const std::byte* a,
                    const std::byte* b) const {
  const Difference& other = *report_.worst;
  if (one.abs != other.abs) return one.abs > other.abs;
  if (rounds_) {
    const std::byte* const worst_a = worst_a_.bytes.data();
    const std::byte* const worst_b = worst_b_.bytes.data();
    if (judge_.larger(a, b, worst_a, worst_b)) return true;
    if (judge_.larger(worst_a, worst_b, a, b)) return false;
  }
  return one.index < other.index;
}

Difference Tally::difference(const std::vector<std::int64_t>& index,
                             const std::byte* a, const std::byte* b) const {
  Difference d = judge_.describe(a, b);
  d.index = index;
  d.byte_a = sides_.a.offset(index) * sides_.a.element_bytes();
  d.byte_b = sides_.b.offset(index) * sides_.b.element_bytes();
  return d;
}

}  // namespace stridewise::inspect
