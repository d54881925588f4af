#include "ingest/line_intake.h"

#include <gtest/gtest.h>

#include "tests/ingest/ingest_fixture.h"

namespace statmill {
namespace {

constexpr std::string_view kLines = "a 1700006400 1\nb 1700006400 2\nbad line here\n";

class CountingSink final : public SampleSink {
 public:
  uint64_t apply(Batch& batch, Timestamp) override {
    ++batches;
    samples += batch.samples.size();
    return batch.samples.size();
  }
  size_t batches = 0;
  size_t samples = 0;
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
