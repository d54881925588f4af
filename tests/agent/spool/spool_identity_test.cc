// Whom a spool belongs to: copies, clones, damage; and what happens to the batches of a replaced identity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/spool/spool.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Identity = RecoveryReport::Identity;

class SpoolIdentityTest : public testing::Test {
 protected:
  void SetUp() override { reopen(); }
  void reopen(std::string_view location = kHere) {
    spool_.reset();
    spool_ = open_spool(directory_, options_, location, ++random_ * 100);
    ASSERT_NE(spool_, nullptr);
  }
  // Appends batches of ten lines and makes them durable.
  void add(int count) {
    for (int i = 0; i < count; ++i) {
      spool_->append(numbered_lines(spool_->lines(), 10), at_second(0));
      ASSERT_TRUE(spool_->sync());
    }
  }
  void acknowledge(uint64_t seq) { spool_->acknowledged(0, {seq, 10 * seq}); }
  Status change_identity() { return spool_->change_identity(GapReason::kCloned, now_); }

  SpoolOptions options_{.bytes_max = 16 << 10, .segment_bytes = 1000};
  uint64_t random_ = 0;
  SteadyTime now_{std::chrono::hours(5)};
  FaultySpoolDirectory directory_{7};
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolIdentityTest, ANewSpoolHasItsOwnSecret) {
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kNew);
  EXPECT_NE(spool_->secret(), AgentSecret());
  EXPECT_NE(spool_->secret().bytes, spool_->id().bytes);
  const AgentSecret secret = spool_->secret();
  reopen();
  EXPECT_EQ(spool_->secret(), secret);
}

TEST_F(SpoolIdentityTest, ACopyIsAnotherAgentAndLeavesTheBatchesToTheOriginal) {
  add(20);
  const AgentId id = spool_->id();
  const AgentSecret secret = spool_->secret();
  reopen("there");
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kCopied);
  EXPECT_GT(spool_->recovery_report().segments_removed, 0U);
  EXPECT_NE(spool_->id(), id);
  EXPECT_NE(spool_->secret(), secret);
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_THAT(read_all(*spool_), IsEmpty());
  const AgentId copied = spool_->id();
  reopen("there");
  EXPECT_EQ(spool_->id(), copied);
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kKept);
}

TEST_F(SpoolIdentityTest, UnsentBatchesOfACopyAreCountedAndBecomeAGap) {
  add(20);
  reopen("there");
  EXPECT_EQ(spool_->recovery_report().lines_lost, 200U);
  EXPECT_EQ(spool_->stats().lines_abandoned, 200U);
  EXPECT_EQ(spool_->lost(), (SpoolLoss{200, GapReason::kCopied}));
  EXPECT_EQ(spool_->next_seq(), 2U);
  EXPECT_EQ(spool_->lines(), 200U);
  reopen("there");
  EXPECT_EQ(spool_->recovery_report().lines_lost, 0U);
  EXPECT_EQ(spool_->lost().lines, 200U);
  add(1);
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(2));
  reopen("elsewhere");  // lines lost before are not lost again
  EXPECT_EQ(spool_->lost(), (SpoolLoss{210, GapReason::kCopied}));
}

TEST_F(SpoolIdentityTest, BatchesThatAllServersHadAreNotLostInACopy) {
  add(20);
  acknowledge(15);
  ASSERT_TRUE(spool_->save_acknowledged());
  reopen("there");
  EXPECT_EQ(spool_->lost().lines, 50U);
}

TEST_F(SpoolIdentityTest, AcknowledgedPositionsAreSavedEachMinute) {
  add(20);
  acknowledge(10);
  ASSERT_TRUE(spool_->trim(at_second(0)));
  acknowledge(20);
  ASSERT_TRUE(spool_->trim(at_second(59)));
  const auto copy = directory_.copy(1);
  EXPECT_EQ(open_spool(*copy, options_, "there")->lost().lines, 100U);
  ASSERT_TRUE(spool_->trim(at_second(60)));
  reopen("there");
  EXPECT_EQ(spool_->lost().lines, 0U);
  EXPECT_EQ(spool_->next_seq(), 1U);
}

TEST_F(SpoolIdentityTest, AServerThatHasNotReportedItsPositionMayLackEverything) {
  options_.servers = 2;
  reopen();
  add(20);
  acknowledge(20);
  ASSERT_TRUE(spool_->save_acknowledged());
  reopen("there");
  EXPECT_EQ(spool_->lost().lines, 200U);
}

TEST_F(SpoolIdentityTest, ADamagedIdentityIsReplacedAndItsBatchesBecomeAGap) {
  add(3);
  const AgentId id = spool_->id();
  directory_.contents("identity")[20] ^= 1;
  reopen();
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kDamaged);
  EXPECT_NE(spool_->id(), id);
  EXPECT_EQ(spool_->lost(), (SpoolLoss{30, GapReason::kDamaged}));
  EXPECT_THAT(read_all(*spool_), IsEmpty());
}

TEST_F(SpoolIdentityTest, FactsThatBecomeKnownLaterAreAddedToTheLocation) {
  FaultySpoolDirectory directory(1);
  const auto open = [&](const SpoolLocation& location) {
    spool_.reset();
    spool_ = open_spool(directory, {}, location, ++random_ * 100);
    spool_->append(numbered_lines(0, 1), at_second(0));
    EXPECT_TRUE(spool_->sync());
    spool_->acknowledged(0, {spool_->durable_seq(), spool_->lines()});
    EXPECT_TRUE(spool_->save_acknowledged());
    return spool_->id();
  };
  const AgentId id = open({.directory = "d", .host = "h"});
  EXPECT_EQ(open({.directory = "d", .product = "p", .host = "h"}), id);
  EXPECT_EQ(open({.directory = "d"}), id);
  EXPECT_NE(open({.directory = "d", .product = "q"}), id);
  spool_.reset();
}

TEST_F(SpoolIdentityTest, ChangesItsIdentityAndReportsWhatItGaveUp) {
  add(20);
  acknowledge(15);
  spool_->append(numbered_lines(200, 10), at_second(1));
  const AgentId id = spool_->id();
  const AgentSecret secret = spool_->secret();
  ASSERT_TRUE(change_identity());
  EXPECT_NE(spool_->id(), id);
  EXPECT_NE(spool_->secret(), secret);
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_EQ(spool_->lost(), (SpoolLoss{50, GapReason::kCloned}));
  EXPECT_EQ(spool_->stats().lines_abandoned, 50U);
  ASSERT_TRUE(spool_->sync());
  const auto batches = read_all(*spool_);
  EXPECT_THAT(seqs(batches), ElementsAre(2));  // batches that were not durable had not been sent
  EXPECT_EQ(batches[0].lines_before, 50U);
  EXPECT_EQ(batches[0].text, numbered_lines(200, 10).text);
  const AgentId now = spool_->id();
  reopen();
  EXPECT_EQ(spool_->id(), now);
  EXPECT_EQ(spool_->lost(), (SpoolLoss{50, GapReason::kCloned}));
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(2));
}

TEST_F(SpoolIdentityTest, GivesUpWrittenBatchesEvenIfTheyAreNotDurable) {
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kSyncFile; };
  spool_->append(numbered_lines(0, 10), at_second(0));
  ASSERT_FALSE(spool_->sync());  // a copy of the disk may contain it and send it
  spool_->append(numbered_lines(10, 10), at_second(1));
  directory_.fails = [](SpoolCall) { return false; };
  ASSERT_TRUE(change_identity());
  EXPECT_EQ(spool_->lost().lines, 10U);
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(texts(read_all(*spool_)), numbered_lines(10, 10).text);
}

TEST_F(SpoolIdentityTest, ChangesItsIdentityAtMostOnceAnHour) {
  ASSERT_TRUE(change_identity());
  const AgentId id = spool_->id();
  now_ += options_.identity_change_interval - Duration(1);
  EXPECT_EQ(change_identity().error().code, ErrorCode::kBusy);
  EXPECT_EQ(spool_->id(), id);
  now_ += Duration(1);
  EXPECT_TRUE(change_identity());
}

TEST_F(SpoolIdentityTest, ChangesItsIdentityInMemoryIfTheDiskFailsMeanwhile) {
  add(5);
  const AgentId id = spool_->id();
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kRemove; };
  ASSERT_TRUE(change_identity());
  EXPECT_NE(spool_->id(), id);
  EXPECT_EQ(spool_->lost().lines, 0U);  // not reported before it is durable
  spool_->append(numbered_lines(50, 10), at_second(1));
  EXPECT_FALSE(spool_->sync());
  EXPECT_THAT(read_all(*spool_), IsEmpty());
  directory_.fails = [](SpoolCall) { return false; };
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(spool_->lost().lines, 50U);
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(2));
}

// Whichever disk operation is the last, the next start finds the old identity with its batches, or a new one
// that records what was lost.
void expect_whole_after_failing_at(uint64_t call, bool is_at_start, bool is_power_cut) {
  FaultySpoolDirectory directory(call);
  auto spool = open_spool(directory, {}, "here");
  const AgentId id = spool->id();
  spool->append(numbered_lines(0, 10), at_second(0));
  ASSERT_TRUE(spool->sync());
  const uint64_t begin = directory.calls();
  directory.fails = [&](SpoolCall) { return directory.calls() - begin > call; };
  const std::string_view location = is_at_start ? "there" : "here";
  if (is_at_start) {
    spool.reset();
    static_cast<void>(Spool::open(directory, {}, location_at(location), counting_source(100)).has_value());
  } else {
    static_cast<void>(
        spool->change_identity(GapReason::kCloned, SteadyTime(std::chrono::hours(5))).has_value());
    spool.reset();
  }
  directory.fails = [](SpoolCall) { return false; };
  if (is_power_cut) directory.power_cut();
  spool = open_spool(directory, {}, location, 500);
  const auto left = read_all(*spool);
  if (spool->id() == id) {
    EXPECT_EQ(seqs(left), std::vector<uint64_t>{1});
    return;
  }
  EXPECT_THAT(left, IsEmpty());
  EXPECT_EQ(spool->lost().lines, 10U);
  EXPECT_EQ(spool->epoch(), 1U);
}

TEST(SpoolIdentity, TheLossIsKnownWhereverTheChangeIsInterrupted) {
  for (uint64_t call = 0; call < 20; ++call) {
    for (const bool is_at_start : {false, true}) {
      for (const bool is_power_cut : {false, true}) {
        SCOPED_TRACE(std::to_string(call) + (is_at_start ? " at a start" : "") +
                     (is_power_cut ? " with a power cut" : ""));
        expect_whole_after_failing_at(call, is_at_start, is_power_cut);
      }
    }
  }
}

}  // namespace
}  // namespace statmill
