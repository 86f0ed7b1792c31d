// SPDX-License-Identifier: Apache-2.0
#include "infer/windows.hpp"

#include <algorithm>
#include <limits>

namespace stridewise::inference {
namespace {

constexpr std::int64_t most_places = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t many = std::numeric_limits<std::uint16_t>::max();

// x * inverse(x) = 1, by Newton's iteration, which doubles the bits that are right.
std::uint64_t inverse(std::uint64_t x) {
  std::uint64_t y = x;
  for (int k = 0; k < 5; ++k) y *= 2 - x * y;
  return y;
}

}  // namespace

Windows::Windows(const InferData& data, const WindowShape& shape,
                 const Kept& kept)
    : shape_(shape), slots_(1024) {
  const std::int64_t places = data.dump_bytes() / data.width();
  const std::int64_t span = (shape.size - 1) * shape.stride + 1;
  if (places > most_places || span > places) return;
  const Codes codes(data);
  if (shape.anywhere) {
    read_anywhere(codes, kept, places - span + 1);
  } else {
    read_aligned(codes, kept, places - span + 1);
  }
  if (count_ <= most) return;
  slots_.assign(1, {});
  count_ = 0;
}

void Windows::read_aligned(const Codes& codes, const Kept& kept,
                           std::int64_t places) {
  for (std::int64_t p = 0; p < places && count_ <= most; p += shape_.size) {
    const std::uint64_t first = codes.dump(p);
    if (!kept.has(first)) continue;
    std::uint64_t sum = first;
    for (std::int64_t k = 1; k < shape_.size; ++k) {
      sum += codes.dump(p + k * shape_.stride) * Codes::power(k);
    }
    add(sum, p);
  }
}

// The sum of the next window follows from that of the last one, for each of as many rows
// as the stride has places.
void Windows::read_anywhere(const Codes& codes, const Kept& kept,
                            std::int64_t places) {
  const std::uint64_t back = inverse(Codes::power(1));
  const std::uint64_t last = Codes::power(shape_.size - 1);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(shape_.stride));
  for (std::int64_t p = 0; p < places && count_ <= most; ++p) {
    std::uint64_t& sum = sums[static_cast<std::size_t>(p % shape_.stride)];
    if (p < shape_.stride) {
      for (std::int64_t k = 0; k < shape_.size; ++k) {
        sum += codes.dump(p + k * shape_.stride) * Codes::power(k);
      }
    } else {
      sum = (sum - codes.dump(p - shape_.stride)) * back +
            codes.dump(p + (shape_.size - 1) * shape_.stride) * last;
    }
    if (sum != 0 && kept.has(codes.dump(p))) add(sum, p);
  }
}

void Windows::add(std::uint64_t key, std::int64_t place) {
  if (key == 0) return;
  Slot& slot = slots_[find(key)];
  if (slot.key == key) {
    slot.count = slot.count == many ? many
                                    : static_cast<std::uint16_t>(slot.count + 1);
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
  if (slot.key == 0) return false;
  slot.seen =
      slot.seen == many ? many : static_cast<std::uint16_t>(slot.seen + 1);
  return slot.seen <= slot.count || slot.count == many;
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
