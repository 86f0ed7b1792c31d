// Places without an element that are not zero, told by the indices that they would
// have: "c=17..31 of the last block, where h=3".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/beyond.hpp"
#include "stridewise/diff.hpp"

namespace stridewise::inspect {

class LeakSets {
 public:
  LeakSets(const Layout& layout, std::int64_t first_byte);

  // A place without an element that is not zero. Ascending.
  void add(std::int64_t place);
  // After the last one.
  void close();

  // Makes one of sets that are one box of indices together.
  void join();
  // By their first bytes; at most 16.
  [[nodiscard]] std::vector<LeakSet> sets() const;
  // "the tail of c is not zero: c=17..31 of the last block"
  [[nodiscard]] std::vector<std::string> sentences() const;
  // The indices of some places that follow each other.
  [[nodiscard]] std::string indices_of(std::int64_t first,
                                       std::int64_t last) const;

 private:
  // Places that follow each other, beyond the same dims.
  struct Run {
    Room room = Room::nowhere;
    std::uint64_t dims =
        0;  // bit d: the index is not below the extent of dim d
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::vector<std::int64_t> indices = {};  // one after the other
  };
  struct Group {
    Room room = Room::nowhere;
    std::uint64_t dims = 0;
    // Of `dims` alone: the least and the largest index, that all its runs have.
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges = {};
    bool mixed = false;  // runs of any ranges
    std::vector<DiffCounts> counts = {};
    std::int64_t first = 0;  // place
    std::int64_t places = 0;
    std::int64_t runs = 0;
  };

  [[nodiscard]] std::uint64_t beyond(
      const std::vector<std::int64_t>& index) const;
  [[nodiscard]] Group group_of(const Run& run) const;
  void count(const Run& run, Group& group) const;
  // The group that the run belongs to; nullptr: there are too many.
  Group* place_for(const Run& run);
  // Whether two groups are a box of indices together.
  [[nodiscard]] static bool one_box(const Group& a, const Group& b);
  // Places that its indices have.
  [[nodiscard]] static std::int64_t size_of(const Group& group);
  static void merge(Group& into, const Group& other);
  // Makes one of all groups beyond the same dims.
  Group* mix(Room room, std::uint64_t dims);
  [[nodiscard]] LeakSet told(const Group& group) const;
  [[nodiscard]] std::string indices_text(const Group& group) const;
  [[nodiscard]] std::string beyond_text(const Group& group) const;

  const Layout& layout_;
  const std::int64_t first_byte_;
  Beyond beyond_;
  std::vector<std::int64_t> index_;
  Run run_;
  std::vector<Group> groups_;
  std::int64_t first_padding_ = -1;  // places that no index would fill
  std::int64_t first_gap_ = -1;
};

}  // namespace stridewise::inspect
