// SPDX-License-Identifier: Apache-2.0
#include "infer/tags.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "base/checked.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

constexpr std::array<std::int64_t, 8> usual_sizes = {16, 8,  4,  2,
                                                     32, 64, 24, 48};
constexpr std::size_t most_tag_blocks = 4;
constexpr int most_states = 20000;
constexpr std::size_t most_tags = 64;

// Searches inner blocks from the innermost out, each with the stride that all
// blocks right of it take.
class TagSearch {
 public:
  TagSearch(const Offsets& offsets, const Shape& shape, std::int64_t width,
            std::int64_t size_bytes)
      : offsets_(offsets),
        shape_(shape),
        width_(width),
        places_(size_bytes < 0 ? -1 : size_bytes / width),
        letters_(tag_letters(shape)),
        blocked_(shape.size(), 1) {}

  std::vector<std::string> run() {
    // Fewest blocks first.
    for (std::size_t depth = 0; depth <= most_tag_blocks && tags_.empty();
         ++depth) {
      search(depth, 1);
    }
    return tags_;
  }

 private:
  // The step of index x of a dim in elements; -1 where there is none.
  [[nodiscard]] std::int64_t step(std::size_t d, std::int64_t x) const {
    if (x >= shape_[d].extent) return -1;
    const std::int64_t bytes = offsets_.steps[d][static_cast<std::size_t>(x)];
    return bytes == unknown ? -1 : bytes / width_;
  }

  // Whether a next block of `size` with this stride contradicts no step.
  [[nodiscard]] bool possible(std::size_t d, std::int64_t size,
                              std::int64_t stride) const {
    for (std::int64_t v = 1; v < size; ++v) {
      const std::int64_t at = step(d, v * blocked_[d]);
      if (at < 0) break;
      if (at != v * stride) return false;
    }
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): at most four blocks
  void search(std::size_t depth, std::int64_t stride) {
    if (++states_ > most_states || tags_.size() >= most_tags) return;
    if (depth == 0) return finish(stride);
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      std::vector<std::int64_t> sizes(usual_sizes.begin(), usual_sizes.end());
      // Where the block ends in the data, any size can be.
      for (std::int64_t v = 2; v < 128; ++v) {
        const std::int64_t at = step(d, v * blocked_[d]);
        if (at < 0) break;
        if (at != v * stride) {
          sizes.assign(1, v);
          break;
        }
      }
      for (const std::int64_t size : sizes) {
        if (!possible(d, size, stride)) continue;
        if (places_ >= 0 && places_ % (stride * size) != 0) continue;
        blocks_.push_back({d, size});
        blocked_[d] *= size;
        search(depth - 1, stride * size);
        blocked_[d] /= size;
        blocks_.pop_back();
      }
    }
  }

  // The outer dims by their strides, which must follow each other; those of one
  // block stand where the logical order has them.
  void finish(std::int64_t inner) {
    std::vector<std::pair<std::int64_t, std::size_t>> outer;  // stride, dim
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (blocked_[d] >= shape_[d].extent) continue;
      outer.emplace_back(step(d, blocked_[d]), d);
    }
    std::ranges::sort(outer, std::ranges::greater{});
    std::int64_t natural = inner;
    for (auto it = outer.rbegin(); it != outer.rend(); ++it) {
      if (it->first != natural) return;
      natural *= ceil_div(shape_[it->second].extent, blocked_[it->second]);
    }
    if (places_ >= 0 && natural != places_) return;
    std::vector<std::size_t> order;
    for (const auto& [stride, d] : outer) order.push_back(d);
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      if (blocked_[d] < shape_[d].extent) continue;
      auto at = order.begin();
      if (d > 0) at = std::ranges::find(order, d - 1) + 1;
      order.insert(at, d);
    }
    std::vector<TagBlock> blocks(blocks_.rbegin(), blocks_.rend());
    tags_.push_back(tag_text(letters_, order, blocks));
  }

  const Offsets& offsets_;
  const Shape& shape_;
  const std::int64_t width_;
  const std::int64_t places_;
  const std::string letters_;
  std::vector<std::int64_t> blocked_;  // by dim: the product of its blocks
  std::vector<TagBlock> blocks_;       // innermost first
  std::vector<std::string> tags_;
  int states_ = 0;
};

}  // namespace

std::string tag_letters(const Shape& shape) {
  std::string letters;
  for (const Dim& dim : shape) letters += dim.name;
  const Result<Tag> tag = parse_tag(letters);
  if (letters.size() == shape.size() && tag && !tag->canonical) return letters;
  return std::string("abcdefghijklmnopqrstuvwxyz")
      .substr(0, std::min<std::size_t>(shape.size(), 26));
}

std::string tag_text(const std::string& letters,
                     const std::vector<std::size_t>& outer,
                     const std::vector<TagBlock>& blocks) {
  std::string text;
  for (const std::size_t d : outer) {
    const bool blocked =
        std::ranges::find(blocks, d, &TagBlock::dim) != blocks.end();
    text += blocked ? static_cast<char>(
                          std::toupper(static_cast<unsigned char>(letters[d])))
                    : letters[d];
  }
  for (const TagBlock& block : blocks) {
    text += std::to_string(block.size) + letters[block.dim];
  }
  return text;
}

std::vector<std::string> tags_of(const Offsets& offsets, const Shape& shape,
                                 std::int64_t element_bytes,
                                 std::int64_t size_bytes) {
  if (shape.empty() || shape.size() > 12) return {};
  return TagSearch(offsets, shape, element_bytes, size_bytes).run();
}

}  // namespace stridewise::inference
