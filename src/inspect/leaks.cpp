// SPDX-License-Identifier: Apache-2.0
#include "inspect/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "layout/exact.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::size_t most_leaks = 16;
constexpr std::int64_t most_followed = 4096;  // places that are looked into

}  // namespace

void Leaks::add(std::int64_t place) {
  if (last_ + 1 != place || last_ < 0) {
    close();
    first_ = place;
  }
  last_ = place;
  if (followed_ < most_followed) {
    ++followed_;
    follow(place);
  }
}

void Leaks::close() {
  if (last_ < 0) return;
  ++all_runs_;
  if (runs_.size() >= most_leaks) return;
  const std::int64_t count = last_ - first_ + 1;
  runs_.push_back({byte_of(first_), count, origin_of(first_, count)});
  last_ = -1;
}

// An element that has what these places have; the nearest one wins.
std::string Leaks::origin_of(std::int64_t place, std::int64_t count) const {
  const std::int64_t reach = std::min<std::int64_t>(layout_.places(), 1 << 16);
  const std::size_t size =
      static_cast<std::size_t>(std::min<std::int64_t>(count, 64)) * width_;
  const auto have = static_cast<std::int64_t>(size / width_);
  // One value is found by chance.
  if (have < 2 || constant(place, have)) return "";
  for (std::int64_t away = 1; away <= reach; ++away) {
    for (const std::int64_t other : {place + away, place - away}) {
      if (other < 0 || other + have > layout_.places()) continue;
      if (std::memcmp(at(other), at(place), size) != 0) continue;
      std::vector<std::int64_t> first(layout_.shape().size());
      std::vector<std::int64_t> last(layout_.shape().size());
      if (layout_.element_at(other, first) != Place::element ||
          layout_.element_at(other + have - 1, last) != Place::element) {
        continue;
      }
      return range(first, last);
    }
  }
  return "";
}

bool Leaks::constant(std::int64_t place, std::int64_t count) const {
  for (std::int64_t k = 1; k < count; ++k) {
    if (std::memcmp(at(place), at(place + k), width_) != 0) return false;
  }
  return true;
}

// "n=0,c=0..7,h=1,w=0"
std::string Leaks::range(const std::vector<std::int64_t>& first,
                         const std::vector<std::int64_t>& last) const {
  std::string text;
  for (std::size_t d = 0; d < first.size(); ++d) {
    text += fmt::format("{}{}={}", d == 0 ? "" : ",", layout_.shape()[d].name,
                        first[d]);
    if (last[d] != first[d]) text += fmt::format("..{}", last[d]);
  }
  return text;
}

// Where a digit of a dim leads beyond its extent: the index it would have.
void Leaks::follow(std::int64_t place) {
  for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
    const auto found = beyond(place, d);
    if (found < 0) continue;
    ++beyond_[{d, found}];
    return;
  }
  std::vector<std::int64_t> index(layout_.shape().size());
  if (layout_.element_at(place, index) == Place::padding) {
    ++padding_;
    return;
  }
  if (gaps_++ == 0) first_gap_ = byte_of(place);
}

// The index >= extent of dim d of which this would be the place, if the tensor
// were larger; -1: it is not.
std::int64_t Leaks::beyond(std::int64_t place, std::size_t d) {
  if (larger_.empty()) make_larger();
  if (!larger_[d]) return -1;
  std::vector<std::int64_t> index(layout_.shape().size());
  if (place >= larger_[d]->places() ||
      larger_[d]->element_at(place, index) != Place::element ||
      index[d] < layout_.shape()[d].extent) {
    return -1;
  }
  return index[d];
}

// The same memory with one dim filled up to whole blocks.
void Leaks::make_larger() {
  const Expression exact = exact_expression(layout_);
  for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
    std::int64_t block = 1;
    std::int64_t bias = 0;
    for (const BoundTerm& term : layout_.terms()) {
      if (term.dim == static_cast<std::int32_t>(d) && term.mod != 0 &&
          term.div * term.mod > block) {
        block = term.div * term.mod;
        bias = term.bias % block;
      }
    }
    Shape shape = layout_.shape();
    shape[d].extent =
        (shape[d].extent + bias + block - 1) / block * block - bias;
    Result<Layout> bound = Layout::bind(exact, shape, layout_.element_bytes());
    const bool usable =
        bound && bound->valid() && shape[d].extent > layout_.shape()[d].extent;
    larger_.push_back(usable ? std::optional<Layout>(*std::move(bound))
                             : std::nullopt);
  }
}

std::vector<std::string> Leaks::sentences() const {
  std::vector<std::string> sentences;
  for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
    std::int64_t low = -1;
    std::int64_t high = -1;
    for (const auto& [where, count] : beyond_) {
      if (where.first != d) continue;
      low = low < 0 ? where.second : std::min(low, where.second);
      high = std::max(high, where.second);
    }
    if (low < 0) continue;
    const std::string name = layout_.shape()[d].name;
    sentences.push_back(fmt::format(
        "the tail of {} is not zero: {}={}{} of the last block", name, name,
        low, low == high ? "" : fmt::format("..{}", high)));
  }
  const auto told = std::ranges::find_if(
      runs_, [](const LeakReport& leak) { return !leak.holds.empty(); });
  if (told != runs_.end()) {
    sentences.push_back(
        fmt::format("byte {} holds {}", told->byte, told->holds));
  }
  if (padding_ > 0) {
    sentences.push_back(
        "places that no index would fill, as before the first one, are not "
        "zero");
  }
  if (gaps_ > 0) {
    sentences.push_back(fmt::format(
        "gaps between rows, planes or alignments are not zero, from byte {} on",
        first_gap_));
  }
  return sentences;
}

}  // namespace stridewise::inspect
