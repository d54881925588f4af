// Threads that send and one that hands over: every sample is handed over exactly once.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "agent/relay/relay_sink.h"
#include "proto/istatd/parser.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr int kThreads = 4;
constexpr int kBatches = 2000;

void relay_from_many_threads(Duration aggregate) {
  Registry registry;
  std::atomic<int> wakes{0};
  RelaySink sink({.aggregate = aggregate, .bytes_max = 1 << 20}, registry, [&wakes] { ++wakes; });
  std::atomic<uint64_t> accepted{0};
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string lines = "*shared 1\n*own." + std::to_string(t) + " 1\n%spread 3\nfar 1e300\n";
      for (int i = 0; i < kBatches; ++i) {
        Batch batch;
        parse_istatd_lines(lines, batch);
        accepted += sink.apply(batch, from_unix_seconds(kNow + i / 100));
      }
      --running;
    });
  }
  std::map<std::string, double> sums;  // of events, and counts of other kinds
  const auto drain = [&] {
    sink.drain(RelaySink::Which::kAll, SteadyTime{}, [&](const LineBatch& lines) {
      Batch batch;
      parse_istatd_lines(lines.text, batch);
      ASSERT_EQ(batch.received, batch.samples.size());
      for (const Sample& sample : batch.samples) {
        const double count = sample.ready == nullptr ? 1 : static_cast<double>(sample.ready->count);
        sums[std::string(sample.name)] += sample.kind == Kind::kEvent ? sample.value.value() : count;
      }
    });
  };
  while (running.load() > 0) drain();
  for (std::thread& thread : threads) thread.join();
  drain();
  double all = 0;
  for (const auto& [name, sum] : sums) all += sum;
  EXPECT_EQ(all, static_cast<double>(accepted));
  EXPECT_EQ(registry.counter("statmill.relay_samples_handed_over", "").value(), accepted);
}

TEST(RelayStress, NoSampleIsLostOrDoubledWithAggregation) { relay_from_many_threads(Duration(1000)); }

TEST(RelayStress, NoSampleIsLostOrDoubledWithoutAggregation) { relay_from_many_threads(Duration(0)); }

}  // namespace
}  // namespace statmill
