#include "ingest/line_intake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/ingest/ingest_fixture.h"

namespace statmill {
namespace {

constexpr std::string_view kLines = "a 1700006400 1\nb 1700006400 2\nbad line here\n";

class CountingSink final : public SampleSink {
 public:
  uint64_t apply(Batch& batch, Timestamp) override {
    ++batches;
    most_samples = std::max(most_samples, batch.samples.size());
    samples += batch.samples.size();
    return batch.samples.size();
  }
  size_t batches = 0;
  size_t samples = 0;
  size_t most_samples = 0;  // in one batch
};

class LineIntakeTest : public testing::Test {
 protected:
  LineBlock block(LinesAction action) const {
    return {
        .action = action, .text = kLines, .sender = LineSender::http(), .now = from_unix_seconds(1700006400)};
  }
  void submit(LinesAction action) { lines_.submit(block(action), sink_, batch_); }
  uint64_t bytes() { return fixture_.intake.account("x").bytes.value(); }

  IngestFixture fixture_;
  const LineIntake lines_{fixture_.intake, "x"};
  CountingSink sink_;
  Batch batch_;
};

TEST_F(LineIntakeTest, ABlockGoesToTheSinkOfTheIntake) {
  const LinesAccount account = lines_.submit(block(LinesAction::kApply));
  EXPECT_EQ(account.received, 3U);
  EXPECT_EQ(account.accepted, 2U);
  EXPECT_EQ(fixture_.bucket("b").sum(), 2);
  EXPECT_EQ(fixture_.accepted("x"), 2U);
  EXPECT_EQ(bytes(), kLines.size());
  EXPECT_TRUE(fixture_.account_holds("x"));
  EXPECT_EQ(fixture_.intake.refusals().records().at(0).sender.name(), "http");
}

// Otherwise a tick that wants to begin would wait for all of it.
TEST_F(LineIntakeTest, ALongBlockIsAppliedInPiecesOfWholeLines) {
  std::string text;
  uint64_t lines = 0;
  for (; text.size() < 10 * LineIntake::kPieceBytes; ++lines)
    text += "series." + std::to_string(lines) + " 1700006400 1\n";
  text += std::string(2 * LineIntake::kPieceBytes, 'x') + "\nlast 1700006400 1";
  Intake intake(sink_, fixture_.registry);
  LineBlock long_block = block(LinesAction::kApply);
  long_block.text = text;
  const LinesAccount account = LineIntake(intake, "long").submit(long_block);
  EXPECT_EQ(account.received, lines + 2);
  EXPECT_EQ(account.accepted, lines + 1);
  EXPECT_EQ(account.refused[static_cast<size_t>(Refusal::kLineTooLong)], 1U);
  EXPECT_EQ(sink_.samples, lines + 1);
  EXPECT_EQ(intake.account("long").bytes.value(), text.size());
  EXPECT_GE(sink_.batches, 11U);
  EXPECT_LE(sink_.most_samples, LineIntake::kPieceBytes / 20);
}

TEST_F(LineIntakeTest, AnotherSinkIsCountedInTheSameWay) {
  submit(LinesAction::kApply);
  submit(LinesAction::kApply);
  EXPECT_EQ(sink_.samples, 4U);
  EXPECT_TRUE(fixture_.content().empty());
  EXPECT_EQ(fixture_.received("x"), 6U);
  EXPECT_EQ(fixture_.accepted("x"), 4U);
  EXPECT_EQ(bytes(), 2 * kLines.size());
  EXPECT_TRUE(fixture_.account_holds("x"));
}

TEST_F(LineIntakeTest, ARefusedBlockReachesTheSinkWithoutSamples) {
  submit(LinesAction::kRefuse);
  EXPECT_EQ(sink_.batches, 1U);
  EXPECT_EQ(sink_.samples, 0U);
  EXPECT_EQ(fixture_.refused("x", Refusal::kTooNew), 2U);
  EXPECT_EQ(fixture_.received("x"), 3U);
  EXPECT_TRUE(fixture_.account_holds("x"));
}

TEST_F(LineIntakeTest, OfASkippedBlockOnlyTheBytesAreCounted) {
  submit(LinesAction::kSkip);
  EXPECT_EQ(sink_.batches, 1U);
  EXPECT_EQ(fixture_.received("x"), 0U);
  EXPECT_EQ(bytes(), kLines.size());
}

}  // namespace
}  // namespace statmill
