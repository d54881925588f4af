// /render over series in a table, and /functions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/graphite/function.h"
#include "server/graphite/render_answer.h"
#include "server/graphite/render_request.h"
#include "server/graphite/render_routes.h"
#include "tests/server/graphite/render_world.h"

namespace statmill::graphite {
namespace {

class RenderTest : public testing::Test {
 protected:
  RenderTest() {
    world_.add_all("host.a.cpu", {1, 2, 3, 40, 5, 6});
    world_.add_all("host.b.cpu", {10, 10, 10, 10, 10, 10});
    world_.add_all("host.b.cpu.user", {7, 7, 7});
    world_.add_all("disk.used;host=a", {4, 4, 4, 4, 4, 4});
    world_.add_all("disk.used;host=b", {5, 5, 5, 5, 5, 5});
    world_.add_all("hits", {20, 0, 20, 20}, Kind::kEvent);
    world_.add_all("latency", {1, 2, 3, 4, 5, 6}, Kind::kDistribution);
  }
  RenderWorld world_;
};

TEST_F(RenderTest, JsonIsAsGraphiteHasIt) {
  EXPECT_EQ(world_.render("host.a.cpu"),
            R"([{"target":"host.a.cpu","tags":{"name":"host.a.cpu"},"datapoints":)" +
                points({"2", "3", "40", "5", "6", "null"}, kNow) + "}]\n");
  EXPECT_EQ(world_.render("host.a.cpu", {{"noNullPoints", "true"}}),
            R"([{"target":"host.a.cpu","tags":{"name":"host.a.cpu"},"datapoints":)" +
                points({"2", "3", "40", "5", "6"}, kNow - 10) + "}]\n");
  EXPECT_EQ(world_.render("nothing"), "[]\n");
  EXPECT_EQ(world_.render(""), "[]\n");
}

TEST_F(RenderTest, GlobsStayInTheirPartOfThePath) {
  const auto names = [&](const std::string& target) {
    std::string out;
    const auto json = boost::json::parse(world_.render(target));
    for (const auto& series : json.as_array()) out += std::string(series.at("target").as_string()) + " ";
    return out;
  };
  EXPECT_EQ(names("host.*.cpu"), "host.a.cpu host.b.cpu ");
  EXPECT_EQ(names("host.*"), "");
  EXPECT_EQ(names("*.*.*.*"), "host.b.cpu.user ");
  EXPECT_EQ(names("host.{a,x}.c?u"), "host.a.cpu ");
  EXPECT_EQ(names("host.[!a].cpu"), "host.b.cpu ");
  EXPECT_EQ(names("host.[a-c].cpu"), "host.a.cpu host.b.cpu ");
  EXPECT_EQ(names("disk.*"), "");
  EXPECT_EQ(names("disk.used;host=a"), "disk.used;host=a ");
  EXPECT_EQ(names("seriesByTag('name=disk.used')"), "disk.used;host=a disk.used;host=b ");
  EXPECT_EQ(names("aliasByTags(seriesByTag('name=disk.used','host=~b'),'host')"), "b ");
  EXPECT_EQ(names("group(host.a.cpu,hits)"), "host.a.cpu hits ");
}

TEST_F(RenderTest, RequestsOfGrafanaAreAnswered) {
  const std::string now = std::to_string(kNow);
  // A panel wraps each target; the answer ends in the letter of the query.
  EXPECT_EQ(world_
                .ask("/render", {{"target", R"t(aliasSub(host.b.cpu, "(^.*$)", "\1 A"))t"},
                                 {"from", "-1h"},
                                 {"until", "now"},
                                 {"format", "json"},
                                 {"maxDataPoints", "2"}})
                .body,
            R"([{"target":"host.b.cpu A","tags":{"name":"host.b.cpu"},"datapoints":)" +
                points({"10"}, kNow / 3600 * 3600, 3600) + "}]\n");
  // Its test of the data source.
  EXPECT_EQ(world_
                .ask("/graphite/render", {{"target", R"t(aliasSub(constantLine(100), "(^.*$)", "\1 A"))t"},
                                          {"from", "-1h"},
                                          {"until", "now"},
                                          {"format", "json"},
                                          {"maxDataPoints", "300"}})
                .body,
            R"([{"target":"100.0 A","tags":{"name":"100.0"},"datapoints":)" +
                points({"100", "100", "100"}, kNow, 1800) + "}]\n");
  // An alert has one target and unix times.
  EXPECT_EQ(
      world_
          .ask("/render", {{"format", "json"},
                           {"from", std::to_string(kNow - 60)},
                           {"maxDataPoints", "100"},
                           {"target", "sumSeries(host.*.cpu)"},
                           {"until", now}})
          .body,
      R"t([{"target":"sumSeries(host.*.cpu)","tags":{"aggregatedBy":"sum","name":"sumSeries(host.*.cpu)"},)t"
      R"("datapoints":)" +
          points({"12", "13", "50", "15", "16", "null"}, kNow) + "}]\n");
  EXPECT_EQ(world_.ask("/render", {{"target", "host.b.cpu"}, {"from", "undefined"}, {"until", ""}}).status,
            200U);
}

TEST_F(RenderTest, SpikesStayForMaxima) {
  const auto value = [&](const std::string& target) {
    const std::string body = world_.render(target, {{"maxDataPoints", "2"}});
    const size_t begin = body.find("\"datapoints\":[[") + 15;
    return body.substr(begin, body.find(',', begin) - begin);
  };
  // The band of half a minute has 40, 5 and 6.
  EXPECT_EQ(value("host.a.cpu"), "17");
  EXPECT_EQ(value("consolidateBy(host.a.cpu,'max')"), "40");
  EXPECT_EQ(value("consolidateBy(host.a.cpu,'min')"), "5");
  EXPECT_EQ(value("cumulative(host.a.cpu)"), "51");
  EXPECT_EQ(value("consolidateBy(host.a.cpu,'count')"), "3");
  EXPECT_EQ(value("consolidateBy(host.a.cpu,'last')"), "6");
  EXPECT_EQ(value("consolidateBy(derivative(host.a.cpu),'max')"), "37");
  EXPECT_EQ(value("maxSeries(consolidateBy(host.*.cpu,'max'))"), "40");
  EXPECT_EQ(value("scale(consolidateBy(host.a.cpu,'max'),0.5)"), "20");
  EXPECT_EQ(value("sumSeries(host.*.cpu)"), "27");
}

TEST_F(RenderTest, EventsAreRatesAndTheirSumsAreTotals) {
  EXPECT_NE(world_.render("hits").find(points({"null", "2", "0", "2", "2", "0"}, kNow)), std::string::npos)
      << world_.render("hits");
  EXPECT_NE(world_.render("cumulative(hits)").find("[20," + std::to_string(kNow - 40)), std::string::npos)
      << world_.render("cumulative(hits)");
}

TEST_F(RenderTest, EventsAreThoseOfTheLog) {
  const std::string body = world_.render("events('x')", {{"until", "+2s"}, {"noNullPoints", "true"}});
  EXPECT_NE(body.find("\"datapoints\":[[2," + std::to_string(kNow) + "]]"), std::string::npos) << body;
}

TEST_F(RenderTest, OtherFormats) {
  const std::string last = std::to_string(kNow + 10);
  EXPECT_EQ(world_.render("host.b.cpu", {{"format", "raw"}}),
            "host.b.cpu," + std::to_string(kNow - 50) + "," + last + ",10|10.0,10.0,10.0,10.0,10.0,None\n");
  const HttpResponse csv = world_.ask(
      "/render", {{"target", "host.b.cpu"}, {"from", "-10s"}, {"format", "csv"}, {"tz", "+01:00"}});
  EXPECT_EQ(csv.body, "host.b.cpu,2023-11-14 23:15:00,\r\n");
  EXPECT_EQ(csv.content_type, "text/csv");
  EXPECT_EQ(world_.render("group(host.a.cpu,scale(host.b.cpu,-1))", {{"format", "dygraph"}}).substr(0, 77),
            R"t({"labels":["Time","host.a.cpu","scale(host.b.cpu,-1)"],"data":[[)t" +
                std::to_string(kNow - 50) + "000");
}

TEST_F(RenderTest, ErrorsNameThePlace) {
  const std::pair<Parameters, std::string> cases[] = {
      {{{"target", "sum(a"}}, "parameter target: at 6: expected , or ) after an argument of sum()"},
      {{{"target", "sum(skale(a))"}}, "at 5: unknown function skale(); did you mean scale?"},
      {{{"target", "scale(a)"}}, "at 1: scale(): the parameter factor is missing"},
      {{{"target", "a"}, {"jsonp", "f"}}, "parameter jsonp: answers are JSON only"},
      {{{"target", "a"}, {"format", "png"}}, "parameter format: it is json, csv, raw or dygraph"},
      {{{"target", "a"}, {"from", "x"}}, "parameter from: \\\"x\\\" is no time"},
      {{{"target", "a"}, {"from", "now"}}, "parameter until: it is the same time as from"},
      {{{"target", "a"}, {"maxDataPoints", "x"}}, "parameter maxDataPoints: "},
      {{{"target", "a"}, {"xFilesFactor", "2"}}, "parameter xFilesFactor: it is from 0 to 1"},
      {{{"target", "a"}, {"tz", "Mars"}}, "parameter tz: "},
      {{{"target", "a"}, {"tz", "../../etc/passwd"}},
       "parameter tz: \\\"../../etc/passwd\\\" is no time zone of /usr/share/zoneinfo"},
      {{{"target", "a.[b"}}, "the set of [b has no end"},
      {{{"target", "seriesByTag('host=')"}}, "at 1: "},
      {{{"target", "seriesByTag(a)"}}, "at 1: seriesByTag(): each argument is an expression in quotes"},
  };
  for (const auto& [parameters, message] : cases) {
    const HttpResponse response = world_.ask("/render", parameters);
    EXPECT_EQ(response.status, 400U) << message;
    EXPECT_NE(response.body.find(message), std::string::npos) << response.body << " instead of " << message;
  }
}

TEST_F(RenderTest, LimitsAreThoseOfQueries) {
  const auto status = [&](const std::string& target, const QueryLimits& limits) {
    return world_.ask("/render", {{"target", target}, {"from", "-1min"}}, limits).status;
  };
  EXPECT_EQ(status("host.*.cpu", {.series_max = 1}), 422U);
  EXPECT_EQ(status("sumSeries(host.*.cpu)", {.series_max = 1}), 200U);
  EXPECT_EQ(status("sumSeries(host.*.cpu)", {.selected_max = 1}), 422U);
  EXPECT_EQ(status("host.a.cpu", {.points_max = 5}), 422U);
  EXPECT_EQ(status("host.a.cpu", {.slots_max = 5}), 422U);
  EXPECT_EQ(status("scale(scale(host.a.cpu,2),2)", {.evaluations_max = 4}), 422U);
  EXPECT_EQ(status("host.a.cpu", {.memory_bytes_max = 100}), 422U);
  EXPECT_EQ(status("summarize(host.a.cpu,'1s')", {.points_max = 20}), 422U);
}

// A function that makes much of little is refused while it works: after it, the message would have what all
// of its series need.
TEST_F(RenderTest, MemoryIsLimitedWhileAFunctionWorks) {
  const auto render = [&](const std::string& target) {
    return world_.ask("/render", {{"target", target}, {"from", "-1h"}}, {.memory_bytes_max = 100'000}).body;
  };
  std::string many = "time('a',3600)";
  for (int i = 0; i < 20; ++i) many += ",time('a',3600)";
  const std::string text(4000, '%');
  for (const std::string& target :
       {"summarize(group(" + many + "),'1s')", "smartSummarize(group(" + many + "),'1s')",
        "hitcount(group(" + many + "),'1s')", "alias(group(" + many + "),\"" + text + text + "\")",
        "applyByNode(alias(time('a',3600),'aa'),0,\"group(" + many + ")\",\"" + text + "\")"}) {
    const std::string body = render(target);
    const size_t at = body.find("needs ");
    ASSERT_NE(at, std::string::npos) << target.substr(0, 40) << body.substr(0, 200);
    EXPECT_LT(std::stoul(body.substr(at + 6)), 200'000U) << body;
  }
  EXPECT_NE(
      render("applyByNode(alias(time('a',3600),'" + std::string(100, 'a') + "'),0,'b',\"" + text + "\")")
          .find("applyByNode(): a target or a name has more than 65536 bytes"),
      std::string::npos);
}

// Knows the greatest piece that is written to it.
class PieceSink final : public BodySink {
 public:
  void set_content_type(std::string_view) override {}
  Status write(std::string_view bytes) override {
    most_ = std::max(most_, bytes.size());
    all_ += bytes.size();
    return Status::ok();
  }
  size_t most() const { return most_; }
  size_t all() const { return all_; }

 private:
  size_t most_ = 0;
  size_t all_ = 0;
};

TEST(RenderAnswer, LinesOfLongNamesAreWrittenPieceByPiece) {
  Series series;
  series.rename(std::string(10'000, 'a'));
  series.values.assign(100, 1);
  RenderRequest request;
  request.format = RenderRequest::Format::kCsv;
  PieceSink sink;
  ASSERT_TRUE(write_render_answer({series}, request, sink));
  EXPECT_EQ(sink.all(), 100 * (series.name.size() + std::string(",1970-01-01 00:00:00,1\r\n").size()));
  EXPECT_LT(sink.most(), 100'000U);
}

TEST_F(RenderTest, FunctionsAreListedAsGrafanaReadsThem) {
  const auto all = boost::json::parse(world_.ask("/functions", {}).body);
  const auto& scale = all.at("scale");
  EXPECT_EQ(scale.at("name"), "scale");
  EXPECT_EQ(scale.at("function"), "scale(seriesList, factor)");
  EXPECT_EQ(scale.at("group"), "Transform");
  EXPECT_EQ(scale.at("params").at(1).at("type"), "float");
  EXPECT_EQ(scale.at("params").at(1).at("required"), true);
  EXPECT_EQ(all.at("movingWindow").at("params").at(2).at("default"), "average");
  EXPECT_EQ(all.at("sumSeries").at("params").at(0).at("multiple"), true);
  EXPECT_EQ(all.as_object().size(), functions().size());
  const auto grouped = boost::json::parse(world_.ask("/graphite/functions", {{"grouped", "1"}}).body);
  EXPECT_TRUE(grouped.at("Transform").as_object().contains("scale"));
}

// What the buckets have of a band is what its slots have together.
RC_GTEST_PROP(Consolidation, BucketsOfBandsAreThoseOfTheirSlots, ()) {
  RenderWorld world;
  const auto values = *rc::gen::container<std::vector<int64_t>>(
      60, rc::gen::weightedOneOf<int64_t>(
              {{5, rc::gen::inRange<int64_t>(-100, 100)}, {1, rc::gen::just<int64_t>(1000)}}));
  for (size_t i = 0; i < values.size(); ++i) {
    // 1000: no sample in this slot.
    if (values[i] != 1000) world.add("x", kNow - 600 + static_cast<int64_t>(i) * 10, values[i]);
  }
  const auto back_s = *rc::gen::inRange<int64_t>(50, 600);
  const auto points = *rc::gen::inRange<size_t>(2, 20);
  for (const Summary::Kind kind : {Summary::Kind::kAverage, Summary::Kind::kSum, Summary::Kind::kMin,
                                   Summary::Kind::kMax, Summary::Kind::kCount, Summary::Kind::kStddev}) {
    QueryControl control;
    StoredTargets source = world.targets(control);
    FetchRequest request{
        .path = "x", .text = "x", .from_s = kNow - back_s, .until_s = kNow, .points = points, .read = {kind}};
    const auto merged = source.fetch(request);
    request.points = 0;
    request.read = {};
    auto by_hand = source.fetch(request);
    RC_ASSERT(merged.has_value() && by_hand.has_value());
    if (merged->empty() || merged->front().step_s == by_hand->front().step_s) continue;
    Series& fine = by_hand->front();
    const Series& bands = merged->front();
    fine.consolidation = {kind};
    consolidate(fine, bands.step_s);
    RC_ASSERT(bands.values.size() <= points);
    RC_ASSERT(bands.start_s == fine.start_s && bands.values.size() == fine.values.size());
    for (size_t i = 0; i < bands.values.size(); ++i) {
      if (is_none(bands.values[i]) || is_none(fine.values[i])) {
        RC_ASSERT(is_none(bands.values[i]) == is_none(fine.values[i]));
      } else {
        RC_ASSERT(std::abs(bands.values[i] - fine.values[i]) < 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace statmill::graphite
