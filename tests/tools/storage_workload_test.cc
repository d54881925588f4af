// The workloads of the suite storage are as their header describes, so figures are comparable.
#include "tools/statmill-bench/storage_workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace statmill {
namespace {

constexpr size_t kSlots = 20'000;

struct Moments {
  double mean = 0;
  double sd = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments out;
  for (const double v : values) out.mean += v / static_cast<double>(values.size());
  for (const double v : values)
    out.sd += (v - out.mean) * (v - out.mean) / static_cast<double>(values.size());
  out.sd = std::sqrt(out.sd);
  return out;
}

std::vector<double> steps(const std::vector<double>& values) {
  std::vector<double> out;
  for (size_t i = 1; i < values.size(); ++i) out.push_back(values[i] - values[i - 1]);
  return out;
}

// Returns all slots of one series of a workload.
std::vector<Bucket> buckets(StorageWorkload workload, size_t series = 0) {
  StorageValues values(workload, series + 1);
  std::vector<Bucket> out;
  for (size_t i = 0; i < kSlots; ++i) out.push_back(values.next(series));
  return out;
}

std::vector<double> singles(StorageWorkload workload, size_t series = 0) {
  std::vector<double> out;
  for (const Bucket& bucket : buckets(workload, series)) {
    EXPECT_EQ(bucket.count(), 1U);
    out.push_back(bucket.sum());
  }
  return out;
}

// Returns the largest number of decimals in a bucket; -1 if one of its numbers is not a decimal.
int decimals(const std::vector<Bucket>& all) {
  int out = 0;
  for (const Bucket& bucket : all) {
    if (!bucket.is_decimal()) return -1;
    if (!bucket.is_empty()) out = std::max<int>(out, bucket.decimal().scale);
  }
  return out;
}

TEST(StorageWorkload, DoesNotDependOnTheOrderOfCalls) {
  for (const StorageWorkload workload : kStorageWorkloads) {
    StorageValues by_slot(workload, 12);
    StorageValues by_series(workload, 12);
    std::vector<std::vector<Bucket>> wanted(12);
    for (size_t slot = 0; slot < 50; ++slot) {
      for (size_t s = 0; s < 12; ++s) wanted[s].push_back(by_slot.next(s));
    }
    for (size_t s = 12; s-- > 0;) {
      for (const Bucket& bucket : wanted[s]) EXPECT_EQ(by_series.next(s), bucket) << workload_name(workload);
    }
    EXPECT_NE(wanted[0], wanted[6]) << workload_name(workload) << ": series must differ";
  }
}

TEST(StorageWorkload, IsTheSameInEveryRelease) {
  EXPECT_EQ(StorageValues(StorageWorkload::kMix, 2).next(1).sum(), 97.17);
  EXPECT_EQ(StorageValues(StorageWorkload::kMulti10, 1).next(0).sum(), 50.88);
}

TEST(StorageWorkload, MixHasSixClasses) {
  const Moments walk = moments(steps(singles(StorageWorkload::kMix, 0)));
  EXPECT_NEAR(walk.mean, 0, 0.01);
  EXPECT_NEAR(walk.sd, 0.25, 0.01);
  const Moments noise = moments(singles(StorageWorkload::kMix, 1));
  EXPECT_NEAR(noise.mean, 100, 0.2);
  EXPECT_NEAR(noise.sd, 5, 0.1);
  const Moments poisson = moments(singles(StorageWorkload::kMix, 2));
  EXPECT_NEAR(poisson.mean, 20, 0.2);
  EXPECT_NEAR(poisson.sd, std::sqrt(20), 0.1);
  const Moments counter = moments(steps(singles(StorageWorkload::kMix, 3)));
  EXPECT_NEAR(counter.mean, 1000, 2);
  EXPECT_NEAR(counter.sd, 60, 1);
  const std::vector<double> constant = steps(singles(StorageWorkload::kMix, 4));
  const auto stays = static_cast<size_t>(std::count(constant.begin(), constant.end(), 0));
  EXPECT_NEAR(static_cast<double>(kSlots - stays), kSlots / 300.0, 25);
  const std::vector<double> cpu = singles(StorageWorkload::kMix, 5);
  EXPECT_NEAR(moments(steps(cpu)).sd, 1.5, 0.05);
  EXPECT_GE(*std::min_element(cpu.begin(), cpu.end()), 0);
  EXPECT_LE(*std::max_element(cpu.begin(), cpu.end()), 100);
  const int wanted[kMixClasses] = {2, 2, 0, 0, 0, 1};
  for (size_t i = 0; i < kMixClasses; ++i) {
    EXPECT_EQ(decimals(buckets(StorageWorkload::kMix, i)), wanted[i]) << "class " << i;
  }
}

TEST(StorageWorkload, Multi10WalksFromSampleToSample) {
  const std::vector<Bucket> all = buckets(StorageWorkload::kMulti10);
  EXPECT_EQ(decimals(all), 2);
  std::vector<double> means;
  for (const Bucket& bucket : all) {
    ASSERT_EQ(bucket.count(), 10U);
    means.push_back(bucket.mean());
  }
  // Means of ten successive positions, ten steps apart: 2/3 n + 1/(3n) times the variance of a step.
  EXPECT_NEAR(moments(steps(means)).sd, 0.25 * std::sqrt(6.7), 0.03);
}

TEST(StorageWorkload, LatencyIsLognormal) {
  const std::vector<Bucket> all = buckets(StorageWorkload::kLatency);
  EXPECT_EQ(decimals(all), 3);
  std::vector<double> counts;
  double sum = 0;
  for (const Bucket& bucket : all) {
    ASSERT_GE(bucket.count(), 15U);
    ASSERT_LE(bucket.count(), 24U);
    ASSERT_GT(bucket.min(), 0);
    counts.push_back(static_cast<double>(bucket.count()));
    sum += bucket.sum();
  }
  const double mean_count = moments(counts).mean;
  EXPECT_NEAR(mean_count, 19.5, 0.1);
  EXPECT_NEAR(sum / mean_count / kSlots, 10 * std::exp(0.5 * 0.5 / 2), 0.1);
}

TEST(StorageWorkload, EventsAreSilentInAFifthOfTheSlots) {
  const std::vector<Bucket> all = buckets(StorageWorkload::kEvents);
  size_t silent = 0;
  double total = 0;
  for (const Bucket& bucket : all) {
    silent += bucket.is_empty();
    total += bucket.sum();
  }
  EXPECT_NEAR(static_cast<double>(silent) / kSlots, 0.2, 0.01);
  EXPECT_NEAR(total / kSlots, -std::log(0.2), 0.03);
  EXPECT_EQ(decimals(all), 0);
  EXPECT_EQ(workload_kind(StorageWorkload::kEvents), Kind::kEvent);
}

TEST(StorageWorkload, DoublesAreMostlyDecimalsOfSeventeenDigits) {
  const std::vector<Bucket> all = buckets(StorageWorkload::kDoubles);
  std::vector<double> values;
  size_t shorter = 0;
  for (const Bucket& bucket : all) {
    ASSERT_TRUE(bucket.is_decimal());
    shorter += bucket.decimal().sum < 10'000'000'000'000'000;
    values.push_back(bucket.sum());
  }
  EXPECT_NEAR(moments(steps(values)).sd, 0.25, 0.01);
  EXPECT_GT(shorter, 0U);  // 17 digits whose last is a zero
  EXPECT_LT(shorter, kSlots / 8);
}

}  // namespace
}  // namespace statmill
