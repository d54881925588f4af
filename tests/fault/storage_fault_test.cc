#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>

#include "tests/fault/fault_world.h"

namespace statmill {
namespace {

constexpr int kRounds = 60;
constexpr uint64_t kFaultsPerSweep = 24;
// RocksDB sleeps for a second after a failure in the background, so many worlds run at once.
constexpr size_t kThreads = 24;

void in_parallel(const std::vector<DiskFault>& faults, const std::function<void(const DiskFault&)>& run) {
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (size_t n = next++; n < faults.size(); n = next++) {
        const DiskFault& fault = faults[n];
        SCOPED_TRACE(name_of(fault.op) + (fault.for_ever ? " from " : " ") + std::to_string(fault.nth) +
                     " errno " + std::to_string(fault.error));
        run(fault);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class StorageFault : public testing::TestWithParam<DiskOp> {
 protected:
  // Faults at even distances over all calls of a run without faults.
  static std::vector<DiskFault> sweep(bool for_ever) {
    FaultWorld world({});
    EXPECT_TRUE(world.start());
    const uint64_t before = world.disk().calls(GetParam());
    world.run(kRounds);
    const uint64_t calls = world.disk().calls(GetParam()) - before;
    EXPECT_GT(calls, 0U);
    constexpr std::array kErrors = {EIO, ENOSPC, EROFS};
    std::vector<DiskFault> faults;
    for (uint64_t nth = 1; nth <= calls; nth += std::max<uint64_t>(1, calls / kFaultsPerSweep)) {
      faults.push_back({GetParam(), nth, for_ever, kErrors[faults.size() % kErrors.size()]});
    }
    std::printf("%zu faults over %lu calls\n", faults.size(), calls);
    return faults;
  }

  static void run_with(const DiskFault& fault) {
    FaultWorld world({});
    ASSERT_TRUE(world.start());
    world.disk().fail(fault);
    const bool hits_reads = fault.op == DiskOp::kOpen || fault.op == DiskOp::kRead;
    world.run(kRounds, hits_reads ? FaultWorld::Reads::kMayFail : FaultWorld::Reads::kMustWork);
    world.disk().heal();
    if (!world.is_running()) {
      const Status started = world.start();
      ASSERT_TRUE(started) << started.error().message;
    }
    ASSERT_TRUE(world.resumes()) << world.problem();
    EXPECT_EQ(world.problem(), "");
    ASSERT_TRUE(world.compare());
    world.cut_power_and_restore();
    const Status started = world.start();
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_TRUE(world.compare());
  }
};

TEST_P(StorageFault, OnceLosesAndDoublesNothing) { in_parallel(sweep(false), run_with); }

TEST_P(StorageFault, ForEverLosesAndDoublesNothing) { in_parallel(sweep(true), run_with); }

INSTANTIATE_TEST_SUITE_P(Calls, StorageFault,
                         testing::Values(DiskOp::kCreate, DiskOp::kOpen, DiskOp::kAppend, DiskOp::kSync,
                                         DiskOp::kSyncDirectory, DiskOp::kRename, DiskOp::kUnlink,
                                         DiskOp::kRead),
                         [](const auto& parameter) { return name_of(parameter.param); });

}  // namespace
}  // namespace statmill
