// Ingest, ticks, flushes, changes of names and queries at the same time: every query counts every sample
// exactly once (invariants A, B, C).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/table/table.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/answers.h"
#include "tests/support/memory_store.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr int kBatches = 10'000;
constexpr int kSeries = 20;

class Stress : public testing::Test {
 protected:
  TickTime time(int tick, int64_t later_s = 0) const {
    return {from_unix_seconds(kNow + later_s), SteadyTime(std::chrono::seconds(tick))};
  }
  // Each batch has one sample of every series and one of "doomed", which is deleted again and again.
  void write(std::atomic<int>& sent, std::atomic<int>& accepted) {
    std::string text = "doomed " + std::to_string(kNow) + " 1\n";
    for (int s = 0; s < kSeries; ++s) text += "s" + std::to_string(s) + " " + std::to_string(kNow) + " 1\n";
    for (int i = 0; i < kBatches; ++i) {
      Batch batch;
      parse_istatd_lines(text, batch);
      ++sent;
      ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), static_cast<uint64_t>(kSeries + 1));
      ++accepted;
    }
  }
  // Returns the count of each series that matches; empty if none exists.
  std::vector<uint64_t> counts(const Table& table, const std::string& glob) {
    const QueryEngine engine(table, store_, {});
    const auto answer = engine.run({{glob}, kNow - 100, kNow + 100, 10, {}}, from_unix_seconds(kNow));
    if (!answer) return {};
    std::vector<uint64_t> out;
    for (const SeriesAnswer& series : answer->series) {
      out.push_back(0);
      for (const Bucket& b : buckets_of(series)) out.back() += b.count();
    }
    return out;
  }
  uint64_t count(const std::string& name) {
    const std::vector<uint64_t> all = counts(table_, name);
    return all.empty() ? 0 : all.at(0);
  }

  void count_during_ticks(const std::function<void(Ticker& ticker, int tick)>& after_tick);

  const Tiers tiers_ = *Tiers::parse("10s:10d,5m:1y");
  MemoryStore store_{tiers_};
  Table table_{tiers_, {}};
  Registry registry_;
  Health health_;
  Log log_{LogLevel::kError};
};

// Writes, ticks and asks at the same time. Calls `after_tick` on the thread that ticks.
void Stress::count_during_ticks(const std::function<void(Ticker& ticker, int tick)>& after_tick) {
  Ticker ticker({table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{});
  std::array<std::atomic<int>, 2> sent{};
  std::array<std::atomic<int>, 2> accepted{};
  std::atomic<bool> done{false};
  std::thread first([&] { write(sent[0], accepted[0]); });
  std::thread second([&] { write(sent[1], accepted[1]); });
  std::thread ticking([&] {
    for (int i = 1; !done; ++i) {
      ASSERT_TRUE(i % 3 == 0 ? ticker.flush_all(time(i)) : ticker.tick(time(i)));
      after_tick(ticker, i);
    }
  });
  std::thread asking([&] {
    for (int i = 0; !done; ++i) {
      const int least = accepted[0] + accepted[1];
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
  EXPECT_EQ(counts(again, "s7"), std::vector<uint64_t>{2U * kBatches});
}

TEST_F(Stress, QueriesCountEverySampleExactlyOnceDuringTicksAndFlushes) {
  count_during_ticks([](Ticker&, int) {});
}

TEST_F(Stress, QueriesCountEverySampleExactlyOnceWhileTheRetentionChanges) {
  count_during_ticks([this](Ticker& ticker, int tick) {
    if (tick % 4 != 0) return;
    ASSERT_TRUE(
        ticker.set_retention(*Tiers::parse(tick % 8 == 0 ? "10s:1d,5m:3d" : "10s:20d,5m:2y"), time(tick)));
  });
}

// Samples wake series up while flushes make them idle and the index of their names is renewed.
TEST_F(Stress, IdleSeriesLoseNoSampleWhenTheyWakeUp) {
  constexpr uint64_t kRounds = 300;
  Ticker ticker({table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{});
  std::string text;
  for (int s = 0; s < kSeries; ++s) text += "s" + std::to_string(s) + " " + std::to_string(kNow) + " 1\n";
  std::vector<std::string> names;
  for (size_t i = 0; i < Table::kRemovedMax + 1; ++i) names.push_back("gone." + std::to_string(i));
  std::string lines;
  for (const std::string& name : names) lines += name + " 1\n";
  Batch batch;
  parse_istatd_lines(lines, batch);
  ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), names.size());
  while (table_.unindexed_count() > 0) ticker.update_index();
  const std::vector<std::string_view> gone(names.begin(), names.end());
  ASSERT_TRUE(ticker.change({.deletes = gone, .slots = {}, .renames = {}}, time(1)));
  std::atomic<uint64_t> accepted{0};
  std::atomic<bool> done{false};
  std::thread writing([&] {
    for (uint64_t round = 1; round <= kRounds && !HasFailure(); ++round) {
      Batch samples;
      parse_istatd_lines(text, samples);
      ASSERT_EQ(table_.apply(samples, from_unix_seconds(kNow)), static_cast<uint64_t>(kSeries));
      accepted = round;
      // Every other round waits until all series are idle; the next one meets them on their way.
      while (round % 2 == 0 && table_.idle_count() < kSeries && !HasFailure()) std::this_thread::yield();
    }
  });
  std::thread ticking([&] {
    for (int i = 2; !done; ++i) {
      ASSERT_TRUE(ticker.flush_all(time(i, 2 * Series::kIdleS)));
      table_.index_names(100);
      if (i > 20) table_.renew_index(1);
    }
  });
  std::thread asking([&] {
    for (int i = 0; !done; ++i) {
      const uint64_t least = accepted;
      const uint64_t seen = count("s" + std::to_string(i % kSeries));
      ASSERT_GE(seen, least);
      ASSERT_LE(seen, accepted + 1);
    }
  });
  writing.join();
  done = true;
  ticking.join();
  asking.join();
  EXPECT_EQ(table_.index_renewals(), 1U);
  EXPECT_EQ(table_.idle_count(), static_cast<size_t>(kSeries));
  for (int s = 0; s < kSeries; ++s) EXPECT_EQ(count("s" + std::to_string(s)), kRounds) << s;
  Table again(tiers_, {});
  ASSERT_TRUE(recover(store_, again));
  EXPECT_EQ(counts(again, "*"), counts(table_, "*"));
}

// One series is deleted and then created again by the next sample; one is renamed back and forth.
TEST_F(Stress, QueriesSeeAChangeOfNamesWhollyOrNotAtAll) {
  Batch batch;
  const std::string line = "moved.a " + std::to_string(kNow) + " 1";
  parse_istatd_lines(line, batch);
  ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), 1U);
  Ticker ticker({table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{});
  std::array<std::atomic<int>, 2> sent{};
  std::array<std::atomic<int>, 2> accepted{};
  std::atomic<int> deleted{0};  // batches accepted before the last deletion
  std::atomic<bool> done{false};
  std::thread first([&] { write(sent[0], accepted[0]); });
  std::thread second([&] { write(sent[1], accepted[1]); });
  std::thread ticking([&] {
    constexpr std::string_view kDoomed[] = {"doomed"};
    for (int i = 1; !done; ++i) {
      const bool there = i % 8 < 4;
      const NewName move{there ? "moved.a" : "moved.b", there ? "moved.b" : "moved.a"};
      const int before = accepted[0] + accepted[1];
      if (i % 4 == 1) {
        const auto moved = ticker.change({.deletes = {}, .slots = {}, .renames = {&move, 1}}, time(i));
        ASSERT_EQ(moved->renamed.size(), 1U);
      } else if (i % 4 == 3) {
        ASSERT_TRUE(ticker.change({.deletes = kDoomed, .slots = {}, .renames = {}}, time(i)));
        deleted = before;
      } else {
        ASSERT_TRUE(i % 16 == 2 ? ticker.flush_all(time(i)) : ticker.tick(time(i)));
      }
    }
  });
  const auto ask = [&] {
    while (!done) {
      ASSERT_EQ(counts(table_, "moved.*"), std::vector<uint64_t>{1});
      const int gone = deleted;
      const uint64_t seen = count("doomed");
      const int most = sent[0] + sent[1];
      ASSERT_LE(seen, static_cast<uint64_t>(most - gone));
      const QueryEngine engine(table_, store_, {});
      ASSERT_EQ(engine.list(*Glob::parse("moved.*"), 10).series.size(), 1U);
    }
  };
  std::thread asking(ask);
  first.join();
  second.join();
  done = true;
  ticking.join();
  asking.join();
  ASSERT_TRUE(ticker.tick(time(1'000'000)));
  for (int s = 0; s < kSeries; ++s) EXPECT_EQ(count("s" + std::to_string(s)), 2U * kBatches) << s;
  Table again(tiers_, {});
  ASSERT_TRUE(recover(store_, again));
  EXPECT_EQ(counts(again, "*"), counts(table_, "*"));
  EXPECT_EQ(again.series_count(), table_.series_count());
}

// Many names are deleted again and again, until a new index of names replaces the one before.
TEST_F(Stress, SearchesSeeAllNamesWhileTheIndexIsRenewed) {
  constexpr int kRounds = 3;
  constexpr size_t kGone = Table::kRemovedMax + 2000;
  Ticker ticker({table_, store_, registry_, health_, log_}, {}, {}, SteadyTime{});
  std::atomic<size_t> kept{0};      // names "kept.*" that exist
  std::atomic<int> gone_before{0};  // names "gone.*" of earlier rounds are deleted
  std::atomic<bool> done{false};
  const auto ask = [&] {
    while (!done && !HasFailure()) {
      const size_t least = kept;
      const int round = gone_before;
      std::set<std::string> seen;
      table_.search(*Glob::parse("kept.*"), [&](std::string_view name) {
        EXPECT_TRUE(seen.emplace(name).second) << name << " twice";
        return true;
      });
      ASSERT_GE(seen.size(), least);
      for (int r = 0; r < round; ++r) {
        table_.search(*Glob::parse("gone." + std::to_string(r) + ".*"), [&](std::string_view name) {
          ADD_FAILURE() << name << " is deleted";
          return false;
        });
      }
    }
  };
  std::thread first(ask);
  std::thread second(ask);
  for (int round = 0, tick = 1; round < kRounds; ++round) {
    std::vector<std::string> names;
    for (size_t i = 0; i < kGone; ++i)
      names.push_back("gone." + std::to_string(round) + "." + std::to_string(i));
    std::string lines;
    for (const std::string& name : names) lines += name + " 1\n";
    for (int i = 0; i < 100; ++i)
      lines += "kept." + std::to_string(round) + ".n" + std::to_string(i) + " 1\n";
    Batch batch;
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow)), kGone + 100);
    kept += 100;
    while (table_.unindexed_count() > 0) ticker.update_index();
    const std::vector<std::string_view> gone(names.begin(), names.end());
    ASSERT_TRUE(ticker.change({.deletes = gone, .slots = {}, .renames = {}}, time(tick++)));
    gone_before = round + 1;
    const uint64_t renewals = table_.index_renewals();
    while (table_.index_renewals() == renewals && !HasFailure()) ticker.update_index();
  }
  done = true;
  first.join();
  second.join();
  EXPECT_EQ(counts(table_, "kept.*").size(), kRounds * 100U);
}

}  // namespace
}  // namespace statmill
