// Answers as text: golden tables and CSV.
#include "tools/statmill/table.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace statmill {
namespace {

QueryTexts two_series() {
  return {.from_s = 1'700'000'000,
          .until_s = 1'700'000'030,
          .step_s = 10,
          .series = {{"web.load",
                      "gauge",
                      {{"avg", {"1.5", std::nullopt, "-20"}}, {"count", {"10", std::nullopt, "1000000000"}}}},
                     {"odd,\"name\"", "event", {{"avg", {"0", "0", "0.1"}}, {"count", {"1", "1", "1"}}}}}};
}

TEST(TextTable, AlignsColumnsWithoutTrailingBlanks) {
  TextTable table({{"name"}, {"value", Align::kRight}, {"note"}});
  table.add({"a", "1", ""});
  table.add({"longer", "12345.5", "x"});
  EXPECT_EQ(table.text(),
            "name      value  note\n"
            "a             1\n"
            "longer  12345.5  x\n");
}

TEST(QueryTable, HasOneBlockPerSeriesAndDashesInEmptySlots) {
  EXPECT_EQ(query_table(two_series(), utc),
            "web.load  gauge  step 10s\n"
            "time (UTC)           avg  count\n"
            "2023-11-14 22:13:20  1.5     10\n"
            "2023-11-14 22:13:30    -      -\n"
            "2023-11-14 22:13:40  -20    1 G\n"
            "\n"
            "odd,\"name\"  event  step 10s\n"
            "time (UTC)             avg  count\n"
            "2023-11-14 22:13:20    0/s      1\n"
            "2023-11-14 22:13:30    0/s      1\n"
            "2023-11-14 22:13:40  0.1/s      1\n");
}

TEST(QueryTable, HasFourDigitsAndTheUnitOfTheSeries) {
  const QueryTexts result{
      .from_s = 1'700'000'000,
      .until_s = 1'700'000'020,
      .step_s = 10,
      .series = {{"disk.latency",
                  "distribution",
                  {{"p99", {"1234567", "98.76543"}}, {"count", {"1234567", "3"}}, {"rate", {"NaN", "odd"}}},
                  "ns"}}};
  EXPECT_EQ(query_table(result, utc),
            "disk.latency  distribution  step 10s\n"
            "time (UTC)                p99    count  rate\n"
            "2023-11-14 22:13:20  1.235 ms  1.235 M   NaN\n"
            "2023-11-14 22:13:30  98.77 ns        3   odd\n");
}

TEST(QueryTable, HasOneRowForALongGap) {
  const QueryTexts result{.from_s = 1'700'000'000,
                          .until_s = 1'700'000'090,
                          .step_s = 10,
                          .series = {{"a",
                                      "gauge",
                                      {{"avg",
                                        {"1", std::nullopt, std::nullopt, "2", std::nullopt, std::nullopt,
                                         std::nullopt, "3", std::nullopt}},
                                       {"max",
                                        {"1", std::nullopt, std::nullopt, "2", std::nullopt, std::nullopt,
                                         std::nullopt, "3", std::nullopt}}}}}};
  EXPECT_EQ(query_table(result, utc),
            "a  gauge  step 10s\n"
            "time (UTC)           avg  max\n"
            "2023-11-14 22:13:20    1    1\n"
            "2023-11-14 22:13:30    -    -\n"
            "2023-11-14 22:13:40    -    -\n"
            "2023-11-14 22:13:50    2    2\n"
            "3 rows without data\n"
            "2023-11-14 22:14:30    3    3\n"
            "2023-11-14 22:14:40    -    -\n");
}

TEST(QueryTable, OfAnExpressionAtOneTimeHasARowPerSeries) {
  QueryTexts result{
      .from_s = 1'700'000'000,
      .until_s = 1'700'000'060,
      .step_s = 60,
      .series = {{"{host=\"a\"}", "", {{"value", {"1.5"}}}}, {"{}", "", {{"avg", {std::nullopt}}}}}};
  EXPECT_EQ(query_table(result, utc),
            "2023-11-14 22:13:20 UTC\n"
            "series      value  avg\n"
            "{host=\"a\"}    1.5    -\n"
            "{}              -    -\n");
  result.series.resize(1);
  result.series[0].kind = "gauge";
  EXPECT_EQ(query_table(result, utc),
            "{host=\"a\"}  gauge  step 1m\n"
            "time (UTC)           value\n"
            "2023-11-14 22:13:20    1.5\n");
}

TEST(QueryCsv, QuotesNamesAndLeavesEmptySlotsEmpty) {
  EXPECT_EQ(query_csv(two_series()),
            "series,time,unix,avg,count\n"
            "web.load,2023-11-14T22:13:20Z,1700000000,1.5,10\n"
            "web.load,2023-11-14T22:13:30Z,1700000010,,\n"
            "web.load,2023-11-14T22:13:40Z,1700000020,-20,1000000000\n"
            "\"odd,\"\"name\"\"\",2023-11-14T22:13:20Z,1700000000,0,1\n"
            "\"odd,\"\"name\"\"\",2023-11-14T22:13:30Z,1700000010,0,1\n"
            "\"odd,\"\"name\"\"\",2023-11-14T22:13:40Z,1700000020,0.1,1\n");
}

TEST(QueryCsv, LeavesStatisticsThatASeriesDoesNotHaveEmpty) {
  const QueryTexts result{.from_s = 0,
                          .until_s = 10,
                          .step_s = 10,
                          .series = {{"a", "", {{"avg", {"1"}}}}, {"b", "", {{"value", {"NaN"}}}}}};
  EXPECT_EQ(query_csv(result),
            "series,time,unix,avg,value\n"
            "a,1970-01-01T00:00:00Z,0,1,\n"
            "b,1970-01-01T00:00:00Z,0,,NaN\n");
}

TEST(TextTable, ShowsWhatNamesHide) {
  TextTable table({{"name"}, {"value", Align::kRight}});
  table.add({"a\x1b[2J", "1"});
  table.add({"负载", "2"});
  table.add({"\u202e\xff", "3"});
  EXPECT_EQ(table.text(),
            "name           value\n"
            "a<U+001B>[2J       1\n"
            "负载               2\n"
            "<U+202E><xFF>      3\n");
}

TEST(Listing, IsAlignedForPeopleAndCommaSeparatedForPrograms) {
  const SeriesListing listing{.series = {{.name = "a.b", .kind = "gauge"},
                                         {.name = "a.longer;c=d;e=f",
                                          .kind = "event",
                                          .unit = "bytes",
                                          .help = "Sent, and \x1b.",
                                          .retention = "10s:1d",
                                          .first_s = 1'600'000'000,
                                          .last_s = 1'700'000'000}}};
  EXPECT_EQ(listing_table(listing, ListingForm::kShort, utc),
            "series            kind   last sample (UTC)\n"
            "a.b               gauge  1970-01-01 00:00:00\n"
            "a.longer;c=d;e=f  event  2023-11-14 22:13:20\n");
  EXPECT_EQ(listing_table(listing, ListingForm::kLong, utc),
            "series            kind   unit   last sample (UTC)    help\n"
            "a.b               gauge  -      1970-01-01 00:00:00\n"
            "a.longer;c=d;e=f  event  bytes  2023-11-14 22:13:20  Sent, and <U+001B>.\n");
  EXPECT_EQ(listing_table(listing, ListingForm::kDescription, utc),
            "a.b\n"
            "  kind          gauge\n"
            "  unit          -\n"
            "  help          -\n"
            "  tags          -\n"
            "  retention     -\n"
            "  first sample  1970-01-01 00:00:00 UTC\n"
            "  last sample   1970-01-01 00:00:00 UTC\n"
            "\n"
            "a.longer;c=d;e=f\n"
            "  kind          event\n"
            "  unit          bytes\n"
            "  help          Sent, and <U+001B>.\n"
            "  tags          c=d, e=f\n"
            "  retention     10s:1d\n"
            "  first sample  2020-09-13 12:26:40 UTC\n"
            "  last sample   2023-11-14 22:13:20 UTC\n");
  EXPECT_EQ(listing_csv(listing, ListingForm::kShort),
            "series,kind,last,unix\n"
            "a.b,gauge,1970-01-01T00:00:00Z,0\n"
            "a.longer;c=d;e=f,event,2023-11-14T22:13:20Z,1700000000\n");
  EXPECT_EQ(listing_csv(listing, ListingForm::kLong),
            "series,kind,last,unix,unit,help,retention,first,first_unix\n"
            "a.b,gauge,1970-01-01T00:00:00Z,0,,,,1970-01-01T00:00:00Z,0\n"
            "a.longer;c=d;e=f,event,2023-11-14T22:13:20Z,1700000000,bytes,\"Sent, and <U+001B>.\",10s:1d,"
            "2020-09-13T12:26:40Z,1600000000\n");
}

TEST(Csv, TextsOfSendersAreNoFormulasAndNumbersStayNumbers) {
  const QueryTexts result{.from_s = 0,
                          .until_s = 10,
                          .step_s = 10,
                          .series = {{"=cmd|calc", "gauge", {{"avg", {"-1"}}, {"@sum", {"-Inf"}}}}}};
  EXPECT_EQ(query_csv(result),
            "series,time,unix,avg,\"'@sum\"\n"
            "\"'=cmd|calc\",1970-01-01T00:00:00Z,0,-1,-Inf\n");
  const SeriesListing listing{.series = {{.name = "-2+3", .kind = "gauge", .help = "+1", .last_s = -5}}};
  EXPECT_EQ(listing_csv(listing, ListingForm::kLong),
            "series,kind,last,unix,unit,help,retention,first,first_unix\n"
            "\"'-2+3\",gauge,1969-12-31T23:59:55Z,-5,,\"'+1\",,1970-01-01T00:00:00Z,0\n");
  EXPECT_EQ(rejects_csv({{.listener = "tcp", .sender = "@x", .reason = "bad", .bytes = 3, .line = "=1,2"}}),
            "time,unix,listener,sender,reason,accepted,bytes,line\n"
            "1970-01-01T00:00:00Z,0,tcp,\"'@x\",bad,no,3,\"'=1,2\"\n");
}

TEST(PairsTable, AlignsValues) {
  EXPECT_EQ(pairs_table({{"version", "0.1"}, {"up", "12"}}), "version  0.1\nup       12\n");
}

TEST(PairsTable, ShowsWhatKeysAndValuesHide) {
  EXPECT_EQ(pairs_table({{"\x7f", "\x1b[31m"}, {"host", "h\u009b31m"}}),
            "<U+007F>  <U+001B>[31m\nhost      h<U+009B>31m\n");
}

}  // namespace
}  // namespace statmill
