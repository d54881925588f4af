#include "server/table/series_ends.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

TEST(SeriesEnds, HasTheNewestEndUntilItIsCleared) {
  SeriesEnds ends(100);
  EXPECT_EQ(ends.of("a"), std::nullopt);
  ends.end(SeriesEnds::key("a"), 5000);
  ends.end(SeriesEnds::key("a"), 7000);
  EXPECT_EQ(ends.of("a"), 7000);
  EXPECT_EQ(ends.of("b"), std::nullopt);
  EXPECT_EQ(ends.size(), 1U);
  ends.clear(SeriesEnds::key("a"));
  EXPECT_EQ(ends.of("a"), std::nullopt);
  EXPECT_EQ(ends.size(), 0U);
}

TEST(SeriesEnds, ForgetsTheOlderHalfOfTooMany) {
  SeriesEnds ends(10);
  for (int i = 0; i < 1000; ++i) {
    ends.end(SeriesEnds::key(std::to_string(i)), i);
    EXPECT_LE(ends.size(), 10U);
    for (int newer = std::max(0, i - 4); newer <= i; ++newer)
      EXPECT_EQ(ends.of(std::to_string(newer)), newer) << i;
  }
  EXPECT_EQ(ends.size() + ends.forgotten(), 1000U);
}

TEST(SeriesEnds, AnEndThatComesAgainIsNotAmongTheOlder) {
  SeriesEnds ends(10);
  ends.end(SeriesEnds::key("a"), 1);
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 4; ++k) ends.end(SeriesEnds::key(std::to_string(i * 4 + k)), i);
    ends.end(SeriesEnds::key("a"), i);
    EXPECT_EQ(ends.of("a"), i);
  }
}

}  // namespace
}  // namespace statmill
