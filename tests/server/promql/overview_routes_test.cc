// GET /api/v1/table over a real engine.
#include "server/promql/overview_routes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <map>

#include "tests/server/promql/promql_world.h"

namespace statmill {
namespace {

namespace json = boost::json;
using Parameters = std::vector<std::pair<std::string, std::string>>;

class OverviewRoutesTest : public testing::Test {
 protected:
  static constexpr int64_t kNow_s = PromqlWorld::kNow_s;

  json::object table(Parameters parameters) {
    const HttpResponse response = world_.ask({"/api/v1/table", std::move(parameters)});
    EXPECT_EQ(response.status, 200U) << response.body;
    if (response.status != 200) return {};
    return json::parse(response.body).as_object();
  }
  // The rows as "web1 1 null" with a line end after each.
  std::string rows(Parameters parameters) {
    std::string out;
    const json::object answer = table(std::move(parameters));
    for (const auto& row : answer.at("rows").as_array()) {
      out += std::string(row.at("row").as_string());
      for (const auto& value : row.at("values").as_array()) out += " " + json::serialize(value);
      out += "\n";
    }
    return out;
  }

  PromqlWorld world_{true};
};

TEST_F(OverviewRoutesTest, TableHasARowForEachValueOfATag) {
  world_.add("cpu;host=web1", Kind::kGauge, Number::of(40.5), kNow_s - 60);
  world_.add("cpu;host=web2", Kind::kGauge, Number::of(90), kNow_s - 60);
  world_.add("mem;host=web2", Kind::kGauge, Number::of(7), kNow_s - 60);
  world_.add("cpu", Kind::kGauge, Number::of(1), kNow_s - 60);
  const Parameters ask = {{"row", "tag:host"}, {"column", "cpu:avg"}, {"column", "mem:max"}};
  EXPECT_EQ(rows(ask), "web1 4.05E1 null\nweb2 90 7\n");
  const json::object answer = table(ask);
  EXPECT_EQ(answer.at("total"), 2);
  EXPECT_EQ(answer.at("from"), kNow_s - 60);
  EXPECT_EQ(answer.at("until"), kNow_s + 10);
  EXPECT_EQ(answer.at("tier"), 10);
  EXPECT_EQ(json::serialize(answer.at("columns")), R"(["cpu:avg","mem:max"])");
}

TEST_F(OverviewRoutesTest, RowsAreSortedAndLimited) {
  for (const int i : {1, 2, 3})
    world_.add("cpu;host=web" + std::to_string(i), Kind::kGauge, Number::of(i * 10), kNow_s - 60);
  world_.add("mem;host=db", Kind::kGauge, Number::of(5), kNow_s - 60);
  Parameters ask = {{"row", "tag:host"}, {"column", "cpu:avg"}, {"column", "mem:avg"}, {"sort", "-0"}};
  EXPECT_EQ(rows(ask), "web3 30 null\nweb2 20 null\nweb1 10 null\ndb null 5\n");
  ask.emplace_back("limit", "1");
  EXPECT_EQ(rows(ask), "web3 30 null\n");
  EXPECT_EQ(table(ask).at("total"), 4);
  ask[3].second = "0";
  EXPECT_EQ(rows(ask), "web1 10 null\n");
  ask[3].second = "-row";
  EXPECT_EQ(rows(ask), "web3 30 null\n");
}

TEST_F(OverviewRoutesTest, SeveralSeriesOfARowAreMergedAsAsked) {
  world_.add("disk;device=a;host=w", Kind::kEvent, Number::of(10), kNow_s - 60);
  world_.add("disk;device=b;host=w", Kind::kEvent, Number::of(40), kNow_s - 60);
  const Parameters range = {{"row", "tag:host"}, {"from", "-60s"}, {"until", std::to_string(kNow_s)}};
  const auto with = [&](const std::string& column) {
    Parameters ask = range;
    ask.emplace_back("column", column);
    return rows(ask);
  };
  EXPECT_EQ(with("disk:rate"), "w 5\n") << "rates add up";
  EXPECT_EQ(with("disk:rate:max"), "w 4\n");
  EXPECT_EQ(with("disk:rate:avg"), "w 2.5E0\n");
  EXPECT_EQ(with("disk:sum"), "w 300\n");
  EXPECT_EQ(with("disk:avg"), "w 2.5E0\n") << "the mean of all slots' rates";
  EXPECT_EQ(with("disk:max"), "w 4\n");
  EXPECT_EQ(with("{\"disk\",device=\"a\"}:count"), "w 6\n");
}

TEST_F(OverviewRoutesTest, SlotsUnderWayOfSeveralSeriesCountWithTheTimeThatHasPassed) {
  for (const char* const name : {"hits;a=1;host=w", "hits;a=2;host=w"})
    world_.add(name, Kind::kEvent, Number::of(10), kNow_s - 60, kNow_s + 10);
  const Parameters ask = {{"row", "tag:host"}, {"column", "hits:avg"}, {"column", "hits:max"}};
  const json::object answer = table(ask);
  const json::value& values = answer.at("rows").at(0).at("values");
  // Each series has 7 slots of 10 events, of which the last one has lasted a second.
  EXPECT_DOUBLE_EQ(values.at(0).to_number<double>(), 2 * 70.0 / (2 * 61.0));
  EXPECT_EQ(values.at(1).to_number<double>(), 10);
}

TEST_F(OverviewRoutesTest, SeriesOfSeveralKindsHaveNoMergedBucketButRates) {
  world_.add("x;a=1;host=w", Kind::kEvent, Number::of(10), kNow_s - 60);
  world_.add("x;a=2;host=w", Kind::kGauge, Number::of(3), kNow_s - 60);
  const Parameters ask = {
      {"row", "tag:host"}, {"column", "x:avg"}, {"column", "x:avg:max"}, {"until", std::to_string(kNow_s)}};
  EXPECT_EQ(rows(ask), "w null 3\n");
}

TEST_F(OverviewRoutesTest, LastIsTheNewestSlot) {
  world_.add("cpu;host=w", Kind::kGauge, Number::of(1), kNow_s - 60);
  world_.add("cpu;host=w", Kind::kGauge, Number::of(7), kNow_s - 20, kNow_s - 10);
  world_.add("cpu;a=2;host=w", Kind::kGauge, Number::of(2), kNow_s - 60, kNow_s - 20);
  Parameters ask = {{"row", "tag:host"},
                    {"column", "{\"cpu\",a=\"2\"}:last"},
                    {"column", "cpu:last:max"},
                    {"column", "cpu:last"},
                    {"until", std::to_string(kNow_s - 10)}};
  EXPECT_EQ(rows(ask), "w 2 4 4\n") << "slot -20 has 1 and 7";
}

TEST_F(OverviewRoutesTest, SparksArePointsOverTheRange) {
  world_.add("cpu;host=w", Kind::kGauge, Number::of(3), kNow_s - 600, kNow_s - 300);
  const json::object answer = table({{"row", "tag:host"},
                                     {"column", "cpu:avg"},
                                     {"from", "-600s"},
                                     {"until", std::to_string(kNow_s)},
                                     {"spark", "0:10"}});
  EXPECT_EQ(json::serialize(answer.at("rows").at(0).at("spark")), "[3,3,3,3,3,null,null,null,null,null]");
}

TEST(OverviewTable, ReadsTheTierThatARuleLeaves) {
  PromqlWorld world(true, "brief_* 10s:10m");
  const auto tier = [&](const std::string& name) {
    world.add(name + ";host=w", Kind::kGauge, Number::of(3), PromqlWorld::kNow_s - 1200);
    const HttpResponse response =
        world.ask({"/api/v1/table", {{"row", "tag:host"}, {"column", name + ":avg"}, {"from", "-20m"}}});
    EXPECT_EQ(response.status, 200U) << response.body;
    return json::serialize(json::parse(response.body).at("tier"));
  };
  EXPECT_EQ(tier("x"), "10");
  EXPECT_EQ(tier("brief_x"), "300");
}

TEST_F(OverviewRoutesTest, SparksOfRatesEndBeforeTheSlotUnderWay) {
  world_.add("hits;host=w", Kind::kEvent, Number::of(50), kNow_s - 30, kNow_s);
  const json::object answer = table({{"row", "tag:host"},
                                     {"column", "hits:rate"},
                                     {"from", std::to_string(kNow_s - 30)},
                                     {"until", std::to_string(kNow_s + 10)},
                                     {"spark", "0:4"}});
  EXPECT_EQ(json::serialize(answer.at("rows").at(0).at("spark")), "[5,5,5,null]");
}

TEST_F(OverviewRoutesTest, ADeadHostHasNoRates) {
  world_.add("hits;host=dead", Kind::kEvent, Number::of(1), kNow_s - 600, kNow_s - 300);
  world_.add("hits;host=alive", Kind::kEvent, Number::of(1), kNow_s - 600, kNow_s - 300);
  world_.add("host.up;host=dead", Kind::kCounter, Number::of(1), kNow_s - 600, kNow_s - 300);
  world_.add("host.up;host=alive", Kind::kCounter, Number::of(1), kNow_s - 600);
  EXPECT_EQ(rows({{"row", "tag:host"}, {"column", "hits:rate"}}), "alive 0\ndead null\n");
}

TEST_F(OverviewRoutesTest, ErrorsAreClear) {
  const HttpResponse response = world_.ask({"/api/v1/table", {{"row", "tag:host"}, {"column", "cpu:much"}}});
  EXPECT_EQ(response.status, 400U);
  EXPECT_NE(response.body.find("no such stat"), std::string::npos);
  QueryControl control({.selected_max = 1});
  world_.add("cpu;host=a", Kind::kGauge, Number::of(1), kNow_s - 10);
  world_.add("cpu;host=b", Kind::kGauge, Number::of(1), kNow_s - 10);
  EXPECT_EQ(world_.ask({"/api/v1/table", {{"row", "tag:host"}, {"column", "cpu:avg"}}}, control).status,
            422U);
}

TEST_F(OverviewRoutesTest, TreeListsTheTagsOfAPathAfterASemicolon) {
  for (const char* const name :
       {"disk.used", "disk.used;d=a", "disk.used;d=b;x=1", "disk.used;d=c", "disk.usedx;d=a"})
    world_.add(name, Kind::kGauge, Number::of(1), kNow_s - 10);
  const auto tree = [&](Parameters parameters) {
    return json::parse(world_.ask({"/api/v1/tree", std::move(parameters)}).body).as_object();
  };
  const json::object page = tree({{"prefix", "disk.used;"}, {"limit", "2"}});
  EXPECT_EQ(json::serialize(page.at("children")),
            R"([{"part":"d=a","series":1,"kind":"gauge","last_s":1700000090},)"
            R"({"part":"d=b;x=1","series":1,"kind":"gauge","last_s":1700000090}])");
  EXPECT_EQ(page.at("series"), 3);
  EXPECT_EQ(page.at("next"), "d=b;x=1");
  const json::object rest = tree({{"prefix", "disk.used;"}, {"after", "d=b;x=1"}});
  EXPECT_EQ(rest.at("children").as_array().size(), 1U);
  EXPECT_TRUE(rest.at("next").is_null());
  EXPECT_EQ(rest.at("names"), page.at("names"));
  world_.add("new", Kind::kGauge, Number::of(1), kNow_s - 10);
  EXPECT_NE(tree({}).at("names"), page.at("names"));
}

TEST_F(OverviewRoutesTest, TreeSaysThatThereAreMoreTagsWhateverTheirOrder) {
  for (const char* const tags : {"d=a", "d=b", "d=c", "d=e", "d=d"})
    world_.add(std::string("disk.used;") + tags, Kind::kGauge, Number::of(1), kNow_s - 10);
  const auto next = [&](const char* limit, const char* after) {
    const Parameters asked = {{"prefix", "disk.used;"}, {"limit", limit}, {"after", after}};
    return json::serialize(json::parse(world_.ask({"/api/v1/tree", asked}).body).as_object().at("next"));
  };
  EXPECT_EQ(next("2", "d=0"), R"("d=b")");
  EXPECT_EQ(next("2", "d=b"), R"("d=d")");
  EXPECT_EQ(next("4", "d=0"), R"("d=d")");
  EXPECT_EQ(next("5", "d=0"), "null");
  EXPECT_EQ(next("2", "d=c"), "null");
}

TEST_F(OverviewRoutesTest, SearchFindsSeriesWithTheirKinds) {
  world_.add("sched.wait_ns;host=web1", Kind::kDistribution, Number::of(1), kNow_s - 10);
  world_.add("load.run;host=web1", Kind::kGauge, Number::of(1), kNow_s - 10);
  const auto search = [&](Parameters parameters) {
    return json::parse(world_.ask({"/api/v1/search", std::move(parameters)}).body).as_object();
  };
  const json::object found = search({{"q", "WEB wait"}});
  EXPECT_EQ(found.at("total"), 1);
  EXPECT_EQ(found.at("total_is"), "exact");
  EXPECT_EQ(
      json::serialize(found.at("series")),
      R"([{"name":"sched.wait_ns;host=web1","kind":"distribution","last_s":1700000090,"hits":[[6,10],[19,22]]}])");
  EXPECT_EQ(search({{"q", "web"}, {"kind", "gauge"}}).at("total"), 1);
  EXPECT_EQ(search({{"q", "web"}, {"under", "load."}}).at("total"), 1);
  world_.fake().refused = {{"bad_value", "10.0.0.7", "web much"}};
  EXPECT_EQ(json::serialize(search({{"q", "web"}}).at("refused")),
            R"([{"reason":"bad_value","from":"10.0.0.7","line":"web much"}])");
  for (const Parameters& bad : std::vector<Parameters>{{},
                                                       {{"q", " "}},
                                                       {{"q", "a"}, {"kind", "x"}},
                                                       {{"q", "a"}, {"limit", "1001"}},
                                                       {{"q", std::string(257, 'a')}}})
    EXPECT_EQ(world_.ask({"/api/v1/search", bad}).status, 400U);
}

TEST_F(OverviewRoutesTest, ChangesListsWhatMovedMostFirst) {
  const int64_t then = kNow_s - 600;
  const auto add = [&](std::string_view name, Kind kind, int was, int is) {
    for (int64_t time_s = kNow_s - 1200; time_s < kNow_s; time_s += 10) {
      const int noise = static_cast<int>(time_s / 10 % 3);
      world_.add(name, kind, Number::of((time_s < then ? was : is) + noise), time_s, time_s + 10);
    }
  };
  add("same;h=1", Kind::kGauge, 5, 5);
  add("little;h=1", Kind::kGauge, 5, 6);
  add("much;h=1", Kind::kGauge, 5, 50);
  add("hits;h=1", Kind::kEvent, 100, 110);
  add("wait;h=1", Kind::kDistribution, 10, 1000);
  world_.add("few;h=1", Kind::kGauge, Number::of(1), kNow_s - 50);
  const auto changes = [&](Parameters more) {
    Parameters parameters = {
        {"match", "{h=\"1\"}"}, {"from", std::to_string(then)}, {"until", std::to_string(kNow_s)}};
    for (auto& one : more) parameters.push_back(std::move(one));
    return json::parse(world_.ask({"/api/v1/changes", parameters}).body).as_object();
  };
  const json::object answer = changes({});
  EXPECT_EQ(answer.at("selected"), 6);
  EXPECT_EQ(answer.at("compared"), 5) << "few has less than 10 samples";
  EXPECT_EQ(answer.at("was_from"), kNow_s - 1200);
  EXPECT_EQ(answer.at("was_until"), then);
  std::string names;
  for (const auto& one : answer.at("series").as_array())
    names += std::string(one.at("name").as_string()) + " ";
  EXPECT_EQ(names, "much;h=1 wait;h=1 hits;h=1 little;h=1 ");
  const json::value& wait = answer.at("series").at(1);
  EXPECT_EQ(wait.at("by"), "distribution");
  EXPECT_EQ(wait.at("score"), 1);
  EXPECT_EQ(wait.at("was").at("n"), 60);
  EXPECT_EQ(answer.at("series").at(0).at("by"), "mean");
  EXPECT_EQ(changes({{"limit", "1"}}).at("series").as_array().size(), 1U);
  EXPECT_EQ(changes({{"against", "1d"}}).at("compared"), 0);
  for (const Parameters& bad :
       std::vector<Parameters>{{}, {{"match", "x"}, {"against", "soon"}}, {{"match", "x"}, {"limit", "0"}}})
    EXPECT_EQ(world_.ask({"/api/v1/changes", bad}).status, 400U);
}

// Each cell is what /api/v1/query answers for the series of the row as one slot.
RC_GTEST_PROP(OverviewTable, CellsEqualQueriesOfOneSlot, ()) {
  PromqlWorld world(true);
  constexpr int64_t kNow = PromqlWorld::kNow_s;
  const auto kind = *rc::gen::element(Kind::kGauge, Kind::kEvent, Kind::kCounter, Kind::kDistribution);
  const int hosts = *rc::gen::inRange(1, 4);
  for (int h = 0; h < hosts; ++h) {
    const std::string name = "m;host=h" + std::to_string(h);
    const int parts = *rc::gen::inRange(0, 5);
    for (int p = 0; p < parts; ++p) {
      const int64_t begin = kNow - 10 * *rc::gen::inRange(1, 200);
      const int64_t end = std::min(kNow + 10, begin + 10 * *rc::gen::inRange(1, 60));
      world.add(name, kind, Number::of(*rc::gen::inRange(-50, 50)), begin, end);
    }
    if (*rc::gen::arbitrary<bool>())
      world.add("host.up;host=h" + std::to_string(h), Kind::kCounter, Number::of(1), kNow - 1000, kNow - 200);
  }
  const std::string from = std::to_string(kNow - *rc::gen::inRange(1, 2500));
  const std::vector<std::string> stats = {"avg",  "min",    "max", "sum", "count",
                                          "rate", "stddev", "p50", "p99"};
  Parameters ask = {{"row", "tag:host"}, {"from", from}, {"until", "now"}};
  for (const std::string& stat : stats) ask.emplace_back("column", "m:" + stat);
  const HttpResponse response = world.ask({"/api/v1/table", ask});
  RC_ASSERT(response.status == 200U);
  const json::value answer = json::parse(response.body);
  for (const auto& row : answer.at("rows").as_array()) {
    const std::string name = "m;host=" + std::string(row.at("row").as_string());
    std::string list;
    for (const std::string& stat : stats) list += (list.empty() ? "" : ",") + stat;
    const HttpResponse one = world.ask(
        {"/api/v1/query",
         {{"series", name}, {"from", from}, {"until", "now"}, {"max_points", "1"}, {"stats", list}}});
    RC_ASSERT(one.status == 200U);
    const json::value series = json::parse(one.body).at("series").at(0);
    for (size_t i = 0; i < stats.size(); ++i) RC_ASSERT(row.at("values").at(i) == series.at(stats[i]).at(0));
  }
}

// The cells of several distributions are what a heatmap of them has as one slot.
RC_GTEST_PROP(OverviewTable, MergedCellsEqualAHeatmapOfOneSlot, ()) {
  PromqlWorld world(true);
  constexpr int64_t kNow = PromqlWorld::kNow_s;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) {
    for (int p = 0; p < 3; ++p) {
      const int64_t begin = kNow - 10 * *rc::gen::inRange(1, 100);
      world.add("m;a=" + std::to_string(i) + ";host=h", Kind::kDistribution,
                Number::of(*rc::gen::inRange(1, 5000)), begin, std::min(kNow, begin + 200));
    }
  }
  const std::string from = std::to_string(kNow - *rc::gen::inRange(1, 1200));
  const HttpResponse merged = world.ask({"/api/v1/heatmap",
                                         {{"series", "m;*"},
                                          {"from", from},
                                          {"max_points", "1"},
                                          {"stats", "count,sum,avg,min,max,stddev,p50,p90"}}});
  RC_ASSERT(merged.status == 200U);
  Parameters ask = {{"row", "tag:host"}, {"from", from}};
  const std::vector<std::string> stats = {"count", "sum", "avg", "min", "max", "stddev", "p50", "p90"};
  for (const std::string& stat : stats) ask.emplace_back("column", "m:" + stat);
  const HttpResponse response = world.ask({"/api/v1/table", ask});
  const json::value row = json::parse(response.body).at("rows").at(0);
  for (size_t i = 0; i < stats.size(); ++i)
    RC_ASSERT(row.at("values").at(i) == json::parse(merged.body).at(stats[i]).at(0));
}

}  // namespace
}  // namespace statmill
