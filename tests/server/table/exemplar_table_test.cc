#include "server/table/exemplar_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ExemplarTableTest : public testing::Test {
 protected:
  bool note(SeriesId id, Slot slot, double value, const std::string& labels = "a", bool has_own_time = true) {
    return table_.note(0, {id, slot}, {"name", slot * 10'000, has_own_time, value, labels}).is_accepted();
  }
  // Returns what the tick writes as "id slot value labels".
  std::vector<std::string> take(int parity = 0) {
    std::vector<std::string> out;
    for (const ExemplarRow& row : table_.take(parity, now_))
      out.push_back(std::to_string(row.key.id) + " " + std::to_string(row.key.slot) + " " +
                    std::to_string(static_cast<int>(row.value)) + " " + row.labels);
    return out;
  }

  SteadyTime now_{};
  ExemplarTable table_{{.per_second = 1}};
};

TEST_F(ExemplarTableTest, TheLargestOfASlotIsTakenOnce) {
  EXPECT_TRUE(note(2, 5, 1));
  EXPECT_TRUE(note(1, 5, 3, "b"));
  EXPECT_TRUE(note(1, 5, 2));
  EXPECT_TRUE(note(1, 6, 1));
  EXPECT_TRUE(note(1, 5, 4, "c"));
  EXPECT_THAT(take(), ElementsAre("1 5 4 c", "1 6 1 a", "2 5 1 a"));
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(table_.accepted(), 5U);
  EXPECT_EQ(table_.stored(), 3U);
}

TEST_F(ExemplarTableTest, EpochsAreApart) {
  EXPECT_TRUE(table_.note(1, {1, 5}, {"name", 50'000, true, 1, "a"}).is_accepted());
  EXPECT_THAT(take(0), IsEmpty());
  EXPECT_THAT(take(1), ElementsAre("1 5 1 a"));
}

TEST_F(ExemplarTableTest, OneThatIsRepeatedIsNotWrittenAgain) {
  EXPECT_TRUE(note(1, 5, 3));
  EXPECT_THAT(take(), ElementsAre("1 5 3 a"));
  EXPECT_TRUE(note(1, 5, 3));
  EXPECT_TRUE(note(1, 5, 2, "b"));
  EXPECT_THAT(take(), IsEmpty()) << "the store has a larger one";
  EXPECT_TRUE(note(1, 5, 3, "b")) << "as large: the store decides";
  EXPECT_TRUE(note(1, 6, 2));
  EXPECT_THAT(take(), ElementsAre("1 5 3 b", "1 6 2 a"));
}

TEST_F(ExemplarTableTest, OneWithoutATimeIsTheSameInLaterSlots) {
  EXPECT_TRUE(note(1, 5, 3, "a", false));
  EXPECT_TRUE(note(1, 6, 3, "a", false));
  EXPECT_TRUE(note(1, 7, 3, "b", false));
  EXPECT_THAT(take(), ElementsAre("1 5 3 a", "1 7 3 b"));
}

TEST_F(ExemplarTableTest, ASeriesWithTheIdOfADeletedOneKnowsNothingOfIt) {
  EXPECT_TRUE(note(1, 5, 3));
  take();
  const std::vector<SeriesId> deleted = {1};
  table_.forget(deleted);
  EXPECT_TRUE(note(1, 5, 2));
  EXPECT_THAT(take(), ElementsAre("1 5 2 a"));
}

TEST_F(ExemplarTableTest, FurtherOnesAreRefusedUntilTimeHasPassed) {
  for (SeriesId id = 0; id < 60; ++id) EXPECT_TRUE(note(id, 5, 1)) << id;
  EXPECT_FALSE(note(60, 5, 1));
  EXPECT_TRUE(note(1, 5, 2)) << "it takes the place of another";
  EXPECT_EQ(take().size(), 60U);
  EXPECT_FALSE(note(60, 5, 1)) << "no time has passed";
  now_ += std::chrono::seconds(2);
  take();
  EXPECT_TRUE(note(60, 5, 1));
  EXPECT_TRUE(note(61, 5, 1));
  EXPECT_FALSE(note(62, 5, 1));
  now_ += std::chrono::hours(1);
  take();
  for (SeriesId id = 100; id < 160; ++id) EXPECT_TRUE(note(id, 5, 1)) << "a minute's at most";
  EXPECT_FALSE(note(160, 5, 1));
}

TEST(ExemplarTable, ALimitOf0TakesNone) {
  ExemplarTable table({.per_second = 0});
  EXPECT_EQ(table.note(0, {1, 1}, {"name", 0, true, 1, ""}), Verdict(ExemplarRefusal::kLimit));
}

}  // namespace
}  // namespace statmill
