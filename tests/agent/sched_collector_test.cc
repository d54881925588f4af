// The scheduler collector over a probe of the test: totals, and quantiles of the interval alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/collector.h"
#include "tests/agent/recording_sink.h"

namespace statmill {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

// A kernel in which the test decides what happened.
class FakeProbe final : public SchedProbe {
 public:
  explicit FakeProbe(const SchedTotals& totals) : totals_(totals) {}
  SchedTotals read() const override { return totals_; }

 private:
  const SchedTotals& totals_;
};

class SchedCollectorTest : public testing::Test {
 protected:
  void wait(uint64_t ns, uint64_t times) { totals_.runqueue_wait[h2_index(ns)] += times; }
  void collect() {
    sink_ = {};
    EXPECT_EQ(collector_->collect(sink_), CollectorStatus{});
  }

  SchedTotals totals_;
  RecordingSink sink_;
  std::unique_ptr<Collector> collector_ = make_sched_collector(
      [this] { return Result<std::unique_ptr<SchedProbe>>(std::make_unique<FakeProbe>(totals_)); });
};

TEST_F(SchedCollectorTest, FirstReadingGivesTotalsOnly) {
  wait(1000, 5);
  totals_.switches_voluntary = 3;
  collect();
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_THAT(sink_.totals, Contains(Pair("sched.runqueue_wait.count", 5)));
  EXPECT_THAT(sink_.totals, Contains(Pair("sched.switches.voluntary", 3)));
}

TEST_F(SchedCollectorTest, QuantilesAreOfTheIntervalAlone) {
  wait(1'000'000'000, 1000);
  collect();
  wait(1000, 98);    // bucket ends at 1023 ns
  wait(50'000, 1);   // at 53247 ns
  wait(900'000, 1);  // at 917503 ns
  collect();
  EXPECT_THAT(sink_.gauges, Contains(Pair("sched.runqueue_wait.p50_us", 1.023)));
  EXPECT_THAT(sink_.gauges, Contains(Pair("sched.runqueue_wait.p99_us", 53.247)));
  EXPECT_THAT(sink_.gauges, Contains(Pair("sched.runqueue_wait.max_us", 917.503)));
  EXPECT_THAT(sink_.totals, Contains(Pair("sched.runqueue_wait.count", 1100)));
}

TEST_F(SchedCollectorTest, AnIntervalInWhichNothingHappenedHasNoQuantiles) {
  collect();
  wait(1000, 1);
  collect();
  EXPECT_THAT(sink_.gauges, Contains(Pair("sched.runqueue_wait.p50_us", 1.023)));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key("sched.off_cpu.p50_us"))));
  collect();
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

TEST(SchedCollector, IsUnavailableForTheLoadersReasonUntilItLoads) {
  const SchedTotals totals;
  bool works = false;
  const auto collector = make_sched_collector([&]() -> Result<std::unique_ptr<SchedProbe>> {
    if (!works) return Error{ErrorCode::kUnavailable, "no BTF"};
    return std::make_unique<FakeProbe>(totals);
  });
  RecordingSink sink;
  EXPECT_EQ(collector->collect(sink), CollectorStatus::unavailable("no BTF"));
  EXPECT_THAT(sink.totals, IsEmpty());
  works = true;
  EXPECT_EQ(collector->collect(sink), CollectorStatus{});
  EXPECT_THAT(sink.totals, Contains(Pair("sched.discarded", 0)));
}

}  // namespace
}  // namespace statmill
