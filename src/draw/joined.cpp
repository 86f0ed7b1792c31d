// SPDX-License-Identifier: Apache-2.0
#include "draw/joined.hpp"

#include <algorithm>
#include <utility>

namespace stridewise::draw {

Joined::Joined(const Layout& layout, std::size_t first, std::size_t last) {
  for (std::size_t a = first; a < last; ++a) {
    const BoundAxis& axis = layout.axes()[a];
    const std::int64_t steps = axis_room(layout, a);
    for (AxisTerm& term : terms) term.stride *= steps;
    base = base * steps + axis.base;
    used = used * steps + axis.extent - 1;
    extent *= steps;
    for (AxisTerm& term : axis_terms(layout, a)) {
      terms.push_back(std::move(term));
    }
    axes.push_back(a);
  }
  ++used;
}

std::vector<std::int64_t> Joined::coordinates(const Layout& layout,
                                              std::int64_t joined) const {
  std::vector<std::int64_t> at(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    const std::int64_t steps = axis_room(layout, axes[k]);
    at[k] = joined % steps;
    joined /= steps;
  }
  return at;
}

std::int64_t Joined::place(const Layout& layout, std::int64_t joined) const {
  std::int64_t bytes = 0;
  const std::vector<std::int64_t> at = coordinates(layout, joined);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    bytes += at[k] * layout.axes()[axes[k]].pitch_bytes;
  }
  return bytes / layout.element_bytes();
}

std::int64_t Joined::room(const Layout& layout, std::int64_t joined) const {
  const std::vector<std::int64_t> at = coordinates(layout, joined);
  std::int64_t room = layout.axes()[axes.back()].pitch_bytes;
  std::int64_t bytes = 0;  // that the axes up to here have passed
  for (std::size_t k = axes.size(); k-- > 0;) {
    bytes += at[k] * layout.axes()[axes[k]].pitch_bytes;
    if (axes[k] == 0) break;
    room = std::min(room, layout.axes()[axes[k] - 1].pitch_bytes - bytes);
  }
  return room / layout.element_bytes();
}

std::int64_t Joined::joined_of(const Layout& layout, std::int64_t place) const {
  std::int64_t bytes = place * layout.element_bytes();
  std::int64_t joined = 0;
  for (std::size_t a = 0; a < layout.axes().size(); ++a) {
    const BoundAxis& axis = layout.axes()[a];
    const std::int64_t at = bytes / axis.pitch_bytes;
    bytes %= axis.pitch_bytes;
    if (std::ranges::find(axes, a) != axes.end()) {
      joined = joined * axis_room(layout, a) + at;
    }
  }
  return joined;
}

std::vector<std::int64_t> digits_at(const Joined& axis, std::int64_t at) {
  if (!nested(axis.terms)) return {};
  std::vector<std::int64_t> values;
  std::int64_t rest = at - axis.base;
  for (const AxisTerm& term : axis.terms) {
    const std::int64_t value = rest / term.stride;
    if (rest < 0 || value >= term.extent) return {};
    values.push_back(value);
    rest %= term.stride;
  }
  return values;
}

}  // namespace stridewise::draw
