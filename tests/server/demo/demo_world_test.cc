// The samples of the demo are a function of seed, series and time, and its stories are in them.
#include "server/demo/demo_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "server/demo/demo_boots.h"
#include "server/demo/slot_share.h"
#include "storage/bucket_check.h"
#include "storage/slot_bucket.h"

namespace statmill {
namespace {

constexpr int64_t kStart = 1'700'000'000;

const DemoSeries* find(const DemoWorld& world, std::string_view path, std::string_view host,
                       std::string_view tag = {}) {
  for (const DemoSeries& series : world.series()) {
    if (series.name.starts_with(std::string(path) + ";") && series.host != nullptr &&
        series.host->label == host && series.name.find(tag) != std::string::npos) {
      return &series;
    }
  }
  return nullptr;
}

// Returns the sum of the samples in a slot; 0 if there are none.
double sum_at(const DemoWorld& world, const DemoSeries& series, int64_t time_s) {
  DemoSample sample;
  return world.sample(series, time_s, sample) ? sample.bucket.sum() : 0;
}

TEST(DemoWorld, HasTheFleetThatTheDocumentationNames) {
  const DemoWorld world({}, kStart, 10);
  ASSERT_EQ(world.fleet().size(), 50U);
  std::map<std::string, int> hosts;
  for (const DemoHost& host : world.fleet()) {
    ++hosts[host.dc];
    ++hosts[host.role];
  }
  EXPECT_EQ(hosts, (std::map<std::string, int>{{"ams", 16},
                                               {"batch", 8},
                                               {"cache", 6},
                                               {"db", 8},
                                               {"edge", 4},
                                               {"fra", 24},
                                               {"lab", 10},
                                               {"queue", 4},
                                               {"web", 20}}));
}

TEST(DemoWorld, NamesAreUniqueWhateverItsSize) {
  for (const size_t hosts : {1U, 7U, 50U, 120U}) {
    const DemoWorld world({.hosts = hosts, .names = 250}, kStart, 10);
    EXPECT_EQ(world.fleet().size(), hosts);
    std::set<std::string_view> names;
    for (const DemoSeries& series : world.series()) names.insert(series.name);
    EXPECT_EQ(names.size(), world.series().size());
  }
}

TEST(DemoWorld, EqualSeedsMakeEqualSamplesAndOthersOthers) {
  const DemoWorld one({}, kStart, 10);
  const DemoWorld same({}, kStart, 10);
  const DemoWorld other({.seed = 2}, kStart, 10);
  size_t different = 0;
  DemoSample a;
  DemoSample b;
  for (size_t i = 0; i < one.series().size(); ++i) {
    for (const int64_t ago : {0, 10, 86400, 400 * 86400}) {
      const bool has_samples = one.sample(one.series()[i], kStart - ago, a);
      ASSERT_EQ(has_samples, same.sample(same.series()[i], kStart - ago, b));
      ASSERT_EQ(a.bucket, b.bucket);
      ASSERT_EQ(a.cells, b.cells);
      other.sample(other.series()[i], kStart - ago, b);
      different += a.bucket == b.bucket ? 0U : 1U;
    }
  }
  EXPECT_GT(different, one.series().size());
}

TEST(DemoWorld, EachSampleIsPossible) {
  const DemoWorld world({}, kStart, 10);
  DemoSample sample;
  for (const DemoSeries& series : world.series()) {
    for (int64_t ago = -100; ago < 4000; ago += 370) {
      if (!world.sample(series, (kStart - ago) / 10 * 10, sample)) continue;
      ASSERT_TRUE(is_possible(sample.bucket.count(), sample.bucket.decimal())) << series.name;
      uint64_t cells = 0;
      for (const HistogramCell& cell : sample.cells) cells += cell.count;
      ASSERT_EQ(cells, series.kind() == Kind::kDistribution ? sample.bucket.count() : 0) << series.name;
      ASSERT_TRUE(std::ranges::is_sorted(sample.cells, {}, &HistogramCell::index)) << series.name;
    }
  }
}

TEST(DemoWorld, TheDiskOfDb3HasTwoKindsOfRequestsForFortyMinutes) {
  const DemoWorld world({}, kStart, 10);
  const DemoSeries* const series = find(world, "host.block.latency_ns", "db3", "device=vda");
  ASSERT_NE(series, nullptr);
  DemoSample sample;
  ASSERT_TRUE(world.sample(*series, kStart - 60, sample));
  EXPECT_LT(sample.bucket.min(), 1.2e6);
  EXPECT_GT(sample.bucket.max(), 7e7);
  for (const HistogramCell& cell : sample.cells) {
    const double ms = histogram_midpoint(cell.index) / 1e6;
    EXPECT_TRUE(ms < 3 || ms > 50) << ms;
  }
  ASSERT_TRUE(world.sample(*series, kStart - kBimodalAgo - 60, sample));
  EXPECT_LT(sample.bucket.max(), 2e7);
}

TEST(DemoWorld, Web7AndBatch4WereAwayAndNothingIsKnownOfThemThen) {
  const DemoWorld world({}, kStart, 10);
  DemoSample sample;
  for (const DemoSeries& series : world.series()) {
    if (series.host == nullptr) continue;
    if (series.host->label == "web7") {
      EXPECT_FALSE(world.sample(series, kStart - kAwayAgo + 60, sample)) << series.name;
    }
    if (series.host->label == "batch4") {
      EXPECT_FALSE(world.sample(series, kStart - kRestartAgo + 60, sample)) << series.name;
    }
  }
  const DemoSeries* const up = find(world, "host.up", "web7");
  EXPECT_EQ(sum_at(world, *up, kStart - kAwayAgo - 10), 10);
  EXPECT_EQ(sum_at(world, *up, kStart - kAwayAgo + kAwaySeconds), 10);
}

TEST(DemoWorld, OneSampleOfWeb3IsASpike) {
  const DemoWorld world({}, kStart, 10);
  const DemoSeries* const busy = find(world, "host.cpu.busy_percent", "web3");
  int spikes = 0;
  DemoSample sample;
  for (int64_t ago = kSpikeAgo - 600; ago < kSpikeAgo + 600; ++ago) {
    if (world.second(*busy, kStart - ago, sample) && sample.bucket.max() == 100) ++spikes;
  }
  EXPECT_EQ(spikes, 1);
  ASSERT_TRUE(world.sample(*busy, kStart - kSpikeAgo, sample));
  EXPECT_EQ(sample.bucket.max(), 100);
  EXPECT_LT(sample.bucket.mean(), 90);
}

TEST(DemoWorld, TheLeakOfQueue1EndsWithOneOomKill) {
  const DemoWorld world({}, kStart, 10);
  const DemoSeries* const free = find(world, "host.memory.available_bytes", "queue1");
  const double before = sum_at(world, *free, kStart - kOomAgo - 20);
  EXPECT_LT(before, 0.1 * sum_at(world, *free, kStart - kOomAgo + 20));
  const DemoSeries* const kills = find(world, "host.memory.oom_kills", "queue1");
  double all = 0;
  for (int64_t ago = 0; ago < 86400; ago += 10) all += sum_at(world, *kills, kStart - ago);
  EXPECT_EQ(all, 1);
}

TEST(DemoWorld, ANoisyCgroupOfWeb12IsThrottledAndTasksWait) {
  const DemoWorld world({}, kStart, 10);
  double throttled = 0;
  double before = 0;
  for (const DemoSeries& series : world.series()) {
    if (series.host == nullptr || series.host->label != "web12" ||
        !series.name.starts_with("host.cgroup.cpu_throttled_ns;"))
      continue;
    throttled += sum_at(world, series, kStart - 60);
    before += sum_at(world, series, kStart - kThrottledAgo - 60);
  }
  EXPECT_GT(throttled, 10 * std::max(1.0, before));
  DemoSample sample;
  const DemoSeries* const wait = find(world, "host.sched.runqueue_wait_ns", "web12");
  ASSERT_TRUE(world.sample(*wait, kStart - 60, sample));
  double near_14_ms = 0;
  for (const HistogramCell& cell : sample.cells) {
    const double ms = histogram_midpoint(cell.index) / 1e6;
    if (ms > 8 && ms < 25) near_14_ms += static_cast<double>(cell.count);
  }
  EXPECT_GT(near_14_ms, 0.3 * static_cast<double>(sample.bucket.count()));
}

TEST(DemoWorld, RetransmitsOfEdge2Grow) {
  const DemoWorld world({}, kStart, 10);
  const DemoSeries* const sent_again = find(world, "host.tcp.retransmits", "edge2");
  const double before = sum_at(world, *sent_again, kStart - kRetransmitsAgo - 60);
  const double half = sum_at(world, *sent_again, kStart - kRetransmitsAgo / 2);
  EXPECT_GT(half, before);
  EXPECT_GT(sum_at(world, *sent_again, kStart), half);
}

TEST(DemoWorld, Batch4BootedWithAnotherKernel) {
  const DemoWorld world({}, kStart, 10);
  const std::vector<AgentRow> before = demo_agents_before(world.fleet(), kStart);
  ASSERT_EQ(before.size(), 1U);
  const auto host = std::ranges::find(world.fleet(), before[0].host, &DemoHost::name);
  ASSERT_NE(host, world.fleet().end());
  EXPECT_EQ(host->label, "batch4");
  const HostBoot now = demo_boot(*host, kStart);
  EXPECT_NE(now.id, before[0].boot.id);
  EXPECT_NE(now.kernel, before[0].boot.kernel);
  EXPECT_TRUE(host->is_absent(unix_seconds(now.time)));
  std::set<std::string> ids;
  for (const DemoHost& one : world.fleet()) ids.insert(demo_boot(one, kStart).id);
  EXPECT_EQ(ids.size(), world.fleet().size());
}

TEST(DemoWorld, Lab3HasNoSeriesOfEbpfAndTheLabNoPmu) {
  const DemoWorld world({}, kStart, 10);
  EXPECT_EQ(find(world, "host.sched.runqueue_wait_ns", "lab3"), nullptr);
  EXPECT_NE(find(world, "host.sched.runqueue_wait_ns", "lab2"), nullptr);
  EXPECT_EQ(find(world, "host.pmu.cycles", "lab2"), nullptr);
  EXPECT_NE(find(world, "host.pmu.cycles", "web1"), nullptr);
  const DemoSeries* const state = find(world, "host.agent.collector_status", "lab3", "collector=sched");
  EXPECT_EQ(sum_at(world, *state, kStart), 2 * 10);
}

// Returns the samples of the seconds of a slot, as one.
DemoSample fold_seconds(const DemoWorld& world, const DemoSeries& series, int64_t begin_s) {
  DemoSample all;
  DemoSample one;
  std::map<HistogramIndex, uint64_t> cells;
  for (int64_t time_s = begin_s; time_s < begin_s + world.slot_s(); ++time_s) {
    if (!world.second(series, time_s, one)) continue;
    combine_bucket(all.bucket, one.bucket, combine_of(series.kind()));
    for (const HistogramCell& cell : one.cells) cells[cell.index] += cell.count;
  }
  for (const auto& [index, count] : cells) all.cells.push_back({index, count});
  return all;
}

TEST(DemoWorld, TheSecondsOfASlotAreItsSamples) {
  DemoSample slot;
  for (const int64_t slot_s : {1, 10, 60}) {
    for (const uint64_t seed : {1U, 2U}) {
      const DemoWorld world({.seed = seed, .hosts = 12}, kStart, slot_s);
      for (const DemoSeries& series : world.series()) {
        for (const int64_t ago : {-60, 60, int(kOomAgo), 3600, int(kSpikeAgo), 400 * 86400}) {
          const int64_t begin_s = world.start_s() - ago / slot_s * slot_s;
          world.sample(series, begin_s, slot);
          const DemoSample seconds = fold_seconds(world, series, begin_s);
          ASSERT_EQ(seconds.bucket, slot.bucket) << series.name << " " << ago;
          ASSERT_EQ(seconds.cells, slot.cells) << series.name << " " << ago;
        }
      }
    }
  }
}

TEST(DemoWorld, HostsHaveSamplesInEachSecond) {
  const DemoWorld world({.hosts = 12}, kStart, 10);
  DemoSample sample;
  for (const DemoSeries& series : world.series()) {
    if (series.host == nullptr || series.kind() == Kind::kEvent || !world.sample(series, kStart - 10, sample))
      continue;
    for (int64_t time_s = kStart - 10; time_s < kStart; ++time_s)
      EXPECT_TRUE(world.second(series, time_s, sample)) << series.name << " " << time_s;
  }
}

TEST(DemoWorld, ThePartsOfASlotAddUpToItsTotal) {
  for (const int64_t total : std::initializer_list<int64_t>{0, 1, 3, 10, 999, 123'456'789'012}) {
    for (const double spread : {0.0, 0.3, 1.0}) {
      for (uint64_t key = 0; key < 100; ++key) {
        int64_t sum = 0;
        int64_t of_bursts = 0;
        for (int64_t second = 0; second < 10; ++second) {
          const int64_t part = part_of(total, {second, 10}, spread, key);
          const int64_t of_burst = part_of_burst(total, {second, 10}, spread, key);
          ASSERT_TRUE(part >= 0 && of_burst >= 0);
          sum += part;
          of_bursts += of_burst;
        }
        ASSERT_EQ(sum, total);
        ASSERT_EQ(of_bursts, total);
      }
    }
  }
}

TEST(DemoWorld, OneEventFallsIntoAnySecond) {
  std::set<int64_t> seconds;
  for (uint64_t key = 0; key < 200; ++key) {
    for (int64_t second = 0; second < 10; ++second) {
      if (part_of(1, {second, 10}, 0.2, key) == 1) seconds.insert(second);
    }
  }
  EXPECT_EQ(seconds.size(), 10U);
}

TEST(DemoWorld, CgroupsOfBatch1LiveForFiveMinutes) {
  const DemoWorld world({}, kStart, 10);
  size_t jobs = 0;
  DemoSample sample;
  for (const DemoSeries& series : world.series()) {
    if (series.name.find("cgroup=/batch.slice/") == std::string::npos) continue;
    ++jobs;
    EXPECT_TRUE(world.sample(series, series.begin_s + 10, sample));
    EXPECT_FALSE(world.sample(series, series.begin_s - 10, sample));
    EXPECT_FALSE(world.sample(series, series.begin_s + DemoWorld::kJobSeconds, sample));
  }
  EXPECT_GE(jobs / 3, 400U);
}

}  // namespace
}  // namespace statmill
