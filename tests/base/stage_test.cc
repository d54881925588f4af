#include "base/stage.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/thread_times.h"

namespace statmill {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Uses at least this much CPU time, and returns how much it was: a busy host makes it more.
uint64_t burn(uint64_t ns) {
  const uint64_t begin = thread_cpu_ns();
  uint64_t now = begin;
  while (now < begin + ns) now = thread_cpu_ns();
  return now - begin;
}

// What the stages have got since the construction.
class StageTest : public testing::Test {
 protected:
  StageTest() {
    for (size_t i = 0; i < kStageCount; ++i) before_.at(i) = stage_times.cpu_ns(static_cast<Stage>(i));
    stage_times.turn_on();
  }
  ~StageTest() override { stage_times.turn_off(); }

  uint64_t cpu_ns(Stage stage) const {
    return stage_times.cpu_ns(stage) - before_.at(static_cast<size_t>(stage));
  }

 private:
  std::array<uint64_t, kStageCount> before_{};
};

TEST_F(StageTest, AStageWithinAnotherCountsOnce) {
  uint64_t in_query = 0;
  uint64_t in_decode = 0;
  const uint64_t begin = thread_cpu_ns();
  {
    const InStage query(Stage::kQuery);
    in_query += burn(10 * kMs);
    {
      const InStage decode(Stage::kDecode);
      in_decode += burn(40 * kMs);
    }
    in_query += burn(10 * kMs);
  }
  const uint64_t end = thread_cpu_ns();
  burn(5 * kMs);
  EXPECT_GE(cpu_ns(Stage::kQuery), in_query);
  EXPECT_GE(cpu_ns(Stage::kDecode), in_decode);
  EXPECT_LE(cpu_ns(Stage::kQuery) + cpu_ns(Stage::kDecode), end - begin);
  EXPECT_EQ(thread_stage, Stage::kOther);
}

TEST_F(StageTest, TheTimeOfThreadsThatEndedStays) {
  uint64_t in_parse = 0;
  std::thread([&] {
    const InStage stage(Stage::kParse);
    in_parse = burn(7 * kMs);
  }).join();
  EXPECT_GE(cpu_ns(Stage::kParse), in_parse);
  std::thread([] { EXPECT_EQ(thread_stage, Stage::kOther); }).join();
}

TEST_F(StageTest, TimeWithoutWorkIsNoCpuTime) {
  const InStage stage(Stage::kCommit);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  std::this_thread::sleep_until(end);
  { const InStage within(Stage::kFlush); }
  EXPECT_LT(cpu_ns(Stage::kCommit), 10 * kMs);
}

TEST_F(StageTest, AStageThatBeganBeforeMeasuringCountsFromItsFirstChangeOn) {
  stage_times.turn_off();
  const InStage apply(Stage::kApply);
  burn(10 * kMs);
  { const InStage off(Stage::kPrint); }
  stage_times.turn_on();
  burn(10 * kMs);
  { const InStage first(Stage::kPrint); }
  const uint64_t changed = thread_cpu_ns();
  const uint64_t in_apply = burn(20 * kMs);
  { const InStage second(Stage::kPrint); }
  EXPECT_GE(cpu_ns(Stage::kApply), in_apply);
  EXPECT_LT(cpu_ns(Stage::kApply), thread_cpu_ns() - changed + 10 * kMs) << "the time before counts, too";
}

TEST_F(StageTest, TurnedOffNothingIsCounted) {
  stage_times.turn_off();
  {
    const InStage stage(Stage::kRoll);
    burn(3 * kMs);
  }
  EXPECT_EQ(cpu_ns(Stage::kRoll), 0U);
}

TEST(ThreadTimes, HaveTheThreadsThatRun) {
  std::atomic<bool> is_done{false};
  std::atomic<bool> is_busy{true};
  std::thread busy([&] {
    pthread_setname_np(pthread_self(), "busy");
    burn(20 * kMs);
    is_busy = false;
    while (!is_done) std::this_thread::yield();
  });
  while (is_busy) std::this_thread::yield();
  const auto find_busy = [] {
    uint64_t cpu_ns = 0;
    uint64_t sum_ns = 0;
    for (const ThreadTime& thread : thread_times()) {
      if (thread.name == "busy") cpu_ns = thread.cpu_ns;
      sum_ns += thread.cpu_ns;
    }
    EXPECT_LE(sum_ns, process_cpu_ns());
    return cpu_ns;
  };
  EXPECT_GE(find_busy(), 20 * kMs);
  is_done = true;
  busy.join();
  EXPECT_EQ(find_busy(), 0U);
}

}  // namespace
}  // namespace statmill
