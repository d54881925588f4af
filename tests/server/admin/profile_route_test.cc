#include "server/admin/profile_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/stage.h"
#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

TEST(ProfileRoute, MeasuresForATimeAfterEachRequest) {
  ManualClock clock(1'700'000'000);
  ProfileLease lease;
  const Route route = profile_route(lease, clock);
  lease.tick(clock.steady());
  EXPECT_FALSE(stage_times.is_on()) << "nobody asks";
  const HttpResponse first = route.handle({}, {});
  EXPECT_EQ(first.status, 200U);
  EXPECT_THAT(first.body, testing::HasSubstr("\"stages\":{\"parse\":"));
  EXPECT_TRUE(stage_times.is_on());
  clock.advance(ProfileLease::kTime - Duration(1));
  lease.tick(clock.steady());
  EXPECT_TRUE(stage_times.is_on());
  static_cast<void>(route.handle({}, {}));
  clock.advance(ProfileLease::kTime - Duration(1));
  lease.tick(clock.steady());
  EXPECT_TRUE(stage_times.is_on()) << "the second request has prolonged it";
  clock.advance(Duration(1));
  lease.tick(clock.steady());
  EXPECT_FALSE(stage_times.is_on());
}

TEST(ProfileRoute, MeasuringEndsWithTheServer) {
  ManualClock clock(1'700'000'000);
  {
    ProfileLease lease;
    lease.renew(clock.steady());
    EXPECT_TRUE(stage_times.is_on());
  }
  EXPECT_FALSE(stage_times.is_on());
}

}  // namespace
}  // namespace statmill
