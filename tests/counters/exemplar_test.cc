#include "statmill/exemplar.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "statmill/registry.h"

namespace statmill {
namespace {

TEST(LargestExemplar, IsTheLargestSinceItWasReset) {
  LargestExemplar exemplar;
  EXPECT_EQ(exemplar.read(true), std::nullopt);
  exemplar.offer(5, "trace_id=a");
  exemplar.offer(7, "trace_id=b");
  exemplar.offer(6, "trace_id=c");
  exemplar.offer(7, "trace_id=d");
  const auto kept = exemplar.read(false);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->value, 7u);
  EXPECT_EQ(kept->labels, "trace_id=b");
  EXPECT_GT(kept->time_ms, 1'700'000'000'000);
  EXPECT_EQ(exemplar.read(true)->labels, "trace_id=b");
  EXPECT_EQ(exemplar.read(true), std::nullopt);
  exemplar.offer(0, "trace_id=e");
  EXPECT_EQ(exemplar.read(true)->labels, "trace_id=e") << "zero is a value, too";
}

TEST(LargestExemplar, LeavesOutALongTextAndNone) {
  LargestExemplar exemplar;
  exemplar.offer(5, "");
  exemplar.offer(5, std::string(LargestExemplar::kTextBytesMax + 1, 'x'));
  EXPECT_EQ(exemplar.read(false), std::nullopt);
  exemplar.offer(5, std::string(LargestExemplar::kTextBytesMax, 'x'));
  EXPECT_TRUE(exemplar.read(false));
}

TEST(LargestExemplar, IsWholeWhateverOtherThreadsDo) {
  LargestExemplar exemplar;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&exemplar, t] {
      for (uint64_t i = 0; i < 20'000; ++i) {
        const uint64_t value = i * 4 + static_cast<uint64_t>(t);
        exemplar.offer(value, "v=" + std::to_string(value));
      }
    });
  }
  for (int i = 0; i < 20'000; ++i) {
    const auto read = exemplar.read(i % 8 == 0);
    EXPECT_TRUE(!read || read->labels == "v=" + std::to_string(read->value));
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HistogramExemplar, IsReadAndResetAsAMaximum) {
  Registry registry;
  Histogram<>& histogram = registry.histogram("a.b_us", "");
  histogram.record(1000);
  EXPECT_FALSE(registry.read(Maxima::kReset)[0].exemplar) << "plain records have none";
  histogram.record_with(50, "trace_id=a");
  Timer timer(histogram);
  EXPECT_GT(timer.stop_with("trace_id=b"), 0u);
  EXPECT_EQ(timer.stop_with("trace_id=c"), 0u);
  EXPECT_TRUE(registry.read()[0].exemplar);
  const auto readings = registry.read(Maxima::kReset);
  EXPECT_EQ(readings[0].count, 3u);
  ASSERT_TRUE(readings[0].exemplar);
  EXPECT_FALSE(registry.read(Maxima::kReset)[0].exemplar);
}

}  // namespace
}  // namespace statmill
