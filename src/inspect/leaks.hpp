// Padding that is not zero: where, and what it looks like.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inspect/leak_sets.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

class Leaks {
 public:
  // Bytes are told from `first_byte` on.
  Leaks(const Layout& layout, std::span<const std::byte> bytes,
        std::int64_t first_byte)
      : layout_(layout),
        bytes_(bytes),
        first_byte_(first_byte),
        width_(static_cast<std::size_t>(layout.element_bytes())) {}

  // A place without an element that is not zero. Ascending.
  void add(std::int64_t place);
  // After the last one.
  void close();

  // The first runs, at most 16.
  [[nodiscard]] const std::vector<LeakReport>& runs() const { return runs_; }
  [[nodiscard]] std::int64_t all_runs() const { return all_runs_; }
  // All of them by their indices, at most 16 sets.
  [[nodiscard]] std::vector<LeakSet> sets();
  // "the tail of c is not zero: c=17..31 of the last block"
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  [[nodiscard]] const std::byte* at(std::int64_t place) const {
    return bytes_.data() + static_cast<std::size_t>(place) * width_;
  }
  [[nodiscard]] std::int64_t byte_of(std::int64_t place) const {
    return first_byte_ + place * layout_.element_bytes();
  }
  [[nodiscard]] std::string origin_of(std::int64_t place,
                                      std::int64_t count) const;
  [[nodiscard]] bool constant(std::int64_t place, std::int64_t count) const;
  [[nodiscard]] std::string range(const std::vector<std::int64_t>& first,
                                  const std::vector<std::int64_t>& last) const;

  const Layout& layout_;
  std::span<const std::byte> bytes_;
  const std::int64_t first_byte_;
  const std::size_t width_;
  std::vector<LeakReport> runs_;
  std::int64_t first_ = -1;  // of the run that is open
  std::int64_t last_ = -1;
  std::int64_t all_runs_ = 0;
  std::optional<LeakSets> sets_;  // where there is a leak
};

}  // namespace stridewise::inspect
