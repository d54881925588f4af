// The cache keeps what was read last, within its limit.
#include "server/demo/frame_cache.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(FrameCache, ForgetsWhatWasNotReadForLongest) {
  FrameCache cache(3500);
  for (const SeriesId id : {1U, 2U, 3U}) cache.add({0, 0, id}, std::string(900, 'x'));
  EXPECT_NE(cache.find({0, 0, 1}), nullptr);
  cache.add({0, 0, 4}, std::string(900, 'x'));
  EXPECT_EQ(cache.find({0, 0, 2}), nullptr);
  EXPECT_NE(cache.find({0, 0, 1}), nullptr);
  EXPECT_NE(cache.find({0, 0, 4}), nullptr);
  EXPECT_LE(cache.bytes(), 3500U);
}

TEST(FrameCache, FramesInUseStayValid) {
  FrameCache cache(100);
  const auto first = cache.add({0, 0, 1}, std::string(900, 'a'));
  cache.add({0, 0, 2}, std::string(900, 'b'));
  EXPECT_EQ(cache.find({0, 0, 1}), nullptr);
  EXPECT_EQ(*first, std::string(900, 'a'));
}

}  // namespace
}  // namespace statmill
