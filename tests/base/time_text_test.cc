#include "base/time_text.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace statmill {
namespace {

// 2026-03-29 13:20:00 UTC, a day on which clocks in Berlin go from 02:00 to 03:00.
constexpr int64_t kNow_s = 1'774'790'400;
const Timestamp kNow = from_unix_seconds(kNow_s) + Duration(999);

// Berlin around that day.
ZoneOffset berlin(int64_t unix_s) {
  constexpr int64_t kSummer_s = 1'774'746'000;  // 01:00 UTC
  constexpr int64_t kWinter_s = 1'792'890'000;  // 2026-10-25 01:00 UTC
  const bool is_summer = unix_s >= kSummer_s && unix_s < kWinter_s;
  return is_summer ? ZoneOffset{7200, "CEST"} : ZoneOffset{3600, "CET"};
}

using Table = std::vector<std::pair<std::string, int64_t>>;

void expect_times(const Table& table, const Zone& zone) {
  for (const auto& [text, want_s] : table) {
    const Result<int64_t> time_s = parse_time(text, kNow, zone);
    ASSERT_TRUE(time_s) << text << ": " << time_s.error().message;
    EXPECT_EQ(*time_s, want_s) << text << ": off by " << *time_s - want_s << " s";
  }
}

TEST(TimeText, UnixTimesAreSecondsOrMilliseconds) {
  expect_times({{"0", 0},
                {"1700000000", 1'700'000'000},
                {"1700000000.999", 1'700'000'000},
                {"253402300799", 253'402'300'799},
                {"1700000000123", 1'700'000'000}},
               utc);
}

TEST(TimeText, TimesRelativeToNow) {
  expect_times({{"now", kNow_s},
                {"-6h", kNow_s - 21'600},
                {"now-6h", kNow_s - 21'600},
                {"now-1h30m", kNow_s - 5'400},
                {"now-0s", kNow_s},
                {"now+5s", kNow_s + 5},
                {"-1d+2h", kNow_s - 79'200},
                {"now-1d-1d+2d", kNow_s}},
               berlin);
}

TEST(TimeText, DatesAndTimesOfDayAreInTheZoneUnlessTheyNameAnother) {
  constexpr int64_t kMidnight_s = 1'774'742'400;  // 2026-03-29 00:00 UTC
  expect_times({{"2026-03-29", kMidnight_s},
                {"2026-3-29", kMidnight_s},
                {"2026-03-29 14:30", kMidnight_s + 52'200},
                {"2026-03-29T14:30:05", kMidnight_s + 52'205},
                {"2026-03-29t14:30:05.75", kMidnight_s + 52'205},
                {"2026-03-29T14:30Z", kMidnight_s + 52'200},
                {"2026-03-29 14:30+02:00", kMidnight_s + 45'000},
                {"2026-03-29 14:30 +0200", kMidnight_s + 45'000},
                {"2026-03-29T14:30:00-03", kMidnight_s + 63'000},
                {"14:30", kMidnight_s + 52'200},
                {"9:05", kMidnight_s + 32'700},
                {"9:05-05", kMidnight_s + 50'700},
                {"14:30:05Z", kMidnight_s + 52'205},
                {"today", kMidnight_s},
                {"yesterday", kMidnight_s - 86'400},
                {"yesterday 14:30", kMidnight_s - 34'200},
                {"2028-02-29", 1'835'395'200},
                {"9999-12-31 23:59:59", 253'402'300'799}},
               utc);
  expect_times({{"2026-03-29", kMidnight_s - 3'600},
                {"today", kMidnight_s - 3'600},
                {"yesterday", kMidnight_s - 90'000},
                {"2026-03-30", kMidnight_s + 79'200},
                {"01:59:59", kMidnight_s + 3'599},
                {"03:00", kMidnight_s + 3'600},
                {"14:30", kMidnight_s + 45'000},
                {"2026-03-29T14:30Z", kMidnight_s + 52'200},
                {"2026-01-01 12:00", 1'767'265'200}},
               berlin);
}

// Today is that of the zone which the text names.
TEST(TimeText, ATimeOfDayWithAZoneIsTodayThere) {
  const Timestamp late = from_unix_seconds(1'774'742'400 + 82'800);  // 23:00 UTC
  EXPECT_EQ(*parse_time("01:30+02:00", late), 1'774'742'400 + 84'600);
}

// 02:30 does not exist on the day when summer begins, and comes twice on the day when it ends.
TEST(TimeText, ALocalTimeThatIsSkippedOrRepeatedIsOneOfTheTwo) {
  const int64_t skipped_s = *parse_time("2026-03-29 02:30", kNow, berlin);
  EXPECT_TRUE(skipped_s == 1'774'744'200 || skipped_s == 1'774'747'800) << skipped_s;
  const int64_t repeated_s = *parse_time("2026-10-25 02:30", kNow, berlin);
  EXPECT_TRUE(repeated_s == 1'792'888'200 || repeated_s == 1'792'891'800) << repeated_s;
}

TEST(TimeText, OtherTextsAreRefused) {
  for (const std::string_view text : {"",
                                      "-",
                                      "-5",
                                      "--5s",
                                      "--0s",
                                      "now-",
                                      "now--0s",
                                      "now5",
                                      "5s",
                                      "now ",
                                      "nownow",
                                      "12.",
                                      ".5",
                                      "1.x",
                                      "-1.5",
                                      "99999999999999999",
                                      "99999999999999999999",
                                      "2026-02-29",
                                      "2026-13-01",
                                      "2026-00-10",
                                      "2026-01-32",
                                      "1969-12-31",
                                      "10000-01-01",
                                      "26-01-01",
                                      "2026-01-01 ",
                                      "2026-01-01T",
                                      "2026-01-01Z",
                                      "2026-01-01 24:00",
                                      "2026-01-01 12",
                                      "2026-01-01 12:60",
                                      "2026-01-01 12:00:60",
                                      "2026-01-01 12:00 CET",
                                      "2026-01-01 12:00+2",
                                      "2026-01-01 12:00+24:00",
                                      "2026-01-01 12:00+02:0",
                                      "2026-01-01 12:00Zulu",
                                      "9999-12-31 23:59:59-01",
                                      "yesterday14:30",
                                      "tomorrow",
                                      "14:3",
                                      ":30",
                                      "1:2:3:4"}) {
    EXPECT_FALSE(parse_time(text, kNow)) << text;
  }
  EXPECT_EQ(parse_time("soon", kNow).error().message,
            "time \"soon\": expected unix seconds, now, -6h, 14:30, yesterday or 2026-11-20 14:30");
}

TEST(TimeText, ALongSumIsRefusedBeforeItOverflows) {
  std::string text = "now";
  for (int i = 0; i < 300'000; ++i) text += "+1000y";  // more milliseconds than 63 bits count
  EXPECT_FALSE(parse_time(text, kNow));
  EXPECT_EQ(*parse_time("now-1000y+1000y", kNow), kNow_s);
}

TEST(TimeText, OnlyWhatIsRelativeToNowMovesWithTheClock) {
  for (const std::string_view text : {"now", "now-5m", "-6h", "-1d+2h"})
    EXPECT_TRUE(is_relative_time(text)) << text;
  for (const std::string_view text : {"1700000000", "14:30", "yesterday", "2026-11-20"})
    EXPECT_FALSE(is_relative_time(text)) << text;
}

}  // namespace
}  // namespace statmill
