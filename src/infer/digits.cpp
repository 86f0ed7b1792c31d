// A digit shows in the differences of neighbouring steps: within a block they
// are its stride, and at the end of each block something else. Without its fast
// digit, the sequence of blocks is the same question again.
// SPDX-License-Identifier: Apache-2.0
#include "infer/digits.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include "base/checked.hpp"
#include "infer/offsets.hpp"

namespace stridewise::inference {

std::int64_t Chain::at(std::int64_t x) const {
  std::int64_t sum = 0;
  for (const Part& part : parts) {
    const std::int64_t v = (x + bias) / part.div;
    sum += (part.mod == 0 ? v : v % part.mod) * part.stride;
  }
  return sum;
}

Chain Chain::cut_at(std::int64_t div) const {
  Chain cut{bias, {}};
  for (const Part& part : parts) {
    const std::int64_t below = div / part.div;  // values of the lower digit
    const bool spans =
        below > 1 && div % part.div == 0 &&
        (part.mod == 0 || (part.mod > below && part.mod % below == 0));
    if (!spans) {
      cut.parts.push_back(part);
      continue;
    }
    cut.parts.push_back({part.div, below, part.stride});
    cut.parts.push_back({div, part.mod / below, part.stride * below});
  }
  return cut;
}

namespace {

using Steps = std::vector<std::int64_t>;

constexpr std::size_t most_chains = 24;
// Every block size is tried where the ends of blocks do not tell it; quadratic.
constexpr std::int64_t most_tried = 256;

struct Block {
  std::int64_t size;
  std::int64_t bias;
};

// What is tried, and what strides are multiples of.
struct ChainSearch {
  std::int64_t unit = 1;
  bool biased = true;
  bool falling = false;  // strides may be negative
};

std::int64_t& at(Steps& steps, std::int64_t k) {
  return steps[static_cast<std::size_t>(k)];
}
std::int64_t at(const Steps& steps, std::int64_t k) {
  return steps[static_cast<std::size_t>(k)];
}

// The stride of steps that are one straight line; 0: they are none, or fewer
// than two.
std::int64_t straight(const Steps& steps, bool falling) {
  std::int64_t first = -1;
  std::int64_t stride = 0;
  for (std::int64_t k = 0; k < std::ssize(steps); ++k) {
    if (at(steps, k) == unknown) continue;
    if (first < 0) {
      first = k;
      continue;
    }
    const std::int64_t rise = at(steps, k) - at(steps, first);
    if (stride == 0) {
      if (rise == 0 || (rise < 0 && !falling) || rise % (k - first) != 0) {
        return 0;
      }
      stride = rise / (k - first);
    } else if (rise != stride * (k - first)) {
      return 0;
    }
  }
  return stride;
}

// The stride within blocks, from two known steps of one block.
std::int64_t stride_within(const Steps& steps, const Block& block,
                           bool falling) {
  std::int64_t previous = -1;
  for (std::int64_t k = 0; k < std::ssize(steps); ++k) {
    if (at(steps, k) == unknown) continue;
    if (previous >= 0 &&
        (previous + block.bias) / block.size == (k + block.bias) / block.size) {
      const std::int64_t rise = at(steps, k) - at(steps, previous);
      const bool fits = (rise > 0 || falling) && rise % (k - previous) == 0;
      return fits ? rise / (k - previous) : 0;
    }
    previous = k;
  }
  return 0;
}

// A digit alone goes round: the number of the block changes nothing.
bool constant(const Steps& steps) {
  return std::ranges::all_of(steps, [&](std::int64_t step) {
    return step == unknown || step == steps.front();
  });
}

// What is left for the number of the block; nullopt: no such blocks.
std::optional<Steps> without(const Steps& steps, const Block& block,
                             std::int64_t stride) {
  Steps blocks(static_cast<std::size_t>(
                   (std::ssize(steps) - 1 + block.bias) / block.size + 1),
               unknown);
  for (std::int64_t k = 0; k < std::ssize(steps); ++k) {
    if (at(steps, k) == unknown) continue;
    const std::int64_t y = k + block.bias;
    const std::int64_t rest = at(steps, k) - y % block.size * stride;
    std::int64_t& entry = at(blocks, y / block.size);
    if (entry != unknown && entry != rest) return std::nullopt;
    entry = rest;
  }
  return blocks;
}

// Blocks that the visible ends suggest. Pre: no step is unknown.
std::vector<Block> blocks_by_ends(const Steps& steps, std::int64_t stride,
                                  std::int64_t origin) {
  std::vector<std::int64_t> ends;
  for (std::int64_t k = 0; k + 1 < std::ssize(steps); ++k) {
    if (at(steps, k + 1) - at(steps, k) != stride) ends.push_back(k + 1);
  }
  std::vector<Block> blocks;
  const auto add = [&](std::int64_t size) {
    if (size < 2) return;
    blocks.push_back({size, floor_mod(-ends.front(), size)});
  };
  if (ends.size() == 1) {
    const std::int64_t least = std::max(ends[0], std::ssize(steps) - ends[0]);
    // Where index 0 lies within its block, when memory says so.
    const bool tells = origin > 0 && origin / stride < std::int64_t{1} << 32;
    const std::int64_t told = tells ? origin / stride + ends[0] : 0;
    if (told >= least) add(told);
    add(least);
    auto power = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(least)));
    for (int k = 0; k < 3; ++k, power *= 2) add(power);
    // The end of a later block may not show: steps 0 20 5 25 45.
    for (const std::int64_t size : {told, ends[0]}) {
      if (size < least) add(size);
    }
    return blocks;
  }
  std::int64_t common = 0;
  for (const std::int64_t end : ends) {
    common = std::gcd(common, end - ends.front());
  }
  for (std::int64_t k = 1; k * k <= common; ++k) {
    if (common % k != 0) continue;
    add(common / k);
    add(k);
  }
  std::ranges::stable_sort(blocks, std::ranges::greater{}, &Block::size);
  return blocks;
}

std::vector<Chain> fit(const Steps& steps, std::int64_t origin,
                       const ChainSearch& search);

// Chains whose fast digit is this block.
// NOLINTNEXTLINE(misc-no-recursion): each level has fewer steps
void add_chains(const Steps& steps, const Block& block, std::int64_t origin,
                const ChainSearch& search, std::vector<Chain>& chains) {
  const std::int64_t stride = stride_within(steps, block, search.falling);
  if (stride == 0) return;
  const std::optional<Steps> blocks = without(steps, block, stride);
  if (!blocks || blocks->size() >= steps.size()) return;
  if (std::ssize(steps) <= block.size && constant(*blocks)) {
    chains.push_back(Chain{block.bias, {{1, block.size, stride}}});
    return;
  }
  const std::int64_t left = origin - block.bias * stride;
  for (const Chain& slow : fit(*blocks, left, search)) {
    Chain chain{block.bias + block.size * slow.bias, {{1, block.size, stride}}};
    for (const Chain::Part& part : slow.parts) {
      chain.parts.push_back({part.div * block.size, part.mod, part.stride});
    }
    if (chains.size() < most_chains &&
        std::ranges::find(chains, chain) == chains.end()) {
      chains.push_back(std::move(chain));
    }
  }
}

// A digit that goes round from its last value to 0, whose stride is the whole
// fall or some divisor of it: that one of few values, those of a memory that is
// too small for two large steps.
std::vector<Chain> turned(std::int64_t fall, std::int64_t unit) {
  std::vector<Chain> chains;
  const auto add = [&](std::int64_t values) {
    chains.push_back(Chain{values, {{1, values + 1, fall / values * unit}}});
  };
  for (std::int64_t k = 1; k * k <= fall && chains.size() < most_chains; ++k) {
    if (fall % k != 0) continue;
    add(k);
    if (k * k != fall) add(fall / k);
  }
  std::ranges::sort(chains, {}, &Chain::bias);
  return chains;
}

// Digits that follow each other as one digit does are one.
Chain merged(const Chain& chain) {
  Chain made{chain.bias, {}};
  for (const Chain::Part& part : chain.parts) {
    if (!made.parts.empty()) {
      Chain::Part& last = made.parts.back();
      if (last.mod != 0 && last.div * last.mod == part.div &&
          last.stride * last.mod == part.stride) {
        last.mod *= part.mod;
        continue;
      }
    }
    made.parts.push_back(part);
  }
  return made;
}

// NOLINTNEXTLINE(misc-no-recursion)
std::vector<Chain> fit(const Steps& steps, std::int64_t origin,
                       const ChainSearch& search) {
  const auto known = std::ranges::count_if(
      steps, [](std::int64_t step) { return step != unknown; });
  if (known <= 1) return {Chain{}};
  if (const std::int64_t stride = straight(steps, search.falling);
      stride != 0) {
    return {Chain{0, {{1, 0, stride}}}};
  }
  // Two indices in turned order: a digit that goes round between them.
  if (known == 2 && std::ssize(steps) == 2 && search.biased) {
    return turned((at(steps, 0) - at(steps, 1)) / search.unit, search.unit);
  }
  std::vector<Chain> chains;
  if (known == std::ssize(steps)) {
    // Of two differences in a row, one lies within a block.
    std::vector<std::int64_t> strides = {at(steps, 1) - at(steps, 0)};
    if (std::ssize(steps) > 2) strides.push_back(at(steps, 2) - at(steps, 1));
    if (strides.size() == 2 && strides[0] == strides[1]) strides.pop_back();
    for (const std::int64_t stride : strides) {
      if (stride == 0 || (stride < 0 && !search.falling)) continue;
      for (const Block& block : blocks_by_ends(steps, stride, origin)) {
        add_chains(steps, block, origin, search, chains);
      }
    }
  }
  if (!chains.empty()) return chains;
  const std::int64_t largest_block =
      std::min<std::int64_t>(std::ssize(steps), most_tried);
  for (std::int64_t size = 2; size <= largest_block; ++size) {
    for (std::int64_t bias = 0; bias < (search.biased ? size : 1); ++bias) {
      add_chains(steps, {size, bias}, origin, search, chains);
      if (chains.size() >= most_chains) return chains;
    }
  }
  return chains;
}

}  // namespace

std::vector<Chain> fit_chains(std::span<const std::int64_t> steps,
                              std::int64_t origin, std::int64_t unit) {
  std::vector<Chain> chains =
      fit(Steps(steps.begin(), steps.end()), origin, {unit});
  std::ranges::stable_sort(chains, {}, [](const Chain& chain) {
    return std::pair(chain.parts.size(), chain.bias != 0);
  });
  return chains;
}

std::optional<Chain> fit_chain_from_zero(std::span<const std::int64_t> steps,
                                         bool falling) {
  const ChainSearch search{.unit = 1, .biased = false, .falling = falling};
  for (const Chain& chain : fit(Steps(steps.begin(), steps.end()), 0, search)) {
    if (chain.bias == 0) return merged(chain);
  }
  return std::nullopt;
}

}  // namespace stridewise::inference
