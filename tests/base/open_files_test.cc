#include "base/open_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace statmill {
namespace {

TEST(OpenFiles, LimitsThatFitAreKept) {
  size_t one = 100;
  size_t two = 50;
  EXPECT_TRUE(share_descriptors(150, std::array{&one, &two}));
  EXPECT_EQ(one, 100U);
  EXPECT_EQ(two, 50U);
}

TEST(OpenFiles, LimitsAreLoweredInProportion) {
  size_t many = 10'004;
  size_t few = 504;
  size_t least = 2;
  EXPECT_TRUE(share_descriptors(1060, std::array{&many, &few, &least}));
  EXPECT_EQ(many, 1004U);
  EXPECT_EQ(few, 54U);
  EXPECT_EQ(least, 2U);
}

TEST(OpenFiles, SumsNeverExceedTheDescriptors) {
  for (size_t descriptors = 12; descriptors < 3000; descriptors += 7) {
    size_t lines = 1000;
    size_t agents = 999;
    size_t http = 512;
    ASSERT_TRUE(share_descriptors(descriptors, std::array{&lines, &agents, &http})) << descriptors;
    EXPECT_LE(lines + agents + http, descriptors);
    EXPECT_GE(std::min({lines, agents, http}), kConnectionsMin);
  }
}

TEST(OpenFiles, TooFewDescriptorsChangeNothing) {
  size_t one = 100;
  size_t two = 50;
  EXPECT_FALSE(share_descriptors(7, std::array{&one, &two}));
  EXPECT_EQ(one, 100U);
  EXPECT_EQ(two, 50U);
}

}  // namespace
}  // namespace statmill
