#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "base/net/watchdog.h"
#include "tests/fault/fault_world.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

constexpr int kRounds = 60;
// RocksDB sleeps now and then, so many worlds run at once.
constexpr size_t kThreads = 24;
constexpr int kSamplesMeanwhile = 20;

// The number of calls of each kind at which the disk hangs. SM_TIER=nightly: all.
uint64_t hangs_per_sweep() {
  const char* tier = std::getenv("SM_TIER");
  return tier != nullptr && std::string_view(tier) == "nightly" ? UINT64_MAX : 8;
}

// The time of a world, and the watchdog's view of it.
class WatchedTick {
 public:
  explicit WatchedTick(const FaultWorld& world) : clock_(0, world.steady()) {
    watchdog_.add_task("tick", world.tick_time());
  }
  // The problem that the watchdog reports once the tick has lasted this long.
  std::string problem_after(Duration time) {
    for (Duration passed(0); passed < time; passed += options_.look) {
      clock_.advance(options_.look);
      watchdog_.look();
    }
    return problem_;
  }

 private:
  const WatchdogOptions options_;
  ManualClock clock_;
  Log log_{LogLevel::kDebug};
  std::string problem_;
  Watchdog watchdog_{options_,
                     {clock_, log_, [](std::string_view, std::chrono::nanoseconds) {},
                      [this](std::string_view, const std::string& text) { problem_ = text; },
                      [](std::string_view, const std::string&) {}}};
};

class HungDisk : public testing::TestWithParam<DiskOp> {
 protected:
  static uint64_t calls_of_a_run() {
    FaultWorld world({});
    EXPECT_TRUE(world.start());
    const uint64_t before = world.disk().calls(GetParam());
    world.run(kRounds);
    return world.disk().calls(GetParam()) - before;
  }

  // While the disk hangs in the thread that runs the world, this thread may use the world.
  static void check_what_holds_meanwhile(FaultWorld& world, bool& was_in_tick) {
    was_in_tick = world.tick_time().age(world.steady() + std::chrono::seconds(1)) > Duration(0);
    if (!was_in_tick) return;  // the hang is in a query or a start
    WatchedTick watched(world);
    EXPECT_EQ(watched.problem_after(std::chrono::seconds(1)), "");
    EXPECT_EQ(watched.problem_after(std::chrono::seconds(10)).find("under way for "), 0U);
    const int64_t accepted = world.accepted();
    world.send(kSamplesMeanwhile);
    EXPECT_EQ(world.accepted(), accepted + kSamplesMeanwhile) << "accepted in memory";
  }

  // Returns 1 if the hang was in a tick, else 0.
  static int run_with(uint64_t nth) {
    FaultWorld world({});
    EXPECT_TRUE(world.start());
    world.disk().hang(GetParam(), nth);
    std::thread runner([&world] {
      world.run(kRounds);
      world.disk().release();  // the call never came
    });
    bool was_in_tick = false;
    if (world.disk().wait_for_hang(runner.get_id())) check_what_holds_meanwhile(world, was_in_tick);
    world.disk().release();
    runner.join();
    EXPECT_TRUE(world.is_running());
    EXPECT_TRUE(world.resumes()) << world.problem();
    EXPECT_EQ(world.problem(), "");
    EXPECT_TRUE(world.compare());
    world.cut_power_and_restore();
    EXPECT_TRUE(world.start());
    EXPECT_TRUE(world.compare());
    return was_in_tick ? 1 : 0;
  }

  // Hangs at every `step`th call from `first` to `last`. Returns how many hangs were in a tick.
  static int sweep(uint64_t first, uint64_t step, uint64_t last) {
    std::atomic<uint64_t> next{first};
    std::atomic<int> in_ticks{0};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (uint64_t nth = next.fetch_add(step); nth <= last; nth = next.fetch_add(step)) {
          SCOPED_TRACE(name_of(GetParam()) + " " + std::to_string(nth));
          in_ticks += run_with(nth);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return in_ticks;
  }
};

TEST_P(HungDisk, IsReportedAndNothingIsLostOrDoubled) {
  const uint64_t calls = calls_of_a_run();
  ASSERT_GT(calls, 0U);
  const uint64_t step = std::max<uint64_t>(1, calls / hangs_per_sweep());
  // Files are renamed only during a start. Ticks open so few files that a sweep that skips calls may miss
  // them all.
  const bool may_miss_ticks = GetParam() == DiskOp::kRename || (GetParam() == DiskOp::kOpen && step > 1);
  int in_ticks = 0;
  uint64_t hangs = 0;
  // RocksDB decides in which thread it removes a file, so a few sweeps may miss all ticks.
  constexpr uint64_t kSweepsMax = 40;
  for (uint64_t i = 0; i == 0 || (i < kSweepsMax && in_ticks == 0 && !may_miss_ticks); ++i) {
    const uint64_t first = 1 + i % step;
    in_ticks += sweep(first, step, calls);
    hangs += (calls - first) / step + 1;
  }
  std::printf("%d of %llu hangs met a tick\n", in_ticks, static_cast<unsigned long long>(hangs));
  EXPECT_TRUE(in_ticks > 0 || may_miss_ticks);
}

void run_on_a_slow_disk(std::initializer_list<DiskOp> slow_calls) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  for (const DiskOp op : slow_calls) world.disk().slow_down(op, Duration(1));
  world.run(kRounds);
  world.disk().heal();
  ASSERT_TRUE(world.is_running());
  EXPECT_EQ(world.problem(), "");
  ASSERT_TRUE(world.compare());
  world.cut_power_and_restore();
  ASSERT_TRUE(world.start());
  ASSERT_TRUE(world.compare());
}

TEST_P(HungDisk, ThatIsOnlySlowLosesAndDoublesNothing) { run_on_a_slow_disk({GetParam()}); }

TEST(SlowDisk, AtEveryCallOfEveryKindLosesAndDoublesNothing) {
  run_on_a_slow_disk({DiskOp::kCreate, DiskOp::kOpen, DiskOp::kAppend, DiskOp::kSync, DiskOp::kSyncDirectory,
                      DiskOp::kRename, DiskOp::kUnlink, DiskOp::kRead});
}

INSTANTIATE_TEST_SUITE_P(Calls, HungDisk,
                         testing::Values(DiskOp::kCreate, DiskOp::kOpen, DiskOp::kAppend, DiskOp::kSync,
                                         DiskOp::kSyncDirectory, DiskOp::kRename, DiskOp::kUnlink,
                                         DiskOp::kRead),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace statmill
