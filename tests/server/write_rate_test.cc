// What is written per sample and per day, and for how many years a disk bears that.
#include "server/write_rate.h"

#include <gtest/gtest.h>

#include "server/report/writing_report.h"

namespace statmill {
namespace {

class WriteRateTest : public testing::Test {
 protected:
  WriteRateTest() {
    stats_.written = {1000, 1000, 1000};
    samples_.add(77);
    registry_.counter("statmill.samples_accepted", "Accepted.", {{"listener", "tcp"}}).add(3);
  }
  void tick() { rate_.tick(stats_, registry_, now_); }
  // An hour in which each sample writes 1, 2 and 3 bytes to files, and 10 to the disk.
  void pass_hours(int hours, uint64_t samples_per_hour) {
    for (int i = 0; i < hours; ++i) {
      tick();
      now_ += std::chrono::hours(1);
      samples_.add(samples_per_hour);
      stats_.written.log += samples_per_hour;
      stats_.written.flush += 2 * samples_per_hour;
      stats_.written.compaction += 3 * samples_per_hour;
      disk_.add(10 * samples_per_hour);
    }
    tick();
  }
  std::string json() const {
    std::string out;
    write_disk_writes(out, rate_);
    return out;
  }

  Registry registry_;
  Counter& samples_ = registry_.counter("statmill.samples_accepted", "Accepted.", {{"listener", "udp"}});
  Counter& disk_ = registry_.counter("process.disk_written_bytes", "Written.");
  StoreStats stats_;
  WriteRate rate_{2};
  SteadyTime now_{std::chrono::hours(1)};
};

TEST_F(WriteRateTest, NothingIsKnownInTheFirstHour) {
  EXPECT_EQ(json(), "null");
  tick();
  now_ += std::chrono::minutes(59);
  tick();
  EXPECT_FALSE(rate_.observed());
  EXPECT_EQ(json(), "null");
  now_ += std::chrono::minutes(11);
  tick();
  EXPECT_TRUE(rate_.observed());
}

TEST_F(WriteRateTest, OnlyWhatComesAfterTheFirstMarkCounts) {
  pass_hours(2, 1'000'000);
  EXPECT_EQ(json(), R"({"observed_s":7200,"samples":2000000,)"
                    R"("bytes_per_sample":{"log":1,"flush":2,"compaction":3,"all":6},)"
                    R"("bytes_per_day":240000000,"rated_tb":2,"rated_years":22.8})");
}

TEST_F(WriteRateTest, OnlyTheLastDayCounts) {
  pass_hours(30, 1'000'000'000);
  pass_hours(25, 1'000'000);
  const auto observed = rate_.observed();
  ASSERT_TRUE(observed);
  EXPECT_EQ(observed->over, WriteRate::kWindow);
  EXPECT_EQ(observed->samples, 24'000'000U);
}

TEST_F(WriteRateTest, WithoutSamplesOrWritesThereIsNoRatio) {
  pass_hours(2, 0);
  EXPECT_EQ(json(), R"({"observed_s":7200,"samples":0,"bytes_per_sample":null,"bytes_per_day":0,)"
                    R"("rated_tb":2,"rated_years":null})");
}

TEST(WriteRate, WithoutRatingOrTheKernelsCountThereAreNoYears) {
  Registry registry;
  registry.counter("statmill.samples_accepted", "Accepted.", {{"listener", "udp"}}).add(1);
  WriteRate rate(0);
  rate.tick({}, registry, SteadyTime(std::chrono::hours(1)));
  rate.tick({}, registry, SteadyTime(std::chrono::hours(2)));
  std::string out;
  write_disk_writes(out, rate);
  EXPECT_EQ(out, R"({"observed_s":3600,"samples":0,"bytes_per_sample":null,"bytes_per_day":null,)"
                 R"("rated_tb":null,"rated_years":null})");
}

TEST(WritingReport, SaysWhatTheStoreDoesNow) {
  StoreStats stats;
  stats.written = {1, 2, 3};
  stats.cache = {2, 1};
  stats.stalls = {4, 5, std::chrono::microseconds(1'500'000)};
  stats.database = {6, 7, 8, 9, 10};
  Registry registry;
  registry.gauge("statmill.store_stalled", "Stalled.", {{"how", "slowed"}}).set(1);
  Gauge& stopped = registry.gauge("statmill.store_stalled", "Stalled.", {{"how", "stopped"}});
  std::string out;
  write_store(out, stats, registry.read());
  EXPECT_EQ(out, R"({"live_bytes":6,"file_bytes":7,"obsolete_bytes":8,"log_bytes":9,)"
                 R"("compaction_debt_bytes":10,"written_bytes":{"log":1,"flush":2,"compaction":3},)"
                 R"("stall":"slowed","slowdowns":4,"stops":5,"stalled_s":1.5,)"
                 R"("cache_hits":2,"cache_misses":1,"cache_hit_ratio":0.6667})");
  stopped.set(1);
  out.clear();
  write_store(out, {}, registry.read());
  EXPECT_NE(out.find(R"("stall":"stopped")"), std::string::npos);
  EXPECT_NE(out.find(R"("cache_hit_ratio":null)"), std::string::npos);
}

}  // namespace
}  // namespace statmill
