// How far a series has moved.
#include "server/query/changes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace statmill {
namespace {

Bucket bucket_of(const std::vector<int>& samples) {
  Bucket out;
  for (const int sample : samples) out.add(Number::of(sample));
  return out;
}

TEST(Changes, OfMeansIsTheirDistanceInDeviations) {
  const Bucket was = bucket_of({8, 10, 12});
  const Change none = change_of_means(was, was);
  EXPECT_EQ(none.score, 0);
  EXPECT_FALSE(none.deviations);
  const Change two = change_of_means(was, bucket_of({12, 14, 16}));
  EXPECT_DOUBLE_EQ(*two.deviations, 2);
  EXPECT_DOUBLE_EQ(two.score, std::erf(1 / std::sqrt(2.0)));
  EXPECT_EQ(change_of_means(bucket_of({1, 1}), bucket_of({2, 2})).score, 1) << "nothing deviates";
}

RC_GTEST_PROP(Changes, OfDistributionsIsTheGreatestDifferenceOfTheirShares, ()) {
  // Each of these values has a cell of its own.
  const auto samples = rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 32)));
  const std::vector<int> was = *samples;
  const std::vector<int> is = *samples;
  const auto histogram_of = [](const std::vector<int>& values) {
    SparseHistogram out;
    for (const int value : values) out.add(histogram_index(value));
    return out;
  };
  double wanted = 0;
  for (int limit = 0; limit < 32; ++limit) {
    const auto share = [limit](const std::vector<int>& values) {
      return static_cast<double>(std::ranges::count_if(values, [limit](int v) { return v <= limit; })) /
             static_cast<double>(values.size());
    };
    wanted = std::max(wanted, std::abs(share(was) - share(is)));
  }
  RC_ASSERT(std::abs(change_of_distributions(histogram_of(was), histogram_of(is)).score - wanted) < 1e-12);
}

}  // namespace
}  // namespace statmill
