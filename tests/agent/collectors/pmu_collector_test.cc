// The pmu collector with software counters of the kernel where there is no PMU, and its status
// without any counter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <unistd.h>

#include "agent/collectors/collector.h"
#include "agent/collectors/perf_counters.h"
#include "tests/agent/collectors/recording_sink.h"

namespace statmill {
namespace {

using testing::IsEmpty;

// Under families of other events.
constexpr PerfEvent kSoftware[] = {{"host.pmu.cycles", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
                                   {"host.pmu.instructions", PERF_TYPE_SOFTWARE, 12345},
                                   {"host.pmu.branches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

TEST(PmuCollector, CountsEventsOfAllCpusAndOmitsUnsupportedOnes) {
  auto counters = PerfCounters::open(kSoftware);
  if (!counters) GTEST_SKIP() << counters.error().message;
  const auto pmu = make_pmu_collector(std::move(counters));
  RecordingSink before;
  EXPECT_EQ(pmu->collect(before), CollectorStatus{});
  EXPECT_EQ(before.totals.count("host.pmu.instructions"), 0U);
  constexpr uint64_t kNaps = 50;
  for (uint64_t i = 0; i < kNaps; ++i) {
    const timespec nap{0, 1000};
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
  }
  RecordingSink after;
  EXPECT_EQ(pmu->collect(after), CollectorStatus{});
  EXPECT_GE(after.totals["host.pmu.cycles"], before.totals["host.pmu.cycles"] + kNaps);
  EXPECT_EQ(after.totals.count("host.pmu.branches"), 1U);
}

TEST(PmuCollector, IsUnavailableAndNeverZeroWithoutAnyCounter) {
  constexpr PerfEvent kNothing[] = {{"host.pmu.cycles", PERF_TYPE_SOFTWARE, 12345}};
  const auto pmu = make_pmu_collector(PerfCounters::open(kNothing));
  RecordingSink sink;
  EXPECT_EQ(pmu->collect(sink).level, CollectorStatus::Level::kUnavailable);
  EXPECT_THAT(sink.totals, IsEmpty());
}

}  // namespace
}  // namespace statmill
