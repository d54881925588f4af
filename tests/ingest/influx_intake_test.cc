#include "ingest/influx_intake.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ingest/ingest_fixture.h"

namespace statmill {
namespace {

class InfluxIntakeTest : public testing::Test {
 protected:
  InfluxAccount submit(std::string_view text, const InfluxOptions& options = {}) {
    return points_.submit({.text = text,
                           .options = options,
                           .sender = LineSender::http(),
                           .now = from_unix_seconds(1700006400)});
  }

  IngestFixture fixture_;
  const InfluxIntake points_{fixture_.intake, "influx"};
};

TEST_F(InfluxIntakeTest, CountsPointsAndKeepsTheFirstRefusal) {
  const std::string text =
      "cpu,host=a user=1.5,idle=2i 1700006400000000000\nbad line\ncpu,host=a user=2,s=\"x\" "
      "1700006400000000000\n"
      "cpu old=1 0\n";
  const InfluxAccount account = submit(text);
  EXPECT_EQ(account.samples.received, 5u);
  EXPECT_EQ(account.samples.accepted, 3u);
  ASSERT_TRUE(account.first);
  EXPECT_EQ(account.first->text, "bad line");
  EXPECT_EQ(account.first->reason, Refusal::kFieldCount);
  EXPECT_EQ(fixture_.bucket("cpu.user;host=a").sum(), 3.5);
  EXPECT_EQ(fixture_.bucket("cpu.idle;host=a").sum(), 2);
  EXPECT_EQ(fixture_.refused("influx", Refusal::kTooOld), 1u);
  EXPECT_EQ(fixture_.intake.account("influx").skipped_fields.value(), 1u);
  EXPECT_EQ(fixture_.intake.account("influx").bytes.value(), text.size());
  EXPECT_TRUE(fixture_.account_holds("influx"));
}

TEST_F(InfluxIntakeTest, UsesTheTimeOfReceiptAndTheUnitOfTheRequest) {
  submit("a f=1\n");
  submit("b f=1 1700006390", {.unit = InfluxUnit::kSecond});
  const auto content = fixture_.content();
  EXPECT_EQ(content.at("a.f").begin()->first, 1700006400 / 10) << "slots of 10 s";
  EXPECT_EQ(content.at("b.f").begin()->first, 1700006390 / 10);
}

TEST_F(InfluxIntakeTest, AppliesALongBlockInPieces) {
  std::string text;
  uint64_t points = 0;
  for (; text.size() < 10 * kInfluxPieceBytes; ++points) text += "m a=1,b=2,s=\"line\nline\"\n";
  const InfluxAccount account = submit(text);
  EXPECT_EQ(account.samples.accepted, 2 * points);
  EXPECT_EQ(account.samples.received, 2 * points);
  EXPECT_FALSE(account.first);
}

TEST_F(InfluxIntakeTest, CutsTheTextOfTheFirstRefusal) {
  const InfluxAccount account = submit("ok f=1\n" + std::string(5000, 'x'));
  ASSERT_TRUE(account.first);
  EXPECT_EQ(account.first->text, std::string(InfluxAccount::kTextBytesMax, 'x'));
}

}  // namespace
}  // namespace statmill
