// A failing collector does not affect the others, and its status is logged once and reported as a series.
#include "agent/collection.h"

#include <gtest/gtest.h>

#include "base/thread_cpu.h"
#include "base/thread_times.h"
#include "tests/agent/collectors/recording_sink.h"

namespace statmill {
namespace {

using std::chrono::seconds;

// A collector that returns what the test sets.
struct Puppet {
  CollectorStatus status;
  int calls = 0;
  uint64_t cpu_ns = 0;  // that each call takes
  uint64_t background_cpu_ns = 0;
};

class PuppetCollector final : public Collector {
 public:
  explicit PuppetCollector(std::string name, Puppet& puppet) : name_(std::move(name)), puppet_(puppet) {}
  std::string_view name() const override { return name_; }
  uint64_t background_cpu_ns() const override { return puppet_.background_cpu_ns; }
  CollectorStatus collect(MetricSink& sink) override {
    ++puppet_.calls;
    for (const uint64_t end = thread_cpu_ns() + puppet_.cpu_ns; thread_cpu_ns() < end;) continue;
    if (puppet_.status.level != CollectorStatus::Level::kUnavailable)
      sink.gauge("host.block.in_flight", {name_}, 1);
    return puppet_.status;
  }

 private:
  const std::string name_;
  Puppet& puppet_;
};

class CollectionTest : public testing::Test {
 protected:
  static std::vector<std::unique_ptr<Collector>> collectors(Puppet& one, Puppet& two) {
    std::vector<std::unique_ptr<Collector>> both;
    both.push_back(std::make_unique<PuppetCollector>("one", one));
    both.push_back(std::make_unique<PuppetCollector>("two", two));
    return both;
  }
  // Returns the samples and log lines of one round at `now`.
  std::map<std::string, double> collect(SteadyTime now) {
    RecordingSink sink;
    testing::internal::CaptureStderr();
    collection_.collect(now, from_unix_seconds(std::chrono::floor<seconds>(now.time_since_epoch()).count()),
                        sink);
    logged_ = testing::internal::GetCapturedStderr();
    totals_ = sink.totals;
    kept_ = sink.kept;
    return sink.gauges;
  }
  bool logged(std::string_view text) const { return logged_.find(text) != std::string::npos; }

  Puppet one_;
  Puppet two_;
  std::string logged_;
  std::map<std::string, uint64_t> totals_;
  std::string kept_;
  Log log_{LogLevel::kInfo};
  Collection collection_{collectors(one_, two_), log_};
  const SteadyTime start_{seconds(1000)};
};

TEST_F(CollectionTest, ReportsEveryStatusAsASample) {
  one_.status = CollectorStatus::degraded("half");
  two_.status = CollectorStatus::unavailable("no BTF");
  const auto gauges = collect(start_);
  EXPECT_EQ(gauges, (std::map<std::string, double>{{"host.agent.collector_status;collector=one", 1},
                                                   {"host.agent.collector_status;collector=two", 2},
                                                   {"host.block.in_flight;device=one", 1}}));
}

TEST_F(CollectionTest, ReadingAloneReportsNothingAboutCollectors) {
  struct Sink : RecordingSink {
    void begin_collector(std::string_view name) override { begun.emplace_back(name); }
    std::vector<std::string> begun;
  } sink;
  testing::internal::CaptureStderr();
  collection_.read(start_, sink);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(sink.gauges, (std::map<std::string, double>{{"host.block.in_flight;device=one", 1},
                                                        {"host.block.in_flight;device=two", 1}}));
  EXPECT_TRUE(sink.totals.empty());
  EXPECT_EQ(sink.begun, (std::vector<std::string>{"one", "two", ""}));
}

TEST_F(CollectionTest, ReportsTheCpuTimeOfEachCollectorAndOfAllElse) {
  const auto growth = [this](const char* collector) {
    return totals_.at(std::string("host.agent.collector_cpu_ns;collector=") + collector);
  };
  collect(start_);
  const std::map<std::string, uint64_t> first = {
      {"one", growth("one")}, {"two", growth("two")}, {"other", growth("other")}};
  one_.cpu_ns = 5'000'000;
  for (const uint64_t end = thread_cpu_ns() + 3'000'000; thread_cpu_ns() < end;) continue;
  collect(start_ + seconds(10));
  EXPECT_GE(growth("one") - first.at("one"), 5'000'000U);
  EXPECT_LT(growth("two") - first.at("two"), 5'000'000U);
  EXPECT_GE(growth("other") - first.at("other"), 3'000'000U);
  EXPECT_LE(growth("one") + growth("two") + growth("other"), process_cpu_ns());
}

TEST_F(CollectionTest, ReportsCpuTimeOncePerSlotAndKeepsItsTotalsMeanwhile) {
  collect(start_);
  EXPECT_EQ(totals_.size(), 3U);
  collect(start_ + seconds(8));
  EXPECT_EQ(totals_.size(), 0U);
  EXPECT_EQ(kept_, "host.agent.collector_cpu_ns");
  collect(start_ + seconds(9));
  EXPECT_EQ(totals_.size(), 3U);
}

TEST_F(CollectionTest, TheThreadsOfACollectorCountForIt) {
  collect(start_);
  const uint64_t before = totals_.at("host.agent.collector_cpu_ns;collector=one");
  one_.background_cpu_ns = 7'000'000'000;
  collect(start_ + seconds(10));
  EXPECT_GE(totals_.at("host.agent.collector_cpu_ns;collector=one") - before, 7'000'000'000U);
}

TEST_F(CollectionTest, NotesSayWhatServesACollector) {
  one_.status = CollectorStatus::degraded("half");
  two_.status = CollectorStatus::unavailable("no BTF");
  collect(start_);
  const std::vector<CollectorNote> notes = collection_.notes();
  EXPECT_EQ(notes, (std::vector<CollectorNote>{{"one", 1, "half", kSourceFiles}, {"two", 2, "no BTF"}}));
}

TEST_F(CollectionTest, LogsEachCollectorAtStart) {
  two_.status = CollectorStatus::unavailable("no BTF");
  collect(start_);
  EXPECT_TRUE(logged("info collector name=one status=ok reason=\"\"\n")) << logged_;
  EXPECT_TRUE(logged("info collector name=two status=unavailable reason=\"no BTF\"\n")) << logged_;
}

TEST_F(CollectionTest, LogsAChangeOnce) {
  collect(start_);
  one_.status = CollectorStatus::degraded("half");
  collect(start_ + seconds(1));
  EXPECT_TRUE(logged("warn collector name=one status=degraded reason=half\n")) << logged_;
  collect(start_ + seconds(2));
  EXPECT_EQ(logged_, "");
}

TEST_F(CollectionTest, RetriesUnavailableCollectorsEachMinuteWhileOthersContinue) {
  one_.status = CollectorStatus::unavailable("gone");
  for (int s = 0; s < 60; ++s) collect(start_ + seconds(s));
  EXPECT_EQ(one_.calls, 1);
  EXPECT_EQ(two_.calls, 60);
  one_.status = {};
  const auto gauges = collect(start_ + seconds(60));
  EXPECT_EQ(one_.calls, 2);
  EXPECT_EQ(gauges.at("host.agent.collector_status;collector=one"), 0);
  EXPECT_TRUE(logged("info collector name=one status=ok")) << logged_;
}

}  // namespace
}  // namespace statmill
