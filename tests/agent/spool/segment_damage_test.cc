// A damaged segment: truncated at every byte, with any bit flipped, with any contents. No reader returns a
// wrong record, reading continues after the damage, and missing batches are counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "base/bytes.h"
#include "tests/agent/spool/spool_words.h"

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr size_t kSegmentBytes = 64 * 1024;
const std::string kFirst = segment_name(1);

// A spool with one full segment and the beginning of a second.
class SegmentDamage : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    const auto spool = open_spool(directory_, options_);
    for (int i = 0; spool->stats().segments < 2; ++i) {
      spool->append(numbered_lines(static_cast<uint64_t>(i) * 100, 1 + random() % 40), at_second(i));
      ASSERT_TRUE(spool->sync());
    }
    for (const ReadBatch& batch : read_all(*spool)) written_[batch.seq] = batch.frame;
    spool->acknowledged(0, {spool->durable_seq(), spool->lines()});
    second_ = spool->durable_seq();
    intact_ = directory_.contents(kFirst);
    ASSERT_GT(intact_.size(), kSegmentBytes - 2048);
  }

  // Returns where the record ends.
  std::map<uint64_t, size_t> ends() const {
    std::map<uint64_t, size_t> ends;
    size_t end = kSegmentHeaderBytes;
    for (const auto& [seq, frame] : written_) {
      if (seq == second_) break;
      ends[seq] = end += frame.size();
    }
    return ends;
  }
  // Returns the numbers read; each record must have the bytes that were written.
  std::vector<uint64_t> sound(const std::vector<ReadBatch>& batches) {
    uint64_t last = 0;
    for (const ReadBatch& batch : batches) {
      EXPECT_GT(batch.seq, last);
      EXPECT_EQ(batch.frame, written_[batch.seq]);
      last = batch.seq;
    }
    return seqs(batches);
  }

  // Checks a spool with the first `size` bytes of the segment: `whole` records, and nothing after `end`.
  void start_with(size_t size, uint64_t whole, size_t end) {
    FaultySpoolDirectory directory(size);
    directory.put("identity", directory_.contents("identity"));
    directory.put(kFirst, intact_.substr(0, size));
    const auto spool = open_spool(directory, options_);
    ASSERT_EQ(spool->durable_seq(), whole) << size;
    ASSERT_EQ(spool->recovery_report().torn_bytes, size - end) << size;
    ASSERT_EQ(directory.contents(kFirst).size(), end) << size;
    ASSERT_EQ(sound(read_all(*spool)).size(), whole) << size;
  }

  FaultySpoolDirectory directory_{3};
  SpoolOptions options_{.segment_bytes = kSegmentBytes};
  std::map<uint64_t, std::string> written_;
  uint64_t second_ = 0;  // the first number of the second segment
  std::string intact_;
};

TEST_F(SegmentDamage, ATruncatedSegmentEndsWithItsLastCompleteRecord) {
  uint64_t whole = 0;
  const auto ends = this->ends();
  Segment segment;
  segment.last.seq = kSeqMax;
  for (segment.end = kSegmentHeaderBytes; segment.end <= intact_.size(); ++segment.end) {
    if (const auto next = ends.find(whole + 1); next != ends.end() && next->second <= segment.end) ++whole;
    const uint64_t end = whole == 0 ? kSegmentHeaderBytes : ends.at(whole);
    if (segment.end % kStride != 0) continue;
    SegmentCursor cursor(directory_, segment);
    while (cursor.next()->has_value()) {
    }
    ASSERT_EQ(cursor.position().seq, whole) << segment.end;
    ASSERT_EQ(cursor.end(), end) << segment.end;
    // Opening a spool costs more than a cursor, so it is only tried at the bytes around the ends of records,
    // and at some of the others.
    if (segment.end - end > 3 && segment.end % 61 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(start_with(segment.end, whole, end));
  }
  EXPECT_EQ(whole, second_ - 1);
}

TEST_F(SegmentDamage, ASingleSegmentTruncatedInItsHeaderIsIgnored) {
  for (size_t size = 0; size < kSegmentHeaderBytes; ++size) {
    FaultySpoolDirectory directory(size);
    directory.put("identity", directory_.contents("identity"));
    directory.put(kFirst, intact_.substr(0, size));
    const auto spool = open_spool(directory, options_);
    ASSERT_EQ(spool->recovery_report().identity, RecoveryReport::Identity::kNumberingLost);
    ASSERT_EQ(spool->epoch(), 2U);
  }
}

TEST_F(SegmentDamage, AfterATruncationNewRecordsFollowTheLastCompleteOne) {
  directory_.contents(kFirst).resize(intact_.size() - 1);
  ASSERT_TRUE(directory_.remove(segment_name(second_)));
  const auto spool = open_spool(directory_, options_);
  ASSERT_EQ(spool->next_seq(), second_ - 1);
  spool->append(numbered_lines(0, 3), at_second(0));
  ASSERT_TRUE(spool->sync());
  const auto batches = read_all(*spool);
  EXPECT_EQ(batches.size(), second_ - 1);
  EXPECT_EQ(batches.back().text, numbered_lines(0, 3).text);
  EXPECT_EQ(batches.back().damaged, 0U);
}

TEST_F(SegmentDamage, FlippedBitsCostOnlyTheirOwnRecord) {
  std::mt19937_64 random(11);
  const auto ends = this->ends();
  for (int i = 0; i < 10'000; i += kStride) {
    const size_t at = random() % intact_.size();
    std::string damaged = intact_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    Segment segment;
    segment.last.seq = second_ - 1;
    segment.end = damaged.size();
    FaultySpoolDirectory directory(1);
    directory.put(kFirst, std::move(damaged));
    SegmentCursor cursor(directory, segment);
    std::vector<uint64_t> read;
    for (;;) {
      const auto record = cursor.next();
      ASSERT_TRUE(record);
      if (!record->has_value()) break;
      ASSERT_EQ((*record)->frame, written_[(*record)->seq]);
      read.push_back((*record)->seq);
    }
    ASSERT_EQ(read.size(), second_ - 1 - (at < kSegmentHeaderBytes ? 0 : 1)) << at;
  }
}

TEST_F(SegmentDamage, ADamagedRecordIsSkippedCountedOnceAndVisibleAsAJump) {
  const auto ends = this->ends();
  directory_.contents(kFirst)[ends.at(5) + 20] ^= 1;  // in the sixth record
  directory_.contents(kFirst)[ends.at(6) + 2] ^= 1;   // the length of the seventh
  const auto spool = open_spool(directory_, options_);
  SpoolReader reader(*spool);
  SpoolReader other(*spool);
  const auto batches = read_from(reader);
  EXPECT_EQ(sound(batches).size(), written_.size() - 2);
  EXPECT_EQ(batches[5].seq, 8U);
  EXPECT_EQ(batches[5].damaged, 2U);
  EXPECT_EQ(batches[6].damaged, 0U);
  read_from(other);
  EXPECT_EQ(spool->stats().batches_damaged, 2U);
}

TEST_F(SegmentDamage, ADamagedEndOfASegmentIsVisibleInTheNext) {
  const auto ends = this->ends();
  directory_.contents(kFirst)[ends.at(second_ - 2) + 20] ^= 1;
  const auto spool = open_spool(directory_, options_);
  const auto batches = read_all(*spool);
  EXPECT_EQ(batches.back().seq, second_);
  EXPECT_EQ(batches.back().damaged, 1U);
  EXPECT_EQ(spool->stats().batches_damaged, 1U);
}

TEST_F(SegmentDamage, ASegmentWithADamagedHeaderIsStillRead) {
  directory_.contents(kFirst)[30] ^= 1;
  directory_.contents(segment_name(second_))[30] ^= 1;
  const auto spool = open_spool(directory_, options_);
  EXPECT_EQ(spool->recovery_report().headers_damaged, 2U);
  EXPECT_EQ(sound(read_all(*spool)).size(), written_.size());
  EXPECT_EQ(spool->next_seq(), second_ + 1);
}

TEST_F(SegmentDamage, AMissingFileCountsAsDamaged) {
  const auto spool = open_spool(directory_, options_);
  ASSERT_TRUE(directory_.remove(kFirst));
  const auto batches = read_all(*spool);
  EXPECT_THAT(seqs(batches), ElementsAre(second_));
  EXPECT_EQ(batches[0].damaged, second_ - 1);
}

TEST_F(SegmentDamage, AFileTruncatedDuringReadingReturnsNoWrongRecord) {
  const auto spool = open_spool(directory_, options_);
  directory_.contents(kFirst).resize(1000);
  const auto batches = read_all(*spool);
  EXPECT_LT(sound(batches).size(), written_.size());
  EXPECT_EQ(batches.back().seq, second_);
}

TEST_F(SegmentDamage, SwappedRecordsAreNotReturnedInTheWrongOrder) {
  std::string& bytes = directory_.contents(kFirst);
  bytes = intact_.substr(0, kSegmentHeaderBytes) + written_[2] + written_[1] + intact_.substr(ends().at(2));
  const auto spool = open_spool(directory_, options_);
  sound(read_all(*spool));
}

TEST(SegmentDamageInside, ACompleteFrameInsideADamagedOneDoesNotChangeTheNumbers) {
  FaultySpoolDirectory directory(1);
  auto spool = open_spool(directory);
  std::string frame;
  append_frame(frame,
               BatchFrame{.seq = 1'000'000, .lines_before = 5, .lines = 1, .time = {}, .text = "a 1\n"});
  spool->append(numbered_lines(0, 5), at_second(0));
  spool->append({"x" + frame, 2}, at_second(0));
  ASSERT_TRUE(spool->sync());
  spool.reset();
  std::string& bytes = directory.contents(kFirst);
  bytes[bytes.find('x') - 1] ^= 1;
  spool = open_spool(directory);
  EXPECT_EQ(spool->next_seq(), 2U);
  EXPECT_EQ(seqs(read_all(*spool)), std::vector<uint64_t>{1});
}

// Bytes in which every few bytes begin what could be a record, each with a checksum over everything after it.
TEST_F(SegmentDamage, MaliciousBytesCostBoundedTime) {
  std::string head;
  Writer writer(head);
  writer.u32be(kBatchTextBytesMax);
  writer.u32be(0);
  writer.u8(static_cast<uint8_t>(FrameType::kBatch));
  writer.u64be(2);
  std::string bytes = intact_.substr(0, kSegmentHeaderBytes + 100);
  while (bytes.size() < 4 * kSegmentBytes * 16) bytes += head;
  Segment segment;
  segment.last.seq = 1000;
  segment.end = bytes.size();
  directory_.put(kFirst, std::move(bytes));
  SegmentCursor cursor(directory_, segment);
  const auto record = cursor.next();
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->has_value());
  EXPECT_GT(cursor.wasted_bytes(), SegmentCursor::kWastedBytesMax);
  EXPECT_LE(cursor.wasted_bytes(), SegmentCursor::kWastedBytesMax + kFrameBytesMax);
}

TEST_F(SegmentDamage, AnUnreadableDiskIsAnErrorAndIsRetried) {
  const auto spool = open_spool(directory_, options_);
  SpoolReader reader(*spool);
  directory_.fails = [](SpoolCall call) { return call == SpoolCall::kRead; };
  EXPECT_FALSE(reader.next());
  directory_.fails = [](SpoolCall) { return false; };
  EXPECT_EQ(sound(read_from(reader)).size(), written_.size());
}

}  // namespace
}  // namespace statmill
