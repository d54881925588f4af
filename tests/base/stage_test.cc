#include "base/stage.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/thread_times.h"

namespace statmill {
namespace {

constexpr uint64_t kMs = 1'000'000;

void burn(uint64_t ns) {
  const uint64_t begin = thread_cpu_ns();
  while (thread_cpu_ns() < begin + ns) continue;
}

// What the stages have got since the construction.
class StageTest : public testing::Test {
 protected:
  StageTest() {
    for (size_t i = 0; i < kStageCount; ++i) before_.at(i) = stage_times.cpu_ns(static_cast<Stage>(i));
    stage_times.turn_on();
  }
  ~StageTest() override { stage_times.turn_off(); }

  uint64_t cpu_ms(Stage stage) const {
    return (stage_times.cpu_ns(stage) - before_.at(static_cast<size_t>(stage))) / kMs;
  }

 private:
  std::array<uint64_t, kStageCount> before_{};
};

TEST_F(StageTest, AStageWithinAnotherCountsOnce) {
  {
    const InStage query(Stage::kQuery);
    burn(10 * kMs);
    {
      const InStage decode(Stage::kDecode);
      burn(40 * kMs);
    }
    burn(10 * kMs);
  }
  burn(5 * kMs);
  EXPECT_EQ(cpu_ms(Stage::kQuery), 20U);
  EXPECT_EQ(cpu_ms(Stage::kDecode), 40U);
  EXPECT_EQ(thread_stage, Stage::kOther);
}

TEST_F(StageTest, TheTimeOfThreadsThatEndedStays) {
  std::thread([] {
    const InStage stage(Stage::kParse);
    burn(7 * kMs);
  }).join();
  EXPECT_EQ(cpu_ms(Stage::kParse), 7U);
  std::thread([] { EXPECT_EQ(thread_stage, Stage::kOther); }).join();
}

TEST_F(StageTest, TimeWithoutWorkIsNoCpuTime) {
  const InStage stage(Stage::kCommit);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  std::this_thread::sleep_until(end);
  { const InStage within(Stage::kFlush); }
  EXPECT_LT(cpu_ms(Stage::kCommit), 10U);
}

TEST_F(StageTest, AStageThatBeganBeforeMeasuringCountsFromItsFirstChangeOn) {
  stage_times.turn_off();
  const InStage apply(Stage::kApply);
  burn(10 * kMs);
  { const InStage off(Stage::kPrint); }
  stage_times.turn_on();
  burn(10 * kMs);
  { const InStage first(Stage::kPrint); }
  burn(20 * kMs);
  { const InStage second(Stage::kPrint); }
  EXPECT_EQ(cpu_ms(Stage::kApply), 20U);
}

TEST_F(StageTest, TurnedOffNothingIsCounted) {
  stage_times.turn_off();
  {
    const InStage stage(Stage::kRoll);
    burn(3 * kMs);
  }
  EXPECT_EQ(cpu_ms(Stage::kRoll), 0U);
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
