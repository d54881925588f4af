// What SIGHUP does with the retention: the change, and the lines of the log.
#include "server/retention_reload.h"

#include <gmock/gmock.h>

#include "tests/server/admin/retention_world.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class RetentionReloadTest : public RetentionWorld {
 protected:
  // Returns what the log says.
  std::string reload(const Retention& next, RetentionReload want) {
    Log log({LogLevel::kInfo, LogFormat::kLogfmtLines});
    OutlookSources of = sources();
    if (is_stopping_)
      of.on_tick_thread = [](const TickThread::Job&) {
        return Status(Error{ErrorCode::kUnavailable, "it is stopping"});
      };
    testing::internal::CaptureStderr();
    const RetentionReload got = reload_retention(of, agents_, next, log);
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(got, want) << said;
    return said;
  }

  AgentRegistry agents_{{}, registry_};
  bool is_stopping_ = false;
};

TEST_F(RetentionReloadTest, TheSameIsNoChange) {
  const Retention* const before = &table_.retention();
  EXPECT_EQ(reload(at_start(), RetentionReload::kInUse), "");
  EXPECT_EQ(&table_.retention(), before);
}

TEST_F(RetentionReloadTest, SaysWhatAShorterOneDropsAndUsesIt) {
  live({"debug.a", "other"}, 2);
  const Retention next = retention_of("10s:10d,5m:1y", {"debug.* 10s:1h,5m:20d"});
  const std::string said = reload(next, RetentionReload::kInUse);
  EXPECT_THAT(said, HasSubstr("level=warn msg=\"retention changed, and data are dropped\" "
                              "rule=debug.* before=10s:2d,5m:20d now=10s:1h,5m:20d "
                              "series=1 about_bytes="));
  EXPECT_THAT(said, testing::Not(HasSubstr("about_bytes=0")));
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_EQ(table_.retention().tiers(1).text(), "10s:1h,5m:20d");
  EXPECT_EQ(store_->expiry().cutoff(0, 1), ticker_->cutoffs(next)[1][0]);
}

TEST_F(RetentionReloadTest, ALongerOneIsInUseAndDropsNothing) {
  live({"debug.a"}, 1);
  const std::string said =
      reload(retention_of("10s:20d,5m:2y", {"debug.* 10s:2d,5m:20d"}), RetentionReload::kInUse);
  EXPECT_THAT(said, HasSubstr("level=info msg=\"retention changed\" rule=none before=10s:10d,5m:1y "
                              "now=10s:20d,5m:2y\n"));
  EXPECT_EQ(table_.retention().tiers().text(), "10s:20d,5m:2y");
}

TEST_F(RetentionReloadTest, WhatNeedsARestartLeavesAllAsItWas) {
  const std::string said =
      reload(retention_of("10s:1d,5m:1y", {"debugging.* 10s:1h"}), RetentionReload::kNeedsRestart);
  EXPECT_THAT(said, HasSubstr("level=warn msg=\"the retention stays as it was, since a reload changes only "
                              "its times\" reason=\"rule 1 is for \\\"debug.*\\\" and not for "
                              "\\\"debugging.*\\\"\"\n"));
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
}

TEST_F(RetentionReloadTest, AServerThatStopsChangesNothing) {
  is_stopping_ = true;
  const std::string said =
      reload(retention_of("10s:1d,5m:1y", {"debug.* 10s:1h"}), RetentionReload::kNeedsRestart);
  EXPECT_THAT(said, HasSubstr("level=error msg=\"the retention stays as it was\" reason=\"it is stopping\""));
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
}

}  // namespace
}  // namespace statmill
