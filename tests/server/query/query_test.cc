// The numbers of an answer: exact, or rounded once.
#include "server/query/query.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "tests/support/exact_reference.h"

namespace statmill {
namespace {

constexpr int64_t kStep_s = 70;
constexpr int64_t kEventSlot_s = 10;

Bucket bucket_of(std::span<const Number> samples) {
  Bucket out;
  for (const Number& sample : samples) out.add(sample);
  return out;
}

Bucket parsed_bucket(std::initializer_list<std::string_view> samples) {
  Bucket out;
  for (const std::string_view sample : samples) {
    Number number;
    EXPECT_TRUE(parse_number(sample, number).is_accepted()) << sample;
    out.add(number);
  }
  return out;
}

std::string text_of(Stat stat, const Bucket& bucket, Kind kind = Kind::kGauge) {
  std::string out;
  stat_number(stat, bucket, kind, kStep_s, kEventSlot_s)->append_to(out);
  return out;
}

double parsed(const std::string& text) {
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Checks each stat of a decimal bucket against integers of any length.
testing::AssertionResult is_rounded_once(const Bucket& bucket, Kind kind) {
  const Bucket::Decimal d = bucket.decimal();
  const BigInteger n = bucket.count();
  const BigInteger unit = big_power_of_ten(d.scale);
  const int64_t slot_s = adds_up(kind) ? kEventSlot_s : 1;
  const BigInteger length_s = kind == Kind::kEvent ? n : BigInteger(kStep_s);
  struct Quotient {
    Stat stat;
    BigInteger numerator;
    BigInteger denominator;
  };
  const std::vector<Quotient> quotients = {
      {Stat::kCount, n, 1},
      {Stat::kSum, BigInteger(d.sum) * slot_s, unit},
      {Stat::kAvg, d.sum, n * unit},
      {Stat::kMin, d.min, unit},
      {Stat::kMax, d.max, unit},
      {Stat::kRate, BigInteger(d.sum) * (kind == Kind::kCounter ? kEventSlot_s : 1), unit * length_s},
  };
  for (const auto& [stat, numerator, denominator] : quotients) {
    const std::string text = text_of(stat, bucket, kind);
    if (!is_nearest(parsed(text), numerator, denominator))
      return testing::AssertionFailure() << stat_name(stat) << " " << text << " is not the nearest double";
    if (parsed(text) != stat_number(stat, bucket, kind, kStep_s, kEventSlot_s)->value())
      return testing::AssertionFailure() << stat_name(stat) << " " << text << " is not its value";
  }
  const std::string deviation = text_of(Stat::kStddev, bucket, kind);
  if (bucket.count() < 2) return testing::AssertionResult(deviation == "0") << deviation;
  const BigInteger n_m2 = n * big(d.sum_of_squares) - BigInteger(d.sum) * d.sum;
  if (!is_nearest_root(parsed(deviation), n_m2, n * (n - 1) * unit * unit))
    return testing::AssertionFailure() << "stddev " << deviation << " is not the nearest double";
  return testing::AssertionSuccess();
}

TEST(StatNumber, OfOneSampleIsThatSample) {
  for (const std::string_view sample :
       {"68.38187061", "1.05", "-0.5", "0", "8.000000000000001", "1e-04", "33.501999999999995",
        "0.10000000000000001", "-999999999999999999", "0.123456789012345678", "-8.00000000000000001", "1e-18",
        "123456789.987654321"}) {
    const Bucket one = parsed_bucket({sample});
    for (const Stat stat : {Stat::kAvg, Stat::kSum, Stat::kMin, Stat::kMax})
      EXPECT_EQ(text_of(stat, one), sample) << stat_name(stat);
    EXPECT_EQ(text_of(Stat::kAvg, one, Kind::kEvent), sample);
    EXPECT_EQ(text_of(Stat::kRate, one, Kind::kEvent), sample);
    EXPECT_EQ(text_of(Stat::kStddev, one), "0");
    EXPECT_EQ(text_of(Stat::kCount, one), "1");
  }
}

TEST(StatNumber, IsExactWhereItEndsAndRoundedOnceWhereItDoesNot) {
  const Bucket three = parsed_bucket({"1", "1", "2"});
  EXPECT_EQ(text_of(Stat::kAvg, three), "1.3333333333333333");
  EXPECT_EQ(text_of(Stat::kRate, three), "0.05714285714285714") << "4 in 70 s";
  EXPECT_EQ(text_of(Stat::kSum, three, Kind::kEvent), "40") << "a rate of 4, summed over slots of 10 s";
  EXPECT_EQ(text_of(Stat::kStddev, three), "0.5773502691896257");
  EXPECT_EQ(text_of(Stat::kAvg, parsed_bucket({"0.1", "0.2"})), "0.15");
  EXPECT_EQ(text_of(Stat::kAvg, parsed_bucket({"1.1", "1.1", "1.1"})), "1.1");
  EXPECT_EQ(text_of(Stat::kAvg, parsed_bucket({"-68.38187061", "-68.38187061", "-68.38187061"})),
            "-68.38187061");
  EXPECT_EQ(text_of(Stat::kAvg, parsed_bucket({"68.38187061", "68.38187062"})), "68.381870615");
}

TEST(StatNumber, OfALongSumHasAllItsDigits) {
  const Bucket large = parsed_bucket({"9007199254740992", "1"});
  EXPECT_EQ(text_of(Stat::kSum, large), "9007199254740993");
  EXPECT_EQ(text_of(Stat::kAvg, large), "4503599627370496") << "a tie, to even";
  const Bucket beyond = Bucket::from_decimal(3, {INT64_MAX, Int128{INT64_MAX} * INT64_MAX, 0, INT64_MAX, 0});
  EXPECT_EQ(text_of(Stat::kSum, beyond, Kind::kEvent), "92233720368547758080") << "not an int64";
}

TEST(StatNumber, TheTotalOfRatesHasTheDigitsOfTheEvents) {
  for (const std::string_view total : {"999999999999999999", "-999999999999999999", "0.99999999999999999",
                                       "9e-17", "99999999999999.9999", "12"}) {
    const Bucket rate = parsed_bucket({total}).event_rate(kEventSlot_s);
    ASSERT_TRUE(rate.is_decimal()) << total;
    EXPECT_EQ(text_of(Stat::kSum, rate, Kind::kEvent), total);
    EXPECT_EQ(text_of(Stat::kSum, rate, Kind::kCounter), total);
  }
  Bucket nine;
  for (int i = 0; i < 9; ++i) nine.merge(parsed_bucket({"999999999999999999"}).event_rate(kEventSlot_s));
  EXPECT_EQ(text_of(Stat::kSum, nine, Kind::kEvent), "8999999999999999991");
}

TEST(StatNumber, OfLongDecimalsIsExact) {
  const Bucket two = parsed_bucket({"33.501999999999995", "0.10000000000000001"});
  EXPECT_EQ(text_of(Stat::kSum, two), "33.60199999999999501");
  EXPECT_EQ(text_of(Stat::kAvg, two), "16.801") << "the double nearest to 16.800999999999997505";
  EXPECT_EQ(text_of(Stat::kMin, two), "0.10000000000000001");
  const Bucket three = parsed_bucket({"0.1", "0.30000000000000004", "-0.30000000000000004"});
  EXPECT_EQ(text_of(Stat::kSum, three), "0.1");
}

TEST(StatNumber, OfDoublesIsTheShortestText) {
  const Bucket reals = parsed_bucket({"1e300", "0.1"});
  EXPECT_EQ(text_of(Stat::kMin, reals), "0.1");
  EXPECT_EQ(text_of(Stat::kMax, reals), "1e+300");
  EXPECT_EQ(text_of(Stat::kAvg, reals), "5e+299");
}

TEST(StatNumber, ARateIsFiniteIfItsQuotientIs) {
  const Bucket rate = parsed_bucket({"1e306"}).event_rate(kEventSlot_s);
  EXPECT_EQ(text_of(Stat::kRate, rate, Kind::kCounter), "1.4285714285714285e+304") << "1e306 in 70 s";
  EXPECT_EQ(rate_over(parsed_bucket({"1.7976931348623157e308"}), 10'000, 10'000), 1.7976931348623157e308);
  EXPECT_EQ(rate_over(parsed_bucket({"-1.7976931348623157e308"}), 10'000, 20'000), -8.9884656743115785e307);
  EXPECT_EQ(rate_over(parsed_bucket({"1e-320"}), 10'000, 10'000), 1e-320);
}

// A counter with 10 per second in slots of 10 s; points of 30 s, of which the clock is 5 s into the third
// slot.
class StatAtTest : public testing::Test {
 protected:
  StatAtTest() {
    answer_.bins = {.first_s = 0, .step_s = 30, .count = 3, .from_s = 0, .until_s = 90};
    answer_.until_ms = 25'000;
    series_.kind = Kind::kCounter;
    series_.points = SlotColumns(0, 3, {.extremes = true, .squares = true});
  }
  // Adds a full slot to a point.
  void add(size_t point) { series_.points.add(point, parsed_bucket({"10"}), Combine::kMerge); }
  double rate(size_t point) const { return stat_at(Stat::kRate, answer_, series_, point)->value(); }

  QueryAnswer answer_;
  SeriesAnswer series_;
};

TEST_F(StatAtTest, OfASlotUnderWayThePartThatHasPassedCounts) {
  add(0);
  add(0);
  series_.open = {
      .point = 0, .rate = parsed_bucket({"5"}), .rate_so_far = parsed_bucket({"10"}), .missing_ms = 5000};
  EXPECT_EQ(rate(0), 10);
  EXPECT_EQ(stat_at(Stat::kAvg, answer_, series_, 0)->value(), 10);
}

TEST_F(StatAtTest, ASilentSlotOfACounterHasPassedToo) {
  add(0);
  EXPECT_EQ(rate(0), 4) << "100 in 25 s";
}

TEST_F(StatAtTest, ASlotAheadOfTheClockCountsAsAWholeOne) {
  for (const size_t point : {1U, 2U, 2U, 2U}) add(point);
  EXPECT_EQ(rate(1), 10) << "not 100 in a second";
  EXPECT_EQ(rate(2), 10);
  answer_.until_ms = 31'000;
  series_.open = {
      .point = 1, .rate = parsed_bucket({"1"}), .rate_so_far = parsed_bucket({"10"}), .missing_ms = 9000};
  EXPECT_EQ(rate(1), 10) << "110 in 11 s";
}

RC_GTEST_PROP(StatNumber, IsRoundedOnce, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    const auto scale = static_cast<int8_t>(random() % 19);
    const uint64_t shift = 5 + random() % 59;  // 2^59 is below Number::kMantissaMax
    std::vector<Number> samples(1 + random() % 40);
    for (Number& sample : samples) {
      const auto magnitude = static_cast<int64_t>(random() >> shift);
      sample = Number::decimal(random() % 2 == 0 ? magnitude : -magnitude, scale);
    }
    const Bucket bucket = bucket_of(samples);
    if (!bucket.is_decimal()) continue;
    for (const Kind kind : {Kind::kGauge, Kind::kEvent, Kind::kCounter}) {
      const testing::AssertionResult result = is_rounded_once(bucket, kind);
      if (!result) RC_FAIL(std::string(result.message()));
    }
  }
}

// A mean that ends is printed from integers, which must not show.
RC_GTEST_PROP(StatNumber, OfSeveralSamplesIsTheShortestTextOfTheMean, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const auto scale = static_cast<int8_t>(random() % 19);
    const uint64_t shift = 5 + random() % 59;
    const uint64_t count = 2 + random() % 1000;
    const auto sum =
        static_cast<int64_t>(random() >> shift) / (random() % 2 == 0 ? static_cast<int64_t>(count) : 1);
    const Bucket bucket = Bucket::from_decimal(count, {sum, Int128{sum} * sum, 0, sum, scale});
    std::string want;
    append_number(want, bucket.mean());
    RC_ASSERT(text_of(Stat::kAvg, bucket) == want);
  }
}

// Returns a number as answers write it: "12.0" is 12.
std::string as_answered(std::string text) {
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

// SM_HOST_METRICS names a folder of files with lines "time,value".
TEST(StatNumber, OfRealSamplesIsRoundedOnce) {
  const char* const folder = std::getenv("SM_HOST_METRICS");
  if (folder == nullptr) GTEST_SKIP() << "SM_HOST_METRICS names no folder with samples";
  size_t checked = 0;
  size_t beyond = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path());
    std::vector<Number> samples;
    for (std::string line; std::getline(in, line);) {
      Number number;
      const std::string text = line.substr(line.find(',') + 1);
      if (parse_number(text, number).is_refused()) continue;
      ASSERT_TRUE(number.is_decimal()) << file.path() << " " << text;
      ASSERT_EQ(text_of(Stat::kAvg, Bucket::of(number)), as_answered(text)) << file.path();
      samples.push_back(number);
    }
    for (const size_t length : {1U, 2U, 3U, 6U, 7U, 30U}) {
      for (size_t at = 0; at + length <= samples.size(); at += length, ++checked) {
        const Bucket bucket = bucket_of(std::span(samples).subspan(at, length));
        if (!bucket.is_decimal()) {
          ++beyond;  // such as 99.2 next to 0.10000000000000001
          continue;
        }
        ASSERT_TRUE(is_rounded_once(bucket, Kind::kGauge)) << file.path() << " " << at << " " << length;
      }
    }
  }
  RecordProperty("buckets", static_cast<int>(checked));
  RecordProperty("in doubles", static_cast<int>(beyond));
  EXPECT_GT(checked, 0U);
  EXPECT_LT(beyond, checked / 50);
}

}  // namespace
}  // namespace statmill
