#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "counters/report_lines.h"
#include "statmill/registry.h"
#include "tests/counters/received_histogram.h"

namespace statmill {
namespace {

TEST(CountersStress, ShortLivedThreadsLoseNoCount) {
  Registry registry;
  Counter& counter = registry.counter("hot", "");
  Histogram<>& histogram = registry.histogram("h", "");
  std::atomic<bool> done{false};
  std::thread reader([&] {
    uint64_t last = 0;
    while (!done) {
      const uint64_t now = counter.value();
      EXPECT_GE(now, last);
      last = now;
      registry.read();
    }
  });
  std::thread maker([&] {
    for (int i = 0; !done; ++i) {
      registry.counter("made." + std::to_string(i % 100), "").add();
      const Counter brief("brief", "", &registry);
      const Histogram<3, 20> brief_too("brief.too", "", &registry);
      const GaugeFn asked(
          "asked", "", [i] { return i; }, &registry);
    }
  });
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (uint64_t i = 0; i < 2000; ++i) {
          counter.add(2);
          histogram.record(i * t);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  done = true;
  reader.join();
  maker.join();
  EXPECT_EQ(counter.value(), 10u * 8 * 2000 * 2);
  EXPECT_EQ(histogram.count(), 10u * 8 * 2000);
  EXPECT_EQ(histogram.sum(), 10u * 28 * (1999u * 2000 / 2));
}

// Makes reports while threads record. In the end, the reports add up to the cells of the histogram.
TEST(CountersStress, ReportsAddUpDespiteRecordsInProgress) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kRecords = 20'000;
  Registry registry;
  Histogram<> histogram("h", "", &registry);
  ReportLines lines;
  ReceivedHistogram received;
  const auto report = [&] {
    const std::string text(lines.make(registry.read()));
    ASSERT_TRUE(received.add(text)) << text;
    lines.sent(text.size());
  };
  std::atomic<uint64_t> ended{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kRecords; ++i) histogram.record(1000 * (t + 1) + i % 100);
      ++ended;
    });
  }
  while (ended != kThreads) report();
  for (std::thread& thread : threads) thread.join();
  report();
  EXPECT_EQ(received.buckets(), buckets_of(registry.read().front()));
  EXPECT_TRUE(received.sum() == kRecords * (1000 * (1 + 2 + 3 + 4)) + kThreads * (kRecords / 100) * 4950);
}

}  // namespace
}  // namespace statmill
