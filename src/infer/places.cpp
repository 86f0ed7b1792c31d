// SPDX-License-Identifier: Apache-2.0
#include "infer/places.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace stridewise::inference {
namespace {

constexpr std::size_t lookahead = 16;
constexpr std::int64_t nowhere = -1;
constexpr std::int64_t twice = -2;
// Skipped at once where all of it is one value.
constexpr std::int64_t block_bytes = 4096;
// Read between two reports of progress.
constexpr std::int64_t reported_bytes = std::int64_t{64} << 20;

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

}  // namespace

PlaceTable::PlaceTable(std::int64_t values)
    : slots_(std::bit_ceil(static_cast<std::size_t>(values) * 2 + 2)),
      shift_(64 - std::countr_zero(slots_.size())),
      filter_(std::max<std::size_t>(slots_.size() / 8, 1)),
      filter_shift_(64 - std::countr_zero(filter_.size() * 64)) {}

std::size_t PlaceTable::home(std::uint64_t key) const {
  return static_cast<std::size_t>((key * golden) >> shift_);
}

bool PlaceTable::maybe(std::uint64_t key) const {
  const std::uint64_t bit = (key * golden) >> filter_shift_;
  return (filter_[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1) != 0;
}

PlaceTable::Slot& PlaceTable::find(std::uint64_t key) {
  std::size_t at = home(key);
  while (slots_[at].references != 0 && slots_[at].key != key) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return slots_[at];
}

bool PlaceTable::add(std::uint64_t key) {
  Slot& slot = find(key);
  const bool first = slot.references == 0;
  slot.key = key;
  distinct_ = distinct_ && first;
  ++slot.references;
  const std::uint64_t bit = (key * golden) >> filter_shift_;
  filter_[static_cast<std::size_t>(bit / 64)] |= std::uint64_t{1} << (bit % 64);
  return first;
}

bool PlaceTable::found(std::uint64_t key, std::int64_t place) {
  Slot& slot = find(key);
  if (slot.references == 0) return false;
  const bool first = slot.place == nowhere;
  slot.place = first ? place : twice;
  return first;
}

std::int64_t PlaceTable::scan(const InferData& data, std::int64_t phase) {
  for (Slot& slot : slots_) slot.place = nowhere;
  const std::int64_t width = data.width();
  const std::int64_t places = (data.dump_bytes() - phase) / width;
  const std::int64_t block = std::max<std::int64_t>(block_bytes / width, 2);
  std::int64_t count = 0;
  std::int64_t told = 0;
  for (std::int64_t first = 0; first < places; first += block) {
    const std::int64_t end = std::min(first + block, places);
    const auto byte = [&](std::int64_t place) { return phase + place * width; };
    // A block of a later phase ends in the next one of phase 0; the last one may
    // not be whole.
    const auto number = static_cast<std::size_t>(first / block);
    const bool known = data.known_zero(byte(first), byte(end));
    const bool zeros = known || (phase > 0 && number + 2 < zero_.size() &&
                                 zero_[number] && zero_[number + 1]);
    if (zeros || (end - first > 1 && data.constant(byte(first), byte(end)))) {
      // One value many times: two of them tell all.
      const std::uint64_t key =
          zeros ? data.zero_key() : data.dump_key(byte(first));
      count += found(key, byte(first)) ? 1 : 0;
      if (end - first > 1) found(key, byte(first + 1));
      if (phase == 0 && (known || data.zero(byte(first)))) {
        zero_.resize(number + 1);
        zero_.back() = true;
      }
    } else {
      std::array<std::uint64_t, lookahead> keys{};
      for (std::int64_t at = first; at < end;) {
        // Those that may be values, ahead of the slots that they need.
        std::array<std::int64_t, lookahead> candidates{};
        std::size_t some = 0;
        for (; at < end && some < lookahead; ++at) {
          keys[some] = data.dump_key(byte(at));
          candidates[some] = at;
          some += maybe(keys[some]) ? 1U : 0U;
        }
        for (std::size_t k = 0; k < some; ++k) {
          __builtin_prefetch(&slots_[home(keys[k])]);
        }
        for (std::size_t k = 0; k < some; ++k) {
          count += found(keys[k], byte(candidates[k])) ? 1 : 0;
        }
      }
    }
    if (zeros || byte(end) - told < reported_bytes) continue;
    told = byte(end);
    data.report(static_cast<double>(told) /
                static_cast<double>(data.dump_bytes()));
  }
  return count;
}

std::int64_t PlaceTable::place(std::uint64_t key) const {
  const Slot& slot = const_cast<PlaceTable*>(this)->find(key);  // NOLINT
  return slot.references == 1 && slot.place >= 0 ? slot.place : nowhere;
}

}  // namespace stridewise::inference
