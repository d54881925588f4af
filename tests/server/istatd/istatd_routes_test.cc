// istatd's interface over series in a table: its answers, and each case in which istatd itself lies, dies or
// writes what is no JSON.
#include "server/istatd/istatd_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "server/istatd/name_listing.h"
#include "tests/server/istatd/istatd_world.h"

namespace statmill::istatd {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int64_t kNow_s = IstatdWorld::kNow_s;

std::string at(int64_t back_s) { return std::to_string(kNow_s - back_s); }

class IstatdRoutes : public testing::Test {
 protected:
  IstatdRoutes() {
    world_.add("host.cpu", Kind::kGauge, Number::of(1), kNow_s - 60);
    world_.add("host.cpu", Kind::kGauge, Number::of(3), kNow_s - 55);
    world_.add("host.cpu", Kind::kGauge, Number::of(4), kNow_s - 30);
    world_.add("hits", Kind::kEvent, Number::of(50), kNow_s - 60);
  }
  static boost::json::value json(const HttpResponse& response) {
    boost::system::error_code error;
    boost::json::value value = boost::json::parse(response.body, error);
    EXPECT_FALSE(error) << response.body;
    return value;
  }
  std::string body(const std::string& target) {
    const HttpResponse response = world_.get(target);
    EXPECT_EQ(response.status, 200U) << response.body;
    json(response);
    return response.body;
  }
  std::string posted(const std::string& text) {
    const HttpResponse response = world_.post("/*", text);
    EXPECT_EQ(response.status, 200U) << response.body;
    json(response);
    return response.body;
  }
  IstatdWorld world_;
};

TEST_F(IstatdRoutes, AGaugeHasRowsWhereItHasSamples) {
  EXPECT_EQ(
      body("/host.cpu?start=" + at(60) + "&end=" + at(20)),
      "{\"start\":" + at(60) + ",\"end\":" + at(20) + ",\"interval\":10,\"buckets\":[{\"time\":" + at(60) +
          ",\"data\":{\"avg\":2,\"count\":2,\"max\":3,\"min\":1,\"sdev\":1.4142135623730951,\"sum\":4,"
          "\"sumsq\":10}},{\"time\":" +
          at(30) +
          ",\"data\":{\"avg\":4,\"count\":1,\"max\":4,\"min\":4,\"sdev\":0,\"sum\":4,\"sumsq\":16}}]}\n");
}

TEST_F(IstatdRoutes, SilentSlotsOfAnEventAreZerosUpToNow) {
  const std::string text = body("/hits?start=" + at(70) + "&end=" + std::to_string(kNow_s + 1000));
  EXPECT_THAT(text, HasSubstr("\"start\":" + at(70) + ",\"end\":" + at(-10) + ","));
  EXPECT_THAT(text,
              HasSubstr("{\"time\":" + at(60) + ",\"data\":{\"avg\":5,\"count\":1,\"max\":5,\"min\":5,"));
  for (const int64_t back_s : {70, 50, 10})
    EXPECT_THAT(text, HasSubstr("{\"time\":" + at(back_s) + ",\"data\":{\"avg\":0,\"count\":1,\"max\":0,"))
        << back_s;
}

TEST_F(IstatdRoutes, WhatWasJustSentIsInTheAnswer) {  // also when its slot begins now
  world_.add("host.cpu", Kind::kGauge, Number::of(9), kNow_s);
  EXPECT_THAT(body("/host.cpu"), HasSubstr("{\"time\":" + at(0) + ",\"data\":{\"avg\":9,"));
}

TEST_F(IstatdRoutes, ALongerIntervalOfAnEventHasTheMeanRate) {
  const std::string text = body("/*hits?start=" + at(300) + "&end=" + at(0) + "&samples=5");
  EXPECT_THAT(text, HasSubstr("\"interval\":60,"));
  EXPECT_THAT(text, HasSubstr("{\"time\":" + at(60) +
                              ",\"data\":{\"avg\":0.8333333333333334,\"count\":6,\"max\":5,"
                              "\"min\":0,\"sdev\":2.04124145231931"));
}

TEST_F(IstatdRoutes, WithoutTimesTheLastFifteenMinutesCount) {
  EXPECT_THAT(body("/hits"),
              HasSubstr("{\"start\":" + at(900) + ",\"end\":" + at(-10) + ",\"interval\":10,"));
  EXPECT_THAT(body("/hits?end=" + at(900)),
              HasSubstr("{\"start\":" + at(1800) + ",\"end\":" + at(900) + ","));
  EXPECT_THAT(body("/hits?start=" + at(1800)),
              HasSubstr("{\"start\":" + at(1800) + ",\"end\":" + at(900) + ","));
}

TEST_F(IstatdRoutes, AnOldStartIsReadFromACoarserTier) {
  EXPECT_THAT(body("/hits?start=" + at(90'000) + "&end=" + at(0)), HasSubstr("\"interval\":300,"));
  EXPECT_THAT(body("/hits?start=" + at(40'000'000) + "&end=" + at(0)), HasSubstr("\"interval\":3600,"));
}

TEST_F(IstatdRoutes, CsvHasALineForEachRow) {
  const HttpResponse csv = world_.query("/host.cpu?format=csv&start=" + at(60) + "&end=" + at(50),
                                        *std::make_unique<QueryControl>());
  EXPECT_EQ(
      csv.body,
      "ISO Time,Unix Timestamp,Sample Count,Minimum,Maximum,Sum,Sum Squared,Average,Standard Deviation\r\n"
      "2023-11-14T23:59:00Z," +
          at(60) + ",2,1,3,4,10,2,1.4142135623730951\r\n");
  EXPECT_EQ(world_.get("/host.cpu?format=csv").content_type, kCsv);
}

TEST_F(IstatdRoutes, ErrorsAreJsonInIstatdsWords) {
  struct Case {
    std::string target;
    unsigned status;
    std::string want;
  };
  const std::vector<Case> cases = {
      {"/nothing", 404, "No such counter nothing"},
      {"/host", 404, "No such counter host"},
      {"/*", 404, "No such counter *"},
      {"/hits?start=abc", 400, "Bad integer argument start: abc"},
      {"/hits?start=-5", 400, "Invalid start parameter"},
      {"/hits?start=20&end=10", 400, "end must be greater than start!"},
      {"/hits?format=xml", 400, "unrecognized format"},
      {"/hits?start=1&end=1700000000&samples=0", 200, "\"interval\":3600"},
  };
  for (const auto& [target, status, want] : cases) {
    const HttpResponse response = world_.get(target);
    EXPECT_EQ(response.status, status) << target;
    EXPECT_THAT(response.body, HasSubstr(want)) << target;
    json(response);
  }
}

TEST_F(IstatdRoutes, NamesAreDecodedAndFoldedButAnsweredAsTheyAre) {
  world_.add("disk_c", Kind::kGauge, Number::of(7), kNow_s - 10);
  world_.add("a?b", Kind::kGauge, Number::of(8), kNow_s - 10);
  EXPECT_THAT(body("/HOST.CPU"), HasSubstr("\"avg\":2"));
  EXPECT_THAT(body("/%68ost.cpu"), HasSubstr("\"avg\":2"));
  EXPECT_THAT(body("/disk:c"), HasSubstr("\"avg\":7"));
  EXPECT_THAT(body("/a%3Fb"), HasSubstr("\"avg\":8"));
  EXPECT_EQ(world_.get("/h%2Ast.cpu").status, 404U) << "a name is no glob";
}

TEST_F(IstatdRoutes, EqualEndsAreTheSlotThatHasThem) {  // istatd dies of them with samples=1
  for (const char* samples : {"", "&samples=1", "&samples=0"}) {
    const std::string text = body("/host.cpu?start=" + at(58) + "&end=" + at(58) + samples);
    EXPECT_THAT(text, HasSubstr("{\"start\":" + at(60) + ",\"end\":" + at(50) + ",\"interval\":10,"))
        << samples;
    EXPECT_THAT(text, HasSubstr("\"count\":2")) << samples;
  }
}

TEST_F(IstatdRoutes, OneSampleIsOneRow) {
  const std::string text = body("/host.cpu?start=" + at(100) + "&end=" + at(0) + "&samples=1");
  EXPECT_THAT(text, HasSubstr("\"count\":3,\"max\":4,\"min\":1,"));
  EXPECT_EQ(text.find("\"time\""), text.rfind("\"time\""));
}

TEST_F(IstatdRoutes, AFutureRangeIsEmpty) {
  const std::string future = std::to_string(kNow_s + 1000);
  EXPECT_EQ(body("/hits?start=" + future + "&end=" + std::to_string(kNow_s + 2000)),
            "{\"start\":" + future + ",\"end\":" + std::to_string(kNow_s + 1010) +
                ",\"interval\":10,\"buckets\":[]}\n");
}

TEST_F(IstatdRoutes, NoRowIsMadeUpBeforeTheFirstSample) {  // istatd has one with the time 0
  const std::string text = body("/host.cpu?start=" + at(300) + "&end=" + at(0) + "&samples=5");
  EXPECT_THAT(text, Not(HasSubstr("\"time\":0,")));
  EXPECT_THAT(text, HasSubstr("\"buckets\":[{\"time\":" + at(60) + ","));
}

TEST_F(IstatdRoutes, NumbersHaveAllTheirDigits) {  // istatd's have 24 bits, and six digits in POST and CSV
  world_.add("big", Kind::kGauge, Number::of(123'456'789), kNow_s - 10);
  EXPECT_THAT(body("/big"), HasSubstr("\"max\":123456789,\"min\":123456789,\"sdev\":0,\"sum\":123456789,"
                                      "\"sumsq\":15241578750190520"));
  EXPECT_THAT(posted(R"({"keys":["big"]})"), HasSubstr("\"sum\":123456789,"));
}

TEST_F(IstatdRoutes, SeveralCountersAreOneObject) {
  const std::string range = "\"start\":" + at(60) + ",\"stop\":" + at(20);
  EXPECT_EQ(
      posted("{" + range + R"(,"keys":["host.cpu","nothing"],"maxSamples":600})"),
      "{\"host.cpu\":{\"start\":" + at(60) + ",\"end\":" + at(20) +
          ",\"interval\":10,\"data\":[{\"time\":" + at(60) +
          ",\"count\":2,\"min\":1,\"max\":3,\"sum\":4,\"sumsq\":10,\"avg\":2,\"sdev\":1.4142135623730951},"
          "{\"time\":" +
          at(30) +
          ",\"count\":1,\"min\":4,\"max\":4,\"sum\":4,\"sumsq\":16,\"avg\":4,\"sdev\":0}]},"
          "\"nothing\":\"Not found.\",\"start\":" +
          at(60) + ",\"stop\":" + at(20) + ",\"interval\":10}\n");
  EXPECT_THAT(posted("{" + range + R"(,"keys":["host.cpu"],"compact":true})"),
              HasSubstr("\"data\":[[" + at(60) + ",2,1,3,4,10,2,1.4142135623730951],["));
  EXPECT_EQ(posted(R"({"keys":[]})"), "{\"start\":0,\"stop\":0,\"interval\":0}\n");
}

TEST_F(IstatdRoutes,
       KeysOfSeveralCountersAreAnsweredAsTheyAreWritten) {  // istatd answers one of two spellings
  const auto answer = json(world_.post("/%2A", R"({"keys":["host.cpu","HOST.cpu","*hits","a\"b","start"]})"));
  ASSERT_TRUE(answer.is_object());
  EXPECT_TRUE(answer.at("host.cpu").is_object());
  EXPECT_TRUE(answer.at("HOST.cpu").is_object());
  EXPECT_TRUE(answer.at("*hits").is_object());
  EXPECT_EQ(answer.at("a\"b"), "Not found.");
  EXPECT_EQ(answer.at("start"), "Not found.") << "the range of the last counter must not hide it";
}

TEST_F(IstatdRoutes, WrongBodiesAreRefused) {
  EXPECT_THAT(world_.post("/*", "{}").body, HasSubstr("Missing 'key' array of keys"));
  EXPECT_EQ(world_.post("/*", "{").status, 400U);
  EXPECT_EQ(world_.post("/*", R"({"keys":["a"],"start":2,"stop":1})").status, 400U);
  EXPECT_EQ(world_.post("/nothing", R"({"keys":[]})").status, 415U);
}

TEST_F(IstatdRoutes, ATrailingMeanIsOverTheWeeksThatAreKept) {
  constexpr int64_t kWeek_s = 7 * 86'400;
  for (int64_t week = 1; week <= 2; ++week)
    world_.add("weekly", Kind::kGauge, Number::of(week == 2 ? 2 : 5), kNow_s - 600 - week * kWeek_s);
  world_.add("weekly", Kind::kGauge, Number::of(11), kNow_s - 600);
  const std::string range = "start=" + at(900) + "&end=" + at(0);
  const std::string text = body("/weekly?trailing=1&" + range);
  EXPECT_THAT(text, HasSubstr("\"interval\":300,\"buckets\":[{\"time\":" + at(600) +
                              ",\"data\":{\"avg\":3.16999999999999"));
  EXPECT_EQ(text.find("\"time\""), text.rfind("\"time\""));
  EXPECT_THAT(body("/weekly?" + range), HasSubstr("\"avg\":11,"));
  EXPECT_THAT(
      posted("{\"trailing\":1,\"start\":" + at(900) + ",\"stop\":" + at(0) + R"(,"keys":["weekly"]})"),
      HasSubstr("\"avg\":3.16999999999999"));
}

TEST_F(IstatdRoutes, TheListHasSeriesAndWhatTheyAreBelow) {
  const std::string head = R"({"type_mapping":{"0":"gauge","1":"counter","2":"aggregate"},"pattern":)";
  const auto one = [](const std::string& name, int type) {
    return std::string("{\"is_leaf\":") + (type == 2 ? "false" : "true") +
           ",\"type\":" + std::to_string(type) + ",\"name\":\"" + name + "\"}";
  };
  EXPECT_EQ(body("/?q=*"), head + "\"*\",\"matching_names\":[" + one("hits", 1) + "," + one("host", 2) + "," +
                               one("host.cpu", 0) + "]}\n");
  EXPECT_EQ(body("/?q=h"), head + "\"h\",\"matching_names\":[]}\n");
  EXPECT_EQ(body("/istatd/?q=host"), head + "\"host\",\"matching_names\":[" + one("host", 2) + "]}\n");
  EXPECT_EQ(body("/?q=h?"),
            head + "\"h?\",\"matching_names\":[" + one("hits", 1) + "," + one("host", 2) + "]}\n");
  EXPECT_EQ(body("/?q=*.c*"), head + "\"*.c*\",\"matching_names\":[" + one("host.cpu", 0) + "]}\n");
  world_.add("host", Kind::kGauge, Number::of(1), kNow_s);
  EXPECT_THAT(body("/?q=host"), HasSubstr(one("host", 2)));
}

TEST_F(IstatdRoutes, PatternsAreNoRegularExpressionsAndCostLittle) {
  world_.add("a(b", Kind::kGauge, Number::of(1), kNow_s);
  EXPECT_THAT(body("/?q=a(b"), HasSubstr("\"name\":\"a(b\""));
  EXPECT_THAT(body("/?q=a."), HasSubstr("\"matching_names\":[]"));
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a";
  EXPECT_THAT(body("/?q=" + stars), HasSubstr("\"matching_names\":[]"));
  EXPECT_EQ(world_.get("/?q=" + std::string(kListPatternBytesMax + 1, 'a')).status, 400U);
}

TEST_F(IstatdRoutes, TheLimitsOfAQueryHold) {
  QueryControl few({.selected_max = 2});
  EXPECT_EQ(world_.query("/?q=*", few).status, 422U);
  QueryControl little({.memory_bytes_max = 100});
  EXPECT_EQ(world_.query("/?q=*", little).status, 422U);
  QueryControl stopped;
  stopped.stop(QueryStop::kAdmin);
  EXPECT_EQ(world_.query("/?q=*", stopped).status, 503U);
  EXPECT_EQ(world_.query("/hits", stopped).status, 503U);
}

TEST_F(IstatdRoutes, SendersAreListedWithWhatTheySay) {
  EXPECT_EQ(body("/?a=*"), "{\"count\":0,\"agents\":[]}\n");
  const uint64_t id = world_.connections().add("10.0.0.1:1234", from_unix_seconds(kNow_s - 60));
  world_.connections().set(id, "hostname", "it's");
  world_.connections().set(id, "_online", "no");
  EXPECT_EQ(body("/istatd/?a=*"),
            "{\"count\":1,\"agents\":[{\"hostname\":\"it's\",\"_peer\":\"10.0.0.1:1234\",\"_online\":true,"
            "\"_connected\":\"2023-11-14T23:59:00Z\"}]}\n");
}

TEST_F(IstatdRoutes, FilesAreNotServed) {
  EXPECT_EQ(world_.get("/?f=index.html").status, 404U);
  EXPECT_EQ(world_.get("/files/index.html").status, 404U);
  EXPECT_EQ(world_.get("/istatd/?f=../x").status, 404U);
}

TEST_F(IstatdRoutes, EachIsBelowIstatdToo) {
  EXPECT_EQ(body("/istatd/hits"), body("/hits"));
  EXPECT_EQ(world_.post("/istatd/*", R"({"keys":["hits"]})").body, posted(R"({"keys":["hits"]})"));
  EXPECT_EQ(world_.get("/istatd/nothing").status, 404U);
}

TEST(IstatdTrailing, RowsOfTheWeeksAreMemoryOfTheQuery) {
  constexpr int64_t kWeek_s = 7 * 86'400;
  IstatdWorld world;
  for (int64_t week = 0; week < 40; ++week) {
    for (int64_t slot = 1; slot <= 288; ++slot)
      world.add("a", Kind::kGauge, Number::of(1), IstatdWorld::kNow_s - week * kWeek_s - slot * 300);
  }
  const std::string range =
      "start=" + std::to_string(IstatdWorld::kNow_s - 86'400) + "&end=" + std::to_string(IstatdWorld::kNow_s);
  const auto status = [&](const std::string& target, size_t memory_bytes) {
    QueryLimits limits;
    limits.memory_bytes_max = memory_bytes;
    QueryControl control(limits);
    return world.query(target, control).status;
  };
  constexpr size_t kEnough = size_t{1} << 20;
  EXPECT_EQ(status("/a?" + range, kEnough), 200U);
  EXPECT_EQ(status("/a?trailing=1&" + range, kEnough), 422U) << "11,520 rows";
  EXPECT_EQ(status("/a?trailing=1&" + range, 8 * kEnough), 200U);
}

}  // namespace
}  // namespace statmill::istatd
