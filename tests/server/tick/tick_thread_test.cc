// TickThread: the jobs that run between two ticks, and how calls end when the thread is stopped.
#include "server/tick/tick_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "proto/istatd/parser.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

class TickThreadTest : public testing::Test {
 protected:
  void start(
      Duration interval, std::function<void()> before_tick = [] {}) {
    thread_ = std::make_unique<TickThread>(ticker_, clock_, log_, time_, interval, std::move(before_tick));
  }
  void send(const std::string& line) {
    Batch batch;
    parse_istatd_lines(line, batch);
    ASSERT_EQ(table_.apply(batch, clock_.wall()), batch.received);
  }

  SystemClock clock_;
  Log log_{LogLevel::kError};
  Tiers tiers_ = *Tiers::parse("10s:1d,5m:10d");
  MemoryStore store_{tiers_};
  Table table_{tiers_, TableLimits{}};
  Registry registry_;
  Health health_;
  Ticker ticker_{{table_, store_, registry_, health_, log_}, {}, {}, clock_.steady()};
  TaskTime time_;
  std::unique_ptr<TickThread> thread_;
};

TEST_F(TickThreadTest, CallsDoNotWaitForTheNextTick) {
  start(std::chrono::hours(1));
  send("a 1\n");
  Counter& ticks = registry_.counter("statmill.ticks", "");
  ASSERT_EQ(ticks.value(), 0U);
  EXPECT_TRUE(thread_->call([](Ticker& ticker, TickTime now) { return ticker.flush_all(now); }));
  EXPECT_EQ(ticks.value(), 1U);
  EXPECT_EQ(table_.ram_bytes(), 0U) << "the call returns after the flush";
}

TEST_F(TickThreadTest, JobsRunOnTheTickThread) {
  std::promise<std::thread::id> id;
  std::once_flag once;
  start(std::chrono::milliseconds(1),
        [&] { std::call_once(once, [&] { id.set_value(std::this_thread::get_id()); }); });
  const std::thread::id tick_thread = id.get_future().get();
  EXPECT_TRUE(thread_->call([&](Ticker&, TickTime) {
    EXPECT_EQ(std::this_thread::get_id(), tick_thread);
    return Status::ok();
  }));
}

TEST_F(TickThreadTest, ReturnsTheErrorOfTheJob) {
  start(std::chrono::hours(1));
  const Status failed = thread_->call([](Ticker&, TickTime) {
    return Status(Error{ErrorCode::kLimit, "too much"});
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::kLimit);
  EXPECT_EQ(failed.error().message, "too much");
}

TEST_F(TickThreadTest, RunsTheJobsOfManyThreadsOneAtATime) {
  start(std::chrono::milliseconds(1));
  int sum = 0;  // used on the tick thread only
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 100; ++k)
        EXPECT_TRUE(thread_->call([&](Ticker&, TickTime) { return ++sum, Status::ok(); }));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 400);
}

// After a flood of new names, a tick must not last for seconds, and neither must the end of the server.
TEST_F(TickThreadTest, ATickIndexesSomeNewNamesAndTheStopNone) {
  constexpr size_t kNames = Ticker::kNamesIndexedMax + 10'000;
  std::string lines;
  for (size_t i = 0; i < kNames; ++i) lines += "flood." + std::to_string(i) + " 1\n";
  send(lines);
  ASSERT_TRUE(ticker_.tick(TickTime::of(clock_)));
  EXPECT_EQ(table_.unindexed_count(), kNames);
  ticker_.update_index();
  EXPECT_EQ(table_.unindexed_count(), kNames - Ticker::kNamesIndexedMax);
  start(std::chrono::hours(1));
  EXPECT_TRUE(thread_->stop(Duration(0)));
  EXPECT_EQ(table_.unindexed_count(), kNames - Ticker::kNamesIndexedMax);
}

TEST_F(TickThreadTest, TheThreadIndexesNamesAfterEachTick) {
  send("a 1\n");
  start(std::chrono::milliseconds(1));
  while (table_.unindexed_count() > 0) std::this_thread::yield();
}

TEST_F(TickThreadTest, RefusesCallsOnceItIsStopped) {
  start(std::chrono::hours(1));
  std::promise<void> running;
  std::promise<void> may_end;
  std::thread first([&] {
    EXPECT_TRUE(thread_->call([&](Ticker&, TickTime) {
      running.set_value();
      may_end.get_future().wait();
      return Status::ok();
    })) << "a running job is completed";
  });
  running.get_future().wait();
  std::thread stopper([&] { EXPECT_TRUE(thread_->stop(Duration(0))); });
  // The calls that come before the stop wait for the first job; all later ones are refused.
  const auto call = [&] {
    return thread_->call([](Ticker&, TickTime) { return Status(Error{ErrorCode::kIo, "has run"}); });
  };
  std::vector<std::future<Status>> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(std::async(std::launch::async, call));
  may_end.set_value();
  first.join();
  stopper.join();
  for (auto& called : waiting) static_cast<void>(called.get());  // each of them returns
  const Status late = call();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(late.error().message, "the server is stopping");
}

}  // namespace
}  // namespace statmill
