// Waits between attempts grow, stay within bounds and differ between hosts.
#include "agent/backoff.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesFromMinToMaxWithinItsJitter) {
  Backoff backoff(milliseconds(250), milliseconds(10'000), 1);
  for (const int bound : {250, 500, 1000, 2000, 4000, 8000, 10'000, 10'000}) {
    const Duration wait = backoff.next();
    EXPECT_GE(wait, milliseconds(bound / 2));
    EXPECT_LE(wait, milliseconds(bound));
  }
}

TEST(Backoff, StartsOverAfterReset) {
  Backoff backoff(milliseconds(100), milliseconds(10'000), 1);
  for (int i = 0; i < 10; ++i) backoff.next();
  backoff.reset();
  EXPECT_LE(backoff.next(), milliseconds(100));
}

TEST(Backoff, DiffersBetweenHosts) {
  Backoff one(milliseconds(10'000), milliseconds(10'000), 1);
  Backoff other(milliseconds(10'000), milliseconds(10'000), 2);
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace statmill
