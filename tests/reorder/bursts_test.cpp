// Which lines of src transposes ask for.
// SPDX-License-Identifier: Apache-2.0
#include "reorder/kernels/bursts.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

namespace stridewise {
namespace {

// How often each line of rows of `all` bytes is asked for by the squares of a strip.
std::vector<std::int64_t> times_asked(std::int64_t rows, std::int64_t row_bytes,
                                      std::int64_t all, bool bursts) {
  const std::int64_t lines = all / line;
  std::vector<std::int64_t> times(static_cast<std::size_t>(rows * lines));
  for (std::int64_t turn = 0; turn < all / row_bytes; ++turn) {
    const AskedLines asked = asked_lines(rows, row_bytes, turn, bursts);
    for (std::int64_t i = asked.row; i < asked.row + asked.rows; ++i) {
      for (std::int64_t l = 0; l < asked.lines; ++l) {
        const std::int64_t at = i * lines + asked.byte / line + l;
        times.at(static_cast<std::size_t>(at)) += 1;
      }
    }
  }
  return times;
}

TEST(Bursts, EachLineIsAskedForOnce) {
  for (const std::int64_t rows : {1, 2, 4, 8, 16, 32, 64}) {
    for (const std::int64_t row_bytes : {16, 32, 64}) {
      if (rows * row_bytes < line) continue;
      for (const bool bursts : {false, true}) {
        EXPECT_THAT(times_asked(rows, row_bytes, 4096, bursts),
                    testing::Each(1))
            << rows << " rows by " << row_bytes << " bytes";
      }
    }
  }
}

TEST(Bursts, AreSomeLinesOfARow) {
  const AskedLines floats = asked_lines(16, 16, 17, true);
  EXPECT_EQ(floats.row, 1);
  EXPECT_EQ(floats.rows, 1);
  EXPECT_EQ(floats.byte, 256);
  EXPECT_EQ(floats.lines, 4);
  const AskedLines bytes = asked_lines(64, 16, 17, true);
  EXPECT_EQ(bytes.row, 4);
  EXPECT_EQ(bytes.rows, 4);
  EXPECT_EQ(bytes.byte, 256);
  EXPECT_EQ(bytes.lines, 4);
}

TEST(Bursts, AreOfLongRowsAndOfSquaresOfMoreThanALine) {
  EXPECT_TRUE(by_bursts(16, 16, 1024));
  EXPECT_FALSE(by_bursts(16, 16, 1023));
  EXPECT_FALSE(by_bursts(4, 16, 4096));
}

}  // namespace
}  // namespace stridewise
