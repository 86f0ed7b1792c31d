// Elements that follow each other in dst and not in src are put together to words first, in
// a memory of the order of src; then words are transposed as elements of whole bytes. Dims
// of src take turns, so that the memory stays in a cache.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/planner/relay.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "reorder/planner/by_fields.hpp"
#include "reorder/planner/plan.hpp"

namespace stridewise::detail {
namespace {

constexpr std::int64_t word_bits = 32;
constexpr std::int64_t most_relays = 256;
// Of a memory, where one dim alone can be cut.
constexpr std::int64_t most_relay_bytes = 16 << 20;
// Windows begin with whole lines of elements of a few bits.
constexpr std::int64_t window_unit = 128;

// Bits that are moved field by field.
std::int64_t slow_bits(const PlanData& data) {
  if (!data.fields) return 0;
  std::int64_t bits = 0;
  for (const FieldNest& nest : data.fields->nests) {
    if (nest.kind == FieldNest::Kind::bits ||
        nest.kind == FieldNest::Kind::pieces) {
      bits += nest.inner_bits * nest.repeats();
    }
  }
  return bits;
}

// How far apart the last steps of a dim are.
std::int64_t widest_step(const Layout& layout, std::size_t dim) {
  std::int64_t widest = 0;
  for (const BoundTerm& term : layout.terms()) {
    if (static_cast<std::size_t>(term.dim) != dim || term.extent < 2) continue;
    widest = std::max(widest, std::abs(term.flat_stride));
  }
  return widest;
}

// The dim whose elements follow each other, at least two words of them.
std::optional<std::size_t> dense_dim(const Layout& layout, std::int64_t word) {
  for (const BoundTerm& term : layout.terms()) {
    if (term.flat_stride == 1 && term.div == 1 && term.bias == 0 &&
        term.extent >= 2 * word) {
      return static_cast<std::size_t>(term.dim);
    }
  }
  return std::nullopt;
}

// src's order with words of the dense dim of dst; nothing where dst has none.
std::optional<Layout> words_of(const Layout& src, const Layout& dst) {
  const std::int64_t bits = src.element_bits();
  const std::int64_t word = word_bits / std::gcd(word_bits, bits);
  const auto dense = dense_dim(dst, word);
  if (!dense) return std::nullopt;
  const std::string& name = dst.shape()[*dense].name;
  std::vector<std::size_t> order(src.shape().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t dim) {
    return widest_step(src, dim);
  });
  Axis axis;
  for (const std::size_t dim : order) {
    Digit digit{.dim = src.shape()[dim].name};
    if (digit.dim == name) digit.div = word;
    axis.terms.push_back({.digit = std::move(digit)});
  }
  axis.terms.push_back({.digit = {.dim = name, .mod = word}});
  auto words = Layout::bind(Expression{{axis}}, src.shape(),
                            Binding{.element_bits = bits});
  if (!words) return std::nullopt;
  return *std::move(words);
}

Result<PlanData> direct(const Machine& machine, const Layout& src,
                        const Layout& dst, const PlanOptions& options) {
  PlanData data = begin_data(src, dst, options);
  if (auto done = plan_by_fields(data, machine, src, dst, options, nullptr);
      !done) {
    return unexpected(done.error());
  }
  return data;
}

// Nothing where it would be slow, too.
std::optional<Relay> relay_of(const Machine& machine, const Layout& src,
                              const Layout& dst, const PlanOptions& options) {
  const auto words = words_of(src, dst);
  if (!words || words->size_bytes() > most_relay_bytes) return std::nullopt;
  PlanOptions first = options;
  first.fill = Fill::keep;
  Result<PlanData> before = direct(machine, src, *words, first);
  Result<PlanData> after = direct(machine, *words, dst, options);
  if (!before || !after) return std::nullopt;
  const std::int64_t all = src.elements() * src.element_bits();
  if (slow_bits(*before) + slow_bits(*after) > all / 8) return std::nullopt;
  return Relay{words->size_bytes(),
               std::make_shared<const PlanData>(*std::move(before)),
               std::make_shared<const PlanData>(*std::move(after))};
}

// Windows of the longest dim but the dense one.
std::vector<Slice> windows_of(const Layout& src, const Layout& dst,
                              std::size_t dense, std::int64_t relay_bytes) {
  const std::string& apart = dst.shape()[dense].name;
  const Dim* longest = nullptr;
  for (const Dim& dim : src.shape()) {
    if (dim.name == apart) continue;
    if (longest == nullptr || dim.extent > longest->extent) longest = &dim;
  }
  if (longest == nullptr) return {};
  const std::int64_t bytes = ceil_div(src.elements() * src.element_bits(), 8);
  const std::int64_t count =
      std::clamp<std::int64_t>(bytes / relay_bytes, 1, most_relays);
  const std::int64_t step =
      ceil_div(ceil_div(longest->extent, count), window_unit) * window_unit;
  std::vector<Slice> windows;
  for (std::int64_t low = 0; low < longest->extent; low += step) {
    windows.push_back(
        {longest->name, low, std::min(low + step, longest->extent)});
  }
  return windows;
}

std::vector<Relay> relays_of(const Machine& machine, const Layout& src,
                             const Layout& dst, const PlanOptions& options) {
  const std::int64_t word = word_bits / std::gcd(word_bits, src.element_bits());
  const auto dense = dense_dim(dst, word);
  if (!dense) return {};
  std::vector<Relay> relays;
  PlanOptions next = options;
  if (mul(dst.elements(), dst.element_bits()) == dst.size_bits()) {
    next.fill = Fill::keep;  // there is nothing else
  }
  for (const Slice& window :
       windows_of(src, dst, *dense, machine.profile.relay_bytes)) {
    const Result<Layout> from = src.window(std::span(&window, 1));
    const Result<Layout> to = dst.window(std::span(&window, 1));
    if (!from || !to || !from->plain() || !to->plain()) return {};
    auto relay = relay_of(machine, *from, *to, next);
    if (!relay) return {};
    relays.push_back(*std::move(relay));
    next.fill = Fill::keep;  // what holds no element is zero by now
  }
  return relays;
}

}  // namespace

Result<void> plan_irregular(PlanData& data, const Machine& machine,
                            const Layout& src, const Layout& dst,
                            const PlanOptions& options,
                            std::vector<engine::Bill>* bills) {
  if (auto done = plan_by_fields(data, machine, src, dst, options, bills);
      !done) {
    return done;
  }
  const std::int64_t slow = slow_bits(data);
  const std::int64_t all = src.elements() * src.element_bits();
  if (options.values || slow / 8 < machine.profile.min_relayed_bytes ||
      slow < all / 2 || !src.plain() || !dst.plain() ||
      src.element_bits() >= word_bits) {
    return {};
  }
  std::vector<Relay> relays = relays_of(machine, src, dst, options);
  if (relays.empty()) return {};
  data.fields = nullptr;
  data.relays = std::move(relays);
  data.relayed = {src, dst};
  data.relayed_fill = options.fill;
  return {};
}

}  // namespace stridewise::detail
