#include "server/graphite/attime.h"

#include <gtest/gtest.h>

namespace statmill::graphite {
namespace {

constexpr int64_t kNow_s = 1'795'170'603;  // Friday, 2026-11-20 09:50:03 UTC
constexpr int64_t kToday_s = 1'795'132'800;
constexpr int64_t kDay_s = 86'400;
constexpr int64_t kHour_s = 3600;

struct Case {
  const char* text;
  int64_t want;
};

TEST(Attime, ReadsEachForm) {
  const Case cases[] = {
      {"1700000000", 1'700'000'000},
      {"0", 0},
      {"now", kNow_s},
      {"NOW", kNow_s},
      {"-6h", kNow_s - 6 * kHour_s},
      {"-5min", kNow_s - 300},
      {"-2d", kNow_s - 2 * kDay_s},
      {"-1mon", kNow_s - 30 * kDay_s},
      {"-1y", kNow_s - 365 * kDay_s},
      {"-1w", kNow_s - 7 * kDay_s},
      {"-90seconds", kNow_s - 90},
      {"now-1d+2h", kNow_s - kDay_s + 2 * kHour_s},
      {"-1d12h", kNow_s - kDay_s - 12 * kHour_s},
      {"+1h", kNow_s + kHour_s},
      {"midnight", kToday_s},
      {"noon", kToday_s + 12 * kHour_s},
      {"teatime", kToday_s + 16 * kHour_s},
      {"today", kToday_s},
      {"yesterday", kToday_s - kDay_s},
      {"tomorrow", kToday_s + kDay_s},
      {"noon yesterday", kToday_s - kDay_s / 2},
      {"14:30", kToday_s + 14 * kHour_s + 1800},
      {"9:30pm", kToday_s + 21 * kHour_s + 1800},
      {"4am", kToday_s + 4 * kHour_s},
      {"12pm", kToday_s + 12 * kHour_s},
      {"12am", kToday_s},
      {"12:30am", kToday_s + 1800},
      {"20261120", kToday_s},
      {"14:30_20261119", kToday_s - kDay_s + 14 * kHour_s + 1800},
      {"11/19/26", kToday_s - kDay_s},
      {"11/19/2026", kToday_s - kDay_s},
      {"01/01/70", 0},
      {"nov19", kToday_s - kDay_s},
      {"november 19", kToday_s - kDay_s},
      {"friday", kToday_s},
      {"thu", kToday_s - kDay_s},
      {"saturday", kToday_s - 6 * kDay_s},
      {"noon-1d", kToday_s - kDay_s / 2},
      {"midnight_20261120-1h", kToday_s - kHour_s},
      {"20269999", 20'269'999},  // no date
  };
  for (const Case& one : cases) {
    const auto time = parse_attime(one.text, kNow_s);
    ASSERT_TRUE(time) << one.text << ": " << time.error().message;
    EXPECT_EQ(*time, one.want) << one.text;
  }
}

TEST(Attime, RefusesWhatIsNoTime) {
  for (const char* text : {"",
                           "x",
                           "-",
                           "now-",
                           "-6",
                           "-6x",
                           "25:00",
                           "14:60",
                           "13pm",
                           "0am",
                           "20260230",
                           "11/20/1899",
                           "13/01/26",
                           "257/01/26",
                           "1/257/26",
                           "nov",
                           "nov 123",
                           "monday5",
                           "-9999999999999y",
                           "99999999999999999999",
                           "--1h",
                           "-1h-",
                           "now now",
                           "1/2",
                           "-60y",
                           "12:3",
                           ":30",
                           "noon\x01"}) {
    EXPECT_FALSE(parse_attime(text, kNow_s)) << text;
  }
}

TEST(Attime, TimesOfDayAreInTheZone) {
  const Zone berlin = [](int64_t) { return ZoneOffset{3600, "CET"}; };
  EXPECT_EQ(*parse_attime("midnight", kNow_s, berlin), kToday_s - kHour_s);
  EXPECT_EQ(*parse_attime("14:30_20261120", kNow_s, berlin), kToday_s + 13 * kHour_s + 1800);
  EXPECT_EQ(*parse_attime("-1h", kNow_s, berlin), kNow_s - kHour_s);
}

TEST(TimeOffset, ReadsUnitsByHowTheyBegin) {
  const Case cases[] = {{"1h", 3600}, {"-30min", -1800},     {"1d12h", 129'600},    {"+2weeks", 1'209'600},
                        {"10s", 10},  {"1month", 2'592'000}, {"1year", 31'536'000}, {"-1hours", -3600}};
  for (const Case& one : cases) EXPECT_EQ(*parse_time_offset(one.text), one.want) << one.text;
  for (const char* text : {"", "-", "h", "1", "1x", "1m", "10 s", "1h2", "9999999999999999d", "1h-1h"})
    EXPECT_FALSE(parse_time_offset(text)) << text;
}

}  // namespace
}  // namespace statmill::graphite
