// SPDX-License-Identifier: Apache-2.0
#include "infer/sample.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "layout/index.hpp"

namespace stridewise::inference {
namespace {

using Counts = std::unordered_map<std::uint64_t, int>;

std::vector<std::uint64_t> keys_of(
    const InferData& data, const std::vector<std::int64_t>& candidates) {
  std::vector<std::uint64_t> keys;
  std::int64_t looked = 0;
  for (const std::int64_t e : candidates) {
    keys.push_back(data.reference_key(e));
    data.looked(looked += 8);
  }
  return keys;
}

Counts count_values(const std::vector<std::uint64_t>& keys) {
  Counts counts;
  for (const std::uint64_t key : keys) ++counts[key];
  return counts;
}

// Of a tensor that is nearly all one value, the elements that are not: from up
// to 4096 blocks, spread over it.
void add_exceptions(const InferData& data, std::int64_t elements,
                    std::uint64_t common,
                    std::vector<std::int64_t>& candidates) {
  constexpr std::int64_t block = 1024;
  constexpr std::size_t most_found = 4096;
  constexpr std::int64_t reported = 1 << 24;
  std::vector<std::int64_t> found;
  std::int64_t stride = 1;  // of the blocks that are kept
  std::int64_t number = 0;
  for (std::int64_t first = 0; first < elements; first += block) {
    const std::int64_t end = std::min(first + block, elements);
    if (first % reported == 0) {
      data.report(static_cast<double>(first) / static_cast<double>(elements));
    }
    if (data.constant_reference(first, end) &&
        data.reference_key(first) == common) {
      continue;
    }
    if (number++ % stride != 0) continue;
    found.push_back(first);
    if (found.size() < most_found) continue;
    for (std::size_t k = 0; 2 * k < found.size(); ++k) found[k] = found[2 * k];
    found.resize(found.size() / 2);
    stride *= 2;
  }
  for (const std::int64_t first : found) {
    int some = 0;
    const std::int64_t end = std::min(first + block, elements);
    for (std::int64_t e = first; e < end && some < 4; ++e) {
      if (data.reference_key(e) == common) continue;
      candidates.push_back(e);
      ++some;
    }
  }
}

}  // namespace

Sample spread_sample(const Shape& shape, std::int64_t elements) {
  constexpr std::int64_t large = 1 << 24;
  const std::int64_t most = elements > large ? 0 : 512;
  Sample sample;
  Sequence sequence;
  for (std::int64_t k = 0; k < std::min(elements, most); ++k) {
    const std::int64_t e = elements <= most ? k : sequence.below(elements);
    sample.elements.push_back(e);
    sample.indices.push_back(index_of(shape, e));
  }
  return sample;
}

std::vector<std::uint64_t> sorted_keys(const InferData& data,
                                       std::int64_t elements,
                                       std::int64_t most) {
  Sequence random;
  std::vector<std::uint64_t> keys;
  for (std::int64_t k = 0; k < std::min(elements, most); ++k) {
    keys.push_back(
        data.reference_key(elements <= most ? k : random.below(elements)));
    data.looked(k);
  }
  std::ranges::sort(keys);
  return keys;
}

Sample sample_of(const InferData& data, const Shape& shape,
                 std::int64_t elements) {
  constexpr std::int64_t drawn = 8192;
  constexpr std::size_t kept = 96;
  std::vector<std::int64_t> candidates;
  Sequence sequence;
  if (elements <= drawn) {
    candidates.resize(static_cast<std::size_t>(elements));
    std::iota(candidates.begin(), candidates.end(), 0);
  } else {
    for (std::int64_t k = 0; k < drawn; ++k) {
      candidates.push_back(sequence.below(elements));
    }
    const Counts counts = count_values(keys_of(data, candidates));
    const auto common =
        std::ranges::max_element(counts, {}, &Counts::value_type::second);
    if (10 * common->second > 9 * drawn) {
      add_exceptions(data, elements, common->first, candidates);
    }
  }
  const std::vector<std::uint64_t> keys = keys_of(data, candidates);
  const Counts counts = count_values(keys);
  std::vector<std::pair<int, std::int64_t>> rare;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    rare.emplace_back(counts.at(keys[k]), candidates[k]);
  }
  // Elements of the rarest value may all be neighbours: mix them first.
  for (std::size_t k = rare.size(); k > 1; --k) {
    std::swap(rare[k - 1], rare[static_cast<std::size_t>(
                               sequence.below(static_cast<std::int64_t>(k)))]);
  }
  std::ranges::stable_sort(rare, {}, &std::pair<int, std::int64_t>::first);
  rare.resize(std::min(kept, rare.size()));
  Sample sample;
  for (const auto& [count, e] : rare) {
    sample.elements.push_back(e);
    sample.indices.push_back(index_of(shape, e));
  }
  return sample;
}

}  // namespace stridewise::inference
