#include "server/prometheus/histogram_step.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace statmill {
namespace {

ForeignHistogram with_bounds(std::vector<double> bounds, const std::vector<uint64_t>& counts,
                             double sum = 0) {
  ForeignHistogram histogram;
  histogram.bounds = std::move(bounds);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) histogram.buckets.push_back({static_cast<BucketNumber>(i), counts[i]});
    histogram.count += counts[i];
  }
  histogram.sum = Number::shortest(sum);
  return histogram;
}
ForeignHistogram of(const std::vector<uint64_t>& counts, double sum = 0) {
  return with_bounds({10, 20}, counts, sum);
}
TimedValue at(int64_t time_ms, int64_t start_ms = 0, uint32_t time_ns = 0) {
  return {{}, time_ms, start_ms, time_ns};
}

std::string text(const HistogramStep& step) {
  std::string out = step.is_reset ? "reset " : "";
  switch (step.kind) {
    case HistogramStepKind::kAll:
      return out + "all";
    case HistogramStepKind::kNothing:
      return out + "nothing";
    case HistogramStepKind::kChanged:
      return out + "changed";
    case HistogramStepKind::kRepeated:
      return out + "repeated";
    case HistogramStepKind::kOlder:
      return out + "older";
    case HistogramStepKind::kDifference:
      break;
  }
  for (const SentBucket& bucket : step.difference.buckets)
    out += std::to_string(bucket.number) + ":" + std::to_string(bucket.count) + " ";
  return out + "sum " + std::to_string(step.difference.sum->value());
}

// A series, and what it had last.
class Series {
 public:
  std::string next(const ForeignHistogram& histogram, const TimedValue& time) {
    const HistogramStep step = histogram_step(histogram, time, is_new_, last_);
    is_new_ = false;
    return text(step);
  }
  LastValue last_;
  bool is_new_ = true;
};

TEST(HistogramStep, TheFirstCountsOnlyIfItsStartIsKnown) {
  EXPECT_EQ(Series().next(of({1, 2, 3}), at(1000)), "nothing");
  EXPECT_EQ(Series().next(of({1, 2, 3}), at(1000, 1000)), "nothing");
  EXPECT_EQ(Series().next(of({1, 2, 3}), at(1000, 999)), "all");
}

TEST(HistogramStep, ANextOneCountsWhatEachBucketWentUpBy) {
  Series series;
  series.next(of({1, 2, 3}, 100.1), at(1000, 500));
  EXPECT_EQ(series.next(of({1, 5, 4}, 150.3), at(2000, 500)), "1:3 2:1 sum 50.200000");
  EXPECT_EQ(series.next(of({1, 5, 4}, 150.3), at(3000, 500)), "sum 0.000000");
  EXPECT_EQ(series.next(of({1, 5, 4}, 150.3), at(3000, 500)), "repeated");
  EXPECT_EQ(series.next(of({1, 5, 5}, 200), at(3000, 500, 1)), "2:1 sum 49.700000") << "a nanosecond later";
  EXPECT_EQ(series.next(of({1, 5, 4}, 150.3), at(2500, 500)), "older");
  EXPECT_EQ(series.next(of({2, 0, 0}, 7), at(4000, 3500)), "reset all") << "a later start";
  EXPECT_EQ(series.next(of({3, 1, 0}, 8), at(5000, 3900)), "0:1 1:1 sum 1.000000") << "the same start";
  EXPECT_EQ(series.next(of({2, 5, 0}, 8), at(6000, 3900)), "reset all") << "a bucket went down";
  EXPECT_EQ(series.next(of({0, 5, 0}, 8), at(7000, 3900)), "reset all") << "a bucket is empty again";
}

TEST(HistogramStep, OtherBoundsFromTheSameStartCountNothing) {
  Series series;
  series.next(of({1, 2, 3}), at(1000, 500));
  EXPECT_EQ(series.next(with_bounds({10, 21}, {9, 9, 9}), at(2000, 500)), "changed");
  EXPECT_EQ(series.next(with_bounds({10, 21}, {9, 9, 10}, 5), at(3000, 500)), "2:1 sum 5.000000");
  EXPECT_EQ(series.next(of({1, 0, 0}), at(4000, 3500)), "reset all") << "from a later one they do";
}

TEST(HistogramStep, NewExtremesAreOfTheTimeBetween) {
  LastValue last;
  ForeignHistogram histogram = of({1, 2, 3}, 100);
  histogram.min = Number::shortest(1);
  histogram.max = Number::shortest(30);
  histogram_step(histogram, at(1000, 500), true, last);
  histogram = of({2, 2, 3}, 103);
  histogram.min = Number::shortest(1);
  histogram.max = Number::shortest(40);
  const HistogramStep step = histogram_step(histogram, at(2000, 500), false, last);
  EXPECT_EQ(step.difference.min, std::nullopt);
  EXPECT_EQ(step.difference.max, Number::shortest(40));
}

TEST(HistogramStep, AfterAmountsOnlyALaterStartCounts) {
  Series series;
  series.is_new_ = false;
  amount_step({{}, 1000, 500, 0}, true, series.last_);
  EXPECT_EQ(series.next(of({1, 2, 3}), at(2000, 700)), "changed") << "the amounts may have it";
  Series later;
  later.is_new_ = false;
  amount_step({{}, 1000, 500, 0}, true, later.last_);
  EXPECT_EQ(later.next(of({1, 2, 3}), at(3000, 2500)), "reset all");
}

// An exponential histogram of numbers, at a scale that may fall, and how many each bucket of the lowest scale
// has.
struct Exponential {
  int32_t scale = 6;
  std::map<int64_t, uint64_t> counts;  // by index at scale 6
  uint64_t zeros = 0;

  ForeignHistogram histogram() const {
    std::map<BucketNumber, uint64_t> joined;
    for (const auto& [index, count] : counts)
      joined[exponential_bucket(index >> (6 - scale), false)] += count;
    ForeignHistogram out;
    out.is_exponential = true;
    out.scale = scale;
    if (zeros > 0) out.buckets.push_back({0, zeros});
    for (const auto& [number, count] : joined) out.buckets.push_back({number, count});
    for (const SentBucket& bucket : out.buckets) out.count += bucket.count;
    out.sum = Number::decimal(static_cast<int64_t>(out.count), 0);
    return out;
  }
};

// Each histogram is sent once, twice, late or never; scales fall; programs start again. What was added is in
// the end, in each bucket, what the programs have counted up to the last one that came.
RC_GTEST_PROP(HistogramStep, CountsEachSampleOnce, ()) {
  constexpr int32_t kLowest = 2;
  LastValue last;
  bool is_new = true;
  std::map<BucketNumber, uint64_t> added;
  uint64_t added_sum = 0;
  std::map<BucketNumber, uint64_t> counted;
  const auto add_to = [](std::map<BucketNumber, uint64_t>& sums, ForeignHistogram histogram) {
    lower_scale(histogram, kLowest);
    for (const SentBucket& bucket : histogram.buckets) sums[bucket.number] += bucket.count;
  };
  int64_t time_ms = 1'000'000;
  for (int programs = *rc::gen::inRange(1, 4); programs > 0; --programs) {
    Exponential program;
    const int64_t start_ms = time_ms;
    ForeignHistogram sent;
    for (int steps = *rc::gen::inRange(1, 10); steps > 0; --steps) {
      time_ms += 2000;
      for (int n = *rc::gen::inRange(0, 5); n > 0; --n) ++program.counts[*rc::gen::inRange<int64_t>(-50, 50)];
      program.zeros += *rc::gen::inRange<uint64_t>(0, 2);
      program.scale = std::max(kLowest, program.scale - *rc::gen::inRange(0, 2));
      if (*rc::gen::inRange(0, 4) == 0) continue;
      sent = program.histogram();
      for (int times = *rc::gen::inRange(1, 3); times > 0; --times) {
        // As it is after a crash.
        if (last.histogram) last.histogram = std::make_shared<const std::string>(*last.histogram);
        HistogramStep step = histogram_step(sent, {*sent.sum, time_ms, start_ms, 0}, is_new, last);
        is_new = false;
        if (step.kind == HistogramStepKind::kAll) step.difference = sent;
        if (step.difference.count > 0) {
          add_to(added, step.difference);
          added_sum += static_cast<uint64_t>(step.difference.sum->value());
        }
      }
    }
    if (sent.count > 0) add_to(counted, sent);
  }
  RC_ASSERT(added == counted);
  uint64_t sum = 0;
  for (const auto& [number, count] : counted) sum += count;
  RC_ASSERT(added_sum == sum);
}

TEST(RememberedHistogram, SurvivesARoundTrip) {
  ForeignHistogram histogram = of({0, 7, 300});
  histogram.min = Number::shortest(10.5);
  const auto explicit_one = decode_histogram(encode_histogram(histogram));
  ASSERT_TRUE(explicit_one.has_value());
  EXPECT_EQ(explicit_one->histogram.buckets, histogram.buckets);
  EXPECT_EQ(explicit_one->histogram.count, 307U);
  EXPECT_EQ(explicit_one->histogram.min->value(), 10.5);
  EXPECT_FALSE(explicit_one->histogram.max);
  Exponential program;
  program.counts = {{-40, 3}, {0, 1}, {90, 1}};
  program.zeros = 2;
  const ForeignHistogram exponential = program.histogram();
  const auto decoded = decode_histogram(encode_histogram(exponential));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->histogram.buckets, exponential.buckets);
  EXPECT_EQ(decoded->histogram.scale, 6);
}

TEST(RememberedHistogram, DamageIsAnErrorOrAnotherHistogram) {
  Exponential program;
  program.counts = {{-40, 3}, {0, 1}, {90, 1}};
  const std::string bytes = encode_histogram(program.histogram());
  EXPECT_FALSE(decode_histogram("").has_value());
  for (size_t size = 0; size < bytes.size(); ++size)
    static_cast<void>(decode_histogram(bytes.substr(0, size)));
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << (bit % 8));
    auto decoded = decode_histogram(flipped);
    if (!decoded || !decoded->histogram.is_exponential) continue;
    lower_scale(decoded->histogram, kSentScaleMin);
    BucketNumber before = INT64_MIN;
    for (const SentBucket& bucket : decoded->histogram.buckets) {
      EXPECT_LT(before, bucket.number);
      before = bucket.number;
    }
  }
}

}  // namespace
}  // namespace statmill
