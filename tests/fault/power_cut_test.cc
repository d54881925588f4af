#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include "tests/fault/fault_world.h"

namespace statmill {
namespace {

constexpr uint64_t kWorlds = 20;  // unless SM_CUTS says how many power cuts there shall be
constexpr uint64_t kWorldsAtOnce = 20;
constexpr uint64_t kCutsOfAWorld = 5;
constexpr uint64_t kControlCutsOfAWorld = 2;

uint64_t worlds_of_environment() {
  const char* cuts = std::getenv("SM_CUTS");
  return cuts != nullptr ? std::strtoull(cuts, nullptr, 10) / kCutsOfAWorld : kWorlds;
}

// SM_SEED=17 repeats one seed.
void for_each_seed(uint64_t worlds, const std::function<void(uint64_t)>& run) {
  if (const char* wanted = std::getenv("SM_SEED")) {
    run(std::strtoull(wanted, nullptr, 10));
    return;
  }
  std::atomic<uint64_t> next{1};  // the seeds that no thread has yet
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < std::min(worlds, kWorldsAtOnce); ++i) {
    threads.emplace_back([&] {
      for (uint64_t seed = next++; seed <= worlds; seed = next++) run(seed);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Runs a server several times, each until a power cut, some during the start; in half of them a call fails
// first.
void live_through_cuts(FaultWorld& world) {
  std::mt19937_64& random = world.random();
  for (uint64_t cut = 0; cut < kCutsOfAWorld; ++cut) {
    FaultyDisk& disk = world.disk();
    disk.cut_power_at(1 + random() % 300);
    if (random() % 2 == 0) disk.fail({static_cast<DiskOp>(random() % kDiskOpCount), 1 + random() % 100});
    if (world.start()) world.run(80, FaultWorld::Reads::kMayFail);
    world.cut_power_and_restore();
    disk.heal();
  }
  const Status started = world.start();
  ASSERT_TRUE(started) << started.error().message;
}

TEST(PowerCut, LosesNothingDurableAndDoublesNothing) {
  std::atomic<int64_t> accepted{0};
  const uint64_t worlds = worlds_of_environment();
  for_each_seed(worlds, [&](uint64_t seed) {
    SCOPED_TRACE("SM_SEED=" + std::to_string(seed));
    FaultWorldOptions options;
    options.seed = seed;
    FaultWorld world(options);
    live_through_cuts(world);
    accepted += world.accepted();
  });
  std::printf("%lu power cuts, %ld samples durable\n", worlds * kCutsOfAWorld, accepted.load());
}

TEST(PowerCut, WithoutSyncsMostCutsLoseDataWhichShowsThatTheTestDetectsIt) {
  std::atomic<uint64_t> lost{0};
  for_each_seed(kWorlds, [&](uint64_t seed) {
    SCOPED_TRACE("SM_SEED=" + std::to_string(seed));
    for (uint64_t cut = 0; cut < kControlCutsOfAWorld; ++cut) {
      FaultWorldOptions options;
      options.seed = seed * kControlCutsOfAWorld + cut;
      options.sync = false;
      FaultWorld world(options);
      ASSERT_TRUE(world.start());
      world.disk().cut_power_at(100 + world.random()() % 300);
      world.run(200);
      world.cut_power_and_restore();
      // A log with a hole may be refused.
      if (!world.start() || world.lost() > 0) ++lost;
    }
  });
  constexpr uint64_t kCuts = kWorlds * kControlCutsOfAWorld;
  std::printf("%lu of %lu power cuts lost something\n", lost.load(), kCuts);
  EXPECT_GT(lost, kCuts / 2);
}

}  // namespace
}  // namespace statmill
