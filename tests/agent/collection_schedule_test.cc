// Collections come once per interval, at the same place in it, which differs between hosts.
#include "agent/collection_schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace statmill {
namespace {

using std::chrono::milliseconds;

TEST(CollectionSchedule, OneCollectionPerIntervalAwayFromItsEnds) {
  for (const Duration interval : {milliseconds(100), milliseconds(1000), milliseconds(3'600'000)}) {
    const CollectionSchedule schedule(interval, "web1");
    Timestamp now{milliseconds(1'700'000'000'123)};
    now += schedule.until_next(now);
    const Duration phase = now.time_since_epoch() % interval;
    EXPECT_GE(phase, interval / 10);
    EXPECT_LT(phase, interval * 9 / 10);
    EXPECT_EQ(schedule.until_next(now), interval) << "at the time of a collection";
    EXPECT_EQ(schedule.until_next(now + milliseconds(1)), interval - milliseconds(1)) << "after a late one";
    EXPECT_EQ(schedule.until_next(now - milliseconds(1)), milliseconds(1)) << "after an early one";
  }
}

TEST(CollectionSchedule, DiffersBetweenHosts) {
  std::set<Duration> waits;
  for (int i = 0; i < 100; ++i)
    waits.insert(CollectionSchedule(milliseconds(1000), "web" + std::to_string(i)).until_next(Timestamp()));
  EXPECT_GT(waits.size(), 80U);
}

}  // namespace
}  // namespace statmill
