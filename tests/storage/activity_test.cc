#include "storage/activity.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

std::vector<SeriesActivity> sample() {
  return {{7, 170'000'000, 170'000'500}, {3, 5, 5}, {4'000'000'000, 1, 170'000'000}};
}

TEST(Activity, RoundTripsSortedById) {
  const auto out = decode_activity(encode_activity(sample()));
  ASSERT_TRUE(out);
  ASSERT_EQ(out->size(), 3U);
  EXPECT_EQ((*out)[0].id, 3U);
  EXPECT_EQ((*out)[1].first_slot, 170'000'000);
  EXPECT_EQ((*out)[1].last_slot, 170'000'500);
  EXPECT_EQ((*out)[2].id, 4'000'000'000U);
}

TEST(Activity, AnEmptyTextIsAnEmptyList) { EXPECT_TRUE(decode_activity("")->empty()); }

TEST(Activity, RefusesEveryTruncationAndBitFlip) {
  const std::string good = encode_activity(sample());
  for (size_t n = 1; n < good.size(); ++n)
    EXPECT_FALSE(decode_activity(std::string_view(good).substr(0, n))) << n;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_activity(bad)) << bit;
  }
}

}  // namespace
}  // namespace statmill
