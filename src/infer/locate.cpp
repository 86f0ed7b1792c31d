// Places of values that occur once -> offsets, by the vote of many lines.
//
// A line is a row of elements along one dim. The distance of two of its elements
// is the difference of two steps of that dim, whatever the other indices are.
// Elements that are missing, wrong or hidden among padding of the same value
// are outvoted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "base/random.hpp"
#include "infer/data.hpp"
#include "infer/offsets.hpp"
#include "infer/places.hpp"

namespace stridewise::inference {
namespace {

// Elements whose places are asked for, unless one line alone is longer.
constexpr std::int64_t budget = 1 << 19;

void sort_once(std::vector<std::int64_t>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Lines along every dim: all of them in a small tensor, else those through some
// elements spread over it.
class Lines {
 public:
  Lines(const Shape& shape, std::int64_t elements) : shape_(shape) {
    strides_.resize(shape.size());
    std::int64_t stride = 1;
    std::int64_t extents = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      strides_[d] = stride;
      stride *= shape[d].extent;
      extents += shape[d].extent;
    }
    all_ = elements <= budget;
    if (all_) return;
    const std::int64_t anchors =
        std::clamp<std::int64_t>(budget / extents, 1, 4096);
    // The first is the origin; the others are spread by a fixed random walk.
    Sequence sequence;
    anchors_.push_back(0);
    for (std::int64_t k = 1; k < anchors; ++k) {
      anchors_.push_back(sequence.below(elements));
    }
    sort_once(anchors_);
    elements_ = static_cast<std::int64_t>(anchors_.size()) * extents;
  }

  [[nodiscard]] std::int64_t stride(std::size_t d) const { return strides_[d]; }

  // The first elements of the lines along dim d.
  [[nodiscard]] std::vector<std::int64_t> along(std::size_t d,
                                                std::int64_t elements) const {
    std::vector<std::int64_t> first;
    const std::int64_t block = strides_[d] * shape_[d].extent;
    if (all_) {
      for (std::int64_t high = 0; high < elements; high += block) {
        for (std::int64_t low = 0; low < strides_[d]; ++low) {
          first.push_back(high + low);
        }
      }
      return first;
    }
    for (const std::int64_t anchor : anchors_) {
      first.push_back(anchor / block * block + anchor % strides_[d]);
    }
    sort_once(first);
    return first;
  }

  // Each element that is on some line, once.
  template <class Visit>
  void elements(std::int64_t elements, Visit visit) const {
    if (all_) {
      for (std::int64_t k = 0; k < elements; ++k) visit(k);
      return;
    }
    std::vector<std::int64_t> on_lines;
    on_lines.reserve(static_cast<std::size_t>(elements_));
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      for (const std::int64_t first : along(d, elements)) {
        for (std::int64_t x = 0; x < shape_[d].extent; ++x) {
          on_lines.push_back(first + x * strides_[d]);
        }
      }
    }
    sort_once(on_lines);
    for (const std::int64_t k : on_lines) visit(k);
  }

  [[nodiscard]] std::int64_t most() const { return elements_; }

 private:
  const Shape& shape_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> anchors_;
  std::int64_t elements_ = 0;
  bool all_ = true;
};

// Counts votes for a number.
class Ballot {
 public:
  void vote(std::int64_t value) {
    const auto at =
        std::ranges::find(counts_, value, &std::pair<std::int64_t, int>::first);
    if (at != counts_.end()) {
      ++at->second;
    } else if (counts_.size() < 64) {
      counts_.emplace_back(value, 1);
    }
  }
  // What most say; unknown where that is fewer than `least`.
  [[nodiscard]] std::int64_t winner(int least) const {
    if (counts_.empty()) return unknown;
    const auto& [value, count] = *std::ranges::max_element(
        counts_, {}, &std::pair<std::int64_t, int>::second);
    return count >= least ? value : unknown;
  }

 private:
  std::vector<std::pair<std::int64_t, int>> counts_;
};

// The steps of one dim by the vote of its lines, relative to its best known
// index; in rounds, because an index may share no line with that one.
std::vector<std::int64_t> vote(
    const std::vector<std::vector<std::int64_t>>& lines, std::size_t extent,
    int least) {
  std::vector<std::int64_t> known(extent, 0);
  for (const auto& line : lines) {
    for (std::size_t x = 0; x < extent; ++x) known[x] += line[x] >= 0 ? 1 : 0;
  }
  std::vector<std::int64_t> steps(extent, unknown);
  const auto best = std::ranges::max_element(known);
  if (best == known.end() || *best == 0) return steps;
  steps[static_cast<std::size_t>(best - known.begin())] = 0;
  for (bool progress = true; progress;) {
    progress = false;
    std::vector<Ballot> ballots(extent);
    for (const auto& line : lines) {
      std::size_t base = 0;
      while (base < extent && (line[base] < 0 || steps[base] == unknown)) {
        ++base;
      }
      if (base == extent) continue;
      for (std::size_t x = 0; x < extent; ++x) {
        if (line[x] < 0 || steps[x] != unknown) continue;
        ballots[x].vote(line[x] - line[base] + steps[base]);
      }
    }
    for (std::size_t x = 0; x < extent; ++x) {
      if (steps[x] != unknown) continue;
      steps[x] = ballots[x].winner(least);
      progress = progress || steps[x] != unknown;
    }
  }
  return steps;
}

}  // namespace

// What was seen of the dump: the places of the elements of each line, by dim.
struct Locator::State {
  const Shape& shape;
  Lines lines;
  bool distinct = false;
  std::vector<std::vector<std::vector<std::int64_t>>> places = {};
  // Elements of the last dim's lines that have a place, and where.
  std::vector<std::pair<std::int64_t, std::int64_t>> last = {};
  std::int64_t asked = 0;  // elements of these lines

  void read(std::int64_t elements,
            const std::function<std::int64_t(std::int64_t)>& place_of);
  [[nodiscard]] std::int64_t origin(const Offsets& offsets,
                                    int least_votes) const;
};

Locator::~Locator() = default;

bool Locator::distinct() const { return state_->distinct; }

double Locator::known_share() const {
  return state_->asked == 0 ? 0
                            : static_cast<double>(state_->last.size()) /
                                  static_cast<double>(state_->asked);
}

Locator::Locator(const InferData& data, const Shape& shape,
                 std::int64_t elements)
    : state_(new State{shape, Lines(shape, elements)}) {
  const Lines& lines = state_->lines;
  PlaceTable table(
      std::max(elements <= budget ? elements : lines.most(), std::int64_t{1}));
  std::int64_t asked = 0;
  lines.elements(elements, [&](std::int64_t k) {
    table.add(data.reference_key(k));
    data.looked(++asked);
  });
  // A dump may begin in the middle of an element: the best phase wins.
  std::int64_t best_phase = 0;
  std::int64_t best_found = -1;
  std::int64_t scanned = 0;
  for (std::int64_t phase = 0; phase < data.width(); ++phase) {
    const std::int64_t found = table.scan(data, phase);
    scanned = phase;
    if (found > best_found) {
      best_found = found;
      best_phase = phase;
    }
    if (2 * found > asked) break;
  }
  if (best_phase != scanned) table.scan(data, best_phase);

  state_->distinct = table.distinct();
  std::int64_t looked = 0;
  state_->read(elements, [&](std::int64_t element) {
    data.looked(looked++);
    return table.place(data.reference_key(element));
  });
}

Locator::Locator(const Shape& shape, std::int64_t elements,
                 const std::function<std::int64_t(std::int64_t)>& place_of)
    : state_(new State{shape, Lines(shape, elements)}) {
  state_->read(elements, place_of);
}

void Locator::State::read(
    std::int64_t elements,
    const std::function<std::int64_t(std::int64_t)>& place_of) {
  places.resize(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto extent = static_cast<std::size_t>(shape[d].extent);
    for (const std::int64_t first : lines.along(d, elements)) {
      std::vector<std::int64_t> line(extent);
      std::int64_t known = 0;
      for (std::size_t x = 0; x < extent; ++x) {
        const std::int64_t element =
            first + static_cast<std::int64_t>(x) * lines.stride(d);
        line[x] = place_of(element);
        known += line[x] >= 0 ? 1 : 0;
        if (d + 1 != shape.size()) continue;
        ++asked;
        if (line[x] >= 0) last.emplace_back(element, line[x]);
      }
      if (known > 0) places[d].push_back(std::move(line));
    }
  }
}

// Where the elements of one dim's lines say it is.
std::int64_t Locator::State::origin(const Offsets& offsets,
                                    int least_votes) const {
  Ballot origin;
  for (auto [element, place] : last) {
    bool complete = true;
    for (std::size_t e = 0; e < shape.size() && complete; ++e) {
      const auto at =
          static_cast<std::size_t>(element / lines.stride(e) % shape[e].extent);
      complete = offsets.steps[e][at] != unknown;
      place -= complete ? offsets.steps[e][at] : 0;
    }
    if (complete) origin.vote(place);
  }
  return origin.winner(least_votes);
}

std::optional<Located> Locator::run(int least_votes) const {
  const Shape& shape = state_->shape;
  Offsets offsets;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (state_->places[d].empty()) return std::nullopt;
    offsets.steps.push_back(vote(state_->places[d],
                                 static_cast<std::size_t>(shape[d].extent),
                                 least_votes));
  }
  offsets.origin = state_->origin(offsets, least_votes);
  if (offsets.origin == unknown) return std::nullopt;
  // Steps count from index 0 where that one is known.
  for (auto& steps : offsets.steps) {
    if (steps.front() == unknown) continue;
    const std::int64_t zero = steps.front();
    offsets.origin += zero;
    for (std::int64_t& step : steps) step -= step == unknown ? 0 : zero;
  }
  return Located{std::move(offsets), state_->distinct};
}

}  // namespace stridewise::inference
