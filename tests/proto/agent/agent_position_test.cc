#include "proto/agent_position.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace statmill {
namespace {

AgentPosition at(uint64_t seq, uint64_t lines, int64_t ms = 0) {
  return {1, seq, lines, Timestamp(Duration(ms))};
}

class AgentProgressTest : public testing::Test {
 protected:
  // Ten lines per batch.
  bool batch(uint64_t seq) { return progress_.extend(seq, 10 * (seq - 1), at(seq, 10 * seq)); }
  bool gap(uint64_t first, uint64_t last, uint64_t lines) {
    return progress_.extend(first, std::nullopt, at(last, lines));
  }
  // "3" or "3, 6-9": the position, and the run that begins after 6.
  std::string text() const {
    std::string out = std::to_string(progress_.position.seq);
    if (progress_.ahead)
      out += ", " + std::to_string(progress_.ahead->after) + "-" + std::to_string(progress_.ahead->last.seq);
    return out;
  }

  AgentProgress progress_{at(0, 0), std::nullopt};
};

TEST_F(AgentProgressTest, BatchesExtendThePosition) {
  EXPECT_TRUE(batch(1));
  EXPECT_TRUE(batch(2));
  EXPECT_EQ(progress_, (AgentProgress{at(2, 20), std::nullopt}));
  EXPECT_FALSE(batch(2));
  EXPECT_FALSE(progress_.extend(3, 21, at(3, 31))) << "the lines do not add up";
  EXPECT_EQ(text(), "2");
}

TEST_F(AgentProgressTest, ARunGrowsUntilThePositionReachesIt) {
  EXPECT_TRUE(batch(1));
  EXPECT_TRUE(batch(4));
  EXPECT_TRUE(batch(5));
  EXPECT_EQ(text(), "1, 3-5");
  EXPECT_FALSE(batch(4)) << "it has arrived";
  EXPECT_FALSE(batch(7)) << "one run at a time";
  EXPECT_TRUE(batch(2));
  EXPECT_EQ(text(), "2, 3-5");
  EXPECT_EQ(progress_.last(), at(5, 50));
  EXPECT_TRUE(batch(3));
  EXPECT_EQ(progress_, (AgentProgress{at(5, 50), std::nullopt}));
  EXPECT_TRUE(batch(6));
  EXPECT_EQ(text(), "6");
}

TEST_F(AgentProgressTest, LinesOnBothSidesOfABacklogMustAddUp) {
  EXPECT_TRUE(batch(1));
  EXPECT_FALSE(progress_.extend(4, 9, at(4, 19))) << "less than before the backlog";
  EXPECT_TRUE(batch(4));
  EXPECT_FALSE(progress_.extend(2, 10, at(2, 31))) << "more than before the run";
  EXPECT_TRUE(batch(2));
  EXPECT_FALSE(progress_.extend(3, 20, at(3, 29)));
  EXPECT_TRUE(batch(3));
  EXPECT_EQ(text(), "4");
}

TEST_F(AgentProgressTest, AGapMayEndWhereTheRunBegins) {
  EXPECT_FALSE(gap(3, 4, 40)) << "what comes before it is not known";
  EXPECT_TRUE(batch(6));
  EXPECT_FALSE(gap(1, 6, 60)) << "the run has the last of these";
  EXPECT_FALSE(gap(1, 5, 51));
  EXPECT_TRUE(gap(1, 2, 25));
  EXPECT_TRUE(gap(7, 8, 99));
  EXPECT_EQ(text(), "2, 5-8");
  EXPECT_TRUE(gap(3, 5, 50));
  EXPECT_EQ(progress_, (AgentProgress{at(8, 99), std::nullopt}));
}

// A model that keeps each number.
RC_GTEST_PROP(AgentProgressProperty, ContainsWhatWasAddedAndNothingElse, (const std::vector<uint8_t>& seqs)) {
  AgentProgress progress{at(0, 0), std::nullopt};
  std::set<uint64_t> added;
  for (const uint8_t byte : seqs) {
    const uint64_t seq = 1 + byte % 24;
    const bool is_new = progress.extend(seq, seq - 1, at(seq, seq));
    if (is_new) RC_ASSERT(added.insert(seq).second);
    for (uint64_t i = 1; i <= 26; ++i) RC_ASSERT(progress.contains(i) == added.contains(i));
    RC_ASSERT(progress.last().seq == (added.empty() ? 0 : *added.rbegin()));
  }
}

}  // namespace
}  // namespace statmill
