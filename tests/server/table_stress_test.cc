// Ingest, tick, flush and queries at once: every sample is seen exactly once at any moment (invariants A, B,
// C).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "proto/istatd_lines.h"
#include "server/query/engine.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

constexpr int64_t kNow = 1'700'000'000;
constexpr int kBatches = 10'000;
constexpr int kSeries = 20;

class Stress : public testing::Test {
 protected:
  TickTime time(int tick) const { return {from_unix_seconds(kNow), SteadyTime(std::chrono::seconds(tick))}; }
  // Each batch holds one sample for every series.
  void write(std::atomic<int>& sent, std::atomic<int>& taken) {
    std::string text;
    for (int s = 0; s < kSeries; ++s) text += "s" + std::to_string(s) + " " + std::to_string(kNow) + " 1\n";
    for (int i = 0; i < kBatches; ++i) {
      Batch batch;
      parse_istatd_lines(text, batch);
      ++sent;
      ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), static_cast<uint64_t>(kSeries));
      ++taken;
    }
  }
  uint64_t count(const std::string& name) {
    const QueryEngine engine(table_, store_, {});
    const auto answer = engine.run({{name}, kNow - 100, kNow + 100, 10, {}}, from_unix_seconds(kNow));
    if (!answer) return 0;  // not there yet
    uint64_t n = 0;
    for (const Bucket& b : answer->series.at(0).slots) n += b.count();
    return n;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  Table table_{tiers_, {}};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
};

TEST_F(Stress, QueriesSeeEverySampleExactlyOnceWhileTicksAndFlushesGoOn) {
  Ticker ticker({table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{});
  std::array<std::atomic<int>, 2> sent{};
  std::array<std::atomic<int>, 2> taken{};
  std::atomic<bool> done{false};
  std::thread first([&] { write(sent[0], taken[0]); });
  std::thread second([&] { write(sent[1], taken[1]); });
  std::thread ticking([&] {
    for (int i = 1; !done; ++i) ASSERT_TRUE(i % 3 == 0 ? ticker.flush_all(time(i)) : ticker.tick(time(i)));
  });
  std::thread asking([&] {
    for (int i = 0; !done; ++i) {
      const int least = taken[0] + taken[1];
      const uint64_t seen = count("s" + std::to_string(i % kSeries));
      const int most = sent[0] + sent[1];
      ASSERT_GE(seen, static_cast<uint64_t>(least));
      ASSERT_LE(seen, static_cast<uint64_t>(most));
    }
  });
  first.join();
  second.join();
  done = true;
  ticking.join();
  asking.join();
  ASSERT_TRUE(ticker.tick(time(1'000'000)));
  for (int s = 0; s < kSeries; ++s) EXPECT_EQ(count("s" + std::to_string(s)), 2U * kBatches) << s;
  Table again(tiers_, {});
  ASSERT_TRUE(recover(store_, again));
  const QueryEngine engine(again, store_, {});
  const auto answer = engine.run({{"s7"}, kNow - 100, kNow + 100, 10, {}}, from_unix_seconds(kNow));
  uint64_t recovered = 0;
  for (const Bucket& b : answer->series.at(0).slots) recovered += b.count();
  EXPECT_EQ(recovered, 2U * kBatches);
}

}  // namespace
}  // namespace statmill
