// The jobs of the admin socket: one at a time, requested over HTTP, canceled when the server stops.
#include "server/admin/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "server/admin/admin_routes.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Has its own store; each test supplies what the tick thread does.
class AdminTest : public testing::Test {
 protected:
  void SetUp() override {
    RocksOptions options;
    options.path = directory_.path() / "data";
    auto opened = RocksStore::open(options, *Tiers::parse("10s:1d,5m:10d"));
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    snapshots_.emplace(Snapshots::Services{*store_, clock_, log_, [] { return Status::ok(); }});
    admin_ = std::make_unique<Admin>(Admin::Services{
        [this](const TickThread::Job&) { return on_tick_thread_(); }, *store_, *snapshots_, health_, log_});
  }
  HttpResponse post(std::string_view target) { return ask("POST", target); }
  HttpResponse ask(std::string_view method, std::string_view target) {
    return Router(admin_routes(*admin_))
        .answer({.method = method,
                 .target = target,
                 .body = {},
                 .host = "localhost",
                 .origin = {},
                 .content_encoding = {}});
  }
  TempDirectory directory_;
  std::unique_ptr<RocksStore> store_;
  ManualClock clock_;
  std::optional<Snapshots> snapshots_;
  Health health_;
  Log log_{LogLevel::kError};
  std::function<Status()> on_tick_thread_ = [] { return Status::ok(); };
  std::unique_ptr<Admin> admin_;
};

TEST_F(AdminTest, ReturnsTheResultOfEachJob) {
  EXPECT_THAT(post("/admin/v1/flush").body, StartsWith("{\"bytes_before\":"));
  EXPECT_THAT(post("/admin/v1/flush?compact=true").body, HasSubstr("\"bytes_after\":"));
  EXPECT_EQ(post("/admin/v1/check").body,
            "{\"files\":0,\"file_bytes\":0,\"series\":0,\"journal_rows\":0,\"journal_entries\":0,"
            "\"activity_rows\":0,\"exemplars\":0,\"tiers\":["
            "{\"rows\":0,\"frames\":0,\"buckets\":0,\"histograms\":0,\"bytes\":0,\"name\":\"tier_10s\"},"
            "{\"rows\":0,\"frames\":0,\"buckets\":0,\"histograms\":0,\"bytes\":0,\"name\":\"tier_5m\"},"
            "{\"rows\":0,\"frames\":0,\"buckets\":0,\"histograms\":0,\"bytes\":0,\"name\":\"tier_1s\"}],"
            "\"fault_count\":0,\"faults\":[]}\n");
}

TEST_F(AdminTest, TheClockIsConfirmedOnTheTickThread) {
  int calls = 0;
  on_tick_thread_ = [&] { return ++calls, Status::ok(); };
  EXPECT_EQ(post("/admin/v1/clock/confirm").body, "{\"ahead_s\":0,\"behind_s\":0}\n");
  EXPECT_EQ(calls, 1);
  admin_->stop();
  EXPECT_EQ(post("/admin/v1/clock/confirm").status, 503U);
}

TEST_F(AdminTest, ReportsWhatIsWrongWithARequest) {
  struct Case {
    std::string target;
    unsigned status;
    std::string want;
  };
  const std::vector<Case> cases = {
      {"/admin/v1/flush?compact=yes", 400, "compact must be true or false"},
      {"/admin/v1/flush?compress=true", 400, "unknown parameter"},
      {"/admin/v1/restore", 404, "there is nothing at"},
      {"/api/v1/lines", 404, "there is nothing at"},
  };
  for (const Case& c : cases) {
    const HttpResponse got = post(c.target);
    EXPECT_EQ(got.status, c.status) << c.target;
    EXPECT_THAT(got.body, HasSubstr(c.want)) << c.target;
  }
}

TEST_F(AdminTest, ReturnsTheErrorOfTheTick) {
  on_tick_thread_ = [] { return Status(Error{ErrorCode::kIo, "no space left on device"}); };
  const HttpResponse got = post("/admin/v1/flush");
  EXPECT_EQ(got.status, 500U);
  EXPECT_THAT(got.body, HasSubstr("no space left on device"));
}

TEST_F(AdminTest, ThereIsOneJobAtATime) {
  std::promise<void> begun;
  std::promise<void> may_end;
  on_tick_thread_ = [&] {
    begun.set_value();
    may_end.get_future().wait();
    return Status::ok();
  };
  std::thread first([&] { EXPECT_EQ(post("/admin/v1/flush?compact=true").status, 200U); });
  begun.get_future().wait();
  for (const std::string target : {"/admin/v1/flush", "/admin/v1/check"}) {
    const HttpResponse second = post(target);
    EXPECT_EQ(second.status, 503U) << target;
    EXPECT_THAT(second.body,
                HasSubstr("another job is running: flush --compact; try again when it has finished"));
  }
  EXPECT_EQ(ask("GET", "/admin/v1/job").body,
            "{\"job\":\"flush --compact\",\"done_bytes\":0,\"total_bytes\":0}\n");
  may_end.set_value();
  first.join();
  EXPECT_EQ(ask("GET", "/admin/v1/job").body, "{\"job\":null}\n");
  on_tick_thread_ = [] { return Status::ok(); };
  EXPECT_EQ(post("/admin/v1/flush").status, 200U);
}

TEST_F(AdminTest, ABackupOfAClientIsTheJob) {
  const auto made = snapshots_->make();
  ASSERT_TRUE(made);
  EXPECT_THAT(ask("GET", "/admin/v1/job").body,
              StartsWith("{\"job\":\"backup\",\"done_bytes\":0,\"total_bytes\":"));
  ASSERT_TRUE(snapshots_->release(made->id));
  EXPECT_EQ(ask("GET", "/admin/v1/job").body, "{\"job\":null}\n");
}

TEST_F(AdminTest, AStoppingServerStartsNoJob) {
  admin_->stop();
  for (const std::string target : {"/admin/v1/flush", "/admin/v1/check"}) {
    const HttpResponse refused = post(target);
    EXPECT_EQ(refused.status, 503U) << target;
    EXPECT_THAT(refused.body, HasSubstr("the server is stopping"));
  }
}

TEST_F(AdminTest, ACheckStopsWhenTheStoreHasAProblem) {
  StoreBatch batch;
  batch.tick = 1;
  batch.series = {{1, Kind::kGauge, "a"}};
  ASSERT_TRUE(store_->write(batch));
  EXPECT_EQ(post("/admin/v1/check").status, 200U);
  health_.set("store", "no space left on device");
  EXPECT_EQ(post("/admin/v1/check").status, 503U);
}

}  // namespace
}  // namespace statmill
