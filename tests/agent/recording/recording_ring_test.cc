// The ring is never larger than its bound, has always the newest, and each recording of it is whole.
#include "agent/recording/recording_ring.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/agent/recording/recording_fixture.h"

namespace statmill {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::string bytes_of(const Recording& recording) {
  std::string bytes;
  for (const auto& piece : recording.pieces) bytes += *piece;
  EXPECT_EQ(bytes.size(), recording.bytes);
  return bytes;
}

// Numbers that deflate cannot shrink much.
std::string lines_of(int count, uint64_t& random) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    lines += "s" + std::to_string(random >> 40) + " " + std::to_string(random) + "\n";
  }
  return lines;
}

class RecordingRingTest : public testing::Test {
 protected:
  void add(int64_t second, const std::string& text) {
    ring_.add(batch_at(1000 * second, text), SteadyTime(seconds(second)));
  }
  ReadRecording read() { return read_recording(bytes_of(ring_.recording())); }

  RecordingRing ring_{kTestHead, "host=web1", {.length = minutes(1), .bytes_max = RecordingRing::kBytesMin}};
};

TEST_F(RecordingRingTest, ARecordingHasAllThatIsHeld) {
  EXPECT_TRUE(read().is_complete) << "an empty one";
  add(100, "$m g a s\na 1\n");
  add(101, "a 2\n");
  const ReadRecording recording = read();
  EXPECT_EQ(recording.samples, "a;host=web1 100 1\na;host=web1 101 2\n");
  EXPECT_TRUE(recording.is_complete);
  EXPECT_EQ(ring_.held(SteadyTime(seconds(103))), seconds(3));
  add(102, "a 3\n");
  EXPECT_TRUE(read().samples.ends_with("a;host=web1 102 3\n")) << "a recording changes nothing";
}

TEST_F(RecordingRingTest, DropsWhatIsOlderThanItsLength) {
  uint64_t random = 1;
  for (int64_t second = 0; second < 200; ++second) add(second, lines_of(100, random));
  const ReadRecording recording = read();
  EXPECT_LE(recording.moments.front(), 139'000);
  EXPECT_GE(recording.moments.front(), 100'000) << "at most one block more";
  EXPECT_EQ(recording.moments.back(), 199'000);
  EXPECT_GE(ring_.held(SteadyTime(seconds(199))), minutes(1));
  EXPECT_LE(ring_.held(SteadyTime(seconds(199))), seconds(99));
}

TEST_F(RecordingRingTest, FamiliesStayWhenTheirBlockIsDropped) {
  uint64_t random = 1;
  add(0, "$m g a s Seconds.\n");
  for (int64_t second = 1; second < 200; ++second) add(second, lines_of(100, random));
  const ReadRecording recording = read();
  EXPECT_EQ(recording.families, "$m g a s Seconds.\n");
  EXPECT_EQ(recording.blocks.front(), "$m g a s Seconds.\n") << "they come first";
}

TEST_F(RecordingRingTest, ARecordingThatIsHeldDoesNotChange) {
  uint64_t random = 1;
  for (int64_t second = 0; second < 50; ++second) add(second, lines_of(100, random));
  const Recording held = ring_.recording();
  const std::string before = bytes_of(held);
  for (int64_t second = 50; second < 300; ++second) add(second, lines_of(100, random));
  EXPECT_EQ(bytes_of(held), before);
}

RC_GTEST_PROP(RecordingRingLaws, IsBoundedHasTheNewestAndIsAlwaysWhole, (uint64_t random)) {
  RecordingRing ring(kTestHead, "host=web1", {.length = minutes(10), .bytes_max = RecordingRing::kBytesMin});
  std::string newest;
  const int collections = *rc::gen::inRange(1, 60);
  for (int i = 0; i < collections; ++i) {
    const std::string lines = lines_of(*rc::gen::inRange(1, 4000), random);
    ring.add(batch_at(1000 * i, lines), SteadyTime(seconds(i)));
    RC_ASSERT(ring.bytes() <= RecordingRing::kBytesMin);
  }
  ring.add(batch_at(1000 * collections, "last 1\n"), SteadyTime(seconds(collections)));
  const ReadRecording recording = read_recording(bytes_of(ring.recording()));
  RC_ASSERT(recording.error.empty());
  RC_ASSERT(recording.is_complete);
  RC_ASSERT(recording.samples.ends_with("last;host=web1 " + std::to_string(collections) + " 1\n"));
  for (const std::string& block : recording.blocks) RC_ASSERT(block.starts_with("# at "));
  // No collection in between is missing, but perhaps the begin of the first one.
  RC_ASSERT(std::is_sorted(recording.moments.begin(), recording.moments.end()));
  const int64_t seconds_held = (recording.moments.back() - recording.moments.front()) / 1000;
  RC_ASSERT(ring.held(SteadyTime(seconds(collections))) == seconds(seconds_held));
}

}  // namespace
}  // namespace statmill
