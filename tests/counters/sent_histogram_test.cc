#include "counters/sent_histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "counters/report_lines.h"
#include "tests/counters/received_histogram.h"

namespace statmill {
namespace {

// A reading of a histogram "h" with grouping power 5.
Reading reading(std::vector<Reading::Bucket> buckets, uint64_t sum) {
  Reading out;
  out.name = "h";
  out.type = Reading::Type::kHistogram;
  out.grouping_power = 5;
  out.buckets = std::move(buckets);
  out.sum = sum;
  return out;
}

// Sends all lines and returns their text.
std::string sent(SentHistogram& histogram, const Reading& reading) {
  std::string text;
  for (const SentHistogram::Line& line : histogram.lines(reading)) {
    text += line.text;
    histogram.sent(line);
  }
  return text;
}

TEST(SentHistogram, LinesHaveWhatWasAddedSinceTheLastSentLine) {
  Registry registry;
  ReportLines lines;
  Histogram<>& histogram = registry.histogram("a.b", "", {{"k", "v"}});
  EXPECT_EQ(lines.make(registry.read()), "") << "nothing was recorded";
  histogram.record(7);
  histogram.record_n(20'000, 2);
  registry.gauge("level", "").set(-5);
  const std::string first = "%a.b;k=v h5 40007 7:1 327:2\n";
  EXPECT_EQ(lines.make(registry.read()), first + "level -5\n");
  EXPECT_EQ(lines.sent(first.size() - 1), 0u) << "a partial line does not count";
  EXPECT_EQ(lines.make(registry.read()), first + "level -5\n");
  EXPECT_EQ(lines.sent(first.size()), 1u);
  EXPECT_EQ(lines.make(registry.read()), "level -5\n");
  histogram.record(7);
  histogram.record(8);
  EXPECT_EQ(lines.make(registry.read()), "%a.b;k=v h5 15 7:1 8:1\nlevel -5\n");
}

TEST(SentHistogram, RecreatedHistogramCountsFromZero) {
  SentHistogram histogram;
  EXPECT_EQ(sent(histogram, reading({{3, 9}, {5, 2}}, 37)), "%h h5 37 3:9 5:2\n");
  EXPECT_EQ(sent(histogram, reading({{3, 1}, {5, 7}}, 38)), "%h h5 38 3:1 5:7\n");
  EXPECT_EQ(sent(histogram, reading({{5, 8}}, 40)), "%h h5 40 5:8\n") << "a bucket has disappeared";
  Reading coarser = reading({{5, 9}}, 45);
  coarser.grouping_power = 3;
  EXPECT_EQ(sent(histogram, coarser), "%h h3 45 5:9\n") << "a different grouping power";
}

TEST(SentHistogram, RecreatedHistogramIsRepeatedUntilSent) {
  SentHistogram histogram;
  sent(histogram, reading({{3, 9}}, 27));
  EXPECT_EQ(histogram.lines(reading({{3, 1}}, 3)).size(), 1u);
  EXPECT_EQ(sent(histogram, reading({{3, 10}}, 30)), "%h h5 30 3:10\n");
}

TEST(SentHistogram, LongLinesAreSplit) {
  Registry registry;
  Histogram<> histogram("h", "", &registry);
  for (uint64_t value = 0; value < uint64_t{1} << 39; value += 1 + value / 40)
    histogram.record_n(value, 1000);
  SentHistogram lines_of;
  const Reading read = registry.read().front();
  const auto lines = lines_of.lines(read);
  EXPECT_GE(lines.size(), 8u);
  ReceivedHistogram received;
  for (const SentHistogram::Line& line : lines) {
    EXPECT_TRUE(received.add(line.text)) << line.text;
    EXPECT_EQ(line.text.back(), '\n');
    EXPECT_LE(line.text.size(), 1200u);
  }
  EXPECT_EQ(received.buckets(), buckets_of(read));
  EXPECT_TRUE(received.sum() == read.sum);
}

TEST(SentHistogram, LongNameHasAtLeastOneBucketPerLine) {
  Reading long_name = reading({{100, 1}, {200, 1}}, 3000);
  const std::string name(1024, 'n');
  long_name.name = name;
  SentHistogram histogram;
  for (const SentHistogram::Line& line : histogram.lines(long_name)) EXPECT_LE(line.text.size(), 1200u);
  const std::string longer(5000, 'n');
  long_name.name = longer;
  EXPECT_EQ(histogram.lines(long_name).size(), 2u);
}

TEST(SentHistogram, CountsThatAServerWouldRefuseAreSplit) {
  constexpr uint64_t kMany = uint64_t{1} << 50;
  SentHistogram histogram;
  const Reading read = reading({{2, 5}, {3, kMany}, {4, 1}}, 10 + 3 * kMany + 4);
  ReceivedHistogram received;
  EXPECT_TRUE(received.add(sent(histogram, read)));
  EXPECT_EQ(received.buckets(), buckets_of(read));
  EXPECT_TRUE(received.sum() == read.sum);
  EXPECT_EQ(sent(histogram, read), "");
}

TEST(SentHistogram, SumsBeyond64BitsAreExact) {
  Registry registry;
  Histogram<8, 64> histogram("h", "", &registry);
  histogram.record_n(uint64_t{3} << 62, 5);
  SentHistogram lines_of;
  EXPECT_EQ(sent(lines_of, registry.read().front()), "%h h8 69175290276410818560 14464:5\n");
}

TEST(SentHistogram, OverflowsCountAsTheLargestValue) {
  Registry registry;
  Histogram<5, 10> histogram("h", "", &registry);
  histogram.record(1'000'000);
  SentHistogram lines_of;
  EXPECT_EQ(sent(lines_of, registry.read().front()), "%h h5 1023 191:1\n");
  histogram.record(1000);
  EXPECT_EQ(sent(lines_of, registry.read().front()), "%h h5 1000 190:1\n") << "no other bucket is affected";
  histogram.record(uint64_t{1} << 62);
  EXPECT_EQ(sent(lines_of, registry.read().front()), "%h h5 1023 191:1\n");
}

TEST(SentHistogram, ImpossibleSumIsSentAsTheNearestAndCorrectedLater) {
  SentHistogram histogram;
  const uint64_t least = h2::lower_bound(5, 327);
  const uint64_t greatest = h2::upper_bound(5, 327);
  EXPECT_EQ(sent(histogram, reading({{327, 1}}, 2 * greatest)),
            "%h h5 " + std::to_string(greatest) + " 327:1\n")
      << "a value is in the sum and not in its bucket";
  EXPECT_EQ(sent(histogram, reading({{327, 2}}, 2 * greatest)),
            "%h h5 " + std::to_string(greatest) + " 327:1\n");
  EXPECT_EQ(sent(histogram, reading({{327, 3}}, 2 * greatest)), "%h h5 " + std::to_string(least) + " 327:1\n")
      << "a value is in its bucket and not in the sum";
  EXPECT_EQ(sent(histogram, reading({{327, 5}}, 5 * greatest)),
            "%h h5 " + std::to_string(2 * greatest) + " 327:2\n")
      << "the rest of it does not fit";
}

TEST(SentHistogram, TwoHistogramsOfOneNameDoNoHarm) {
  Registry registry;
  Histogram<> one("h", "", &registry);
  Histogram<3, 64> other("h", "", &registry);
  ReportLines lines;
  for (int i = 0; i < 3; ++i) {
    one.record(1'000'000);
    other.record(5);
    const size_t size = lines.make(registry.read()).size();
    EXPECT_EQ(lines.sent(size), 2u);
  }
}

// Reports of which the kernel accepts only some bytes, while more is recorded.
RC_GTEST_PROP(SentHistogram, SentLinesAddUpToWhatWasRecorded, ()) {
  Registry registry;
  Histogram<5, 44> histogram("h", "", &registry);
  ReportLines lines;
  ReceivedHistogram received;
  Uint128 sum = 0;
  const auto reports = *rc::gen::inRange(1, 8);
  for (int report = 0; report < reports; ++report) {
    const auto values = *rc::gen::arbitrary<std::vector<uint64_t>>();
    for (const uint64_t any : values) {
      const auto n = *rc::gen::inRange<uint64_t>(1, 1000);
      const uint64_t value = any * 0x9e3779b97f4a7c15 >> (20 + any % 44);
      histogram.record_n(value, n);
      sum += Uint128{value} * n;
    }
    const std::string text(lines.make(registry.read()));
    const size_t sent = report + 1 == reports ? text.size() : *rc::gen::inRange<size_t>(0, text.size() + 1);
    lines.sent(sent);
    const size_t end = sent == 0 ? std::string::npos : text.rfind('\n', sent - 1);
    RC_ASSERT(received.add(text.substr(0, end + 1)));
  }
  RC_ASSERT(received.buckets() == buckets_of(registry.read().front()));
  RC_ASSERT(received.sum() == sum);
}

}  // namespace
}  // namespace statmill
