// The text of /api/v1/status.
#include "server/report/status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <set>

#include "proto/istatd/parser.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

namespace json = boost::json;

// A store whose sizes and oldest chunks a test chooses.
class SizedStore final : public ForwardingStore {
 public:
  explicit SizedStore(Store& store) : ForwardingStore(store) {}

  StoreStats stats() override { return stats_; }
  std::unique_ptr<StoreSnapshot> snapshot() override {
    return std::make_unique<Snapshot>(store_.snapshot(), oldest_);
  }

  StoreStats stats_;
  std::vector<std::optional<ChunkNo>> oldest_;

 private:
  class Snapshot final : public ForwardingSnapshot {
   public:
    Snapshot(std::unique_ptr<StoreSnapshot> of, const std::vector<std::optional<ChunkNo>>& oldest)
        : ForwardingSnapshot(std::move(of)), oldest_(oldest) {}
    Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) override { return oldest_[tier]; }

   private:
    const std::vector<std::optional<ChunkNo>>& oldest_;
  };
};

class StatusTest : public testing::Test {
 protected:
  StatusTest() {
    for (TierNo t = 0; t < tiers_.count(); ++t) store_.stats_.tiers.push_back({t, 0});
    store_.oldest_.resize(tiers_.count());
    store_.stats_.disk_free_bytes = 1'000'000'000;
  }
  void send(int64_t time_s) {
    const std::string line = "cpu " + std::to_string(time_s) + " 1\n";
    Batch batch;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(line, batch);
    ASSERT_EQ(table_.apply(batch, clock_.wall()), 1U);
  }
  void tick() {
    cache_.tick(store_, clock_.steady());
    forecast_.tick(cache_.stats(), clock_.steady());
  }
  json::object report() const {
    return json::parse(status_json({table_,
                                    cache_,
                                    forecast_,
                                    writes_,
                                    registry_,
                                    health_,
                                    connections_,
                                    clock_,
                                    started_,
                                    "abc",
                                    false,
                                    recording_,
                                    {},
                                    listeners_}))
        .as_object();
  }
  json::value oldest(size_t tier) const { return report().at("tiers").at(tier).at("oldest_s"); }

  std::string_view recording_;
  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y,1h:6y");
  ManualClock clock_{kNow};
  MemoryStore memory_{tiers_};
  SizedStore store_{memory_};
  Table table_{tiers_, {}};
  StoreStatsCache cache_;
  DiskForecast forecast_;
  WriteRate writes_{0};
  Registry registry_;
  Health health_;
  ConnectionRegistry connections_{SessionLimit(10)};
  const SteadyTime started_ = clock_.steady();
  std::vector<ListenerAddress> listeners_;
};

TEST_F(StatusTest, SaysWhereTheServerListens) {
  listeners_ = {{"line", "127.0.0.1:8111"}, {"http", "[::1]:8112"}};
  EXPECT_EQ(json::serialize(report().at("listeners")), R"({"line":"127.0.0.1:8111","http":"[::1]:8112"})");
}

TEST_F(StatusTest, SaysWhatTheStoreDoesToTheDisk) {
  store_.stats_.database.compaction_debt = 4711;
  tick();
  EXPECT_EQ(report().at("store").at("compaction_debt_bytes"), 4711);
  EXPECT_TRUE(report().at("disk_writes").is_null());
  writes_.tick({}, registry_, clock_.steady());
  writes_.tick({}, registry_, clock_.steady() + WriteRate::kObservedMin);
  EXPECT_EQ(report().at("disk_writes").at("observed_s"), 3600);
}

TEST_F(StatusTest, ATierHasStepSizeAndOldestSlot) {
  const int64_t begin = kNow - 100 * kDay;
  send(begin);
  send(kNow);
  store_.stats_.tiers[1].bytes_on_disk = 4096;
  store_.oldest_[0] = tiers_[0].chunk_of_time(kNow - 10 * kDay);
  store_.oldest_[1] = tiers_[1].chunk_of_time(begin);
  tick();
  const json::object tier = report().at("tiers").at(1).as_object();
  EXPECT_EQ(tier.at("step"), 300);
  EXPECT_EQ(tier.at("retention_s"), 365 * kDay);
  EXPECT_EQ(tier.at("bytes"), 4096);
  EXPECT_EQ(tier.at("oldest_s"), begin / 300 * 300) << "the slot of the oldest sample";
  EXPECT_EQ(oldest(0), int64_t{*store_.oldest_[0]} * tiers_[0].chunk_span_s()) << "older ones have expired";
  EXPECT_TRUE(oldest(2).is_null()) << "nothing is rolled up yet";
}

TEST_F(StatusTest, SaysWhichRecordingItShows) {
  EXPECT_FALSE(report().contains("recording"));
  recording_ = "web1.rec.gz";
  EXPECT_EQ(report().at("recording"), "web1.rec.gz");
}

TEST_F(StatusTest, WhatIsOnlyInMemoryIsOfTheFinestTier) {
  tick();
  EXPECT_TRUE(oldest(0).is_null());
  send(kNow - 7);
  EXPECT_EQ(oldest(0), kNow - 10);
  clock_.advance(std::chrono::hours(24 * 30));
  EXPECT_TRUE(oldest(0).is_null()) << "it has expired";
}

TEST_F(StatusTest, TheOldestChunksAreReadNowAndThen) {
  send(kNow - 20 * kDay);
  tick();
  store_.oldest_[1] = tiers_[1].chunk_of_time(kNow - 20 * kDay);
  clock_.advance(std::chrono::seconds(9));
  tick();
  EXPECT_TRUE(oldest(1).is_null());
  clock_.advance(std::chrono::seconds(1));
  tick();
  EXPECT_EQ(oldest(1), (kNow - 20 * kDay) / 300 * 300);
}

TEST_F(StatusTest, TheDiskFillsUntilRetentionEndsTheGrowth) {
  send(kNow - kDay);
  tick();
  EXPECT_TRUE(report().at("disk_forecast").is_null());
  for (int i = 0; i < 6 * 6; ++i) {  // 1 MB each ten minutes: 144 MB a day
    store_.stats_.tiers[0].bytes_on_disk += 1'000'000;
    clock_.advance(DiskForecast::kInterval);
    tick();
  }
  const json::object forecast = report().at("disk_forecast").as_object();
  EXPECT_EQ(forecast.at("observed_s"), 6 * kHour);
  EXPECT_EQ(forecast.at("bytes_per_day"), 144'000'000);
  EXPECT_NEAR(forecast.at("full_in_days").to_number<double>(), 6.9, 0.01);

  store_.stats_.disk_free_bytes = 2'000'000'000;
  clock_.advance(std::chrono::seconds(1));
  tick();
  EXPECT_TRUE(report().at("disk_forecast").at("full_in_days").is_null())
      << "the tier is nine days from its retention";

  store_.stats_.disk_free_bytes = std::nullopt;
  clock_.advance(std::chrono::seconds(1));
  tick();
  EXPECT_TRUE(report().at("disk_forecast").is_null());
}

TEST_F(StatusTest, DatagramsThatTheKernelDropsAreListed) {
  registry_.counter("statmill.samples_received", "", {{"listener", "udp"}}).add(7);
  registry_.counter("statmill.udp_datagrams_dropped", "", {{"listener", "udp"}}).add(3);
  registry_.counter("statmill.samples_received", "", {{"listener", "tcp"}}).add(1);
  const json::object samples = report().at("samples").as_object();
  EXPECT_EQ(samples.at("udp").at("dropped"), 3);
  EXPECT_FALSE(samples.at("tcp").as_object().contains("dropped"));
}

// The keys in the first column of the table in server/http/API.md.
std::set<std::string> documented_keys() {
  std::ifstream in(STATMILL_SOURCE_TREE "/server/http/API.md");
  std::set<std::string> out;
  bool is_in_section = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) is_in_section = line == "## GET /api/v1/status";
    if (!is_in_section || !line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find(" | ", 2));
    for (size_t begin = cell.find('`'); begin != std::string::npos;) {
      const size_t end = cell.find('`', begin + 1);
      out.insert(cell.substr(begin + 1, end - begin - 1));
      begin = cell.find('`', end + 1);
    }
  }
  return out;
}

TEST_F(StatusTest, EveryKeyIsDocumented) {
  recording_ = "web1.rec.gz";
  std::set<std::string> keys;
  for (const auto& [key, value] : report()) keys.insert(key);
  tick();
  for (const auto& [key, value] : report()) keys.insert(key);
  EXPECT_EQ(keys, documented_keys());
}

}  // namespace
}  // namespace statmill
