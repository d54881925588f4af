// Counters, histograms and their readers, many threads at once: nothing is lost, sums never fall.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "statmill/registry.h"

namespace statmill {
namespace {

TEST(CountersStress, ThreadsThatComeAndGoLoseNothing) {
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

}  // namespace
}  // namespace statmill
