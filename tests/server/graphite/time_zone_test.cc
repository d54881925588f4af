// Times of day, and the begins of days, in zones of places.
#include "server/graphite/time_zone.h"

#include <gtest/gtest.h>

#include <string>

#include "base/zone_file.h"
#include "server/graphite/attime.h"
#include "tests/server/graphite/render_world.h"

namespace statmill::graphite {
namespace {

class PlacesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!time_zone("Europe/Berlin"))
      GTEST_SKIP() << "this system has no " << kZoneFolder << "; the package tzdata has it";
  }
};

// On 29 October 2023 Berlin's clocks went back at 1:00 UTC.
constexpr int64_t kMidnight_s = 1'698'530'400;  // 22:00 UTC of the 28th
constexpr int64_t kNoon_s = 1'698'577'200;      // 13 hours later

TEST_F(PlacesTest, TimesOfDayAreOfThePlace) {
  const auto berlin = time_zone("Europe/Berlin");
  const auto seconds = [&](const char* text) { return *parse_attime(text, kNoon_s, *berlin); };
  EXPECT_EQ(seconds("midnight"), kMidnight_s);
  EXPECT_EQ(seconds("noon"), kNoon_s);
  EXPECT_EQ(seconds("noon_20231028"), kNoon_s - 25 * 3600);
  EXPECT_EQ(seconds("10:00_20230701"), 1'688'198'400) << "8:00 UTC";
  EXPECT_EQ(seconds("midnight tomorrow"), kMidnight_s + 25 * 3600);
  EXPECT_EQ(*parse_attime("midnight", kNoon_s, *time_zone("America/New_York")), 1'698'552'000) << "4:00 UTC";
}

// Returns "START,END,STEP" of a series over some hours after noon.
std::string grid_of(RenderWorld& world, const std::string& target, const std::string& place) {
  const HttpResponse answer = world.ask("/render", {{"target", target},
                                                    {"from", std::to_string(kNoon_s + 1800)},
                                                    {"until", std::to_string(kNoon_s + 7200)},
                                                    {"format", "raw"},
                                                    {"tz", place}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  const size_t end = answer.body.find('|');
  size_t begin = end;
  for (int commas = 0; commas < 3; ++commas) begin = answer.body.rfind(',', begin - 1);
  return answer.body.substr(begin + 1, end - begin - 1);
}

TEST_F(PlacesTest, ADayBeginsAtItsOwnMidnight) {
  RenderWorld world;
  world.add("x", kNoon_s + 3600, 1);
  const int64_t slot_s = 300;
  const auto begin = [&](const std::string& target) {
    return std::stoll(grid_of(world, target, "Europe/Berlin")) - slot_s;  // values are after `from`
  };
  EXPECT_EQ(begin("smartSummarize(x,'1h','sum','days')"), kMidnight_s);
  EXPECT_EQ(begin("smartSummarize(x,'1h','sum','weeks')"), kMidnight_s - 6 * 86'400);
  EXPECT_EQ(begin("smartSummarize(x,'1h','sum','months')"), 1'696'111'200) << "1 October, in summer";
  EXPECT_EQ(grid_of(world, "smartSummarize(x,'1h','sum','years')", "Europe/Berlin").substr(0, 10),
            std::to_string(1'672'527'600 + 1800))
      << "1 January, in winter, in slots of 30 min";
  EXPECT_EQ(begin("smartSummarize(x,'1h','sum','hours')"), kNoon_s);
  EXPECT_EQ(begin("hitcount(x,'1d',true)"), kMidnight_s);
  // Kathmandu is 5:45 east of UTC.
  EXPECT_EQ(grid_of(world, "smartSummarize(x,'1h','sum','hours')", "Asia/Kathmandu").substr(0, 10),
            std::to_string(kNoon_s + 900 + slot_s));
}

}  // namespace
}  // namespace statmill::graphite
