// SPDX-License-Identifier: Apache-2.0
#include "inspect/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stridewise::inspect {
namespace {

constexpr std::size_t most_leaks = 16;

}  // namespace

void Leaks::add(std::int64_t place) {
  if (last_ + 1 != place || last_ < 0) {
    close();
    first_ = place;
  }
  last_ = place;
  if (!sets_) sets_.emplace(layout_, first_byte_);
  sets_->add(place);
}

void Leaks::close() {
  if (last_ < 0) return;
  ++all_runs_;
  sets_->close();
  if (runs_.size() < most_leaks) {
    const std::int64_t count = last_ - first_ + 1;
    runs_.push_back({byte_of(first_), count, origin_of(first_, count),
                     sets_->indices_of(first_, last_)});
  }
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

std::vector<LeakSet> Leaks::sets() {
  if (!sets_) return {};
  sets_->join();
  return sets_->sets();
}

std::vector<std::string> Leaks::sentences() const {
  if (!sets_) return {};
  std::vector<std::string> sentences = sets_->sentences();
  const auto told = std::ranges::find_if(
      runs_, [](const LeakReport& leak) { return !leak.holds.empty(); });
  if (told != runs_.end()) {
    sentences.push_back(
        fmt::format("byte {} holds {}", told->byte, told->holds));
  }
  return sentences;
}

}  // namespace stridewise::inspect
