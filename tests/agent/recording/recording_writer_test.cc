// What is recorded reads back complete, in blocks that need no others.
#include "agent/recording/recording_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/agent/recording/recording_fixture.h"

namespace statmill {
namespace {

using testing::ElementsAre;

class RecordingWriterTest : public testing::Test {
 protected:
  void add(int64_t ms, const std::string& text) { writer_.add(batch_at(ms, text)); }
  ReadRecording read() {
    writer_.end_block();
    return read_recording(file_ + std::string(end_block()));
  }

  std::string file_;
  RecordingWriter writer_{kTestHead, "host=web1", [this](const std::string& block) { file_ += block; }};
};

TEST(RecordingHeadTest, HasAHostThatReadersAccept) {
  AgentConfig config;
  config.host = "a b\x1b";  // gethostname() can return any bytes
  EXPECT_EQ(recording_head(config).host, "a_b_");
}

TEST_F(RecordingWriterTest, CollectionsShareABlock) {
  add(7000, "$m g a s\na 1\n*b 2\n");
  add(7100, "a 3\n");
  const ReadRecording recording = read();
  EXPECT_THAT(
      recording.blocks,
      ElementsAre("# at 7.000\n$m g a s\na;host=web1 7 1\n*b;host=web1 7 2\n# at 7.100\na;host=web1 7 3\n"));
  EXPECT_TRUE(recording.is_complete);
  EXPECT_EQ(writer_.lines(), 4U);
}

TEST_F(RecordingWriterTest, LeavesOutWhatTheFastSamplerReads) {
  LineBatch batch = batch_at(7000, "a 1\nb 2\n");
  batch.fast_begin = 4;
  writer_.add(batch);
  EXPECT_EQ(read().samples, "a;host=web1 7 1\n");
}

TEST_F(RecordingWriterTest, WithoutLinesThereIsNoBlock) {
  add(7000, "");
  EXPECT_TRUE(read().blocks.empty());
  EXPECT_EQ(writer_.open_block(), "");
}

TEST_F(RecordingWriterTest, AnOpenBlockCanBeReadAndGoesOn) {
  add(7000, "a 1\n");
  EXPECT_EQ(read_recording(writer_.open_block()).samples, "a;host=web1 7 1\n");
  add(8000, "a 2\n");
  EXPECT_EQ(read().samples, "a;host=web1 7 1\na;host=web1 8 2\n");
}

TEST_F(RecordingWriterTest, BlocksBeginWithTheirTime) {
  add(7000, "a 1\n");
  writer_.end_block();
  const size_t first = file_.size();
  add(9500, "a 1\n");
  writer_.end_block();
  EXPECT_EQ(read_block_head(file_)->time_s, 7);
  EXPECT_EQ(read_block_head(file_.substr(first))->time_s, 9);
}

TEST_F(RecordingWriterTest, CountsLinesThatAreTooLongForABlock) {
  std::string cells;
  for (int i = 0; cells.size() < kBlockTextBytesMax; ++i) cells += " " + std::to_string(i) + ":1";
  add(7000, "%a h5 1" + cells + "\nb 1\n");
  EXPECT_EQ(read().samples, "b;host=web1 7 1\n");
  EXPECT_EQ(writer_.lines_refused(), 1U);
}

TEST_F(RecordingWriterTest, FamiliesFillAsManyBlocksAsTheyNeed) {
  std::string families;
  for (int i = 0; i < 500; ++i)
    families += "$m g x" + std::to_string(i) + " s " + std::string(500, 'h') + "\n";
  add(7000, families);
  EXPECT_EQ(read_block_head(writer_.family_blocks())->time_s, 0) << "no moment is in them";
  const ReadRecording recording = read_recording(writer_.family_blocks());
  EXPECT_EQ(recording.error, "");
  EXPECT_GT(recording.blocks.size(), 1U);
  EXPECT_EQ(recording.families.size(), families.size());
}

RC_GTEST_PROP(RecordingWriterLaws, EachLineIsInOneBlockWithItsMoment, (const std::vector<uint16_t>& sizes)) {
  std::string file;
  RecordingWriter writer(kTestHead, "host=web1", [&](const std::string& block) { file += block; });
  std::string want;
  std::vector<int64_t> moments;
  int64_t ms = 1'700'000'000'000;
  for (const uint16_t size : sizes) {
    std::string text;
    for (int i = 0; i < size % 3000; ++i) {
      text += "host.some.series;tag=" + std::to_string(i) + " " + std::to_string(size + i) + "\n";
      want += "host.some.series;host=web1;tag=" + std::to_string(i) + " " + std::to_string(ms / 1000) + " " +
              std::to_string(size + i) + "\n";
    }
    if (!text.empty()) moments.push_back(ms);
    writer.add(batch_at(ms, text));
    ms += 100;
  }
  writer.end_block();
  ReadRecording recording = read_recording(file);
  RC_ASSERT(recording.error.empty());
  RC_ASSERT(recording.samples == want);
  recording.moments.erase(std::unique(recording.moments.begin(), recording.moments.end()),
                          recording.moments.end());
  RC_ASSERT(recording.moments == moments);
  for (const std::string& block : recording.blocks) RC_ASSERT(block.starts_with("# at "));
}

}  // namespace
}  // namespace statmill
