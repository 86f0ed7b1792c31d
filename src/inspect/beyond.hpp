// Which index a place without an element would have, if the tensor were larger.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stridewise/layout.hpp"

namespace stridewise::inspect {

// What a place belongs to.
enum class Room : std::uint8_t {
  block,    // a block that its dim does not fill
  gap,      // what a stride or an alignment leaves between rows or planes
  nowhere,  // no index would fill it
};

class Beyond {
 public:
  // Pre: the layout is valid and plain.
  explicit Beyond(const Layout& layout);

  // `index` becomes the one that the place would have; at least one dim of it is not
  // below its extent. With Room::nowhere it means nothing. O(digits).
  // Pre: the place holds no element.
  Room find(std::int64_t place, std::vector<std::int64_t>& index) const;

  // The extents of the tensor that would fill the room.
  [[nodiscard]] const Shape& shape(Room room) const;

 private:
  const Layout& layout_;
  std::optional<Layout> blocks_;  // each dim is whole blocks
  std::optional<Layout> gaps_;    // and goes on to where the next row begins
};

}  // namespace stridewise::inspect
