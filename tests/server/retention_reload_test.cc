// What SIGHUP does with the retention: the change, and the lines of the log.
#include "server/retention_reload.h"

#include <gmock/gmock.h>

#include "base/mutex.h"
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
    if (calls_failing_ > 0)
      of.on_tick_thread = [this, works = of.on_tick_thread](const TickThread::Job& job) {
        if (--calls_failing_ < 0) return works(job);
        return Status(Error{ErrorCode::kUnavailable, "it is stopping"});
      };
    testing::internal::CaptureStderr();
    const RetentionReload got = reload_retention(of, agents_, next, log);
    std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(got, want) << said;
    return said;
  }

  AgentRegistry agents_{{}, registry_};
  int calls_failing_ = 0;  // of those to the tick thread, the first ones
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
  calls_failing_ = 2;
  const std::string said =
      reload(retention_of("10s:20d,5m:1y", {"debug.* 10s:2d,5m:20d"}), RetentionReload::kNeedsRestart);
  EXPECT_THAT(said, HasSubstr("level=error msg=\"the retention stays as it was\" reason=\"it is stopping\""));
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
}

TEST_F(RetentionReloadTest, NothingIsDroppedUnlessItIsKnownHowMuch) {
  calls_failing_ = 1;
  const std::string said =
      reload(retention_of("10s:1d,5m:1y", {"debug.* 10s:2d,5m:20d"}), RetentionReload::kNeedsRestart);
  EXPECT_THAT(said, HasSubstr("level=error msg=\"the retention stays as it was, since it is unknown what a "
                              "shorter one drops\" reason=\"it is stopping\""));
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
  calls_failing_ = 1;
  reload(retention_of("10s:20d,5m:1y", {"debug.* 10s:2d,5m:20d"}), RetentionReload::kInUse);
  EXPECT_EQ(table_.retention().tiers().text(), "10s:20d,5m:1y") << "a longer one drops nothing";
}

// The tick answers when the test lets it, and the loop runs when the test runs it.
class RetentionReloaderTest : public RetentionReloadTest {
 protected:
  RetentionReloader::Services services() {
    OutlookSources of = sources();
    of.on_tick_thread = [this, now = of.on_tick_thread](const TickThread::Job& job) {
      MutexLock lock(mutex_);
      ++calls_;
      changed_.notify_all();
      while (!may_tick_) changed_.wait(mutex_);
      return now(job);
    };
    const auto post = [this](std::function<void()> work) {
      MutexLock lock(mutex_);
      posted_.push_back(std::move(work));
      changed_.notify_all();
    };
    return {of, agents_, post, log_};
  }
  void let_tick() {
    MutexLock lock(mutex_);
    may_tick_ = true;
    changed_.notify_all();
  }
  void wait_for_call() {
    MutexLock lock(mutex_);
    while (calls_ == 0) changed_.wait(mutex_);
  }
  // Runs what is posted next.
  void run_one() {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (posted_.empty()) changed_.wait(mutex_);
      work = std::move(posted_.back());
      posted_.pop_back();
    }
    work();
  }

  Mutex mutex_;
  Condition changed_;
  bool may_tick_ GUARDED_BY(mutex_) = false;
  int calls_ GUARDED_BY(mutex_) = 0;
  std::vector<std::function<void()>> posted_ GUARDED_BY(mutex_);
};

TEST_F(RetentionReloaderTest, TheCallerDoesNotWaitForTheTick) {
  std::vector<RetentionReload> results;
  RetentionReloader reloader(services());
  const auto done = [&](RetentionReload result) { results.push_back(result); };
  reloader.start(retention_of("10s:20d,5m:2y", {"debug.* 10s:2d,5m:20d"}), done);
  wait_for_call();
  EXPECT_TRUE(reloader.is_busy());
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
  let_tick();
  run_one();
  EXPECT_FALSE(reloader.is_busy());
  EXPECT_EQ(table_.retention().tiers().text(), "10s:20d,5m:2y");
  reloader.start(at_start(), done);
  run_one();
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
  EXPECT_EQ(results, std::vector(2, RetentionReload::kInUse));
}

TEST_F(RetentionReloaderTest, ACanceledOneChangesNothing) {
  live({"other"}, 2);
  bool is_done = false;
  {
    RetentionReloader reloader(services());
    reloader.start(retention_of("10s:1d,5m:1y", {"debug.* 10s:1d,5m:20d"}),
                   [&](RetentionReload) { is_done = true; });
    wait_for_call();
    reloader.cancel();
    let_tick();
  }
  EXPECT_FALSE(is_done);
  EXPECT_EQ(table_.retention().tiers().text(), "10s:10d,5m:1y");
}

}  // namespace
}  // namespace statmill
