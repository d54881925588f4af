// Batches of lines are cut at line ends, and none exceeds the limit.
#include "agent/relay/line_chunks.h"

#include <gtest/gtest.h>

#include "proto/istatd/writer.h"

namespace statmill {
namespace {

Sample sample_named(std::string_view name) {
  Sample sample;
  sample.name = name;
  sample.time_s = 7;
  sample.value = Number::decimal(15, 1);
  return sample;
}

TEST(LineChunks, AreCutBetweenLines) {
  LineChunks chunks;
  std::string all;
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = "a" + std::to_string(i);
    chunks.add(sample_named(name));
    append_line(all, sample_named(name));
  }
  std::string text;
  for (const LineBatch& batch : chunks.drain()) {
    EXPECT_LE(batch.text.size(), LineChunks::kTextBytesMax);
    EXPECT_EQ(batch.text.back(), '\n');
    EXPECT_EQ(batch.lines, static_cast<uint64_t>(std::count(batch.text.begin(), batch.text.end(), '\n')));
    text += batch.text;
  }
  EXPECT_EQ(text, all);
  EXPECT_TRUE(chunks.drain().empty());
  EXPECT_EQ(chunks.memory_bytes(), 0U);
}

TEST(LineChunks, TheLongestLineFits) {
  const std::string name(kNameBytesMax, 'N');
  std::vector<HistogramCell> cells;  // the maximum for 64-bit integers, with 2^48 samples
  constexpr size_t kCells = size_t{64 - kHistogramGroupingPower + 1} << kHistogramGroupingPower;
  for (size_t i = 0; i < kCells; ++i) {
    cells.push_back({static_cast<HistogramIndex>(kHistogramIndexOfOne + i), (uint64_t{1} << 48) / kCells});
  }
  const Number longest = Number::of(-2.2250738585072011e-308);
  const ReadyBucket ready{uint64_t{1} << 48, longest, longest, longest, cells};
  Sample sample = sample_named(name);
  sample.kind = Kind::kDistribution;
  sample.value = longest;
  sample.time_s = std::numeric_limits<int64_t>::min();
  sample.ready = &ready;
  LineChunks chunks;
  chunks.add(sample);
  EXPECT_LE(chunks.drain().at(0).text.size(), LineChunks::kTextBytesMax);
}

TEST(LineChunks, FullBatchesGetNoMoreLines) {
  LineChunks chunks;
  chunks.add(sample_named("a"));
  EXPECT_TRUE(chunks.drain_full().empty());
  const std::string name(kNameBytesMax, 'a');
  for (size_t bytes = 0; bytes < LineChunks::kTextBytesMax; bytes += name.size())
    chunks.add(sample_named(name));
  EXPECT_EQ(chunks.drain_full().size(), 1U);
  EXPECT_EQ(chunks.drain().size(), 1U);
}

}  // namespace
}  // namespace statmill
