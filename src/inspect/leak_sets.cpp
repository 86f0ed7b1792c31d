// SPDX-License-Identifier: Apache-2.0
#include "inspect/leak_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inspect/words.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::size_t most_groups = 16;
// Of a run whose indices are kept until it ends.
constexpr std::int64_t longest_run = 4096;

bool has(std::uint64_t dims, std::size_t d) { return (dims >> d & 1) != 0; }

// Whether two counts of a dim have some of the same indices.
bool same_indices(const DiffCounts& a, const DiffCounts& b) {
  return std::ranges::equal(
      a.counts, b.counts, {}, [](std::int64_t count) { return count > 0; },
      [](std::int64_t count) { return count > 0; });
}

}  // namespace

LeakSets::LeakSets(const Layout& layout, std::int64_t first_byte)
    : layout_(layout),
      first_byte_(first_byte),
      beyond_(layout),
      index_(layout.shape().size()) {}

std::uint64_t LeakSets::beyond(const std::vector<std::int64_t>& index) const {
  std::uint64_t dims = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] >= layout_.shape()[d].extent) dims |= std::uint64_t{1} << d;
  }
  return dims;
}

void LeakSets::add(std::int64_t place) {
  const Room room = beyond_.find(place, index_);
  const std::uint64_t dims = room == Room::nowhere ? 0 : beyond(index_);
  if (run_.count == 0 || run_.first + run_.count != place ||
      run_.room != room || run_.dims != dims || run_.count == longest_run) {
    close();
    run_.room = room;
    run_.dims = dims;
    run_.first = place;
  }
  ++run_.count;
  if (room != Room::nowhere) {
    run_.indices.insert(run_.indices.end(), index_.begin(), index_.end());
    if (room == Room::gap && first_gap_ < 0) first_gap_ = place;
    return;
  }
  std::int64_t& first = layout_.element_at(place, index_) == Place::padding
                            ? first_padding_
                            : first_gap_;
  if (first < 0) first = place;
}

void LeakSets::close() {
  if (run_.count == 0) return;
  if (Group* const group = place_for(run_)) count(run_, *group);
  run_.count = 0;
  run_.indices.clear();
}

// A group of nothing yet, into which the run would go.
LeakSets::Group LeakSets::group_of(const Run& run) const {
  Group group{.room = run.room, .dims = run.dims, .first = run.first};
  if (run.room == Room::nowhere) return group;
  const std::size_t dims = index_.size();
  for (std::size_t d = 0; d < dims; ++d) {
    const bool beyond = has(run.dims, d);
    const Dim& dim = (beyond ? beyond_.shape(run.room) : layout_.shape())[d];
    group.counts.push_back(counts_of(dim.name, dim.extent));
    if (!beyond) continue;
    std::pair range{run.indices[d], run.indices[d]};
    for (std::size_t at = d; at < run.indices.size(); at += dims) {
      range.first = std::min(range.first, run.indices[at]);
      range.second = std::max(range.second, run.indices[at]);
    }
    group.ranges.push_back(range);
  }
  return group;
}

void LeakSets::count(const Run& run, Group& group) const {
  group.places += run.count;
  ++group.runs;
  const std::size_t dims = group.counts.size();
  for (std::size_t at = 0; at < run.indices.size(); ++at) {
    inspect::add(group.counts[at % dims], run.indices[at], 1);
  }
}

LeakSets::Group* LeakSets::place_for(const Run& run) {
  Group group = group_of(run);
  const auto same = std::ranges::find_if(groups_, [&](const Group& other) {
    return other.room == group.room && other.dims == group.dims &&
           (other.mixed || other.ranges == group.ranges);
  });
  if (same != groups_.end()) return &*same;
  if (groups_.size() >= most_groups) join();
  if (groups_.size() < most_groups) {
    return &groups_.emplace_back(std::move(group));
  }
  return mix(run.room, run.dims);
}

void LeakSets::merge(Group& into, const Group& other) {
  for (std::size_t d = 0; d < into.counts.size(); ++d) {
    inspect::add_all(into.counts[d], other.counts[d]);
  }
  into.places += other.places;
  into.runs += other.runs;
}

bool LeakSets::one_box(const Group& a, const Group& b) {
  if (a.room != b.room || a.dims != b.dims) return false;
  std::size_t other_sets = 0;
  for (std::size_t d = 0; d < a.counts.size() && other_sets < 2; ++d) {
    if (!same_indices(a.counts[d], b.counts[d])) ++other_sets;
  }
  // No place comes twice: two boxes that differ in one dim's set are one box.
  return other_sets < 2 && a.places == size_of(a) && b.places == size_of(b);
}

void LeakSets::join() {
  for (std::size_t k = 0; k < groups_.size();) {
    std::size_t other = k + 1;
    while (other < groups_.size() && !one_box(groups_[k], groups_[other])) {
      ++other;
    }
    if (other == groups_.size()) {
      ++k;
      continue;
    }
    merge(groups_[k], groups_[other]);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(other));
    k = 0;
  }
}

LeakSets::Group* LeakSets::mix(Room room, std::uint64_t dims) {
  const auto alike = [&](const Group& group) {
    return group.room == room && group.dims == dims;
  };
  const auto into = std::ranges::find_if(groups_, alike);
  if (into == groups_.end()) return nullptr;
  into->mixed = true;
  for (auto other = into + 1; other != groups_.end();) {
    if (!alike(*other)) {
      ++other;
      continue;
    }
    merge(*into, *other);
    other = groups_.erase(other);
  }
  return &*into;
}

// ------------------------------------------------------------------ words ---

// "c=17..31 of the last block"
std::string LeakSets::beyond_text(const Group& group) const {
  std::string text;
  std::size_t dims = 0;
  std::size_t one = 0;
  for (std::size_t d = 0; d < group.counts.size(); ++d) {
    if (!has(group.dims, d)) continue;
    text += (dims == 0 ? "" : " and ") + print_counts(group.counts[d]).text;
    one = d;
    ++dims;
  }
  if (group.room == Room::block) {
    return text + (dims == 1 ? " of the last block" : " of the last blocks");
  }
  if (dims > 1) return text + " in gaps";
  const Dim& dim = layout_.shape()[one];
  return fmt::format("{} in the gap after {}={}", text, dim.name,
                     dim.extent - 1);
}

std::string LeakSets::indices_text(const Group& group) const {
  if (group.room == Room::nowhere) return "no index";
  std::vector<DiffCounts> others;
  for (std::size_t d = 0; d < group.counts.size(); ++d) {
    if (!has(group.dims, d)) others.push_back(group.counts[d]);
  }
  const std::string where = print_all_counts(others);
  return beyond_text(group) + (where.empty() ? "" : ", where " + where);
}

std::string LeakSets::indices_of(std::int64_t first, std::int64_t last) const {
  Run run{.first = first};
  std::vector<std::int64_t> index(index_.size());
  bool more = false;
  for (std::int64_t place = first; place <= last && !more; ++place) {
    const Room room = beyond_.find(place, index);
    const std::uint64_t dims = room == Room::nowhere ? 0 : beyond(index);
    if (run.count == 0) {
      run.room = room;
      run.dims = dims;
    }
    more = room != run.room || dims != run.dims || run.count == longest_run;
    if (more) break;
    ++run.count;
    if (room != Room::nowhere) {
      run.indices.insert(run.indices.end(), index.begin(), index.end());
    }
  }
  Group group = group_of(run);
  count(run, group);
  return indices_text(group) + (more ? " and more" : "");
}

std::int64_t LeakSets::size_of(const Group& group) {
  return group.counts.empty() ? group.places : index_box(group.counts).size;
}

LeakSet LeakSets::told(const Group& group) const {
  LeakSet set{.indices = indices_text(group),
              .byte = first_byte_ + group.first * layout_.element_bytes(),
              .count = group.places,
              .of = size_of(group),
              .runs = group.runs};
  return set;
}

std::vector<LeakSet> LeakSets::sets() const {
  std::vector<LeakSet> sets;
  for (const Group& group : groups_) sets.push_back(told(group));
  return sets;
}

std::vector<std::string> LeakSets::sentences() const {
  std::vector<std::string> sentences;
  for (std::size_t d = 0; d < layout_.shape().size(); ++d) {
    std::int64_t low = -1;
    std::int64_t high = -1;
    for (const Group& group : groups_) {
      if (group.room != Room::block || !has(group.dims, d)) continue;
      const DiffCounts& counts = group.counts[d];
      low = low < 0 ? counts.first : std::min(low, counts.first);
      high = std::max(high, counts.last);
    }
    if (low < 0) continue;
    const std::string& name = layout_.shape()[d].name;
    sentences.push_back(fmt::format(
        "the tail of {} is not zero: {}={}{} of the last block", name, name,
        low, low == high ? "" : fmt::format("..{}", high)));
  }
  if (first_padding_ >= 0) {
    sentences.emplace_back(
        "places that no index would fill, as before the first one, are not "
        "zero");
  }
  if (first_gap_ >= 0) {
    sentences.push_back(fmt::format(
        "gaps between rows, planes or alignments are not zero, from byte {} on",
        first_byte_ + first_gap_ * layout_.element_bytes()));
  }
  return sentences;
}

}  // namespace stridewise::inspect
