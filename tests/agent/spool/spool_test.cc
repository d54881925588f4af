// What a spool guarantees about its batches, across restarts, copies and limits.
#include "agent/spool/spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/spool/memory_directory.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Identity = RecoveryReport::Identity;

class SpoolTest : public testing::Test {
 protected:
  void SetUp() override { reopen(); }
  void reopen(std::string_view location = kHere) {
    spool_.reset();
    spool_ = open_spool(directory_, options_, location, ++random_ * 100);
    ASSERT_NE(spool_, nullptr);
  }
  void power_cut() {
    spool_.reset();
    directory_.power_cut();
    reopen();
  }
  // Appends a batch of ten lines and makes it durable.
  void add() {
    spool_->append(numbered_lines(spool_->lines(), 10), at_second(0));
    ASSERT_TRUE(spool_->sync());
  }
  void add(int count) {
    for (int i = 0; i < count; ++i) add();
  }

  SpoolOptions options_{.bytes_max = 16 << 10, .segment_bytes = 1000};
  uint64_t random_ = 0;
  FaultySpoolDirectory directory_{7};
  std::unique_ptr<Spool> spool_;
};

TEST_F(SpoolTest, ANewSpoolIsEmpty) {
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kNew);
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_EQ(spool_->first_seq(), 1U);
  EXPECT_EQ(spool_->next_seq(), 1U);
  EXPECT_EQ(spool_->durable_seq(), 0U);
  EXPECT_THAT(read_all(*spool_), IsEmpty());
}

TEST_F(SpoolTest, RecordsAreFramesOfTheWireFormat) {
  spool_->append({"a 1 2\nb 1 3\n", 2}, at_second(5));
  ASSERT_TRUE(spool_->sync());
  spool_->append({"c 1 4\n", 1}, at_second(6));
  ASSERT_TRUE(spool_->sync());
  const auto batches = read_all(*spool_);
  ASSERT_EQ(batches.size(), 2U);
  std::string frame;
  append_frame(frame,
               BatchFrame{.seq = 2, .lines_before = 2, .lines = 1, .time = at_second(6), .text = "c 1 4\n"});
  EXPECT_EQ(batches[1].frame, frame);
  EXPECT_EQ(batches[1].lines_before, 2U);
  EXPECT_EQ(batches[1].time, at_second(6));
}

TEST_F(SpoolTest, EachBatchKeepsItsTagsAndItsTime) {
  options_ = {};
  reopen();
  LineBatch host = numbered_lines(0, 3000, 100);  // more than one batch has room for
  host.tags = "dc=eu;host=web1";
  host.time = at_second(-7);
  spool_->append(host, at_second(0));
  spool_->append(numbered_lines(3000, 2), at_second(0));  // of a relay: no tags
  ASSERT_TRUE(spool_->sync());
  power_cut();
  std::vector<std::string> tags;
  std::vector<Timestamp> times;
  for (const ReadBatch& batch : read_all(*spool_)) {
    tags.push_back(batch.tags);
    times.push_back(batch.time);
  }
  EXPECT_THAT(tags, ElementsAre("dc=eu;host=web1", "dc=eu;host=web1", ""));
  EXPECT_THAT(times, ElementsAre(at_second(-7), at_second(-7), at_second(0)));
}

TEST_F(SpoolTest, NothingIsReadBeforeItIsDurable) {
  spool_->append(numbered_lines(0, 3), at_second(0));
  EXPECT_EQ(spool_->next_seq(), 2U);
  EXPECT_EQ(spool_->durable_seq(), 0U);
  EXPECT_THAT(read_all(*spool_), IsEmpty());
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(spool_->durable_seq(), 1U);
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(1));
}

TEST_F(SpoolTest, AnEmptyBatchIsIgnored) {
  spool_->append({}, at_second(0));
  EXPECT_EQ(spool_->next_seq(), 1U);
  const uint64_t calls = directory_.calls();
  EXPECT_TRUE(spool_->sync());
  EXPECT_EQ(directory_.calls(), calls);
}

TEST_F(SpoolTest, ALongBatchIsSplitAtLineEnds) {
  options_ = {};
  reopen();
  const LineBatch batch = numbered_lines(0, 7000, 100);
  spool_->append(batch, at_second(0));
  ASSERT_TRUE(spool_->sync());
  const auto batches = read_all(*spool_);
  EXPECT_EQ(batches.size(), 3U);
  EXPECT_EQ(texts(batches), batch.text);
  uint64_t lines = 0;
  for (const ReadBatch& b : batches) {
    EXPECT_EQ(b.lines_before, lines);
    EXPECT_TRUE(b.text.ends_with('\n'));
    lines += b.lines;
  }
  EXPECT_EQ(lines, 7000U);
}

TEST_F(SpoolTest, ALineLongerThanABatchIsDroppedAndCounted) {
  spool_->append({"a 1\n" + std::string(kBatchTextBytesMax, 'x') + "\nb 2\n", 3}, at_second(0));
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(texts(read_all(*spool_)), "a 1\nb 2\n");
  EXPECT_EQ(spool_->stats().lines_dropped_too_long, 1U);
  EXPECT_EQ(spool_->lines(), 2U);
}

TEST_F(SpoolTest, ContinuesAfterARestart) {
  add(20);
  const std::string before = texts(read_all(*spool_));
  const AgentId id = spool_->id();
  reopen();
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kKept);
  EXPECT_EQ(spool_->id(), id);
  EXPECT_EQ(spool_->epoch(), 1U);
  EXPECT_EQ(spool_->next_seq(), 21U);
  EXPECT_EQ(spool_->lines(), 200U);
  EXPECT_EQ(texts(read_all(*spool_)), before);
  add();
  EXPECT_EQ(read_all(*spool_).back().lines_before, 200U);
}

TEST_F(SpoolTest, DurableBatchesSurviveAPowerCut) {
  add(20);
  const std::string before = texts(read_all(*spool_));
  for (int i = 0; i < 20; ++i) {
    power_cut();
    ASSERT_EQ(texts(read_all(*spool_)), before);
    ASSERT_EQ(spool_->epoch(), 1U);
  }
}

TEST_F(SpoolTest, UnsyncedRecordsOfAKilledProcessAreWrittenAgain) {
  add(3);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kSyncFile; };
  spool_->append(numbered_lines(30, 10), at_second(0));
  ASSERT_FALSE(spool_->sync());
  directory_.fails = [](SpoolCall) { return false; };
  reopen();
  const auto read = seqs(read_all(*spool_));
  power_cut();
  EXPECT_EQ(seqs(read_all(*spool_)), read);
}

TEST_F(SpoolTest, UnsyncedRecordsOfAKilledProcessAreWrittenInPlaceIfTheDiskIsFull) {
  add(3);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kSyncFile; };
  spool_->append(numbered_lines(30, 10), at_second(0));
  ASSERT_FALSE(spool_->sync());
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kReplace; };
  reopen();
  const auto read = seqs(read_all(*spool_));
  power_cut();
  EXPECT_EQ(seqs(read_all(*spool_)), read);
}

TEST_F(SpoolTest, NumbersContinueFromASegmentThatCouldNotBeReplaced) {
  add(3);
  reopen("there");
  const uint64_t next = spool_->next_seq();
  for (const SpoolCall failing : {SpoolCall::kReplace, SpoolCall::kOpenForAppend, SpoolCall::kAppend}) {
    reopen("there");  // whose newest segment has no record
    directory_.fails = [failing](SpoolCall call) { return call == failing; };
    spool_->append(numbered_lines(0, 10), at_second(0));
    EXPECT_FALSE(spool_->sync());
    EXPECT_FALSE(spool_->sync());
    directory_.fails = [](SpoolCall) { return false; };
    spool_.reset();
    directory_.power_cut();
    reopen("there");
    EXPECT_EQ(spool_->next_seq(), next);
    EXPECT_EQ(spool_->lines(), 30U);
  }
}

TEST_F(SpoolTest, DoesNotStartIfItsNewestBatchesCannotBeWrittenAgain) {
  add(3);
  spool_.reset();
  directory_.fails = [](SpoolCall call) {
    return call == SpoolCall::kReplace || call == SpoolCall::kRewrite;
  };
  const auto opened = Spool::open(directory_, options_, location_at(kHere), counting_source());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "open the spool: the disk fails");
}

TEST_F(SpoolTest, StartsOnAnUnwritableDiskWithASpool) {
  add(3);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kReplace || call == SpoolCall::kAppend; };
  reopen();
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(1, 2, 3));
  spool_->append(numbered_lines(30, 10), at_second(0));
  EXPECT_FALSE(spool_->sync());
  directory_.fails = [](SpoolCall) { return false; };
  EXPECT_TRUE(spool_->sync());
  EXPECT_THAT(seqs(read_all(*spool_)), ElementsAre(1, 2, 3, 4));
}

TEST_F(SpoolTest, DoesNotStartOnAnUnwritableDiskWithoutASpool) {
  FaultySpoolDirectory empty(1);
  empty.fails = [](SpoolCall call) { return call == SpoolCall::kReplace; };
  const auto opened = Spool::open(empty, {}, location_at(kHere), counting_source());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "open the spool: the disk fails");
}

TEST_F(SpoolTest, ALostNumberingStartsANewEpoch) {
  add(3);
  const AgentId id = spool_->id();
  for (const std::string& name : directory_.names()) {
    if (!name.ends_with(".spool")) continue;
    EXPECT_TRUE(directory_.remove(name));
  }
  reopen();
  EXPECT_EQ(spool_->recovery_report().identity, Identity::kNumberingLost);
  EXPECT_EQ(spool_->id(), id);
  EXPECT_EQ(spool_->epoch(), 2U);
  EXPECT_EQ(spool_->next_seq(), 1U);
}

TEST_F(SpoolTest, ASegmentOfAnotherAgentIsRemoved) {
  add(3);
  directory_.put(segment_name(900),
                 encode_segment_header({.id = {}, .epoch = 1, .before = {899, 8990}, .previous_end = {}}));
  reopen();
  EXPECT_EQ(spool_->recovery_report().segments_removed, 1U);
  EXPECT_EQ(spool_->next_seq(), 4U);
  EXPECT_FALSE(directory_.has(segment_name(900)));
}

TEST_F(SpoolTest, ALaterVersionIsRefusedAndLeftUnchanged) {
  add(3);
  std::string header =
      encode_segment_header({.id = spool_->id(), .epoch = 1, .before = {899, 8990}, .previous_end = {}});
  header[8] = kSegmentVersion + 1;
  header.resize(header.size() - 4);
  Writer(header).u32be(crc32c(header));
  directory_.put(segment_name(900), header);
  const auto names = directory_.names();
  const auto opened = Spool::open(directory_, options_, location_at("there"), counting_source());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kVersion);
  EXPECT_EQ(directory_.names(), names);
}

TEST_F(SpoolTest, WorksTheSameInMemory) {
  MemoryDirectory directory;
  const auto spool = open_spool(directory, {});
  const LineBatch batch = numbered_lines(0, 7000, 100);
  spool->append(batch, at_second(0));
  ASSERT_TRUE(spool->sync());
  EXPECT_EQ(texts(read_all(*spool)), batch.text);
}

TEST_F(SpoolTest, BatchesThatHaveNumbersKeepThemAndWhatIsLeftOutIsAGap) {
  spool_->append(BatchFrame{1, 0, 2, at_second(5), "host=web", "a 1 2\nb 1 3\n"});
  ASSERT_TRUE(spool_->sync());
  spool_->skip_to({4, 9}, GapReason::kDamaged);
  spool_->append(BatchFrame{5, 9, 1, at_second(6), "host=web", "c 1 4\n"});
  ASSERT_TRUE(spool_->sync());
  EXPECT_EQ(spool_->durable_seq(), 5U);
  EXPECT_EQ(spool_->lines(), 10U);
  EXPECT_EQ(spool_->gap_reason(4), GapReason::kDamaged);
  EXPECT_EQ(spool_->gap_reason(3), GapReason::kSpoolFull);
  reopen();
  SpoolReader reader(*spool_);
  EXPECT_EQ((*reader.next())->seq, 1U);
  const auto second = *reader.next();
  EXPECT_EQ(second->seq, 5U);
  EXPECT_EQ(second->lines_before, 9U);
  EXPECT_EQ(second->time, at_second(6));
  EXPECT_EQ(spool_->gap_reason(4), GapReason::kSpoolFull) << "reasons are not stored";
}

TEST_F(SpoolTest, IsFullOnceTheNextBatchCouldRemoveWhatAServerLacks) {
  const auto is_full = [&] { return spool_->is_full_for(1000); };
  int batches = 0;
  for (; !is_full() && batches < 1000; ++batches) add();
  EXPECT_GT(batches, 100);
  add();
  EXPECT_EQ(spool_->stats().lines_dropped_full, 0U);
  spool_->acknowledged(0, {spool_->durable_seq(), spool_->lines()});
  EXPECT_FALSE(is_full());
  EXPECT_EQ(spool_->lines_stored(), spool_->lines());
}

TEST_F(SpoolTest, WhatAServerLacksStaysThoughOlderSegmentsAreSmall) {
  options_.keeps_unacknowledged = true;
  reopen();
  add();
  spool_->acknowledged(0, {spool_->durable_seq(), spool_->lines()});
  spool_->skip_to({spool_->durable_seq() + 1, spool_->lines()}, GapReason::kDamaged);  // ends the segment
  while (!spool_->is_full_for(900)) add();
  for (int i = 0; i < 20; ++i) add();
  options_.bytes_max /= 2;
  reopen();
  ASSERT_TRUE(spool_->trim(at_second(0)));
  EXPECT_EQ(spool_->stats().lines_dropped_full, 0U);
  EXPECT_EQ(spool_->first_seq(), 3U) << "the first one is acknowledged";
}

}  // namespace
}  // namespace statmill
