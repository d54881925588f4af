// The text of /api/v1/status/rejects and /api/v1/status/cardinality, and the growth per minute.
#include "server/report/limits_report.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "ingest/intake.h"
#include "proto/istatd/parser.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class LimitsReportTest : public testing::Test {
 protected:
  explicit LimitsReportTest(size_t series_max = 6)
      : table_(*Tiers::parse("10s:10d"), {.series_max = series_max}) {}

  void send(std::string_view lines, std::optional<OtherKind> other_kind = {}) {
    Batch batch;
    batch.other_kind = other_kind;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(lines, batch);
    intake_.submit(batch, account_, from_unix_seconds(kNow));
  }
  std::string cardinality(size_t parts) {
    return cardinality_json({table_, intake_.refusals(), new_series_}, parts);
  }

  Table table_;
  Registry registry_;
  Intake intake_{table_, registry_};
  const ListenerAccount account_ = intake_.account("http");
  MinuteCount new_series_;
};

TEST_F(LimitsReportTest, RejectsAreValidJsonForAnyBytes) {
  EXPECT_EQ(rejects_json(intake_.refusals()), "{\"rejects\":[]}\n");
  send("good 1\n\"q\x1b[2J\xff\\ x\n");
  EXPECT_EQ(rejects_json(intake_.refusals()),
            "{\"rejects\":[{\"time\":1700000000,\"listener\":\"http\",\"sender\":\"http\",\"reason\":"
            "\"bad_value\",\"accepted\":false,\"bytes\":10,\"line\":\"\\\"q\\\\x1b[2J\\\\xff\\\\\\\\ "
            "x\",\"truncated\":false}]}\n");
  std::string all_bytes;
  for (int c = 0; c < 256; ++c) all_bytes += c == '\n' ? ' ' : static_cast<char>(c);
  send(all_bytes + "\n");
  boost::system::error_code error;
  boost::json::parse(rejects_json(intake_.refusals()), error);
  EXPECT_FALSE(error) << error.message();
}

TEST_F(LimitsReportTest, FindsTheRefusedLinesThatHaveAllWords) {
  send("orders.paid x\nshop.orders y\ng 1\nshop.Orders;a z\n");
  const auto found = refused_lines_with(intake_.refusals(), {"orders", "shop"}, 3);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line.substr(0, 11), "shop.Orders");
  EXPECT_EQ(found[1].line, "shop.orders y");
  EXPECT_EQ(found[1].reason, "bad_value");
  EXPECT_EQ(found[1].sender, "http");
  EXPECT_EQ(refused_lines_with(intake_.refusals(), {"orders"}, 1).size(), 1U);
}

TEST_F(LimitsReportTest, RejectsTellWhichOtherKindsWereAccepted) {
  send("g 1\n*g 1\n");
  EXPECT_NE(rejects_json(intake_.refusals())
                .find("\"kind_mismatch\",\"accepted\":false,\"bytes\":1,\"line\":\"g\""),
            std::string::npos);
  send("*g 1\n", OtherKind::kAccept);
  EXPECT_NE(
      rejects_json(intake_.refusals()).find("\"kind_mismatch\",\"accepted\":true,\"bytes\":1,\"line\":\"g\""),
      std::string::npos);
  EXPECT_EQ(account_.other_kinds.value(), 1U);
  EXPECT_EQ(account_.accepted.value(), 2U);
}

TEST_F(LimitsReportTest, CardinalityListsTheLargestPrefixesAndRefusedSenders) {
  new_series_.tick(SteadyTime{}, table_.series_created());
  send("host.a.cpu 1\nhost.a.mem 1\nhost.b.cpu 1\nshop.orders 1\n");
  send("cpu 1\nlast 1\n");
  send("bomb.1 1\nbomb.2 1\n");
  const std::string name_bytes = std::to_string(table_.name_bytes());
  EXPECT_EQ(
      cardinality(1),
      "{\"series\":6,\"active_series\":6,\"series_limit\":6,\"series_per_sender_limit\":0,\"new_in_last_"
      "minute\":6,"
      "\"name_bytes\":" +
          name_bytes +
          ",\"prefixes\":{\"top\":[{\"prefix\":\"host\",\"count\":3},{\"prefix\":\"cpu\",\"count\":1},"
          "{\"prefix\":\"last\",\"count\":1},{\"prefix\":\"shop\",\"count\":1}],\"missed\":0},"
          "\"keys\":[],\"refused\":2,\"refused_by_sender\":{\"top\":[{\"sender\":\"http\",\"count\":2}],"
          "\"missed\":0},\"refused_by_prefix\":{\"top\":[{\"prefix\":\"bomb\",\"count\":2}],"
          "\"missed\":0}}\n");
  EXPECT_NE(cardinality(2).find("{\"prefix\":\"host.a\",\"count\":2}"), std::string::npos);
}

TEST_F(LimitsReportTest, CardinalityListsTheLabelsWithMostValues) {
  send("m;pod=1;zone=a 1\nm;pod=2;zone=a 1\nother.m;pod=3 1\nx;%6Eame=n 1\n");
  const auto keys = boost::json::parse(cardinality(1)).at("keys");
  EXPECT_EQ(
      boost::json::serialize(keys),
      "[{\"key\":\"pod\",\"values\":3},{\"key\":\"name\",\"values\":1},{\"key\":\"zone\",\"values\":1}]");
}

class ManyPrefixesTest : public LimitsReportTest {
 protected:
  ManyPrefixesTest() : LimitsReportTest(100'000) {}
};

TEST_F(ManyPrefixesTest, AreCountedInBoundedMemoryAndTheLargestAreFound) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i) {
    lines += "p" + std::to_string(i) + ".x 1\n";
    if (i % 4 == 0) lines += "large." + std::to_string(i) + " 1\n";
  }
  send(lines);
  const auto prefixes = boost::json::parse(cardinality(1)).at("prefixes");
  const auto missed = prefixes.at("missed").to_number<uint64_t>();
  EXPECT_GT(missed, 0U);
  EXPECT_LE(missed, 2 * 25'000 / kPrefixesCounted);
  EXPECT_EQ(prefixes.at("top").as_array().size(), 1U) << "the other counts are not certain";
  EXPECT_EQ(prefixes.at("top").at(0).at("prefix"), "large");
  EXPECT_GE(prefixes.at("top").at(0).at("count").to_number<uint64_t>() + missed, 5'000U);
}

TEST(MinuteCount, CountsTheGrowthOfTheLastMinute) {
  MinuteCount count;
  const auto second = [](int64_t s) { return SteadyTime(std::chrono::seconds(s)); };
  count.tick(second(100), 7);
  EXPECT_EQ(count.last_minute(10), 3U) << "since the first tick";
  for (int64_t s = 1; s <= 30; ++s) count.tick(second(100 + s), 7 + 2 * static_cast<uint64_t>(s));
  EXPECT_EQ(count.last_minute(67), 60U);
  for (int64_t s = 31; s <= 600; ++s) {
    count.tick(second(100 + s), 7 + 2 * static_cast<uint64_t>(s));
    count.tick(second(100 + s), 7 + 2 * static_cast<uint64_t>(s));
  }
  EXPECT_NEAR(static_cast<double>(count.last_minute(1207)), 120, 2);
  count.tick(second(100'000), 5000);
  EXPECT_EQ(count.last_minute(5001), 1U) << "after a pause the totals in between are unknown";
  EXPECT_EQ(count.last_minute(4999), 0U) << "the total was read before the last tick";
}

}  // namespace
}  // namespace statmill
