// What a spool keeps after acknowledgment, and what it drops above its limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr size_t kRecordBytes = 100;  // one line; a segment holds four

class SpoolRetention : public testing::Test {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    spool_.reset();
    spool_ = open_spool(directory_, options_);
    ASSERT_NE(spool_, nullptr);
  }
  void add(int count) {
    for (int i = 0; i < count; ++i) {
      append();
      ASSERT_TRUE(spool_->sync());
    }
  }
  void append() { spool_->append(numbered_lines(spool_->lines(), 1, kRecordBytes - 46), at_second(0)); }
  void acknowledge(size_t server, uint64_t seq) { spool_->acknowledged(server, {seq, seq}); }
  void trim(int64_t second) { ASSERT_TRUE(spool_->trim(at_second(second))); }
  std::vector<uint64_t> held() { return seqs(read_all(*spool_)); }

  SpoolOptions options_{.bytes_max = 8 * (kSegmentHeaderBytes + 4 * kRecordBytes),
                        .segment_bytes = kSegmentHeaderBytes + 4 * kRecordBytes,
                        .unsynced_bytes_max = 4 * kRecordBytes,
                        .keep_for = std::chrono::seconds(60),
                        .servers = 2};
  FaultySpoolDirectory directory_{7};
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolRetention, AcknowledgedSegmentsAreKeptForAWhileAndThenRemoved) {
  add(10);
  acknowledge(0, 10);
  acknowledge(1, 10);
  trim(100);
  trim(159);
  EXPECT_EQ(held().front(), 1U);
  trim(160);
  EXPECT_THAT(held(), ElementsAre(9, 10));
  EXPECT_EQ(spool_->first_seq(), 9U);
  EXPECT_EQ(spool_->stats().segments_removed, 2U);
  EXPECT_EQ(spool_->stats().lines_dropped_full, 0U);
}

TEST_F(SpoolRetention, TheNewestSegmentIsNeverRemoved) {
  add(3);
  acknowledge(0, 3);
  acknowledge(1, 3);
  trim(0);
  trim(1'000'000);
  EXPECT_THAT(held(), ElementsAre(1, 2, 3));
}

TEST_F(SpoolRetention, TheLastRecordsStayIfTheNextSegmentCannotBeWritten) {
  add(4);
  acknowledge(0, 4);
  acknowledge(1, 4);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kAppend; };
  append();
  ASSERT_FALSE(spool_->sync());
  trim(0);
  trim(1'000'000);
  EXPECT_EQ(held().size(), 4U);
  directory_.fails = [](SpoolCall) { return false; };
  reopen();
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_GE(spool_->next_seq(), 5U);  // the failed batch may be in it
}

TEST_F(SpoolRetention, BatchesThatOneServerLacksStay) {
  add(10);
  acknowledge(0, 10);
  acknowledge(1, 7);
  trim(0);
  trim(1000);
  EXPECT_EQ(held().front(), 5U);
}

TEST_F(SpoolRetention, NoClockJumpRemovesWhatAServerLacks) {
  add(10);
  for (const int64_t second : {0, 1'000'000'000, -500'000, 5}) trim(second);
  EXPECT_EQ(held().size(), 10U);
}

TEST_F(SpoolRetention, AClockSetBackRestartsTheRetentionTime) {
  add(10);
  acknowledge(0, 10);
  acknowledge(1, 10);
  trim(1000);
  trim(0);
  trim(59);
  EXPECT_EQ(held().size(), 10U);
  trim(60);
  EXPECT_EQ(held().size(), 2U);
}

TEST_F(SpoolRetention, AServerThatGoesBackIsWaitedFor) {
  add(10);
  acknowledge(0, 10);
  acknowledge(1, 10);
  trim(0);
  acknowledge(1, 2);
  trim(1000);
  EXPECT_EQ(held().size(), 10U);
}

TEST_F(SpoolRetention, TheNewestAcknowledgedBatchesAreKept) {
  options_.keep_bytes = 2 * options_.segment_bytes;
  reopen();
  add(14);
  acknowledge(0, 14);
  acknowledge(1, 14);
  trim(0);
  EXPECT_EQ(held().front(), 9U);
}

TEST_F(SpoolRetention, AboveTheLimitTheOldestIsDroppedAndCountedIfAServerLacksIt) {
  add(30);
  acknowledge(0, 30);
  acknowledge(1, 2);
  add(20);
  const auto held = this->held();
  EXPECT_EQ(held.back(), 50U);
  EXPECT_EQ(held.size(), 50 - held.front() + 1);
  EXPECT_GT(held.front(), 10U);
  EXPECT_EQ(spool_->stats().lines_dropped_full, held.front() - 1 - 2);
  EXPECT_LE(spool_->stats().bytes, options_.bytes_max);
  EXPECT_LE(directory_.bytes(), options_.bytes_max + options_.segment_bytes);
}

TEST_F(SpoolRetention, ALoweredLimitAppliesFromTheNextTrim) {
  add(30);
  options_.bytes_max /= 2;
  reopen();
  trim(0);
  EXPECT_LE(spool_->stats().bytes, options_.bytes_max);
}

TEST_F(SpoolRetention, AReaderWhoseSegmentIsDroppedContinuesWithTheOldest) {
  add(10);
  SpoolReader reader(*spool_);
  ASSERT_EQ((*reader.next())->seq, 1U);
  add(50);
  const auto rest = seqs(read_from(reader));
  EXPECT_EQ(rest, held());
  EXPECT_GT(rest.front(), 5U);
}

TEST_F(SpoolRetention, TwoReadersDoNotDisturbEachOther) {
  add(10);
  SpoolReader one(*spool_);
  SpoolReader two(*spool_);
  two.seek(6);
  for (uint64_t seq = 1; seq <= 5; ++seq) {
    EXPECT_EQ((*one.next())->seq, seq);
    EXPECT_EQ((*two.next())->seq, seq + 5);
  }
  EXPECT_FALSE((*two.next()).has_value());
  add(1);
  EXPECT_EQ((*two.next())->seq, 11U);
  two.seek(3);
  EXPECT_EQ((*two.next())->seq, 3U);
}

TEST_F(SpoolRetention, OnAFailingDiskTheNewestStayInMemoryAndTheRestIsCounted) {
  add(2);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kSyncFile; };
  for (int i = 0; i < 10; ++i) append();
  EXPECT_FALSE(spool_->sync());
  EXPECT_LE(spool_->stats().bytes_unsynced, options_.unsynced_bytes_max);
  EXPECT_EQ(spool_->stats().lines_dropped_failed, 6U);
  EXPECT_GT(spool_->stats().sync_failures, 0U);
  EXPECT_EQ(spool_->durable_seq(), 2U);
  EXPECT_THAT(held(), ElementsAre(1, 2));
  directory_.fails = [](SpoolCall) { return false; };
  EXPECT_TRUE(spool_->sync());
  EXPECT_THAT(held(), ElementsAre(1, 2, 9, 10, 11, 12));
  EXPECT_EQ(read_all(*spool_)[2].damaged, 0U);
  EXPECT_EQ(read_all(*spool_)[2].lines_before, 8U);
  reopen();
  EXPECT_THAT(held(), ElementsAre(1, 2, 9, 10, 11, 12));
}

TEST_F(SpoolRetention, LinesThatTheCallerHasDroppedBecomeAGap) {
  add(2);
  append();
  spool_->add_gap(5);
  append();
  EXPECT_TRUE(spool_->sync());
  EXPECT_EQ(spool_->stats().lines_dropped_failed, 5U);
  EXPECT_EQ(spool_->stats().lines_spooled, 9U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(held(), ElementsAre(1, 2, 3, 5));
    EXPECT_EQ(read_all(*spool_)[3].lines_before, 8U);
    EXPECT_EQ(read_all(*spool_)[3].damaged, 0U);
    reopen();
  }
}

TEST_F(SpoolRetention, BatchesThatAFailingDiskRefusesAreLostWithLaterOnes) {
  add(2);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kSyncFile; };
  append();
  spool_->add_gap(5);
  EXPECT_EQ(spool_->stats().lines_dropped_failed, 6U);
  directory_.fails = [](SpoolCall) { return false; };
  append();
  EXPECT_TRUE(spool_->sync());
  EXPECT_THAT(held(), ElementsAre(1, 2, 5));
  EXPECT_EQ(read_all(*spool_)[2].lines_before, 8U);
}

TEST_F(SpoolRetention, AnAcknowledgmentBeyondTheEndCountsUpToTheEnd) {
  acknowledge(0, 1'000'000);
  acknowledge(1, 1'000'000);
  add(10);
  trim(0);
  trim(1000);
  EXPECT_EQ(held().size(), 10U);
}

}  // namespace
}  // namespace statmill
