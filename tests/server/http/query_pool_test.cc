#include "server/http/query_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <utility>

namespace statmill {
namespace {

class CalledJob final : public QueryJob {
 public:
  explicit CalledJob(std::function<void(QueryLane)> call) : call_(std::move(call)) {}
  void run(QueryLane lane) override { call_(lane); }

 private:
  const std::function<void(QueryLane)> call_;
};

std::shared_ptr<QueryJob> job(std::function<void(QueryLane)> call) {
  return std::make_shared<CalledJob>(std::move(call));
}

// A job that runs until it is released.
struct HeldJob {
  std::promise<void> started;
  std::promise<void> release;
  std::shared_ptr<QueryJob> job = std::make_shared<CalledJob>([this](QueryLane) {
    started.set_value();
    release.get_future().wait();
  });
};

// The tests declare the pool after what its jobs use: its destructor waits for the jobs that run.
QueryPoolOptions one_thread(size_t waiting_max = 64) { return {.threads = 1, .waiting_max = waiting_max}; }

TEST(QueryPool, AHeavyQueryNeverHoldsASmallOne) {
  HeldJob heavy;
  std::promise<QueryLane> ran;
  QueryPool pool(one_thread());
  ASSERT_TRUE(pool.post(QueryLane::kHeavy, heavy.job));
  heavy.started.get_future().wait();
  ASSERT_TRUE(pool.post(QueryLane::kSmall, job([&](QueryLane lane) { ran.set_value(lane); })));
  EXPECT_EQ(ran.get_future().get(), QueryLane::kSmall) << "while the heavy one runs";
  heavy.release.set_value();
}

TEST(QueryPool, JobsPostedTogetherStartTogether) {
  constexpr size_t kThreads = 4;
  for (int i = 0; i < 100; ++i) {
    std::latch all(kThreads);
    QueryPool pool({.threads = kThreads, .waiting_max = 0});  // each has a thread, so none waits
    for (size_t k = 0; k < kThreads; ++k)
      ASSERT_TRUE(pool.post(QueryLane::kSmall, job([&](QueryLane) { all.arrive_and_wait(); })));
    all.wait();
  }
}

TEST(QueryPool, OnlySoManyWait) {
  HeldJob first;
  std::atomic<int> ran = 0;
  std::promise<void> last;
  QueryPool pool(one_thread(2));
  ASSERT_TRUE(pool.post(QueryLane::kSmall, first.job));
  first.started.get_future().wait();
  const auto count = [&ran](QueryLane) { ++ran; };
  EXPECT_TRUE(pool.post(QueryLane::kSmall, job(count)));
  EXPECT_TRUE(pool.post(QueryLane::kSmall, job(count)));
  EXPECT_FALSE(pool.post(QueryLane::kSmall, job(count)));
  EXPECT_EQ(pool.waiting(), 2U);
  EXPECT_TRUE(pool.post(QueryLane::kHeavy, job(count))) << "the lanes wait apart";
  first.release.set_value();
  while (!pool.post(QueryLane::kSmall, job([&](QueryLane) { last.set_value(); }))) std::this_thread::yield();
  last.get_future().wait();
  while (pool.waiting() > 0 || pool.running() > 0) std::this_thread::yield();
  EXPECT_EQ(ran, 3);
}

TEST(QueryPool, AWithdrawnJobDoesNotRun) {
  HeldJob first;
  QueryPool pool(one_thread());
  ASSERT_TRUE(pool.post(QueryLane::kSmall, first.job));
  first.started.get_future().wait();
  const auto waiting = job([](QueryLane) { ADD_FAILURE() << "it was withdrawn"; });
  ASSERT_TRUE(pool.post(QueryLane::kSmall, waiting));
  EXPECT_TRUE(pool.withdraw(waiting.get()));
  EXPECT_FALSE(pool.withdraw(waiting.get()));
  EXPECT_FALSE(pool.withdraw(first.job.get())) << "it runs";
  first.release.set_value();
}

TEST(QueryPool, AJobThatWaitsForItsClientLetsOthersRun) {
  std::promise<void> waits;
  std::promise<void> client_reads;
  std::promise<void> ran;
  QueryPool pool(one_thread());
  ASSERT_TRUE(pool.post(QueryLane::kSmall, job([&](QueryLane lane) {
                          pool.wait_for_client(lane, true);
                          waits.set_value();
                          client_reads.get_future().wait();
                          pool.wait_for_client(lane, false);
                        })));
  waits.get_future().wait();
  ASSERT_TRUE(pool.post(QueryLane::kSmall, job([&](QueryLane) { ran.set_value(); })));
  ran.get_future().wait();
  client_reads.set_value();
}

TEST(QueryPool, JobsOfALaneStartInOrder) {
  std::string order;  // one thread writes it
  std::promise<void> done;
  QueryPool pool(one_thread(1000));
  for (char c = 'a'; c <= 'z'; ++c)
    ASSERT_TRUE(pool.post(QueryLane::kHeavy, job([&order, c](QueryLane) { order.push_back(c); })));
  ASSERT_TRUE(pool.post(QueryLane::kHeavy, job([&](QueryLane) { done.set_value(); })));
  done.get_future().wait();
  EXPECT_EQ(order, "abcdefghijklmnopqrstuvwxyz");
}

TEST(QueryPool, ManyPostersAndWithdrawersAgreeAboutEachJob) {
  std::atomic<int> posted = 0;
  std::atomic<int> withdrawn = 0;
  std::atomic<int> ran = 0;
  QueryPool pool({.threads = 2, .waiting_max = 16});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const auto lane = (i + t) % 2 == 0 ? QueryLane::kSmall : QueryLane::kHeavy;
        const auto one = job([&](QueryLane at) {
          if (i % 7 == 0) {
            pool.wait_for_client(at, true);
            pool.wait_for_client(at, false);
          }
          ++ran;
        });
        if (!pool.post(lane, one)) continue;
        ++posted;
        if (i % 3 == 0 && pool.withdraw(one.get())) {
          ++withdrawn;
        } else {
          while (one.use_count() > 1) std::this_thread::yield();  // it refers to `i`
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran + withdrawn, posted);
  while (pool.running() > 0) std::this_thread::yield();
  EXPECT_EQ(pool.waiting(), 0U);
}

}  // namespace
}  // namespace statmill
