// SPDX-License-Identifier: Apache-2.0
#include "infer/windows.hpp"

#include <algorithm>
#include <limits>

namespace stridewise::inference {
namespace {

constexpr std::int64_t most_window_places =
    std::numeric_limits<std::uint32_t>::max();

// x * inverse(x) = 1, by Newton's iteration, which doubles the bits that are right.
std::uint64_t inverse(std::uint64_t x) {
  std::uint64_t y = x;
  for (int k = 0; k < 5; ++k) y *= 2 - x * y;
  return y;
}

// The key of the window at this place; 0 where a filter leaves it out.
std::uint64_t key_at(const HashTerms& terms, const WindowShape& shape,
                     const Filters& filters, std::int64_t place) {
  std::uint64_t sum = 0;
  std::int64_t k = 0;
  for (const Filter& filter : filters) {
    for (; k < filter.size; ++k) {
      sum += terms.dump(place + k * shape.stride) * terms.power(k);
    }
    if (!filter.keeps(sum)) return 0;
  }
  for (; k < shape.size; ++k) {
    sum += terms.dump(place + k * shape.stride) * terms.power(k);
  }
  return sum;
}

// Where windows of so many places may begin, of a dump of these places.
std::int64_t begins_of(const WindowShape& shape, std::int64_t places) {
  return places - (shape.size - 1) * shape.stride;
}

}  // namespace

Windows::Windows(const InferData& data, const WindowShape& shape,
                 const Filters& filters)
    : shape_(shape), slots_(1024) {
  const std::int64_t places = data.dump_bytes() / data.width();
  const std::int64_t begins = begins_of(shape, places);
  if (places > most_window_places || begins <= 0) return;
  const HashTerms terms(data);
  if (shape.anywhere && filters.empty()) {
    read_anywhere(terms, begins);
  } else {
    const std::int64_t step = shape.anywhere ? 1 : shape.size;
    for (std::int64_t p = 0; p < begins && count_ <= most; p += step) {
      add(key_at(terms, shape, filters, p), p);
    }
  }
  if (count_ <= most) return;
  slots_ = std::vector<Slot>(1);
  count_ = 0;
}

Windows::Drawn Windows::draw(const InferData& data, const WindowShape& shape,
                             const Filters& filters, std::size_t count) {
  const HashTerms terms(data);
  const std::int64_t begins =
      begins_of(shape, data.dump_bytes() / data.width());
  const std::int64_t step = shape.anywhere ? 1 : shape.size;
  Drawn drawn;
  std::int64_t every = 1;
  for (std::int64_t p = 0; p < begins; p += step) {
    const std::uint64_t key = key_at(terms, shape, filters, p);
    if (key == 0 || drawn.of++ % every != 0) continue;
    drawn.keys.push_back(key);
    if (drawn.keys.size() < 2 * count) continue;
    for (std::size_t k = 0; k < count; ++k) drawn.keys[k] = drawn.keys[2 * k];
    drawn.keys.resize(count);
    every *= 2;
  }
  return drawn;
}

// The sum of the next window follows from that of the last one, for each of as many rows
// as the stride has places.
void Windows::read_anywhere(const HashTerms& terms, std::int64_t places) {
  const std::uint64_t back = inverse(terms.power(1));
  const std::uint64_t last = terms.power(shape_.size - 1);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(shape_.stride));
  for (std::int64_t p = 0; p < places && count_ <= most; ++p) {
    std::uint64_t& sum = sums[static_cast<std::size_t>(p % shape_.stride)];
    if (p < shape_.stride) {
      for (std::int64_t k = 0; k < shape_.size; ++k) {
        sum += terms.dump(p + k * shape_.stride) * terms.power(k);
      }
    } else {
      sum = (sum - terms.dump(p - shape_.stride)) * back +
            terms.dump(p + (shape_.size - 1) * shape_.stride) * last;
    }
    add(sum, p);
  }
}

void Windows::add(std::uint64_t key, std::int64_t place) {
  if (key == 0) return;
  Slot& slot = slots_[find(key)];
  if (slot.key == key) {
    ++slot.count;
    return;
  }
  slot = {key, static_cast<std::uint32_t>(place), 1, 0};
  if (2 * ++count_ > static_cast<std::int64_t>(slots_.size())) grow();
}

void Windows::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key != 0) slots_[find(slot.key)] = slot;
  }
}

std::size_t Windows::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at =
      static_cast<std::size_t>((key ^ key >> 32) * 0x9e3779b97f4a7c15U >> 20) &
      mask;
  while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
  return at;
}

void Windows::begin() {
  for (Slot& slot : slots_) slot.seen = 0;
}

bool Windows::take(std::uint64_t key) {
  Slot& slot = slots_[find(key)];
  return slot.key != 0 && ++slot.seen <= slot.count;
}

std::int64_t Windows::count(std::uint64_t key) const {
  return slots_[find(key)].count;
}

std::int64_t Windows::place(std::uint64_t key) const {
  if (key == 0) return -1;
  const Slot& slot = slots_[find(key)];
  if (slot.count != 1 || slot.seen > 1) return -1;
  return static_cast<std::int64_t>(slot.place);
}

}  // namespace stridewise::inference
